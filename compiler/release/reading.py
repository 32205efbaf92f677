"""Which steps a step reads, what its rows carry, and all that are read from some on down."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import assert_never

from compiler.release.nodes import (
    Bad,
    Carries,
    ChangedRows,
    CountedRows,
    FilledRows,
    Grouped,
    Input,
    Late,
    MatchRows,
    OverChanged,
    OverRows,
    PairedRows,
    PanedRows,
    Read,
    ReleaseJob,
    Select,
    Sessions,
    Static,
    Step,
    TableRows,
    TopRows,
    Totaled,
    TotaledSessions,
    Union,
    UntilPartnered,
    Watermarked,
    Windowed,
)


def inputs_of(step: Step) -> list[str]:
    """The steps whose rows a step reads, but for those of its subqueries."""
    return [step.of] if isinstance(step, Late | Bad) else [each.step for each in rows_of(step)]


def rows_of(step: Step) -> list[Input]:
    """The same as inputs, left to right; refused rows and bad records are of none."""
    match step:
        case Read() | Static() | Late() | Bad():
            return []
        case Union() | CountedRows() | UntilPartnered() | PairedRows():
            return list(step.inputs)
        case Select(input=first, joins=joins):
            return [first, *(join.input for join in joins)]
        case (
            Watermarked()
            | Windowed()
            | Grouped()
            | Sessions()
            | TotaledSessions()
            | OverRows()
            | FilledRows()
            | ChangedRows()
            | TableRows()
            | Totaled()
            | TopRows()
            | OverChanged()
            | MatchRows()
            | PanedRows()
        ):
            return [step.input]
        case _:
            assert_never(step)


def carried_by(step: Step) -> Carries:
    """What the rows of a step carry of the clock."""
    match step:
        case Read() | Static() | Late() | Bad() | Watermarked():
            return Carries.NOTHING
        case Grouped() | Sessions() | TotaledSessions() | PanedRows():
            return Carries.NOTHING
        case OverRows() | FilledRows() | MatchRows():
            return Carries.NOTHING
        case Select() | Union() | Windowed():
            return step.carries
        case ChangedRows() | TableRows() | Totaled() | CountedRows() | PairedRows():
            return Carries.UPDATES
        case TopRows() | OverChanged():
            return Carries.UPDATES
        case UntilPartnered():
            return Carries.VALID_UPDATES
        case _:
            assert_never(step)


def streams_of(job: ReleaseJob) -> frozenset[str]:
    """The steps that have rows of a stream."""
    found: set[str] = set()
    for step in job.steps:
        is_stream = isinstance(step, TableRows) or (isinstance(step, Read) and not step.static)
        if is_stream or any(each in found for each in inputs_of(step)):
            found.add(step.name)
    return frozenset(found)


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
