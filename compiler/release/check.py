"""Whether a release plan can be carried out: what every pass leaves behind.

The rules: steps have names of their own, and read those before them alone, so that none reads what
is made of it; an input says what the rows of its step carry; a step that takes rows for good is not
given rows that leave again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from compiler.diagnostics import InternalError
from compiler.release.nodes import (
    Bad,
    Carries,
    ChangedRows,
    CountedRows,
    FilledRows,
    Grouped,
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
from compiler.release.reading import carried_by, inputs_of, rows_of, tables_of


def check_job(job: ReleaseJob, made_by: str) -> None:
    """End the compile if a release plan cannot be carried out.

    Raises:
        InternalError: the pass `made_by` has broken one of the rules.
    """
    known: dict[str, Carries] = {}
    for step in job.steps:
        for fault in _faults(step, known):
            raise InternalError(f"{made_by}, step {step.name}: {fault}")
        known[step.name] = carried_by(step)
    for output in job.outputs:
        if known.get(output.step) is not output.carries:
            raise InternalError(f"{made_by}, output {output.name}: {output.step} is another step")


def _faults(step: Step, known: dict[str, Carries]) -> Iterator[str]:
    if step.name in known:
        yield "there are two of the name"
    for name in (*inputs_of(step), *tables_of(step)):
        if name not in known:
            yield f"{name} does not come before it"
    for each in rows_of(step):
        if known.get(each.step, each.carries) is not each.carries:
            yield f"{each.step} carries {known[each.step].value}, not {each.carries.value}"
        if each.carries.changes and _takes_rows_for_good(step):
            yield f"it is given rows of {each.step} that leave again"


def _takes_rows_for_good(step: Step) -> bool:
    match step:
        case Watermarked() | Grouped() | Sessions() | TotaledSessions():
            return True
        case OverRows() | FilledRows() | MatchRows():
            return True
        case ChangedRows() | TableRows() | Read() | Static() | Late() | Bad() | PanedRows():
            return True
        case Windowed(kind=kind):
            return kind == "session"
        case Select() | Union() | Totaled() | CountedRows() | UntilPartnered() | PairedRows():
            return False
        case TopRows() | OverChanged():
            return False
        case _:
            assert_never(step)
