"""Clock values at which rows are in the result, as Spark columns: ARRAY<STRUCT<from, to>>.

Each piece is [from, to), BIGINTs in milliseconds since the epoch; `to` is NULL where there is no
end. A piece that could not be computed is [FAILED, 0). The temporal operator takes pieces in any
order, overlapping or empty, so that conditions are put together without being simplified. NULL for
an array stands for no piece at all. Where a moment is needed several times it is the variable of a
lambda: Spark plans each mention of an expression anew, and mentions within mentions multiply.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.delay.release import FIRST_CLOCK_VALUE
from tvfc_runtime.queue.release_queue import DUE
from tvfc_runtime.rows.intervals import FAILED
from tvfc_runtime.rows.updates import DIFF, TIME
from tvfc_runtime.temporal.operator import VALID

PIECE = "STRUCT<from: BIGINT, to: BIGINT>"


def valid(column: str) -> Column:
    """What an input of a step carries."""
    return F.col(column)


def always() -> Column:
    """From the arrival of the row on."""
    return _piece(F.lit(FIRST_CLOCK_VALUE), F.lit(None))


def since(start: Column) -> Column:
    """From a moment on; never if that is NULL."""
    return _piece(start, F.lit(None))


def until(end: Column) -> Column:
    """From the arrival of the row until before a moment; never if that is NULL."""
    return between(F.lit(FIRST_CLOCK_VALUE), end)


def between(start: Column, end: Column) -> Column:
    """From a moment until before another; never if either is NULL."""
    bounds = F.struct(start.cast("bigint").alias("start"), end.cast("bigint").alias("end"))
    return F.transform(F.array(bounds), lambda each: _between(each["start"], each["end"]))


def _between(start: Column, end: Column) -> Column:
    known = F.when(end == FAILED, F.greatest(start, end)).otherwise(start)
    known = F.when(start.isNotNull() & end.isNotNull(), known)
    return _from_to(known, F.when(known == FAILED, 0).otherwise(end))


def first_of(*ends: Column) -> Column:
    """The end of what several conditions end; NULL if one of them is never true."""
    if len(ends) == 1:
        return ends[0]
    # NULL comes first, and the last one tells whether there is one that has failed.
    ordered = F.array(F.sort_array(F.array(*ends)))
    return F.element_at(F.transform(ordered, _first_in_order), 1)


def _first_in_order(ends: Column) -> Column:
    first = F.element_at(ends, 1)
    has_failed = F.array_contains(ends, F.lit(FAILED))
    return F.when(first.isNotNull(), F.when(has_failed, FAILED).otherwise(first))


def any_of(*pieces: Column) -> Column:
    """Where any alternative holds (OR)."""
    if not pieces:
        return F.lit(None).cast(f"ARRAY<{PIECE}>")
    return F.concat(*(F.coalesce(each, F.array().cast(f"ARRAY<{PIECE}>")) for each in pieces))


def both(*parts: Column) -> Column:
    """Where all conditions hold (AND): each piece of one cut with each of the other."""
    return reduce(_cut, parts)


def with_validity(rows: DataFrame) -> DataFrame:
    """Rows with what they carry of the clock as pieces; without any, from their arrival on."""
    if DUE in rows.columns:
        return rows.withColumn(VALID, since(F.col(DUE))).drop(DUE)
    return rows.withColumn(VALID, always())


def until_in(rows: DataFrame, others: DataFrame) -> DataFrame:
    """Rows that come, each until it is in `others`: updates that still carry when they count.

    Args:
        rows: rows that come to stay, with what they carry of the clock.
        others: some of them, each once.
    """
    changes = ((rows, 1), (others, -1))
    # They happen at the clock of the batch, which need not be read here.
    legs = [
        (each if VALID in each.columns else with_validity(each)).withColumns(
            {TIME: F.lit(None).cast("bigint"), DIFF: F.lit(diff)}
        )
        for each, diff in changes
    ]
    return legs[0].union(legs[1])


def _piece(start: Column, end: Column) -> Column:
    return F.array(_from_to(start, F.when(start == FAILED, 0).otherwise(end)))


def _from_to(start: Column, end: Column) -> Column:
    return F.struct(start.cast("bigint").alias("from"), end.cast("bigint").alias("to"))


def _cut(left: Column, right: Column) -> Column:
    """least() passes over NULL, the end of what has none."""

    def with_all_of_right(one: Column) -> Column:
        return F.transform(right, lambda other: _shared(one, other))

    return F.flatten(F.transform(left, with_all_of_right))


def _shared(one: Column, other: Column) -> Column:
    is_there = one["from"].isNotNull() & other["from"].isNotNull()
    return F.struct(
        F.when(is_there, F.greatest(one["from"], other["from"])).alias("from"),
        F.least(one["to"], other["to"]).alias("to"),
    )
