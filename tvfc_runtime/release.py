"""Release plans as Spark columns: when, on the query's clock, a row is due.

A due time is a BIGINT, milliseconds since the epoch: the first clock value at which the row is in
the result. NULL means never. The clock has whole milliseconds, so this loses nothing.
"""

from __future__ import annotations

import re
from datetime import timedelta
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.release_queue import DUE
from tvfc_runtime.watermark import shifted

FIRST_CLOCK_VALUE = 1
"""The clock has no value before 1970; what was due earlier is due when it gets its first one."""


def at_once() -> Column:
    """A row that needs no clock leaves in the batch in which it arrives."""
    return F.lit(0).cast("bigint")


def never() -> Column:
    """No row is ever due."""
    return F.lit(None).cast("bigint")


def due(column: str) -> Column:
    """The due time that an input of a step carries."""
    return F.col(column)


def if_any(due: Column) -> Column:
    """The due time of a side that an outer join has left out counts for nothing."""
    return F.coalesce(due, at_once())


def with_due(rows: DataFrame, moment: Column) -> DataFrame:
    """Rows with a due time as their last column."""
    return rows.withColumn(DUE, moment)


def sql(expression: str, *conditions: str) -> Column:
    """A column by its Spark SQL; of several conditions, that all hold."""
    return reduce(Column.__and__, map(F.expr, conditions), F.expr(expression))


def reached(bound: str, plus: timedelta = timedelta(0)) -> Column:
    """Due when the clock is at `bound` or later: `bound <= WATERMARK_TS()`.

    Args:
        bound: a moment, Spark SQL; with `plus`, a TIMESTAMP column.
        plus: a time less than a day to add to it.
    """
    return _first_clock_value(bound, plus + timedelta(microseconds=999))


def passed(bound: str, plus: timedelta = timedelta(0)) -> Column:
    """Due when the clock is later than `bound`: `bound < WATERMARK_TS()`."""
    return _first_clock_value(bound, plus + timedelta(milliseconds=1))


def _first_clock_value(bound: str, plus: timedelta) -> Column:
    """The millisecond in which `bound + plus` lies; NULL where there is no such moment."""
    if re.fullmatch(r"[\w.]+|`[^`]+`", bound):
        micros = shifted(bound, plus)
    else:
        # try_add() of an interval answers NULL whatever fails below it, so that a bound which
        # overflows or divides by zero concerns its own row alone. It goes by way of the calendar,
        # which costs half a microsecond a row.
        micros = f"unix_micros(try_add(CAST({bound} AS TIMESTAMP), {_interval(plus)}))"
    moment = F.expr(f"unix_millis(timestamp_micros({micros}))")
    return F.when(moment < FIRST_CLOCK_VALUE, F.lit(FIRST_CLOCK_VALUE)).otherwise(moment)


def _interval(time: timedelta) -> str:
    return f"INTERVAL {time // timedelta(microseconds=1)} MICROSECONDS"


def when(guard: str, due: Column) -> Column:
    """`due` for the rows that satisfy `guard`, never for the others."""
    return F.when(F.expr(guard), due)


def earliest(*dues: Column) -> Column:
    """Due when the first alternative is (OR)."""
    return F.least(*dues) if len(dues) > 1 else dues[0]


def latest(*dues: Column) -> Column:
    """Due when all conditions are met (AND); never if one of them never is."""
    if len(dues) == 1:
        return dues[0]
    all_are = reduce(Column.__and__, (due.isNotNull() for due in dues))
    return F.when(all_are, F.greatest(*dues))
