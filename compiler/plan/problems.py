"""Faults found while binding: collected, so that one run reports several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from compiler.diagnostics import CompileError, Diagnostic, Label
from compiler.source import SourceText, Span

_CALLS = ("TVF208", "TVF211")


@dataclass
class Problems:
    """Errors and warnings of one source text."""

    source: SourceText
    errors: list[Diagnostic] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)

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
            ordered = sorted(self.errors, key=lambda each: each.labels[0].span.start)
            raise CompileError(ordered, self.source)
