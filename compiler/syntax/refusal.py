"""The exception by which the front end's own parts say what is wrong, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.diagnostics.diagnostic import Diagnostic, Label

if TYPE_CHECKING:
    from compiler.source import Span


class RefusalError(Exception):
    """One mistake; parse.py turns it into a CompileError, with what else it finds.

    A span of None is the span of the rule that is being built.
    """

    def __init__(
        self,
        code: str,
        message: str,
        span: Span | None = None,
        label: str = "",
        *,
        others: tuple[Label, ...] = (),
        notes: tuple[str, ...] = (),
        help: str | None = None,  # noqa: A002 (the word of Diagnostic)
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.label = label
        self.others = others
        self.notes = notes
        self.help = help

    def diagnostic(self, span: Span) -> Diagnostic:
        """The refusal as data; `span` serves where it has none of its own."""
        label = Label(self.span or span, self.label)
        return Diagnostic(self.code, self.message, (label, *self.others), self.notes, self.help)
