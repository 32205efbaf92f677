"""Parentheses and CASE that are not closed, or closed without being open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.diagnostics.diagnostic import Label
from compiler.syntax.mistakes.order import CLAUSES
from compiler.syntax.tokens.lexer import END

if TYPE_CHECKING:
    from compiler.diagnostics.diagnostic import Diagnostic
    from compiler.syntax.mistakes.failure import Failure

_OPEN = {"(": ")", "_LAMBDA_OPEN": ")", "[": "]"}
_CLOSE = frozenset({")", "]"})


def unbalanced(failure: Failure) -> Diagnostic | None:
    """The innermost thing open where the parse stopped, or a closing sign too many."""
    places = open_places(failure)
    kind = failure.kind
    if kind in _CLOSE and not any(failure.tokens.types[place] in _OPEN for place in places):
        what = "parenthesis" if kind == ")" else "bracket"
        return failure.diagnostic(
            "TVF102", f"this {what} closes nothing", help="take it out, or open one before it"
        )
    if not places:
        return None
    if failure.text.upper() == "OVER" and failure.mends((failure.span, ") OVER")):
        return _unclosed(failure, places[-1], "this parenthesis is never closed", "`)`", ")")
    if not (kind == END or kind in CLAUSES or kind in _CLOSE):
        return None
    place = places[-1]
    opener = failure.tokens.types[place]
    if opener == "CASE":
        return _unclosed(failure, place, "this CASE has no END", "END", "END")
    closing = _OPEN[opener]
    if closing not in failure.acceptable or kind == closing:
        return None
    what = "parenthesis" if closing == ")" else "bracket"
    return _unclosed(failure, place, f"this {what} is never closed", f"`{closing}`", closing)


def _unclosed(
    failure: Failure, place: int, message: str, wanted: str, acceptable: str
) -> Diagnostic | None:
    if acceptable not in failure.acceptable:
        return None
    here = Label(failure.span, f"expected {wanted} before {failure.shown}", primary=False)
    if failure.kind == END:
        here = Label(failure.span, f"expected {wanted} here", primary=False)
    return failure.diagnostic(
        "TVF102", message, span=failure.tokens.span(place), others=(here,), help=f"add {wanted}"
    )


def open_places(failure: Failure) -> list[int]:
    """The places of what is open before the token at fault, the innermost last."""
    places: list[int] = []
    types = failure.tokens.types
    for place in range(failure.index):
        kind = types[place]
        if kind in _OPEN or kind == "CASE":
            places.append(place)
        elif kind == "END" and places and types[places[-1]] == "CASE":
            places.pop()
        elif kind in _CLOSE:
            while places and types[places[-1]] == "CASE":
                places.pop()
            if places:
                places.pop()
    return places
