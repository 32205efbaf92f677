"""Rows that a delay holds, planned anew by a query with other conditions, due times or columns.

The rows are given to the very function of the new job that gives each its due time, in place of
the rows that it reads. That takes the columns that it looks at. Where these are not held, and only
lengths of time that are added have changed, the due times move by the difference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import LongType, StructField, StructType

from commands.upgrading.identity import types_of
from commands.upgrading.stand_ins import with_functions
from tvfc_runtime.delay.release import FIRST_CLOCK_VALUE
from tvfc_runtime.queue.queue_state import HEADER
from tvfc_runtime.queue.release_queue import DUE
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.plain_types import from_plain, to_plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame, SparkSession

    from commands.inside.state_store import Texts
    from commands.upgrading.anatomy import Operator
    from commands.upgrading.identity import Pair, Told
    from commands.upgrading.queries import Query
    from tvfc_runtime.checkpoint.state import Part
    from tvfc_runtime.job.building import Job

WIDER = {
    "TINYINT": ("SMALLINT", "INT", "BIGINT"),
    "SMALLINT": ("INT", "BIGINT"),
    "INT": ("BIGINT", "DOUBLE"),
    "FLOAT": ("DOUBLE",),
}
"""Types that have all values of another one."""

LENGTHS_MS = {"millisecond": 1, "second": 1_000, "minute": 60_000, "hour": 3_600_000}
DAY_MS = 86_400_000
"""Intervals of a day and more are, for Spark, as long as days are in the zone of the session."""

_LENGTH = re.compile(r" ([+-]) interval (\d+) (\w+)")
_BOUND = re.compile(r"(?P<base>.*?)(?P<lengths>(?: [+-] interval \d+ \w+)*)(?P<guard> if .*)?")
_COLUMN = re.compile(r"(?:#1\.)?(`(?:[^`]|``)+`|\w+)(?: as .+)?")


class NotConvertedError(Exception):
    """Rows that are held cannot be planned anew; the message says why."""


@dataclass(frozen=True)
class Conversion:
    """How the rows that a delay holds become those of another one.

    Attributes:
        old: the delay that holds them.
        new: the one that is to.
        read: the functions of the new job that make the rows which its step reads.
        columns: for each column that is held, which of those rows it is; None: it is computed.
        added: columns that the source now declares, with their types.
        retyped: columns that it declares with other types now: the old one and the new one.
    """

    old: Operator
    new: Operator
    read: frozenset[str]
    columns: tuple[str | None, ...]
    added: Mapping[str, str]
    retyped: Mapping[str, tuple[str, str]]


def conversion_of(
    pair: Pair, told: tuple[Told, Told], old: Operator, new: Operator
) -> Conversion | None:
    """How a delay can take over the rows of another one; None if they hold rows of other kinds."""
    was, now = _step(pair.old, old), _step(pair.new, new)
    if was is None or now is None or old.holding is None:
        return None
    if told[0].at(was["of"], typed=False) != told[1].at(now["of"], typed=False):
        return None
    names = [each.name for each in old.holding.columns]
    items = [str(each) for each in was.get("columns") or names]
    found = [_COLUMN.fullmatch(each) for each in items]
    columns = tuple(each[1].strip("`") if each else None for each in found)
    if len(columns) < len(names):  # The time by which rows leave in order comes last.
        columns += (None,) * (len(names) - len(columns))
    places = pair.new.places
    read = frozenset(name for name, place in places.items() if place == now["of"])
    declared = pair.old.parts[was["of"]], pair.new.parts[now["of"]]
    return Conversion(old, new, read, columns, *_of_source(*declared))


def _step(query: Query, operator: Operator) -> Part | None:
    """The step that gives rows of a delay their due times, if it reads one other step."""
    part = query.parts[query.places.get(operator.below, 0)]
    return part if part.get("operator") == "rows" and "tables" not in part else None


def _of_source(was: Part, now: Part) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
    """Columns that a source has declared since, and those whose types are others."""
    if was.get("operator") != "source" or now.get("operator") != "source":
        return {}, {}
    before, after = types_of(was), types_of(now)
    added = {name: kind for name, kind in after.items() if name not in before}
    retyped = {
        name: (before[name], kind)
        for name, kind in after.items()
        if name in before and before[name] != kind
    }
    return added, retyped


def held_by(spark: SparkSession, texts: Texts | None, operator: Operator) -> DataFrame:
    """The rows in the state of a delay, `__due` and `c0`, `c1`, …, of their own types."""
    assert operator.holding is not None
    fields = [StructField(each.plain, each.kind) for each in operator.holding.columns]
    schema = StructType([StructField(DUE, LongType()), *fields])
    plain = to_plain(spark.createDataFrame([], schema))
    batches = [] if texts is None else list(_batches(texts))
    if not batches:
        return spark.createDataFrame([], schema)
    table = pa.Table.from_batches(batches).select(plain.columns)
    return from_plain(spark.createDataFrame(table, plain.schema), schema)


def _batches(texts: Texts) -> Any:
    numbers = texts.table.column("number").to_pylist()
    for number, text in zip(numbers, texts.table.column("text").to_pylist(), strict=True):
        if number not in (HEADER, HEADER - 1):
            yield from (each for each in chunks.decode_text(text) if each.num_rows)


def planned_anew(query: Query, job: Job, conversion: Conversion, held: DataFrame) -> DataFrame:
    """Rows that are held as the new query plans them: with `__due`, under its names.

    Raises:
        NotConvertedError: it looks at columns that are not held.
    """
    rows = _as_read(conversion, held)
    fed = with_functions(
        query, lambda name, build: (lambda _: rows) if name in conversion.read else build
    )
    try:
        planned: DataFrame = getattr(fed.module, conversion.new.below)(job)
    except AnalysisException as error:
        raise NotConvertedError(_why(error)) from None
    due = F.when(F.col(DUE).between(0, FIRST_CLOCK_VALUE), FIRST_CLOCK_VALUE)
    # Whoever needs no clock now leaves with the next value of it; there is no batch before.
    return planned.withColumn(DUE, F.coalesce(due, F.col(DUE)))


def _as_read(conversion: Conversion, held: DataFrame, *others: Column) -> DataFrame:
    """Rows that are held as those that the step reads, as far as their columns are, and others."""
    named: dict[str, Any] = {}
    for name, own in zip(_plain(conversion.old), conversion.columns, strict=True):
        if own is not None:
            named.setdefault(own, _retyped(conversion, name, own).alias(own))
    nulls = (
        F.lit(None).cast(kind).alias(name)
        for name, kind in conversion.added.items()
        if name not in named
    )
    return held.select(*others, *named.values(), *nulls)


def _retyped(conversion: Conversion, plain: str, name: str) -> Column:
    """A column that is held, of the type that it has now.

    Raises:
        NotConvertedError: that has not all of its values.
    """
    before, now = conversion.retyped.get(name.lower(), ("", ""))
    if before and now not in WIDER.get(before, ()):
        raise NotConvertedError(f"not every {before} of {name} is a {now}")
    return F.col(plain).cast(now) if before else F.col(plain)


def _why(error: AnalysisException) -> str:
    if (error.getCondition() or "").startswith("UNRESOLVED_COLUMN"):
        name = (error.getMessageParameters() or {}).get("objectName", "a column")
        return f"its rows are held without {name}, which the new query looks at"
    return str(error).strip().partition("\n")[0]


def moved_by(pair: Pair, conversion: Conversion) -> timedelta | None:
    """By how much all due times are later, if only columns have changed besides; None: more has."""
    was, now = _step(pair.old, conversion.old), _step(pair.new, conversion.new)
    if was is None or now is None or conversion.retyped:
        return None
    if any(len(branches) > 1 and "if" in str(branches) for branches in was["due"]):
        return None  # Which of several alternatives a row has met is not known any more.
    free = ("due", "of", "columns")
    others = [{k: v for k, v in each.items() if k not in free} for each in (was, now)]
    dues = [
        [term for branches in each["due"] for branch in branches for term in branch.split(" and ")]
        for each in (was, now)
    ]
    if others[0] != others[1] or len(dues[0]) != len(dues[1]):
        return None
    moves = {bound_moved_by(one, other) for one, other in zip(*dues, strict=True)}
    move = moves.pop() if len(moves) == 1 else None
    return None if move is None else timedelta(milliseconds=move)


def bound_moved_by(was: str, now: str) -> int | None:
    """By how many milliseconds a bound is later; None if it is another one."""
    one, other = _BOUND.fullmatch(was), _BOUND.fullmatch(now)
    if one is None or other is None:
        return None
    if (one["base"], one["guard"]) != (other["base"], other["guard"]):
        return None
    before, after = _length_ms(one["lengths"]), _length_ms(other["lengths"])
    return None if before is None or after is None else after - before


def _length_ms(lengths: str) -> int | None:
    """Lengths that are added, in milliseconds; None if they depend on a calendar or a zone."""
    found = _LENGTH.findall(lengths)
    if any(unit not in LENGTHS_MS for _, _, unit in found):
        return None
    total = sum(
        (1 if sign == "+" else -1) * int(number) * LENGTHS_MS[unit] for sign, number, unit in found
    )
    return total if abs(total) < DAY_MS else None


def moved(pair: Pair, conversion: Conversion, held: DataFrame, by: timedelta) -> DataFrame:
    """Rows that are held with due times that are later by a length of time, and the new columns.

    Raises:
        NotConvertedError: some wait for the first value of the clock, and when they are due
            besides is not known any more; or a column cannot be had of those that are held.
    """
    if by and not held.where(F.col(DUE) <= FIRST_CLOCK_VALUE).isEmpty():
        raise NotConvertedError("rows that wait for the first value of the clock have no due time")
    due = F.greatest(F.col(DUE) + by // timedelta(milliseconds=1), F.lit(FIRST_CLOCK_VALUE))
    own_names = {name: f"__held_{name}" for name in _plain(conversion.old)}
    plain = dict(zip(_expressions(pair.old, conversion.old), own_names.values(), strict=True))
    others = (F.col(name).alias(called) for name, called in own_names.items())
    read = _as_read(conversion, held, F.col(DUE), *others)
    new = zip(_expressions(pair.new, conversion.new), _names(conversion.new), strict=True)
    own = [F.expr(plain.get(sql, sql)).alias(name) for sql, name in new]
    try:
        return read.select(due.alias(DUE), *own)
    except AnalysisException as error:
        raise NotConvertedError(_why(error)) from None


def _expressions(query: Query, operator: Operator) -> list[str]:
    """What the columns that a delay holds are of the rows that its step reads, SQL."""
    step = _step(query, operator)
    names = _names(operator)
    items = [] if step is None else [str(each) for each in step.get("columns", ())]
    found = [
        item.removesuffix(f" as {name.lower()}") for item, name in zip(items, names, strict=False)
    ]
    return found + [f"`{name.replace('`', '``')}`" for name in names[len(found) :]]


def _names(operator: Operator) -> list[str]:
    assert operator.holding is not None
    return [each.name for each in operator.holding.columns]


def _plain(operator: Operator) -> list[str]:
    assert operator.holding is not None
    return [each.plain for each in operator.holding.columns]
