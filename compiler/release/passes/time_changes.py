"""When operators on changing relations say what has changed, and whether they wait for the clock.

A changelog has every clock value at which the answer changes. Where only the last state counts, in
a table with keys, an operator says what a batch has changed, once: that is less work.

Where conditions on the clock decide over the rows of one side, and over those of the other not, the
latter come before there is a clock. If a row of one side keeps a row of the other out of the
result, the operator waits for the clock then: else it would give rows that it takes back at the
first clock value.

Before   Totaled, of an output that is a table with keys; CountedRows except, of rows that wait
After    Totaled per_batch; CountedRows except, waits
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, assert_never

from compiler.release.nodes import (
    Bad,
    ChangedRows,
    CountedRows,
    FilledRows,
    Grouped,
    Input,
    Late,
    MatchRows,
    Output,
    OverChanged,
    OverRows,
    PairedRows,
    PanedRows,
    Read,
    ReleaseJob,
    Rule,
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
from compiler.release.reading import inputs_of, reached


class Rows(NamedTuple):
    """What decides over the rows of a step.

    Attributes:
        timed: whether a condition on the clock does, over some of them.
        at_once: whether none does, over some of them: these come before there is a clock.
    """

    timed: bool
    at_once: bool


def time_changes(job: ReleaseJob) -> ReleaseJob:
    """Operators on changing relations say no more than is asked for, and no sooner."""
    exact = _told_exactly(job)
    known: dict[str, Rows] = {}
    steps: list[Step] = []
    for step in job.steps:
        timed = _timed(step, known, per_batch=step.name not in exact)
        known[step.name] = _rows_of(timed, known)
        steps.append(timed)
    return replace(job, steps=tuple(steps))


def _told_exactly(job: ReleaseJob) -> set[str]:
    """The steps whose changes reach a sink that is told each of them."""
    by_name = {step.name: step for step in job.steps}
    sinks = (each.step for each in job.outputs if _is_changelog(each))
    return reached(sinks, lambda name: inputs_of(by_name[name]))


def _is_changelog(output: Output) -> bool:
    # What is told at some times only, of each the answer then, is net of changes with their times.
    by_batch = output.key and output.every is None and output.revised is None
    return output.carries.changes and output.changes and not by_batch


def _timed(step: Step, known: dict[str, Rows], *, per_batch: bool) -> Step:
    match step:
        case Totaled() | TopRows() | OverChanged():
            return replace(step, per_batch=per_batch)
        case CountedRows() | PairedRows():
            waits = any(
                known[kept.step].at_once and known[other.step].timed
                for kept, other in _kept_out(step)
            )
            return replace(step, per_batch=per_batch, waits=waits)
        case Read() | Watermarked() | Late() | Bad() | Static() | Select() | Union() | Windowed():
            return step
        case Grouped() | Sessions() | TotaledSessions():
            return step
        case OverRows() | FilledRows() | MatchRows() | PanedRows():
            return step
        case ChangedRows() | TableRows() | UntilPartnered():
            # A change of a source or table, or a first partner, is told when it comes.
            return step
        case _:
            assert_never(step)


def _kept_out(step: CountedRows | PairedRows) -> list[tuple[Input, Input]]:
    """Inputs whose rows are in the result where the other one has none; and that other one."""
    if len(step.inputs) == 1:
        return []
    sides = step.inputs[:2]
    if isinstance(step, CountedRows):
        kept = [0] if step.rule in _WITHOUT else []
    else:
        kept = _KEPT.get(step.kind, [])
    return [(sides[place], sides[1 - place]) for place in kept]


_WITHOUT = (Rule.EXCEPT, Rule.EXCEPT_ALL, Rule.UNMATCHED)
_KEPT = {"left": [0], "leftanti": [0], "right": [1], "full": [0, 1]}


def _rows_of(step: Step, known: dict[str, Rows]) -> Rows:
    sides = [known[name] for name in inputs_of(step)]
    if not sides:
        return Rows(timed=False, at_once=True)
    timed = any(each.timed for each in sides)
    at_once = [each.at_once for each in sides]
    match step:
        case Select(releases=releases) if releases:
            return Rows(timed=True, at_once=False)
        case Select(joins=joins) if any(join.kind in _KEPT for join in joins):
            return Rows(timed, any(at_once))
        case CountedRows(waits=True) | PairedRows(waits=True):
            return Rows(timed=True, at_once=False)
        case Union():
            return Rows(timed, any(at_once))
        case CountedRows() | PairedRows() if kept := _kept_out(step):
            return Rows(timed, any(known[each.step].at_once for each, _ in kept))
        case _:
            # A pair needs all of its rows.
            return Rows(timed, all(at_once))
