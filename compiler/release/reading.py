"""Which steps a step reads, and all that are read from some on down."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import assert_never

from compiler.release.nodes import (
    Bad,
    ChangedRows,
    CountedRows,
    FilledRows,
    Grouped,
    Late,
    MatchRows,
    OverChanged,
    OverRows,
    PairedRows,
    Read,
    Select,
    Sessions,
    Static,
    Step,
    TopRows,
    Totaled,
    Union,
    UntilPartnered,
    Watermarked,
    Windowed,
)


def inputs_of(step: Step) -> list[str]:
    """The steps whose rows a step reads, but for those of its subqueries."""
    match step:
        case Read() | Static():
            return []
        case Late(of=of) | Bad(of=of):
            return [of]
        case Union() | CountedRows() | UntilPartnered() | PairedRows():
            return [each.step for each in step.inputs]
        case Select(input=first, joins=joins):
            return [first.step, *(join.input.step for join in joins)]
        case (
            Watermarked()
            | Windowed()
            | Grouped()
            | Sessions()
            | OverRows()
            | FilledRows()
            | ChangedRows()
            | Totaled()
            | TopRows()
            | OverChanged()
            | MatchRows()
        ):
            return [step.input.step]
        case _:
            assert_never(step)


def tables_of(step: Step) -> tuple[str, ...]:
    """The steps that its subqueries read, or of a query over tables the query."""
    return step.tables if isinstance(step, Static | Select | Grouped | Sessions) else ()


def reached(names: Iterable[str], below: Callable[[str], Iterable[str]]) -> set[str]:
    """Some steps, and all that are found below them."""
    pending, found = list(names), set[str]()
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += below(name)
    return found
