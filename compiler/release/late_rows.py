"""Late rows are refused by the delay above a source, where that changes nothing but the speed.

Before   a Read that refuses late rows, by a clock for which Spark runs a job in every batch
After    a Read that keeps them, and a delay that refuses them: it reads the clock by itself

Requires Selects between the two that only compute due times and project: what a condition drops
before the delay would not be counted as late.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from compiler.release.nodes import Carries, Output, Read, ReleaseJob, Select, Step, reads_of
from compiler.release.shifts import shift_of


def refuse_late_in_delays(job: ReleaseJob) -> ReleaseJob:
    """The job with late rows refused by its delays wherever that is possible."""
    steps = {step.name: step for step in job.steps}
    uses = Counter(name for step in job.steps for name in reads_of(step))
    uses.update(output.step for output in job.outputs)
    outputs = []
    for output in job.outputs:
        path = list(_down_to_source(output, steps))
        source = path[-1] if path else None
        if isinstance(source, Read) and all(uses[each.name] == 1 for each in path):
            steps.update({each.name: replace(each, keeps_late=True) for each in path})
            output = replace(output, late_of=source.source)
        outputs.append(output)
    return ReleaseJob(steps=tuple(steps.values()), outputs=tuple(outputs))


def _down_to_source(output: Output, steps: dict[str, Step]) -> Iterator[Select | Read]:
    """The steps from a delay down to its source; ends before one that stands in the way."""
    step = steps[output.step] if output.carries is Carries.DUE else None
    while isinstance(step, Select) and not (step.joins or step.where or step.tables):
        yield step
        step = steps[step.input.step]
    if isinstance(step, Read) and _is_behind_its_time(step):
        yield step


def _is_behind_its_time(source: Read) -> bool:
    """Whether no late row can move the watermark: its strategy is its time, or less."""
    shift = shift_of(source.strategy) if source.strategy else None
    return shift is not None and shift[0] == source.time and shift[1] <= timedelta(0)
