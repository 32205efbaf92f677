"""Diagnostics as plain ASCII text, the source beside the message.

The layout is fixed: a headline, the place of the primary label, the labelled lines with
markers under them, then notes and the help. Columns are counted as a terminal shows them.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from compiler.escapes import visible
from compiler.secrets import masked
from compiler.source import SourceText

if TYPE_CHECKING:
    from collections.abc import Iterable

    from compiler.diagnostics.diagnostic import Diagnostic, Label

_TAB_WIDTH = 4


def render_all(diagnostics: Iterable[Diagnostic], source: SourceText | None) -> str:
    """Several diagnostics, a blank line between them."""
    return "\n".join(render(diagnostic, source) for diagnostic in diagnostics)


def render(diagnostic: Diagnostic, source: SourceText | None) -> str:
    """One diagnostic as text that ends in a line end."""
    level = "warning" if diagnostic.is_warning else "error"
    lines = [f"{level}[{diagnostic.code}]: {visible(diagnostic.message)}"]
    gutter = 0
    if source is not None and diagnostic.labels:
        source = SourceText(source.name, masked(source.text))
        gutter = _gutter_width(diagnostic, source)
        lines += _source_lines(diagnostic, source, gutter)
    margin = " " * gutter
    tail = [("note", note) for note in diagnostic.notes]
    if diagnostic.help is not None:
        tail.append(("help", diagnostic.help))
    if tail and gutter:
        lines.append(f"{margin} |")
    for kind, text in tail:
        lines += _tail_lines(f"{margin} = {kind}: ", text)
    return "\n".join(lines) + "\n"


def _tail_lines(head: str, text: str) -> list[str]:
    first, *rest = map(visible, text.split("\n"))
    return [head + first] + [" " * len(head) + line for line in rest]


def _gutter_width(diagnostic: Diagnostic, source: SourceText) -> int:
    last = max(_last_line(label, source) for label in diagnostic.labels)
    return len(str(last))


def _first_line(label: Label, source: SourceText) -> int:
    return source.line_column(label.span.start)[0]


def _last_line(label: Label, source: SourceText) -> int:
    # A span ends before its end: one that stops at a line end does not touch the next line.
    return source.line_column(max(label.span.start, label.span.end - 1))[0]


def _source_lines(diagnostic: Diagnostic, source: SourceText, gutter: int) -> list[str]:
    margin = " " * gutter
    primary = next((each for each in diagnostic.labels if each.primary), diagnostic.labels[0])
    line, column = source.line_column(primary.span.start)
    lines = [f"{margin}--> {visible(source.name)}:{line}:{column}", f"{margin} |"]
    previous: int | None = None
    for number, markers in _markers_by_line(diagnostic, source):
        if previous is not None and number > previous + 1:
            lines.append(f"{margin} |" if number == previous + 2 else "...")
            if number == previous + 2:
                lines[-1] = _numbered(number - 1, gutter, source)
        lines.append(_numbered(number, gutter, source))
        lines += [f"{margin} | {marker}" for marker in markers]
        previous = number
    return lines


def _numbered(number: int, gutter: int, source: SourceText) -> str:
    return f"{number:>{gutter}} | {_expanded(source.line(number))}".rstrip()


def _markers_by_line(diagnostic: Diagnostic, source: SourceText) -> list[tuple[int, list[str]]]:
    by_line: dict[int, list[str]] = {}
    ordered = sorted(diagnostic.labels, key=lambda each: (each.span.start, each.span.end))
    on_line: dict[int, list[Label]] = {}
    for label in ordered:
        first, last = _first_line(label, source), _last_line(label, source)
        if first == last:
            on_line.setdefault(first, []).append(label)
        else:
            by_line.setdefault(first, [])
    for number, labels in on_line.items():
        by_line.setdefault(number, []).extend(_one_line_markers(labels, number, source))
    for label in ordered:
        first, last = _first_line(label, source), _last_line(label, source)
        if first != last:
            _mark_several_lines(label, first, last, source, by_line)
    return sorted(by_line.items())


def _one_line_markers(labels: list[Label], number: int, source: SourceText) -> list[str]:
    """Markers of the labels on one line, the rightmost first so that texts do not collide."""
    text = source.line(number)
    markers: list[str] = []
    for label in reversed(labels):
        start = source.line_column(label.span.start)[1] - 1
        length = max(1, label.span.end - label.span.start)
        before = _width(text[:start])
        under = max(1, _width(text[: start + length]) - before)
        sign = "^" if label.primary else "-"
        # A marker without words shares the row of the one on its right.
        if markers and not label.text and markers[-1][: before + under].strip() == "":
            markers[-1] = " " * before + sign * under + markers[-1][before + under :]
        else:
            markers.append(_marker(before, sign * under, label.text))
    return markers


def _marker(before: int, signs: str, text: str) -> str:
    return f"{' ' * before}{signs} {visible(text)}".rstrip()


def _mark_several_lines(
    label: Label, first: int, last: int, source: SourceText, by_line: dict[int, list[str]]
) -> None:
    """A span over several lines: its first line and its last are marked, the text is at the end."""
    sign = "^" if label.primary else "-"
    text = source.line(first)
    start = source.line_column(label.span.start)[1] - 1
    before = _width(text[:start])
    under = max(1, _width(text) - before)
    by_line.setdefault(first, []).append(f"{' ' * before}{sign * under}")
    end = source.line_column(label.span.end - 1)[1]
    text = source.line(last)
    indent = len(text) - len(text.lstrip())
    before = _width(text[:indent])
    under = max(1, _width(text[:end]) - before)
    by_line.setdefault(last, []).append(_marker(before, sign * under, label.text))


def _expanded(text: str) -> str:
    return visible(text.replace("\t", " " * _TAB_WIDTH))


def _width(text: str) -> int:
    """Columns that a terminal gives to `text`."""
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if character == "\t":
        return _TAB_WIDTH
    if not character.isprintable():
        return len(visible(character))
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
