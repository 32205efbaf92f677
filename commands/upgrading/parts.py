"""What is said of each part of a query when another one goes on in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.inside.named import described
from commands.upgrading.compare import (
    Change,
    Verdict,
    changes_of_sinks,
    changes_of_sources,
    is_last_delay,
    serves,
)
from commands.upgrading.store_files import bytes_of
from tvfc_runtime.checkpoint.storage import size_of
from tvfc_runtime.rows.intervals import FAILED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

    from commands.upgrading.anatomy import Operator
    from commands.upgrading.takeover import Takeover


def changes_of(found: Takeover) -> Iterator[Change]:
    """What becomes of sources, operators and sinks, in that order."""
    yield from changes_of_sources(found.sides.pair)
    counted, sizes = found.status.held_by, _sizes(found)
    names = names_in_counters(found)
    used = set()
    for each in found.sides.new.operators:
        fate = found.fates[each.number]
        rows = size = None
        if fate.old is not None:
            if serves(found.sides, fate.old, each):
                used.add(fate.old.number)
            rows = counted.get(names[fate.old.number], 0)
            size = sizes[fate.old.number]
        why = fate.why
        if each.number in found.planned and rows:
            left = rows - due_ever(found.planned[each.number])
            why += f"; {left:,} of its rows do not meet the new conditions" if left else ""
        yield Change("operator", _title(each), fate.verdict, why, rows, size)
    for each in found.sides.old.operators:
        rows = counted.get(names[each.number], 0)
        if each.number in used or not rows:
            continue
        verdict, why = _gone(each)
        yield Change("operator", _title(each), verdict, why, rows, sizes[each.number])
    yield from changes_of_sinks(found.sides)


def due_ever(rows: DataFrame) -> int:
    """How many rows of a delay there are that leave at some time."""
    return rows.where(f"__due < {FAILED}").count()


def _gone(operator: Operator) -> tuple[Verdict, str]:
    if is_last_delay(operator):
        return Verdict.LOST, "the new query has no place for the rows that it holds"
    return Verdict.CONVERTED, "the new query does not keep this"


def _title(operator: Operator) -> str:
    of = operator.output or operator.function
    return f"{operator.place} of {of}"


def _sizes(found: Takeover) -> dict[int, int]:
    place, version = found.status.place, found.batch + 1
    return {
        each.number: bytes_of(f"{place}/state/{each.number}", version, size_of)
        for each in found.sides.old.operators
    }


def names_in_counters(found: Takeover) -> dict[int, str]:
    """What the counters of the checkpoint call its operators, by their numbers."""
    written = [each.operator for each in described(found.status.place).holdings]
    own = [each for each in found.sides.old.operators if each.holding is not None]
    here = sorted((each.place for each in own), key=lambda name: int(name.rpartition("/")[2]))
    called = dict(zip(here, written, strict=True)) if len(here) == len(written) else {}
    return {each.number: called.get(each.place, each.place) for each in found.sides.old.operators}
