"""The state of a job's queries as JSON in a string: a few lines for each operator, no more."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compiler.codegen.quoting import INDENT, sql_block
from compiler.codegen.writer import WIDTH
from compiler.release.state.facts import Facts

COMMENT = "# What each query keeps in its checkpoint; a job that keeps the same can continue it."


def state_constant(states: Mapping[str, Sequence[Facts]]) -> str:
    """The constant STATE of a job: the state of each of its queries, by name."""
    return f"{COMMENT}\nSTATE = {sql_block(_lines(states), 0)}"


def _lines(states: Mapping[str, Sequence[Facts]]) -> Iterator[str]:
    opening = "{"
    for name, (*parts, last) in states.items():
        yield f"{opening}{_text(name)}: ["
        for each in parts:
            yield from _filled(each, ",")
        yield from _filled(last, "")
        opening = "], "
    yield "]}"


def _filled(part: Facts, after: str) -> Iterator[str]:
    """The lines of a part, each as full as it can be."""
    *words, last = _words(part)
    line = ""
    for word in [*words, last + after]:
        if line and len(INDENT) + len(line) + len(word) >= WIDTH:
            yield line
            line = INDENT + word
        else:
            line = f"{line} {word}" if line else word
    yield line


def json_lines(value: Any) -> list[str]:
    """A value of JSON in lines that leave room for what stands around them."""
    lines, line = [], ""
    for word in _words(value):
        if line and len(line) + len(word) >= WIDTH - 6 * len(INDENT):
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


def _words(fact: Any) -> list[str]:
    """JSON in words, behind which a line may end."""
    if fact is None or isinstance(fact, str | int | float):
        return [_text(fact)]
    is_map = isinstance(fact, Mapping)
    pairs = fact.items() if is_map else [("", each) for each in fact]
    found: list[str] = []
    for key, value in pairs:
        first, *rest = _words(value)
        found += [f"{_text(key)}: {first}" if is_map else first, *rest]
        found[-1] += ","
    opening, closing = "{}" if is_map else "[]"
    if not found:
        return [opening + closing]
    found[0] = opening + found[0]
    found[-1] = found[-1].removesuffix(",") + closing
    return found


def _text(value: str | float | None) -> str:
    return json.dumps(value, ensure_ascii=False)
