"""Mistakes inside calls: words of a special form, ORDER BY, too few or too many arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.diagnostics.diagnostic import Label
from compiler.source import Span
from compiler.syntax.from_tree.streams import SHAPES
from compiler.syntax.mistakes.brackets import open_places

if TYPE_CHECKING:
    from compiler.diagnostics.diagnostic import Diagnostic
    from compiler.syntax.mistakes.failure import Failure

_BETWEEN_PARTS = {
    "EXTRACT": ("FROM", "write EXTRACT(YEAR FROM ts)"),
    "TRIM": ("FROM", "write TRIM(BOTH 'x' FROM text), or TRIM(text)"),
    "POSITION": ("IN", "write POSITION('x' IN text)"),
}


_LISTED = "write listagg(a, ',') WITHIN GROUP (ORDER BY b)"
# How Spark sorts what an aggregate collects.
_SORTED = {
    **dict.fromkeys(("STRING_AGG", "LISTAGG", "GROUP_CONCAT"), _LISTED),
    **dict.fromkeys(("ARRAY_AGG", "COLLECT_LIST"), "write sort_array(array_agg(a))"),
}


_WORDS_BEFORE = 3
"""FROM, the relation, the name of the call."""

_TAKES = {
    "BAD": "BAD takes a source and nothing else",
    "LATE": "LATE takes a relation and nothing else",
    "WATERMARK": "WATERMARK takes a relation, its time column and a strategy",
}


def wrong_call(failure: Failure) -> Diagnostic | None:
    """A mistake that the call around it explains."""
    if failure.kind == "(" and failure.text_at(-1).upper() == "FILTER":
        return _filter_without_where(failure)
    opening = next((each for each in reversed(open_places(failure)) if _is_call(failure, each)), 0)
    if not opening:
        return None
    name = failure.tokens.texts[opening - 1].upper()
    return (
        _relation_before(failure, name, opening)
        or _ordered_aggregate(failure, opening)
        or _special_form(failure, name)
        or _relation_arguments(failure, name, opening)
    )


def _is_call(failure: Failure, place: int) -> bool:
    types = failure.tokens.types
    return types[place] == "(" and place > 0 and failure.tokens.texts[place - 1][:1].isalpha()


def _relation_before(failure: Failure, name: str, opening: int) -> Diagnostic | None:
    """`FROM orders TUMBLE(ts, …)`: the call has been read as an alias with columns."""
    tokens = failure.tokens
    if name not in SHAPES or opening < _WORDS_BEFORE or tokens.texts[opening - 3].upper() != "FROM":
        return None
    relation = tokens.texts[opening - 2]
    return failure.diagnostic(
        "TVF117",
        f"{name} takes its relation as first argument",
        "expected inside the parentheses",
        span=tokens.span(opening - 2),
        help=f"write FROM {SHAPES[name].replace('rel', relation)}",
    )


def _ordered_aggregate(failure: Failure, opening: int) -> Diagnostic | None:
    """`string_agg(a, ',' ORDER BY b)`, as PostgreSQL writes it."""
    is_inside = open_places(failure)[-1] == opening and ")" in failure.acceptable
    name = failure.tokens.texts[opening - 1]
    if failure.kind != "ORDER_BY" or not is_inside or name.upper() in ("OVER", "FROM", "IN", "AS"):
        return None
    return failure.diagnostic(
        "TVF118",
        "an aggregate has no ORDER BY in its parentheses",
        others=(Label(failure.tokens.span(opening - 1), "", primary=False),),
        help=_SORTED.get(name.upper(), "leave it out, or sort the rows before"),
    )


def _filter_without_where(failure: Failure) -> Diagnostic | None:
    if not failure.mends((Span(failure.span.end, failure.span.end), "WHERE ")):
        return None
    return failure.diagnostic(
        "TVF117",
        "WHERE is missing in FILTER",
        "expected WHERE behind this",
        help="write FILTER (WHERE condition)",
    )


def _special_form(failure: Failure, name: str) -> Diagnostic | None:
    """`EXTRACT(year ts)`, `TRIM(BOTH a)`."""
    if name not in _BETWEEN_PARTS:
        return None
    word, help_text = _BETWEEN_PARTS[name]
    at = Span(failure.span.start, failure.span.start)
    is_trimmed = failure.text_at(-1).upper() in ("BOTH", "LEADING", "TRAILING")
    if not is_trimmed and not failure.mends((at, f" {word} ")):
        return None
    return failure.diagnostic(
        "TVF117", f"{word} is missing in {name}", f"expected {word} before this", help=help_text
    )


def _relation_arguments(failure: Failure, name: str, opening: int) -> Diagnostic | None:
    """`LATE(t, ts)`, `WATERMARK(t, ts)`: what the grammar alone refuses."""
    is_ours = failure.tokens.types[opening - 1] == name and name in SHAPES
    if not is_ours or failure.kind not in (",", ")") or failure.kind_at(-1) == ",":
        return None
    return failure.diagnostic(
        "TVF110",
        _TAKES.get(name, f"{name} takes other arguments"),
        span=failure.tokens.span(opening - 1),
        help=f"write {SHAPES[name]}",
    )
