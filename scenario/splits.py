"""The rows of a scenario, cut into steps in other ways: the final result must stay the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scenario.model import RowsByName, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def variants(steps: tuple[Step, ...]) -> dict[str, tuple[Step, ...]]:
    """The ways that `splits: invariant` asks for, by name; their steps carry no expectations."""
    bare = [
        Step(number=step.number, rows=step.rows, now=step.now, restart=step.restart)
        for step in steps
    ]
    return {
        "the rows of consecutive steps merged": tuple(_merged(bare)),
        "one row a step": tuple(_row_by_row(bare)),
        "a restart after every step": tuple(_restarted(bare)),
    }


def _merged(steps: Iterable[Step]) -> Iterator[Step]:
    """Rows up to the next `now` or restart as one step."""
    gathered: RowsByName = {}
    number = 0
    for step in steps:
        number = step.number
        if step.restart and gathered:
            yield Step(number=number, rows=gathered)
            gathered = {}
        for source, rows in step.rows.items():
            gathered[source] = gathered.get(source, []) + rows
        if step.now is not None or step.restart:
            yield replace(step, rows=gathered)
            gathered = {}
    if gathered:
        yield Step(number=number, rows=gathered)


def _row_by_row(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        singles = [(source, row) for source, rows in step.rows.items() for row in rows]
        for source, row in singles:
            yield Step(number=step.number, rows={source: [row]})
        if step.now is not None or step.restart:
            yield replace(step, rows={})


def _restarted(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        if not step.restart:
            yield Step(number=step.number, restart=True)
