"""Faults found while binding: collected, so that one run reports several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from compiler.diagnostics import CompileError, Diagnostic, Label
from compiler.source import SourceText, Span

_CALLS = ("TVF208", "TVF211")


@dataclass
class Problems:
    """Errors and warnings of one source text, of which the statements are bound one by one."""

    source: SourceText
    errors: list[Diagnostic] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    statement: int = 0
    _statements: list[int] = field(default_factory=list)

    def add(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        *,
        more: Sequence[tuple[Span, str]] = (),
        notes: Sequence[str] = (),
        advice: str | None = None,
    ) -> None:
        """Note an error, or a warning if the code is one; the same one only once.

        What `more` says of no place in the text is left out.
        """
        others = tuple(Label(place, text, primary=False) for place, text in more if place.end)
        labels = (Label(span, label), *others)
        found = Diagnostic(code, message, labels, notes=tuple(notes), help=advice)
        kept = self.warnings if found.is_warning else self.errors
        if found not in kept and not self._follows(found):
            kept.append(found)
            if kept is self.errors:
                self._statements.append(self.statement)

    def _follows(self, found: Diagnostic) -> bool:
        """Whether it is about something inside a call that is at fault itself."""
        place = found.labels[0].span
        calls = (each.labels[0].span for each in self.errors if each.code in _CALLS)
        return any(call.start <= place.start and place.end <= call.end for call in calls)

    @property
    def has_names_at_fault(self) -> bool:
        """Whether a name or a type was at fault so far: what follows from it goes unsaid."""
        return any(each.code.startswith("TVF2") for each in self.errors)

    def has(self, *codes: str, within: Span) -> bool:
        """Whether an error of one of some codes is inside a span."""
        return any(
            each.code in codes and within.start <= each.labels[0].span.start < within.end
            for each in self.errors
        )

    def stop_if_any(self) -> None:
        """End the stage.

        Raises:
            CompileError: there are errors; it holds all of them, in order of place.
        """
        if self.errors:
            ordered = sorted(self._causes(), key=lambda each: each.labels[0].span.start)
            raise CompileError(ordered, self.source)

    def _causes(self) -> list[Diagnostic]:
        """The errors without those that follow from another one of the same statement."""
        found: list[Diagnostic] = []
        told: set[tuple[int, str, str]] = set()
        all_codes = {each.code for each in self.errors}
        codes = [
            {e.code for e, n in zip(self.errors, self._statements, strict=True) if n == number}
            for number in range(self.statement + 1)
        ]
        for error, number in zip(self.errors, self._statements, strict=True):
            again = number, error.code, error.message
            # The clocks are counted where a view is read, which may be in another statement.
            is_of_clocks = "TVF404" in all_codes and error.code in _OF_TWO_CLOCKS
            if is_of_clocks or _is_consequence(error.code, codes[number]) or again in told:
                continue
            if error.code in _OF_THE_WHOLE:
                told.add(again)
            found.append(error)
        return found


_OF_THE_WHOLE = ("TVF301", "TVF308", "TVF404", "TVF665")
"""What is at fault with a query as a whole is said once."""

_OF_TWO_CLOCKS = ("TVF308", "TVF309", "TVF506")

_FOLLOW = {
    "TVF404": ("TVF301", "TVF302", "TVF306", "TVF308", "TVF309", "TVF402", "TVF502", "TVF506"),
    "TVF301": ("TVF302", "TVF309", "TVF502"),
    "TVF308": ("TVF309",),
    "TVF501": ("TVF301", "TVF302", "TVF309"),
    "TVF665": ("TVF301", "TVF302", "TVF308", "TVF309", "TVF502"),
    "TVF509": ("TVF301", "TVF302", "TVF309"),
}
"""Errors that go unsaid where another one stands in the same statement."""


def _is_consequence(code: str, others: set[str]) -> bool:
    return any(code in _FOLLOW[each] for each in others if each in _FOLLOW)
