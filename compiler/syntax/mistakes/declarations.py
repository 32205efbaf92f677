"""Mistakes in CREATE and INSERT: a name, a type, a value or the parentheses are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.diagnostics.diagnostic import Label
from compiler.syntax.from_tree.types import TYPE_NAMES
from compiler.syntax.tokens.lexer import END

if TYPE_CHECKING:
    from compiler.diagnostics.diagnostic import Diagnostic
    from compiler.syntax.mistakes.failure import Failure

_CREATED = ("SOURCE", "STREAM", "TABLE", "VIEW", "SINK")


def wrong_declaration(failure: Failure) -> Diagnostic | None:
    """A mistake that only CREATE and INSERT INTO know."""
    if failure.tokens.types[0] not in ("CREATE", "INSERT_INTO"):
        return None
    for detector in (
        _nameless,
        _no_query,
        _no_format,
        _options_without_word,
        _source_from_query,
        _only_views_are,
        _bare_columns,
        _column_without_type,
        _view_column_with_type,
        _option_without_value,
        _watermark_parts_swapped,
    ):
        diagnostic = detector(failure)
        if diagnostic is not None:
            return diagnostic
    return None


def _nameless(failure: Failure) -> Diagnostic | None:
    before = failure.kind_at(-1)
    begins = before in _CREATED and failure.index == _place_of_name(failure)
    if not begins and not (before == "INSERT_INTO" and failure.index == 1):
        return None
    if failure.kind not in ("(", "AS", "SELECT", "USING", "VALUES", "WITH", END):
        return None
    if failure.kind not in ("(", "AS") and failure.kind_at(1) == "(":
        return None  # CREATE SOURCE select (...): a keyword is the name
    what = "INSERT INTO" if before == "INSERT_INTO" else f"CREATE {before}"
    example = "report SELECT ..." if before == "INSERT_INTO" else "orders ..."
    return failure.diagnostic(
        "TVF117", f"{what} needs a name", "expected a name", help=f"write {what} {example}"
    )


def _place_of_name(failure: Failure) -> int:
    """Where the name of what is created stands."""
    types = failure.tokens.types
    return next((place + 1 for place, kind in enumerate(types) if kind in _CREATED), -1)


def _no_query(failure: Failure) -> Diagnostic | None:
    if failure.kind != END or "SELECT" not in failure.acceptable:
        return None
    is_insert = failure.tokens.types[0] == "INSERT_INTO"
    if not is_insert and failure.kind_at(-1) != "AS":
        return None
    return failure.diagnostic(
        "TVF117",
        "INSERT INTO needs a query" if is_insert else "AS needs a query",
        "nothing stands behind it",
        span=failure.span_at(-1),
        help="add SELECT ...",
    )


def _no_format(failure: Failure) -> Diagnostic | None:
    if failure.kind_at(-1) != "USING" or failure.kind not in (END, "OPTIONS", "AS", "("):
        return None
    return failure.diagnostic(
        "TVF117",
        "USING needs a format",
        "nothing stands behind it",
        span=failure.span_at(-1),
        help="write USING kafka, USING parquet, ...",
    )


def _options_without_word(failure: Failure) -> Diagnostic | None:
    """`USING parquet (path 'x')`."""
    if failure.kind != "(" or "OPTIONS" not in failure.acceptable:
        return None
    return failure.diagnostic(
        "TVF117",
        "OPTIONS is missing before the options",
        "expected OPTIONS before this",
        help="write OPTIONS (path 'data', ...)",
    )


def _source_from_query(failure: Failure) -> Diagnostic | None:
    kind = failure.tokens.types[1]
    if failure.kind != "AS" or kind not in ("SOURCE", "STREAM", "TABLE"):
        return None
    if failure.kind_at(1) not in ("SELECT", "WITH", "FROM", "VALUES", "("):
        return None
    return failure.diagnostic(
        "TVF109",
        f"a {kind.lower()} has columns and a format, no query",
        others=(Label(failure.tokens.span(1), "", primary=False),),
        help="write CREATE VIEW name AS SELECT ...",
    )


def _only_views_are(failure: Failure) -> Diagnostic | None:
    """`CREATE OR REPLACE SOURCE`, `CREATE TEMP TABLE`."""
    words = [
        each.replace("_", " ")
        for each in failure.tokens.types[1 : failure.index]
        if each in ("OR_REPLACE", "TEMP", "TEMPORARY", "MATERIALIZED")
    ]
    what = failure.text.upper()
    if what not in _CREATED or len(words) != failure.index - 1 or not words:
        return None
    written = " ".join(words)
    return failure.diagnostic(
        "TVF109",
        f"only a view can be {written}",
        span=failure.tokens.span(1).cover(failure.span_at(-1)),
        help=f"write CREATE {what}",
    )


def _bare_columns(failure: Failure) -> Diagnostic | None:
    """`CREATE SOURCE s id INT`."""
    if "(" not in failure.acceptable or failure.text_at(1).upper() not in TYPE_NAMES:
        return None
    return failure.diagnostic(
        "TVF117",
        "the columns stand in parentheses",
        "expected `(`",
        help=f"write ({failure.text} {failure.text_at(1).upper()}, ...)",
    )


def _column_without_type(failure: Failure) -> Diagnostic | None:
    if failure.kind not in (",", ")") or "ARRAY_<" not in failure.acceptable:
        return None
    name = failure.text_at(-1)
    return failure.diagnostic(
        "TVF117",
        f"the column `{name}` has no type",
        "expected a type",
        span=failure.span_at(-1),
        help=f"write {name} STRING, or whatever the type is",
    )


def _view_column_with_type(failure: Failure) -> Diagnostic | None:
    if "VIEW" not in failure.tokens.types[1:4] or failure.text.upper() not in TYPE_NAMES:
        return None
    if failure.acceptable != {",", ")"}:
        return None
    return failure.diagnostic(
        "TVF109",
        "the columns of a view have names only",
        help=f"leave out {failure.text}: the types are those of the query",
    )


def _option_without_value(failure: Failure) -> Diagnostic | None:
    wanted = "STRING" in failure.acceptable and "SELECT" not in failure.acceptable
    if failure.kind not in (",", ")") or not wanted or failure.kind_at(-1) in (",", "("):
        return None
    if not {"OPTIONS", "WITH"} & set(failure.tokens.types[: failure.index]):
        return None
    name = failure.text_at(-2) if failure.kind_at(-1) == "=" else failure.text_at(-1)
    return failure.diagnostic(
        "TVF117",
        f"the option `{name}` has no value",
        span=failure.span_at(-1),
        help=f"write {name} 'value'",
    )


def _watermark_parts_swapped(failure: Failure) -> Diagnostic | None:
    types = failure.tokens.types
    if failure.kind != "IDLE_AFTER" or "MAX_FUTURE_SKEW" not in types[: failure.index]:
        return None
    place = len(types[: failure.index]) - 1 - types[: failure.index][::-1].index("MAX_FUTURE_SKEW")
    return failure.diagnostic(
        "TVF104",
        "IDLE AFTER must come before MAX FUTURE SKEW",
        others=(Label(failure.tokens.span(place), "", primary=False),),
        help="move IDLE AFTER in front of MAX FUTURE SKEW",
    )
