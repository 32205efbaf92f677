"""Whether a streaming query keeps rows between two batches."""

from __future__ import annotations

from compiler.release.nodes import (
    Bad,
    Carries,
    Late,
    Output,
    Read,
    ReleaseJob,
    Select,
    Static,
    Union,
    Watermarked,
)
from compiler.release.reading import inputs_of, reached, tables_of


def keeps_rows(outputs: list[Output], job: ReleaseJob) -> bool:
    """Whether any row is in state between two batches."""
    by_name = {step.name: step for step in job.steps}

    def below(name: str) -> list[str]:
        return [*inputs_of(by_name[name]), *tables_of(by_name[name])]

    plain = (Read, Watermarked, Late, Bad, Static, Union)
    steps = [by_name[name] for name in reached((each.step for each in outputs), below)]
    return any(each.carries is not Carries.NOTHING or each.key for each in outputs) or not all(
        isinstance(each, plain)
        or (isinstance(each, Select) and not each.joins and each.carries is Carries.NOTHING)
        for each in steps
    )
