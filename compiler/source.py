"""Source text and places in it.

A place is a pair of character offsets; line and column are computed only when a
message is printed, so that nodes stay small and moving text about stays cheap.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of character offsets: `start` is inside, `end` is not."""

    start: int
    end: int

    def cover(self, other: Span) -> Span:
        """The smallest span that holds both."""
        return Span(min(self.start, other.start), max(self.end, other.end))

    def __copy__(self) -> Span:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Span:
        # sqlglot deep-copies the meta of every node it copies; a frozen value need not be.
        return self


_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class SourceText:
    """A named text: a query file, a view's text, a scenario's query."""

    name: str
    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in _LINE_END.finditer(self.text))]

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of a character offset."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its line end; empty if there is none."""
        starts = self._line_starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")

    def slice(self, span: Span) -> str:
        """The characters that a span covers."""
        return self.text[span.start : span.end]
