"""When a word is a keyword: one rule a word, asked with the tokens beside it.

A rule gets the walk and the place of its word, and answers the type of the token:
the keyword, NAME, or nothing if it has written the token itself.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from compiler.syntax.tokens.keyword_lists import (
    AFTER_NAME,
    BEFORE_TYPE,
    JOIN_WORDS,
    NAMES,
    QUERY_STARTS,
    TYPED_LITERALS,
    UNITS,
    word_types,
)
from compiler.syntax.tokens.lexer import END
from compiler.syntax.tokens.stream_words import (
    asof,
    closing,
    fill,
    match_condition,
    match_recognize,
    match_scope,
    permute,
    stream,
    table,
    watermark,
)
from compiler.syntax.tokens.words import words

if TYPE_CHECKING:
    from collections.abc import Callable

    from compiler.syntax.tokens.walk import TokenWalk

# --------------------------------------------------------------- when a word is a keyword


def _join_word(walk: TokenWalk, index: int) -> str:
    if walk.previous() == "LATERAL_VIEW":
        return walk.types[index]
    place = index
    while walk.types[place] in JOIN_WORDS:
        place += 1
    return walk.types[index] if walk.types[place] == "JOIN" else "NAME"


_CALL_WORDS = words(
    "CAST TRY_CAST STRUCT IDENTIFIER ROLLUP CUBE TUMBLE HOP CUMULATE SESSION LATE BAD"
)


def _call_word(walk: TokenWalk, index: int) -> str:
    return walk.types[index] if walk.after(index) == "(" else "NAME"


def _special_form(walk: TokenWalk, index: int) -> str:
    """TRIM and its like are keywords only if their call has one of their words at its own level."""
    if walk.after(index) != "(":
        return "NAME"
    separators = _SPECIAL_FORMS[walk.types[index]]
    depth = 0
    for kind in walk.types[index + 1 :]:
        if kind in ("(", "["):
            depth += 1
        elif kind in (")", "]"):
            depth -= 1
            if depth == 0:
                break
        elif depth == 1 and kind in separators:
            return walk.types[index]
        elif kind == ";":
            break
    return "NAME"


_SPECIAL_FORMS = {
    "EXTRACT": frozenset({"FROM"}),
    "TRIM": frozenset({"FROM"}),
    "SUBSTRING": frozenset({"FROM"}),
    "SUBSTR": frozenset({"FROM"}),
    "POSITION": frozenset({"IN"}),
    "OVERLAY": frozenset({"PLACING"}),
}


def _transform(walk: TokenWalk, index: int) -> str:
    if walk.after(index) != "(":
        return "NAME"
    behind = walk.after(closing(walk, index + 1))
    return "TRANSFORM" if behind in ("USING", "ROW", "RECORDWRITER") else "NAME"


def _script_input(walk: TokenWalk, index: int) -> str:
    """MAP and REDUCE begin a query if a script follows at their own level: MAP a USING 'cat'."""
    depth = 0
    for place in range(index + 1, len(walk.types)):
        kind = walk.types[place]
        depth += (kind == "(") - (kind == ")")
        if depth < 0 or kind in ("FROM", "SELECT", ";"):
            break
        if depth == 0 and kind == "USING" and walk.after(place) == "STRING":
            return walk.types[index]
    return "NAME"


def _tablesample(walk: TokenWalk, index: int) -> str:
    follows = walk.after(index) in ("(", "SYSTEM", "BERNOULLI")
    return "TABLESAMPLE" if follows else "NAME"


_BEFORE_ALL = frozenset(words("GROUP_BY LIMIT ORDER_BY UNION EXCEPT INTERSECT MINUS"))
# What tells that `all` is a column: GROUP BY all, a.
_BEHIND_KEY = frozenset(
    words(", ( [ . :: + - * / % = == <> != <=> < <= > >= || & | ^ IS IN LIKE WITH GROUPING")
)


def _all(walk: TokenWalk, index: int) -> str:
    after = walk.after(index)
    if walk.previous() == "GROUP_BY":
        return "NAME" if after in _BEHIND_KEY else "ALL"
    is_clause = walk.previous() in _BEFORE_ALL
    return "NAME" if after in AFTER_NAME and not is_clause else "ALL"


def _limit(walk: TokenWalk, index: int) -> str:
    is_name = walk.after(index) in (END, ")", ",", "FROM", ";")
    return "NAME" if is_name else walk.types[index]


def _exists(walk: TokenWalk, index: int) -> str:
    place = index + 1
    while walk.after(place, 0) == "(":
        place += 1
    is_query = place > index + 1 and walk.after(place, 0) in QUERY_STARTS
    return "EXISTS" if is_query else "NAME"


def _filter(walk: TokenWalk, index: int) -> str:
    is_clause = walk.after(index) == "(" and walk.after(index, 2) == "WHERE"
    return "FILTER" if is_clause else "NAME"


def _over(walk: TokenWalk, _index: int) -> str:
    return "OVER" if walk.previous() in (")", "IGNORE_NULLS", "RESPECT_NULLS") else "NAME"


def _window(walk: TokenWalk, index: int) -> str:
    # WINDOW w AS (...), or WINDOW IDENTIFIER('w') AS (...).
    width = 4 if walk.after(index) == "IDENTIFIER" and walk.after(index, 2) == "(" else 1
    is_clause = walk.is_name(index + 1) and walk.after(index, width + 1) == "AS"
    return "WINDOW" if is_clause else "NAME"


def _pivot(walk: TokenWalk, index: int) -> str:
    follows = walk.after(index) in ("(", "INCLUDE", "EXCLUDE")
    return walk.types[index] if follows else "NAME"


def _values(walk: TokenWalk, index: int) -> str:
    return "NAME" if walk.after(index) in AFTER_NAME else "VALUES"


def _set_operator(walk: TokenWalk, index: int) -> str:
    kind = walk.types[index]
    after = walk.after(index)
    if kind == "EXCEPT" and walk.previous() == "*" and after == "(":
        place = index + 1
        while walk.after(place, 0) == "(":
            place += 1
        return kind if walk.after(place, 0) in QUERY_STARTS else "_EXCEPT_COLUMNS"
    if kind == "MINUS" and after not in QUERY_STARTS and after not in ("(", "ALL", "DISTINCT"):
        return "NAME"
    return kind


def _interval(walk: TokenWalk, index: int) -> str:
    if walk.previous() in BEFORE_TYPE and _unit(walk, index + 1):
        walk.forced[index + 1] = "UNIT"
        _force_range(walk, index + 2)
        return "INTERVAL"
    place = _value_place(walk, index + 1)
    if place is None:
        return "NAME"
    while place is not None:
        if walk.types[place - 1] in ("+", "-"):
            walk.forced[place - 1] = "INTERVAL_SIGN"
        if not _unit(walk, place + 1):
            break
        walk.forced[place + 1] = "UNIT"
        place = _value_place(walk, _force_range(walk, place + 2))
        if place is not None and not _unit(walk, place + 1):
            break
    return "INTERVAL"


def _unit(walk: TokenWalk, index: int) -> bool:
    return index < len(walk.texts) and walk.texts[index].upper() in UNITS


def _force_range(walk: TokenWalk, index: int) -> int:
    """Take in `TO unit` if it stands here; answers the place behind it."""
    if walk.after(index, 0) == "TO" and _unit(walk, index + 1):
        walk.forced[index + 1] = "UNIT"
        return index + 2
    return index


def _value_place(walk: TokenWalk, index: int) -> int | None:
    if walk.after(index, 0) in ("+", "-"):
        index += 1
    return index if walk.after(index, 0) in ("STRING", "NUMBER") else None


# -------------------------------------------------------------- what symbols and strings tell


def _string(walk: TokenWalk, index: int) -> str:
    out = walk.out
    behind_name = bool(out.types) and out.types[-1] != "QUOTED_NAME"
    is_plain = walk.texts[index][0] not in "xX"
    if is_plain and behind_name and out.texts[-1].upper() in TYPED_LITERALS:
        out.types[-1] = "TYPED_LITERAL"
    return "STRING"


def _fat_arrow(walk: TokenWalk, index: int) -> str:
    if walk.out.types and (walk.previous() in word_types() or walk.previous() in NAMES):
        walk.out.types[-1] = "PARAMETER"
    return walk.types[index]


def _arrow(walk: TokenWalk, index: int) -> str:
    types = walk.out.types
    if walk.previous() != ")":
        return _fat_arrow(walk, index)
    place = len(types) - 2
    while place >= 0 and types[place] not in ("(", ")"):
        place -= 1
    if place >= 0 and types[place] == "(":
        types[place] = "_LAMBDA_OPEN"
    return walk.types[index]


def _more(walk: TokenWalk, index: int) -> str:
    walk.type_depth = max(0, walk.type_depth - 1)
    return walk.types[index]


def _several_more(walk: TokenWalk, index: int) -> str:
    """Inside ARRAY<MAP<…>> the two signs close two types."""
    kind = walk.types[index]
    if walk.type_depth < len(kind):
        return kind
    walk.type_depth -= len(kind)
    out, start = walk.out, walk.raw.starts[index]
    for offset in range(len(kind)):
        out.types.append(">")
        out.texts.append(">")
        out.starts.append(start + offset)
        out.ends.append(start + offset + 1)
    return ""


# What begins no operand: behind a bar it is an operator of a pipe.
_PIPES = frozenset(
    words("SELECT WHERE AS ORDER SORT CLUSTER DISTRIBUTE UNION EXCEPT MINUS INTERSECT JOIN")
)
# These are names as well, and operators of a pipe if an operand follows.
_PIPES_OR_NAMES = frozenset(
    words("EXTEND SET DROP AGGREGATE LIMIT OFFSET PIVOT UNPIVOT TABLESAMPLE WINDOW")
)


def _bar(walk: TokenWalk, index: int) -> str:
    """`|` is the pipe's `|>` as well, where no operand follows that it could join by bits."""
    if index < walk.match_end:
        return "|"
    after, beyond = walk.after(index), walk.after(index, 2)
    place = index + 1
    while walk.after(place, 0) in JOIN_WORDS:
        place += 1
    is_join = place > index + 1 and walk.after(place, 0) == "JOIN"
    follows = beyond in ("NUMBER", "STRING") or walk.is_name(index + 2)
    is_set = after != "SET" or walk.after(index, 3) in ("=", "==")
    takes_brackets = after in ("PIVOT", "UNPIVOT", "TABLESAMPLE") and beyond == "("
    named = after in _PIPES_OR_NAMES and ((follows and is_set) or takes_brackets)
    return "|>" if after in _PIPES or is_join or named else "|"


