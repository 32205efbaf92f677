"""Intervals without INTERVAL, and intervals whose length is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.source import Span
from compiler.syntax.tokens.keyword_lists import UNITS

if TYPE_CHECKING:
    from compiler.diagnostics.diagnostic import Diagnostic
    from compiler.syntax.mistakes.failure import Failure

_LONGEST = 12
"""Tokens between INTERVAL and its unit: a longer amount is not looked for."""

_MESSAGE = "the amount of an interval is a number that is written out"


def missing_interval(failure: Failure) -> Diagnostic | None:
    """`ts - 5 MINUTES`, `ts - n MINUTES`: INTERVAL is missing before the unit."""
    if failure.text.upper() not in UNITS:
        return None
    if failure.kind_at(-1) in ("NAME", "QUOTED_NAME") and failure.kind_at(-2) in ("+", "-"):
        return _computed(failure, failure.index - 1, failure.index - 1, failure.index)
    if failure.kind_at(-1) not in ("NUMBER", "STRING"):
        return None
    value = failure.span_at(-1)
    if not failure.mends((Span(value.start, value.start), "INTERVAL ")):
        return None
    written = f"{failure.text_at(-1)} {failure.text}"
    return failure.diagnostic(
        "TVF106",
        f"`{written}` is not an interval yet",
        span=value.cover(failure.span),
        help=f"write INTERVAL {written}",
    )


def computed_interval(failure: Failure) -> Diagnostic | None:
    """`INTERVAL n MINUTES`, `INTERVAL (n * 2) MINUTES`: an amount that is no number."""
    texts = failure.tokens.texts
    word = next(
        (
            place
            for place in range(failure.index - 1, max(-1, failure.index - _LONGEST), -1)
            if texts[place].upper() == "INTERVAL"
        ),
        None,
    )
    if word is None or failure.tokens.types[word + 1] in ("NUMBER", "STRING"):
        return None
    places = range(word + 2, min(len(texts), word + _LONGEST))
    unit = next((place for place in places if texts[place].upper() in UNITS), None)
    if unit is not None:
        return _computed(failure, word, word + 1, unit)
    is_beside = word == failure.index - (2 if failure.kind == "(" else 1)
    if not is_beside or failure.tokens.types[word - 1] not in ("+", "-"):
        return None
    return failure.diagnostic(
        "TVF106",
        _MESSAGE,
        "is computed",
        span=failure.tokens.span(word + 1),
        help="multiply an interval: `n * INTERVAL 1 MINUTE`",
    )


def _computed(failure: Failure, begin: int, first: int, unit: int) -> Diagnostic | None:
    """The amount from `first` to the unit, written as a multiple of one unit."""
    span = failure.tokens.span(first).cover(failure.tokens.span(unit - 1))
    amount = failure.source.slice(span)
    signs = {"+", "-", "||"} & set(failure.tokens.types[first + 1 : unit])
    is_enclosed = failure.tokens.texts[first] == "(" and failure.tokens.texts[unit - 1] == ")"
    factor = f"({amount})" if signs and not is_enclosed else amount
    name = failure.tokens.texts[unit].upper()
    written = f"{factor} * INTERVAL 1 {name.removesuffix('S')}"
    whole = failure.tokens.span(begin).cover(failure.tokens.span(unit))
    if not failure.mends((whole, written)):
        return None
    return failure.diagnostic(
        "TVF106",
        _MESSAGE,
        "is computed",
        span=span,
        help=f"multiply an interval: `{written}`",
    )
