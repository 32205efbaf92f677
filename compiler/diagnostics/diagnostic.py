"""Diagnostics as data: a code, a message, and labels on the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compiler.source import SourceText, Span


@dataclass(frozen=True, slots=True)
class Label:
    """A place that takes part in a diagnostic, and what is to be said of it there.

    The primary label is the place at fault (`^^^`); others give the background (`---`).
    """

    span: Span
    text: str
    primary: bool = True


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One error or warning; `help` says what to write instead."""

    code: str
    message: str
    labels: tuple[Label, ...]
    notes: tuple[str, ...] = ()
    help: str | None = None

    @property
    def is_warning(self) -> bool:
        """Warnings have codes of their own, such as TVFW401."""
        return self.code.startswith("TVFW")


class CompileError(Exception):
    """The query is at fault, in one way or several; `source` is the text that labels point at."""

    def __init__(self, diagnostics: Iterable[Diagnostic], source: SourceText | None = None) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        self.source = source
        super().__init__("; ".join(f"{each.code}: {each.message}" for each in self.diagnostics))


class InternalError(Exception):
    """An invariant of tvfc itself is broken; the query is not to blame."""
