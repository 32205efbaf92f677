"""When a word of the streaming extensions is a keyword; the rules are as in word_rules.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.syntax.tokens.keyword_lists import (
    JOIN_WORDS,
)
from compiler.syntax.tokens.words import words

if TYPE_CHECKING:
    from compiler.syntax.tokens.walk import TokenWalk

_BEFORE_RELATION = frozenset(words("FROM JOIN ( , LATERAL"))


def asof(walk: TokenWalk, index: int) -> str:
    """The begin of a join if that has a MATCH_CONDITION; else an alias, as in Spark."""
    place = index + 1
    while walk.types[place] in JOIN_WORDS:
        place += 1
    if walk.types[place] != "JOIN":
        return "NAME"
    depth = 0
    for behind in range(place + 1, len(walk.types)):
        kind = walk.types[behind]
        depth += (kind == "(") - (kind == ")")
        if depth < 0 or kind == ";" or (depth == 0 and kind in ("JOIN", "WHERE")):
            break
        if depth == 0 and kind == "MATCH_CONDITION" and walk.after(behind) == "(":
            return "ASOF"
    return "NAME"


def match_condition(walk: TokenWalk, index: int) -> str:
    """The clause of an ASOF JOIN, in parentheses."""
    is_clause = walk.after(index) == "(" and "ASOF" in walk.out.types
    return "MATCH_CONDITION" if is_clause else "NAME"


def watermark(walk: TokenWalk, index: int) -> str:
    """A relation, WATERMARK(rel, ...), or a clause, WATERMARK expression DELAY OF interval."""
    if walk.after(index) == "(" and walk.previous() in _BEFORE_RELATION:
        return "WATERMARK"
    depth = 0
    for place in range(index + 1, len(walk.types)):
        kind = walk.types[place]
        depth += (kind == "(") - (kind == ")")
        if depth < 0 or kind == ";":
            break
        if depth == 0 and kind == "DELAY" and walk.after(place) == "OF":
            return "WATERMARK"
    return "NAME"


def fill(walk: TokenWalk, index: int) -> str:
    """Behind a call of TUMBLE or its like: behind a subquery it is an alias with columns."""
    if walk.previous() != ")" or walk.after(index) != "(":
        return "NAME"
    kinds, depth = walk.out.types, 0
    for place in range(len(kinds) - 1, 0, -1):
        depth += (kinds[place] == ")") - (kinds[place] == "(")
        if depth == 0:
            return "FILL" if kinds[place - 1] in _WINDOWED else "NAME"
    return "NAME"


_WINDOWED = frozenset({"TUMBLE", "HOP", "CUMULATE", "SESSION"})


def table(walk: TokenWalk, index: int) -> str:
    """TABLE of a name or in parentheses."""
    follows = walk.after(index) == "(" or walk.is_name(index + 1)
    return walk.types[index] if follows else "NAME"


_BEGINS_MATCH = frozenset(words("PARTITION ORDER MEASURES ONE ALL AFTER PATTERN SUBSET DEFINE"))


def match_recognize(walk: TokenWalk, index: int) -> str:
    """Not an alias with columns: `FROM t match_recognize (pattern, a)`."""
    begins = walk.after(index) == "(" and walk.after(index, 2) in _BEGINS_MATCH
    is_list = walk.after(index, 3) in (",", ")")
    if not begins or is_list:
        return "NAME"
    walk.match_end = closing(walk, index + 1)
    return "MATCH_RECOGNIZE"


def _in_match(walk: TokenWalk, distance: int, index: int) -> str:
    is_call = walk.after(index, distance) == "(" and walk.is_name(index + distance - 1)
    return walk.types[index] if is_call and index < walk.match_end else "NAME"


def match_scope(walk: TokenWalk, index: int) -> str:
    """`FINAL last(a.x)` in a MATCH_RECOGNIZE."""
    return _in_match(walk, 2, index)


def permute(walk: TokenWalk, index: int) -> str:
    """`PERMUTE(a, b)` in a MATCH_RECOGNIZE."""
    return _in_match(walk, 1, index)


_CLAUSE_WORDS = JOIN_WORDS | frozenset(
    words(
        "GROUP ORDER SORT CLUSTER DISTRIBUTE WINDOW LIMIT OFFSET EMIT QUALIFY TABLESAMPLE PIVOT "
        "UNPIVOT WATERMARK MINUS EXCEPT"
    )
)


def stream(walk: TokenWalk, index: int) -> str:
    """STREAM of a name or in parentheses; before a clause it is an alias."""
    return "NAME" if walk.after(index) in _CLAUSE_WORDS else table(walk, index)


def closing(walk: TokenWalk, index: int) -> int:
    """The place of the parenthesis that closes the one at `index`."""
    depth = 0
    for place in range(index, len(walk.types)):
        kind = walk.types[place]
        depth += (kind == "(") - (kind == ")")
        if depth == 0:
            return place
    return len(walk.types)
