"""When a word is a keyword: one rule a word, asked with the tokens beside it.

A rule gets the walk of keywords.py and the place of its word, and answers the type of the token:
the keyword, NAME, or nothing if it has written the token itself.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from compiler.syntax.keyword_lists import (
    AFTER_NAME,
    BEFORE_TYPE,
    JOIN_WORDS,
    NAMES,
    QUERY_STARTS,
    TYPED_LITERALS,
    UNITS,
    word_types,
)
from compiler.syntax.lexer import END
from compiler.syntax.words import words

if TYPE_CHECKING:
    from collections.abc import Callable

    from compiler.syntax.keywords import Retagger

# --------------------------------------------------------------- when a word is a keyword


def _join_word(tagger: Retagger, index: int) -> str:
    if tagger.previous() == "LATERAL_VIEW":
        return tagger.types[index]
    place = index
    while tagger.types[place] in JOIN_WORDS:
        place += 1
    return tagger.types[index] if tagger.types[place] == "JOIN" else "NAME"


def _asof(tagger: Retagger, index: int) -> str:
    """The begin of a join if that has a MATCH_CONDITION; else an alias, as in Spark."""
    place = index + 1
    while tagger.types[place] in JOIN_WORDS:
        place += 1
    if tagger.types[place] != "JOIN":
        return "NAME"
    depth = 0
    for behind in range(place + 1, len(tagger.types)):
        kind = tagger.types[behind]
        depth += (kind == "(") - (kind == ")")
        if depth < 0 or kind == ";" or (depth == 0 and kind in ("JOIN", "WHERE")):
            break
        if depth == 0 and kind == "MATCH_CONDITION" and tagger.after(behind) == "(":
            return "ASOF"
    return "NAME"


def _match_condition(tagger: Retagger, index: int) -> str:
    is_clause = tagger.after(index) == "(" and "ASOF" in tagger.out.types
    return "MATCH_CONDITION" if is_clause else "NAME"


_CALL_WORDS = words(
    "CAST TRY_CAST STRUCT IDENTIFIER ROLLUP CUBE TUMBLE HOP CUMULATE SESSION LATE BAD"
)


def _call_word(tagger: Retagger, index: int) -> str:
    return tagger.types[index] if tagger.after(index) == "(" else "NAME"


def _special_form(tagger: Retagger, index: int) -> str:
    """TRIM and its like are keywords only if their call has one of their words at its own level."""
    if tagger.after(index) != "(":
        return "NAME"
    separators = _SPECIAL_FORMS[tagger.types[index]]
    depth = 0
    for kind in tagger.types[index + 1 :]:
        if kind in ("(", "["):
            depth += 1
        elif kind in (")", "]"):
            depth -= 1
            if depth == 0:
                break
        elif depth == 1 and kind in separators:
            return tagger.types[index]
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


def _closing(tagger: Retagger, index: int) -> int:
    """The place of the parenthesis that closes the one at `index`."""
    depth = 0
    for place in range(index, len(tagger.types)):
        kind = tagger.types[place]
        depth += (kind == "(") - (kind == ")")
        if depth == 0:
            return place
    return len(tagger.types)


def _transform(tagger: Retagger, index: int) -> str:
    if tagger.after(index) != "(":
        return "NAME"
    behind = tagger.after(_closing(tagger, index + 1))
    return "TRANSFORM" if behind in ("USING", "ROW", "RECORDWRITER") else "NAME"


def _script_input(tagger: Retagger, index: int) -> str:
    """MAP and REDUCE begin a query if a script follows at their own level: MAP a USING 'cat'."""
    depth = 0
    for place in range(index + 1, len(tagger.types)):
        kind = tagger.types[place]
        depth += (kind == "(") - (kind == ")")
        if depth < 0 or kind in ("FROM", "SELECT", ";"):
            break
        if depth == 0 and kind == "USING" and tagger.after(place) == "STRING":
            return tagger.types[index]
    return "NAME"


def _tablesample(tagger: Retagger, index: int) -> str:
    follows = tagger.after(index) in ("(", "SYSTEM", "BERNOULLI")
    return "TABLESAMPLE" if follows else "NAME"


_BEFORE_ALL = frozenset(words("GROUP_BY LIMIT ORDER_BY UNION EXCEPT INTERSECT MINUS"))
# What tells that `all` is a column: GROUP BY all, a.
_BEHIND_KEY = frozenset(
    words(", ( [ . :: + - * / % = == <> != <=> < <= > >= || & | ^ IS IN LIKE WITH GROUPING")
)


def _all(tagger: Retagger, index: int) -> str:
    after = tagger.after(index)
    if tagger.previous() == "GROUP_BY":
        return "NAME" if after in _BEHIND_KEY else "ALL"
    is_clause = tagger.previous() in _BEFORE_ALL
    return "NAME" if after in AFTER_NAME and not is_clause else "ALL"


def _limit(tagger: Retagger, index: int) -> str:
    is_name = tagger.after(index) in (END, ")", ",", "FROM", ";")
    return "NAME" if is_name else tagger.types[index]


def _exists(tagger: Retagger, index: int) -> str:
    place = index + 1
    while tagger.after(place, 0) == "(":
        place += 1
    is_query = place > index + 1 and tagger.after(place, 0) in QUERY_STARTS
    return "EXISTS" if is_query else "NAME"


def _filter(tagger: Retagger, index: int) -> str:
    is_clause = tagger.after(index) == "(" and tagger.after(index, 2) == "WHERE"
    return "FILTER" if is_clause else "NAME"


def _over(tagger: Retagger, _index: int) -> str:
    return "OVER" if tagger.previous() in (")", "IGNORE_NULLS", "RESPECT_NULLS") else "NAME"


def _window(tagger: Retagger, index: int) -> str:
    # WINDOW w AS (...), or WINDOW IDENTIFIER('w') AS (...).
    width = 4 if tagger.after(index) == "IDENTIFIER" and tagger.after(index, 2) == "(" else 1
    is_clause = tagger.is_name(index + 1) and tagger.after(index, width + 1) == "AS"
    return "WINDOW" if is_clause else "NAME"


def _pivot(tagger: Retagger, index: int) -> str:
    follows = tagger.after(index) in ("(", "INCLUDE", "EXCLUDE")
    return tagger.types[index] if follows else "NAME"


def _values(tagger: Retagger, index: int) -> str:
    return "NAME" if tagger.after(index) in AFTER_NAME else "VALUES"


_BEFORE_RELATION = frozenset(words("FROM JOIN ( , LATERAL"))


def _watermark(tagger: Retagger, index: int) -> str:
    """A relation, WATERMARK(rel, ...), or a clause, WATERMARK expression DELAY OF interval."""
    if tagger.after(index) == "(" and tagger.previous() in _BEFORE_RELATION:
        return "WATERMARK"
    depth = 0
    for place in range(index + 1, len(tagger.types)):
        kind = tagger.types[place]
        depth += (kind == "(") - (kind == ")")
        if depth < 0 or kind == ";":
            break
        if depth == 0 and kind == "DELAY" and tagger.after(place) == "OF":
            return "WATERMARK"
    return "NAME"


def _fill(tagger: Retagger, index: int) -> str:
    """Behind a call of TUMBLE or its like: behind a subquery it is an alias with columns."""
    if tagger.previous() != ")" or tagger.after(index) != "(":
        return "NAME"
    kinds, depth = tagger.out.types, 0
    for place in range(len(kinds) - 1, 0, -1):
        depth += (kinds[place] == ")") - (kinds[place] == "(")
        if depth == 0:
            return "FILL" if kinds[place - 1] in _WINDOWED else "NAME"
    return "NAME"


_WINDOWED = frozenset({"TUMBLE", "HOP", "CUMULATE", "SESSION"})


def _table(tagger: Retagger, index: int) -> str:
    follows = tagger.after(index) == "(" or tagger.is_name(index + 1)
    return tagger.types[index] if follows else "NAME"


_BEGINS_MATCH = frozenset(words("PARTITION ORDER MEASURES ONE ALL AFTER PATTERN SUBSET DEFINE"))


def _match_recognize(tagger: Retagger, index: int) -> str:
    """Not an alias with columns: `FROM t match_recognize (pattern, a)`."""
    begins = tagger.after(index) == "(" and tagger.after(index, 2) in _BEGINS_MATCH
    is_list = tagger.after(index, 3) in (",", ")")
    if not begins or is_list:
        return "NAME"
    tagger.match_end = _closing(tagger, index + 1)
    return "MATCH_RECOGNIZE"


def _in_match(tagger: Retagger, distance: int, index: int) -> str:
    is_call = tagger.after(index, distance) == "(" and tagger.is_name(index + distance - 1)
    return tagger.types[index] if is_call and index < tagger.match_end else "NAME"


def _match_scope(tagger: Retagger, index: int) -> str:
    """`FINAL last(a.x)` in a MATCH_RECOGNIZE."""
    return _in_match(tagger, 2, index)


def _permute(tagger: Retagger, index: int) -> str:
    return _in_match(tagger, 1, index)


_CLAUSE_WORDS = JOIN_WORDS | frozenset(
    words(
        "GROUP ORDER SORT CLUSTER DISTRIBUTE WINDOW LIMIT OFFSET EMIT QUALIFY TABLESAMPLE PIVOT "
        "UNPIVOT WATERMARK MINUS EXCEPT"
    )
)


def _stream(tagger: Retagger, index: int) -> str:
    return "NAME" if tagger.after(index) in _CLAUSE_WORDS else _table(tagger, index)


def _set_operator(tagger: Retagger, index: int) -> str:
    kind = tagger.types[index]
    after = tagger.after(index)
    if kind == "EXCEPT" and tagger.previous() == "*" and after == "(":
        place = index + 1
        while tagger.after(place, 0) == "(":
            place += 1
        return kind if tagger.after(place, 0) in QUERY_STARTS else "_EXCEPT_COLUMNS"
    if kind == "MINUS" and after not in QUERY_STARTS and after not in ("(", "ALL", "DISTINCT"):
        return "NAME"
    return kind


def _interval(tagger: Retagger, index: int) -> str:
    if tagger.previous() in BEFORE_TYPE and _unit(tagger, index + 1):
        tagger.forced[index + 1] = "UNIT"
        _force_range(tagger, index + 2)
        return "INTERVAL"
    place = _value_place(tagger, index + 1)
    if place is None:
        return "NAME"
    while place is not None:
        if tagger.types[place - 1] in ("+", "-"):
            tagger.forced[place - 1] = "INTERVAL_SIGN"
        if not _unit(tagger, place + 1):
            break
        tagger.forced[place + 1] = "UNIT"
        place = _value_place(tagger, _force_range(tagger, place + 2))
        if place is not None and not _unit(tagger, place + 1):
            break
    return "INTERVAL"


def _unit(tagger: Retagger, index: int) -> bool:
    return index < len(tagger.texts) and tagger.texts[index].upper() in UNITS


def _force_range(tagger: Retagger, index: int) -> int:
    """Take in `TO unit` if it stands here; answers the place behind it."""
    if tagger.after(index, 0) == "TO" and _unit(tagger, index + 1):
        tagger.forced[index + 1] = "UNIT"
        return index + 2
    return index


def _value_place(tagger: Retagger, index: int) -> int | None:
    if tagger.after(index, 0) in ("+", "-"):
        index += 1
    return index if tagger.after(index, 0) in ("STRING", "NUMBER") else None


# -------------------------------------------------------------- what symbols and strings tell


def _string(tagger: Retagger, index: int) -> str:
    out = tagger.out
    behind_name = bool(out.types) and out.types[-1] != "QUOTED_NAME"
    is_plain = tagger.texts[index][0] not in "xX"
    if is_plain and behind_name and out.texts[-1].upper() in TYPED_LITERALS:
        out.types[-1] = "TYPED_LITERAL"
    return "STRING"


def _fat_arrow(tagger: Retagger, index: int) -> str:
    if tagger.out.types and (tagger.previous() in word_types() or tagger.previous() in NAMES):
        tagger.out.types[-1] = "PARAMETER"
    return tagger.types[index]


def _arrow(tagger: Retagger, index: int) -> str:
    types = tagger.out.types
    if tagger.previous() != ")":
        return _fat_arrow(tagger, index)
    place = len(types) - 2
    while place >= 0 and types[place] not in ("(", ")"):
        place -= 1
    if place >= 0 and types[place] == "(":
        types[place] = "_LAMBDA_OPEN"
    return tagger.types[index]


def _more(tagger: Retagger, index: int) -> str:
    tagger.type_depth = max(0, tagger.type_depth - 1)
    return tagger.types[index]


def _several_more(tagger: Retagger, index: int) -> str:
    """Inside ARRAY<MAP<…>> the two signs close two types."""
    kind = tagger.types[index]
    if tagger.type_depth < len(kind):
        return kind
    tagger.type_depth -= len(kind)
    out, start = tagger.out, tagger.raw.starts[index]
    for offset in range(len(kind)):
        out.types.append(">")
        out.texts.append(">")
        out.starts.append(start + offset)
        out.ends.append(start + offset + 1)
    return ""


@cache
def word_rules() -> dict[str, Callable[[Retagger, int], str]]:
    """Type of a raw token -> the rule that gives its final type."""
    return {
        **dict.fromkeys(JOIN_WORDS, _join_word),
        **dict.fromkeys(
            ("CAST", "TRY_CAST", "STRUCT", "IDENTIFIER", "ROLLUP", "CUBE", "TUMBLE", "HOP"),
            _call_word,
        ),
        "ASOF": _asof,
        "MATCH_CONDITION": _match_condition,
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
        "TABLE": _table,
        "STREAM": _stream,
        "WATERMARK": _watermark,
        "MATCH_RECOGNIZE": _match_recognize,
        "RUNNING": _match_scope,
        "FINAL": _match_scope,
        "PERMUTE": _permute,
        "FILL": _fill,
        **dict.fromkeys(("UNION", "EXCEPT", "MINUS", "INTERSECT"), _set_operator),
        "INTERVAL": _interval,
        "STRING": _string,
        "=>": _fat_arrow,
        "->": _arrow,
        ">": _more,
        ">>": _several_more,
        ">>>": _several_more,
    }
