"""A name, a unit or a place inside the parentheses is wanted, and something else stands there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.diagnostics.suggest import suggest
from compiler.source import Span
from compiler.syntax.mistakes.order import EMITS
from compiler.syntax.tokens.keyword_lists import RESERVED, UNITS
from compiler.syntax.tokens.lexer import END

if TYPE_CHECKING:
    from compiler.diagnostics.diagnostic import Diagnostic
    from compiler.syntax.mistakes.failure import Failure


def wrong_character(failure: Failure) -> Diagnostic | None:
    """`SELECT a # b`."""
    if failure.kind != "WRONG":
        return None
    if failure.text == "$" and _is_in_pattern(failure):
        return failure.diagnostic(
            "TVF510",
            "the anchor $ of row patterns is not supported",
            help="leave it out: no row of a stream is the last one of its partition",
        )
    return failure.diagnostic(
        "TVF101", f"`{failure.text}` is not part of SQL", help=_MEANT.get(failure.text)
    )


def _is_in_pattern(failure: Failure) -> bool:
    before = failure.tokens.types[: failure.index]
    return "PATTERN" in before and "DEFINE" not in before[before.index("PATTERN") :]


# What a sign outside the language stands for.
_MEANT = {
    **dict.fromkeys("\u2018\u2019\u201a", "write the straight quote '"),
    **dict.fromkeys("\u201c\u201d\u201e", 'write the straight quote "'),
    **dict.fromkeys("$@", "write :name, or ? for a parameter"),
    "#": "a comment begins with --",
    "\u2260": "write <>",
    "\u2264": "write <=",
    "\u2265": "write >=",
    "\u2212": "write the plain minus -",
    "\uff0c": "write the plain comma ,",
    "\uff1b": "write the plain semicolon ;",
    "\uff08": "write the plain parenthesis (",
    "\uff09": "write the plain parenthesis )",
}


def string_for_name(failure: Failure) -> Diagnostic | None:
    """`SELECT a AS 'b'`: a string where a name is wanted."""
    wanted = "NAME" in failure.acceptable and "STRING" not in failure.acceptable
    if failure.kind != "STRING" or not wanted:
        return None
    inner = failure.text[1:-1]
    plain = inner.isidentifier() and inner.isascii()
    return failure.diagnostic(
        "TVF103",
        f"{failure.text} is a string, here stands a name",
        "expected a name",
        help=f"take the quotes off: {inner}" if plain else f"put it in backquotes: `{inner}`",
    )


def name_for_string(failure: Failure) -> Diagnostic | None:
    """`OPTIONS (topic orders)`: a bare word where a string is wanted."""
    wanted = "STRING" in failure.acceptable and "NAME" not in failure.acceptable
    if failure.kind != "NAME" or not wanted or not failure.mends((failure.span, "'x'")):
        return None
    return failure.diagnostic(
        "TVF117",
        f"`{failure.text}` is a name, here stands a value",
        "expected a string",
        help=f"put it in quotes: '{failure.text}'",
    )


def reserved_word(failure: Failure) -> Diagnostic | None:
    """`CREATE SOURCE select (...)`: a keyword where a name is wanted."""
    if failure.kind not in RESERVED or "NAME" not in failure.acceptable:
        return None
    if not failure.mends((failure.span, f"`{failure.text}`")):
        return None
    return failure.diagnostic(
        "TVF103",
        f"`{failure.text}` is a keyword",
        "expected a name",
        help=f"to use it as a name, put it in backquotes: `{failure.text}`",
    )


def wrong_unit(failure: Failure) -> Diagnostic | None:
    """`INTERVAL 5 MINS`, `INTERVAL 5`."""
    if failure.acceptable != {"UNIT"}:
        return None
    if not failure.text.isalpha() or failure.kind != "NAME":
        value = failure.text_at(-1)
        return failure.diagnostic(
            "TVF106",
            "this interval has no unit",
            span=failure.span_at(-1),
            help=f"write INTERVAL {value} MINUTES, or whatever the unit is",
        )
    near = suggest(failure.text, sorted(UNITS, key=len))
    if failure.text.upper() in ("MIN", "MINS"):
        near = "MINUTES"
    if failure.text.upper() in ("SEC", "SECS"):
        near = "SECONDS"
    return failure.diagnostic(
        "TVF106",
        f"`{failure.text}` is not a unit of time",
        help=f"did you mean {near}?" if near else "the units are YEAR, MONTH, WEEK, DAY, HOUR, ...",
    )


_PARENTHESES = {
    "OVER": "write OVER (PARTITION BY ... ORDER BY ...)",
    "OPTIONS": "write OPTIONS (path 'data', ...)",
    "WITH": "write WITH ('connector' = 'kafka', ...)",
    "IN": "write IN (1, 2, 3)",
    "USING": "write USING (id)",
    "TABLESAMPLE": "write TABLESAMPLE (10 PERCENT)",
    "ROLLUP": "write ROLLUP (a, b)",
    "CUBE": "write CUBE (a, b)",
    "EXCEPT": "write * EXCEPT (a, b)",
    "ANY": "write LIKE ANY ('a%', 'b%')",
    "SOME": "write LIKE SOME ('a%', 'b%')",
    "ALL": "write LIKE ALL ('a%', 'b%')",
    "FILTER": "write FILTER (WHERE ...)",
}
# Words that are keywords only before a parenthesis, with what stands before them.
_ONLY_BEFORE_PARENTHESES = {
    "TABLESAMPLE": None,
    "ROLLUP": ("GROUP_BY", ","),
    "CUBE": ("GROUP_BY", ","),
    "EXCEPT": ("*",),
    "ANY": ("LIKE", "ILIKE"),
    "SOME": ("LIKE", "ILIKE"),
    "ALL": ("LIKE", "ILIKE"),
}


def missing_parentheses(failure: Failure) -> Diagnostic | None:
    """`a IN 1, 2`, `OVER PARTITION BY a`, `OPTIONS path 'x'`, `WITH a AS SELECT 1`."""
    begins_query = failure.kind in ("SELECT", "WITH", "VALUES")
    before = failure.text_at(-1).upper()
    if before == "EXISTS" and begins_query:
        message = "EXISTS needs a query in parentheses"
        return failure.diagnostic("TVF117", message, "expected `(`", help="write (SELECT ...)")
    at = Span(failure.span.start, failure.span.start)
    if before in _ONLY_BEFORE_PARENTHESES and failure.kind not in ("(", END):
        places = _ONLY_BEFORE_PARENTHESES[before]
        if places is None or failure.kind_at(-2) in places:
            return _needs_parentheses(failure, before)
    if "(" not in failure.acceptable or failure.kind == END:
        return None
    if "AS" in failure.acceptable and failure.mends((at, " AS ")):
        return None
    if begins_query and "SELECT" not in failure.acceptable:
        message = "a query stands in parentheses here"
        return failure.diagnostic("TVF117", message, "expected `(`", help="write (SELECT ...)")
    if before not in _PARENTHESES or "NUMBER" in failure.acceptable:
        return None
    return _needs_parentheses(failure, before)


def _needs_parentheses(failure: Failure, word: str) -> Diagnostic:
    return failure.diagnostic(
        "TVF117", f"{word} needs parentheses", "expected `(`", help=_PARENTHESES[word]
    )


def keyword_behind_as(failure: Failure) -> Diagnostic | None:
    """`SELECT a AS FROM t`: the keyword was read as the name."""
    if failure.kind_at(-2) != "AS" or failure.kind_at(-1) not in RESERVED:
        return None
    return failure.diagnostic(
        "TVF117",
        "AS needs a name",
        "nothing stands behind it",
        span=failure.span_at(-2),
        help="write AS name, or leave AS out",
    )


def missing_is(failure: Failure) -> Diagnostic | None:
    """`a NOT NULL` as a condition."""
    is_condition = failure.kind_at(-1) == "NOT" and "BETWEEN" in failure.acceptable
    if failure.kind != "NULL" or not is_condition:
        return None
    return failure.diagnostic(
        "TVF117",
        "IS is missing before NOT NULL",
        span=failure.span_at(-1).cover(failure.span),
        help="write IS NOT NULL",
    )


_BOUNDS = frozenset({"PRECEDING", "FOLLOWING", "CURRENT_ROW", "UNBOUNDED_PRECEDING"})


def frame_without_between(failure: Failure) -> Diagnostic | None:
    """`ROWS 5 PRECEDING AND CURRENT ROW`."""
    if failure.kind != "AND" or failure.kind_at(-1) not in _BOUNDS:
        return None
    return failure.diagnostic(
        "TVF117",
        "a frame with two bounds needs BETWEEN",
        help="write ROWS BETWEEN 5 PRECEDING AND CURRENT ROW",
    )


def watermark_outside(failure: Failure) -> Diagnostic | None:
    """`CREATE SOURCE s (...) WATERMARK FOR ts AS ts`: it belongs between the parentheses."""
    if failure.kind not in ("WATERMARK_FOR", "WATERMARK"):
        return None
    if failure.tokens.types[0] != "CREATE":
        return failure.diagnostic(
            "TVF117",
            "WATERMARK FOR belongs to CREATE SOURCE",
            help="in a query, write FROM orders WATERMARK ts DELAY OF INTERVAL 1 MINUTE",
        )
    if failure.kind_at(-1) != ")":
        return None
    return failure.diagnostic(
        "TVF117",
        "WATERMARK FOR stands inside the parentheses of the columns",
        help="move it behind the last column, after a comma",
    )


def watermark_without_as(failure: Failure) -> Diagnostic | None:
    """`WATERMARK FOR ts ts - INTERVAL ...`, `WATERMARK FOR ts - INTERVAL ...`."""
    recent = failure.tokens.types[max(0, failure.index - 2) : failure.index]
    if "WATERMARK_FOR" not in recent and "WATERMARK" not in recent:
        return None
    return failure.diagnostic(
        "TVF117",
        "a watermark names its column, then AS and the strategy",
        help="write WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE",
    )


def emit_out_of_place(failure: Failure) -> Diagnostic | None:
    """`SELECT EMIT ON WINDOW CLOSE a`."""
    if failure.kind not in EMITS or failure.kind_at(1) in (END, ")"):
        return None
    return failure.diagnostic(
        "TVF104",
        f"{failure.kind.replace('_', ' ')} stands at the end of a query",
        help="move it behind the last clause, after LIMIT and OFFSET",
    )
