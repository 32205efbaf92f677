"""Release plans as Spark columns: when, on the query's clock, a row is due.

A due time is a BIGINT, milliseconds since the epoch: the first clock value at which the row is in
the result. NULL means never. The clock has whole milliseconds, so this loses nothing.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.release_queue import DUE

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


def with_due(rows: DataFrame, moment: Column) -> DataFrame:
    """Rows with a due time as their last column."""
    return rows.withColumn(DUE, moment)


def sql(expression: str) -> Column:
    """A column by its Spark SQL."""
    return F.expr(expression)


def reached(bound: str) -> Column:
    """Due when the clock is at `bound` or later: `bound <= WATERMARK_TS()`."""
    # try_add() answers NULL whatever fails below it, so that a bound which
    # overflows or divides by zero concerns its own row alone.
    moment = F.expr(f"unix_millis(try_add(CAST({bound} AS TIMESTAMP), INTERVAL 999 MICROSECONDS))")
    return _on_the_clock(moment)


def passed(bound: str) -> Column:
    """Due when the clock is later than `bound`: `bound < WATERMARK_TS()`."""
    moment = F.expr(f"unix_millis(try_add(CAST({bound} AS TIMESTAMP), INTERVAL 0 SECONDS)) + 1")
    return _on_the_clock(moment)


def _on_the_clock(moment: Column) -> Column:
    return F.when(moment.isNotNull(), F.greatest(moment, F.lit(FIRST_CLOCK_VALUE)))


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
