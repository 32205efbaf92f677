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

from tvfc_runtime.queue.release_queue import DUE
from tvfc_runtime.rows.intervals import FAILED, FOREVER
from tvfc_runtime.rows.local_times import define

ZERO, MILLISECOND = timedelta(0), timedelta(milliseconds=1)

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


def reached(bound: str, plus: timedelta | str = ZERO, about: str | None = None) -> Column:
    """Due when the clock is at `bound` or later: `bound <= WATERMARK_TS()`.

    Args:
        bound: a moment, Spark SQL; with a `timedelta` to add, a TIMESTAMP column.
        plus: what to add to it: whole milliseconds less than a day, or an INTERVAL as Spark SQL.
        about: the moment roughly, as a number that does not overflow where the moment does; its
            sign tells on which side of all moments that is.

    Returns:
        NULL where there is no such moment, FOREVER where the clock does not get there, FAILED where
        the moment cannot be computed.
    """
    return _first_clock_value(_FIRST_AT, bound, plus, about)


def passed(bound: str, plus: timedelta | str = ZERO, about: str | None = None) -> Column:
    """Due when the clock is later than `bound`: `bound < WATERMARK_TS()`; see `reached`."""
    return _first_clock_value(_FIRST_AFTER, bound, plus, about)


# Not by adding to the moment: past the last one that Spark has, there still is a clock value.
_FIRST_AT = "unix_millis({0}) + CAST(unix_micros({0}) % 1000 <> 0 AS BIGINT)"
_FIRST_AFTER = "unix_millis({0}) + 1L"


def _first_clock_value(first: str, bound: str, plus: timedelta | str, about: str | None) -> Column:
    side = None if about is None else f"IF(abs({about}) > {BEYOND_S}, sign({about}), NULL)"
    if isinstance(plus, str):
        # What lies so far out that an interval takes it beyond the last moment has its sign.
        side = side or f"sign(unix_micros({_moment(bound)}))"
        bound, plus = f"{bound} + {plus}", ZERO
    define(bound)
    value = F.expr(first.format(_moment(bound))) + plus // MILLISECOND
    value = F.when(value < FIRST_CLOCK_VALUE, FIRST_CLOCK_VALUE).otherwise(value)
    otherwise = F.when(_has_failed(bound), FAILED)
    if side is not None:
        # An interval, since try_multiply() of one answers NULL whatever fails below it.
        beyond = F.expr(f"try_multiply(INTERVAL 1 SECOND, {side})")
        none = F.expr("INTERVAL 0 SECONDS")
        sides = F.when(beyond > none, FOREVER).when(beyond < none, FIRST_CLOCK_VALUE)
        otherwise = sides.otherwise(otherwise)
    return F.coalesce(value, otherwise)


BEYOND_S = "9.2E12D"
"""A moment of so many seconds, or so many before 1970, lies beyond the range of TIMESTAMP if it
does not come out; one that is nearer has failed otherwise, as by an INT that overflows."""


def _moment(bound: str) -> str:
    if _COLUMN.fullmatch(bound):
        return f"try_cast({bound} AS TIMESTAMP_LTZ)"
    # try_add() of an interval answers NULL whatever fails below it, so that a bound which
    # overflows or divides by zero concerns its own row alone.
    return f"try_add(CAST({bound} AS TIMESTAMP), INTERVAL 0 SECONDS)"


_COLUMN = re.compile(r"[\w.]+|`[^`]+`")


def _has_failed(bound: str) -> Column:
    """Whether a moment that comes out as NULL is none because it cannot be computed."""
    if _COLUMN.fullmatch(bound):
        return F.expr(f"{bound} IS NOT NULL")
    is_null = f"try_multiply(INTERVAL 1 SECOND, IF(({bound}) IS NULL, 1, 0))"
    return F.expr(f"coalesce({is_null} = INTERVAL 0 SECONDS, true)")


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
