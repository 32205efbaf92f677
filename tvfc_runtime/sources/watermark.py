"""Watermark strategies and exact lateness."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.records.bad_rows import SHOWN
from tvfc_runtime.rows.sql_text import quote

STRATEGY = "__wm"
SEED = "__seed"
"""Not NULL in what is no row of the source, but a value of its strategy alone."""
LATE = "__late"


@dataclass(frozen=True, kw_only=True)
class Watermark:
    """`WATERMARK FOR time AS strategy`.

    Attributes:
        time: the time column as a TIMESTAMP, Spark SQL.
        strategy: the watermark that a row stands for as a TIMESTAMP, Spark SQL; NULL moves nothing.
        delay: in place of a strategy, how far the watermark stays behind the time.
        allowance: rows are late only if they are further than that behind the watermark.
        idle_after: the silence of the source after which the wall clock, less that time, moves
            the watermark; None: it waits for the next row.
        per: the column by which rows are grouped, each group with a watermark of its own, of which
            the least is that of the source; see groups.py. None: one for all.
    """

    time: str
    strategy: str | None = None
    delay: timedelta = timedelta(0)
    allowance: timedelta = timedelta(0)
    idle_after: timedelta | None = None
    per: str | None = None

    def value(self) -> Column:
        """The watermark that a row stands for; NULL where it cannot be computed."""
        if self.strategy is not None:
            return F.expr(or_null(self.strategy))
        return F.expr(f"timestamp_micros({shifted(self.time, -self.delay)})")


def shifted(column: str, time: timedelta) -> str:
    """A column plus a time, in microseconds since the epoch, in SQL; NULL where that overflows.

    As numbers, since Spark adds an interval to a TIMESTAMP by way of the calendar, row by row.
    """
    micros = time // timedelta(microseconds=1)
    return f"try_add(unix_micros(try_cast({column} AS TIMESTAMP_LTZ)), {micros}L)"


def or_null(moment: str) -> str:
    """A moment in SQL, NULL where it cannot be computed; that concerns its row alone."""
    # try_add() of an interval answers NULL whatever fails below it.
    is_column = moment.strip("`").replace("_", "a").isalnum()
    return moment if is_column else f"try_add(CAST({moment} AS TIMESTAMP), INTERVAL 0 SECONDS)"


def moment(milliseconds: Column) -> Column:
    """A clock value as a TIMESTAMP."""
    return F.timestamp_millis(milliseconds)


def is_late(watermark: Watermark, clock: Column) -> Column:
    """Whether a row's time lies too far before W(N); NULL without a time or a watermark."""
    allowance = watermark.allowance // timedelta(milliseconds=1)
    first = clock - allowance if allowance else clock
    return F.expr(or_null(watermark.time)) < moment(first)


def untimed(watermark: Watermark) -> Column:
    """Whether a row has no time, so that it is never late, and never final either."""
    return F.expr(or_null(watermark.time)).isNull()


def late_example(rows: DataFrame) -> Column:
    """One of the rows that are late, as an aggregate: the begin of its JSON."""
    names = [quote(name) for name in rows.columns if not name.startswith("__")]
    record = F.substring(F.to_json(F.struct(*names)), 1, SHOWN)
    return F.min(F.when(F.col(LATE), record))


def seeded(rows: DataFrame, watermark_ms: int) -> DataFrame:
    """Rows with strategy values, plus one that stands for the watermark reached before a restart.

    Spark remembers the minimum over a query's sources, not what each one had reached.
    """
    return with_values(rows, rows.sparkSession.range(1).select(F.lit(watermark_ms).alias("w")))


def with_values(rows: DataFrame, values: DataFrame) -> DataFrame:
    """Rows with strategy values, plus such values alone: column `w`, in milliseconds."""
    more = values.select(F.timestamp_millis("w").alias(STRATEGY), F.lit(1).alias(SEED))
    return rows.unionByName(more, allowMissingColumns=True)