@cache
def word_rules() -> dict[str, Callable[[TokenWalk, int], str]]:
    """Type of a raw token -> the rule that gives its final type."""
    return {
        **dict.fromkeys(JOIN_WORDS, _join_word),
        **dict.fromkeys(
            ("CAST", "TRY_CAST", "STRUCT", "IDENTIFIER", "ROLLUP", "CUBE", "TUMBLE", "HOP"),
            _call_word,
        ),
        "ASOF": asof,
        "MATCH_CONDITION": match_condition,
        "TABLESAMPLE": _tablesample,
        "TRANSFORM": _transform,
        "MAP": _script_input,
        "REDUCE": _script_input,
        "ALL": _all,
        "LIMIT": _limit,
        "OFFSET": _limit,
        **dict.fromkeys(_CALL_WORDS, _call_word),
        **dict.fromkeys(_SPECIAL_FORMS, _special_form),
        "EXISTS": _exists,
        "FILTER": _filter,
        "OVER": _over,
        "WINDOW": _window,
        "PIVOT": _pivot,
        "UNPIVOT": _pivot,
        "VALUES": _values,
        "TABLE": table,
        "STREAM": stream,
        "WATERMARK": watermark,
        "MATCH_RECOGNIZE": match_recognize,
        "RUNNING": match_scope,
        "FINAL": match_scope,
        "PERMUTE": permute,
        "FILL": fill,
        **dict.fromkeys(("UNION", "EXCEPT", "MINUS", "INTERSECT"), _set_operator),
        "INTERVAL": _interval,
        "STRING": _string,
        "|": _bar,
        "=>": _fat_arrow,
        "->": _arrow,
        ">": _more,
        ">>": _several_more,
        ">>>": _several_more,
    }
