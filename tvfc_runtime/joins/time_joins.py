"""Joins of streams whose rows find partners until some time, after which Spark forgets them.

The caller says for each side when, on the clock, a row finds no more partners: whatever the sides
are and whenever their rows come, the row is kept until then and not longer, and without a partner
it comes out with that very clock value.

That is told to Spark in its own way. It drops the rows of a side whose event time, the one column
marked as such, is at most some value, which it works out from the condition: it takes a comparison
of any column of that side with the event time of the other, and puts the watermark in the place of
the latter. So the left side is given, and the right one likewise,

    __left_until    its event time: when it finds no more partners, AHEAD of the clock
    __left_beyond   a moment that is later than any such time

and of `__left_beyond > __right_until + AHEAD`, which is true of every pair, Spark makes that rows
on the left are to be dropped once their event time is AHEAD of the watermark or less. The watermark
for the operators above stays what it is, as all that lies AHEAD is later. And since no event time
is ever near the watermark, Spark takes none of the rows for late: one that comes with a clock value
that has ended its search finds the partners that are there or come with it, and is then dropped.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.clock.era import as_event_time
from tvfc_runtime.delay.release import FIRST_CLOCK_VALUE, sql

AHEAD_DAYS = 3_652_425
"""Ten thousand years, more than what may lie between a row's end and the clock."""
BEYOND_DAYS = 10 * AHEAD_DAYS
DAY_US = 86_400_000_000
FAR_MS = 253_402_300_799_000
"""The year 9999, for rows that always find partners; milliseconds since the epoch."""

# Spark reckons with floating point numbers, and takes whole milliseconds of what it gets.
AHEAD = f"INTERVAL {AHEAD_DAYS} DAYS 500 MICROSECONDS"


def join_in_time(
    left: DataFrame,
    right: DataFrame,
    on: str,
    *,
    how: str = "inner",
    left_only_if: str | None = None,
    right_only_if: str | None = None,
    left_until: Column | None = None,
    right_until: Column | None = None,
    now: Column | None = None,
) -> DataFrame:
    """Pairs of rows, and with an outer join those without a partner once none can come.

    Args:
        left: rows of any kind.
        right: likewise.
        on: the condition, Spark SQL.
        how: as in DataFrame.join(). The rows of a `leftanti` still have the columns of the right
            side, all NULL.
        left_only_if: what a row of the left side must satisfy to have a partner, Spark SQL, if an
            outer join keeps that side. It is a column of it, not a part of the condition: from a
            comparison with a constant there, Spark would work out up to when rows are to be kept.
        right_only_if: the same of the right side.
        left_until: the first clock value at which a row of the left side finds no more partners,
            milliseconds since the epoch; NULL if it never finds one. None: there is no such value.
        right_until: the same of the right side.
        now: the clock, likewise, for a `leftsemi`. Spark 4.3 reads the right side of a semi
            join before the left one, and stores of it only what it does not forget with the same
            batch (SPARK-55973): a row that comes with a clock value that has ended its search, as
            one that has waited below does, would not find the partners that come with it. So it is
            kept until the clock moves on.
    """
    conditions = []
    if left_only_if is not None:
        left = left.select("*", sql(left_only_if).alias("__left_fits"))
        conditions.append("__left_fits")
    if right_only_if is not None:
        right = right.select("*", sql(right_only_if).alias("__right_fits"))
        conditions.append("__right_fits")
    if now is not None and right_until is not None:
        right_until = F.greatest(right_until, now + 1)
    # Pairs come with the later of their rows; what waits for the clock are rows without a partner.
    waits = how not in ("inner", "leftsemi")
    lefts = _kept(left, left_until, "__left_until", "__left_beyond", waits=waits)
    rights = _kept(right, right_until, "__right_until", "__right_beyond", waits=waits)
    if left_until is not None:
        conditions.append(f"__left_beyond > __right_until + {AHEAD}")
    if right_until is not None:
        conditions.append(f"__right_beyond > __left_until + {AHEAD}")
    is_alone = how == "leftanti"
    joined = lefts.join(rights, sql(on, *conditions), "left" if is_alone else how)
    if is_alone:
        joined = joined.where("__right_until IS NULL")
    return joined.drop(
        *("__left_fits", "__left_until", "__left_beyond"),
        *("__right_fits", "__right_until", "__right_beyond"),
    )


def gone(valid: str) -> Column:
    """When a row leaves the result for good, by a column with what it carries of the clock."""
    pieces = F.col(valid)
    ends = F.array_max(F.transform(pieces, lambda each: F.coalesce(each["to"], F.lit(FAR_MS))))
    first = F.lit(FIRST_CLOCK_VALUE)
    return F.when(pieces.isNull(), F.lit(FAR_MS)).otherwise(F.coalesce(ends, first))


def _kept(
    rows: DataFrame, until: Column | None, event_time: str, beyond: str, *, waits: bool
) -> DataFrame:
    """Rows with the two columns by which Spark keeps them."""
    if until is None:
        # Not a constant: Spark would put it into the condition, and look in vain for the column.
        end = FAR_MS + F.spark_partition_id().cast("bigint")
    else:
        end = F.coalesce(F.least(until, F.lit(FAR_MS)), F.lit(FIRST_CLOCK_VALUE))
    micros = end * 1000 + AHEAD_DAYS * DAY_US
    timed = rows.select(
        "*",
        F.timestamp_micros(micros).alias(event_time),
        F.timestamp_micros(micros + BEYOND_DAYS * DAY_US).alias(beyond),
    )
    return as_event_time(timed, event_time, waits=waits)
