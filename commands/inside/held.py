"""What `tvfc why` says of rows that are held: what they wait for, and which meet a condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.errors import PySparkException

from commands.inside.shown import as_text, values_of
from tvfc_runtime.delay.release import FIRST_CLOCK_VALUE
from tvfc_runtime.reports.verdicts import ago, moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from commands.inside.relation import HeldRows


SECOND_MS = 1_000


class ConditionError(Exception):
    """A condition that Spark does not understand; the message says why."""


@dataclass(frozen=True)
class Waiting:
    """Rows of one kind that an operator holds, by when they are due.

    Attributes:
        title: the operator.
        rows: how many there are.
        next_ms: when the first of those that wait is due, milliseconds since the epoch; None: that
            is not known, or they do not wait for the clock.
        last_ms: when the last one is.
        by: what is waited for, in words.
    """

    title: str
    rows: int
    next_ms: int | None
    last_ms: int | None
    by: tuple[str, ...]


def waiting(part: HeldRows, parts: Sequence[Mapping[str, Any]]) -> Waiting:
    """When rows of a part are due.

    Args:
        part: what an operator holds.
        parts: the description of the query's state.
    """
    dues = _dues(part)
    first, last = (dues[0], dues[-1]) if dues else (None, None)
    by = tuple(_waited_for(part, parts)) if dues else ()
    return Waiting(part.title, part.rows.num_rows, first, last, by)


def _dues(part: HeldRows) -> list[int]:
    """The due times of a part in order, milliseconds since the epoch."""
    if "_due" not in part.own:
        return []
    column = part.rows.column("_due").cast(pa.int64()).drop_null()
    return [pc.min(column).as_py(), pc.max(column).as_py()] if len(column) else []


def _waited_for(part: HeldRows, parts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What the description says of when rows of such an operator come out."""
    sinks = [each for each in parts if each.get("sink") == part.output]
    is_last = part.operators and all(name.startswith("delay/") for name in part.operators)
    if is_last and len(sinks) == 1:
        yield from _dues_of(parts, sinks[0]["rows"])
    elif part.kind == "groups":
        yield from (str(each["closed"]) for each in parts if each.get("operator") == "groups")


def _dues_of(parts: Sequence[Mapping[str, Any]], place: int) -> Iterator[str]:
    """When rows of a step are due; of a union, those of each of its inputs."""
    if parts[place].get("operator") == "union":
        for each in parts[place]["of"]:
            yield from _dues_of(parts, each)
    yield from (" or ".join(each) for each in parts[place].get("due") or [])


def sentence(part: Waiting, clock_ms: int) -> str:
    """What is said of rows that wait, when the clock is at `clock_ms`; 0: it has no value."""
    rows = f"{part.title}: {part.rows:,} {'row' if part.rows == 1 else 'rows'}"
    if part.next_ms is None or part.last_ms is None:
        return f"{rows}, of no known due time"
    said = f"{rows}, the next {due_text(part.next_ms, clock_ms)}"
    if part.last_ms != part.next_ms:
        said += f"; the last {due_text(part.last_ms, clock_ms)}"
    return said + (f"; what is waited for: {', '.join(part.by)}" if part.by else "")


def due_text(due_ms: int, clock_ms: int) -> str:
    """When something is due, and how far the clock is from there."""
    if due_ms <= FIRST_CLOCK_VALUE:
        return "due when the clock has its first value"
    if due_ms <= clock_ms:
        return f"due since {moment(due_ms)}, and waits for further rows"
    return f"due at {moment(due_ms)}, {ahead_of(due_ms, clock_ms)}"


def ahead_of(due_ms: int, clock_ms: int) -> str:
    """How far a moment is ahead of the clock."""
    if not clock_ms:
        return "when the clock has a value"
    left = due_ms - clock_ms
    return f"{ago(left) if left >= SECOND_MS else f'{left} ms'} ahead of the clock"


def matching(spark: SparkSession, part: HeldRows, condition: str) -> pa.Table | None:
    """The rows of a part for which a condition holds.

    None if it names what they do not have, or if Spark does not take their types from Arrow.

    Raises:
        ConditionError: the condition is no SQL.
    """
    number = "__number"
    rows = part.rows.append_column(number, pa.array(range(part.rows.num_rows), pa.int64()))
    try:
        frame = spark.createDataFrame(rows)
    except PySparkException:
        return None
    try:
        found = frame.where(condition).select(number).toArrow()
    except PySparkException as error:
        unresolved(error)
        return None
    return part.rows.take(found.column(number))


def unresolved(error: PySparkException) -> None:
    """Nothing, if a condition has failed for names that are not there.

    Raises:
        ConditionError: it has failed otherwise.
    """
    if (error.getCondition() or "").startswith("UNRESOLVED_COLUMN"):
        return
    why = str(error).strip().partition("\n")[0]
    raise ConditionError(f"--row: {why}") from None


def facts(table: pa.Table, names: Sequence[str]) -> list[str]:
    """Each row in words: `id = a, ts = 2026-11-29 12:10:20`."""
    columns = [[as_text(each) for each in values_of(table.column(name))] for name in names]
    return [
        ", ".join(f"{name} = {value}" for name, value in zip(names, row, strict=True))
        for row in zip(*columns, strict=True)
    ]
