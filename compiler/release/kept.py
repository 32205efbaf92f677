"""Whether a streaming query keeps rows between two batches."""

from __future__ import annotations

from typing import assert_never

from compiler.release.nodes import (
    Bad,
    Carries,
    CountedRows,
    Grouped,
    Late,
    Output,
    OverRows,
    PairedRows,
    Read,
    ReleaseJob,
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


def keeps_rows(outputs: list[Output], job: ReleaseJob) -> bool:
    """Whether any row is in state between two batches."""
    by_name = {step.name: step for step in job.steps}
    pending, seen = [each.step for each in outputs], set()
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            pending += _read_by(by_name[name])
    plain = (Read, Watermarked, Late, Bad, Static, Union)
    steps = [by_name[name] for name in seen]
    return any(each.carries is not Carries.NOTHING or each.key for each in outputs) or not all(
        isinstance(each, plain)
        or (isinstance(each, Select) and not each.joins and each.carries is Carries.NOTHING)
        for each in steps
    )


def _read_by(step: Step) -> list[str]:
    match step:
        case Read():
            return []
        case Late(of=of) | Bad(of=of):
            return [of]
        case Static(tables=tables):
            return list(tables)
        case Union() | CountedRows() | UntilPartnered() | PairedRows():
            return [each.step for each in step.inputs]
        case Select():
            inputs = [step.input, *(join.input for join in step.joins)]
            return [*(each.step for each in inputs), *step.tables]
        case Grouped() | Sessions():
            return [step.input.step, *step.tables]
        case Watermarked() | Windowed() | OverRows() | Totaled() | TopRows():
            return [step.input.step]
        case _:
            assert_never(step)
