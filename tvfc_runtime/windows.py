"""Windows as columns, and groups that close by the clock; all of it runs inside Spark.

Spark's own aggregate drops rows by the watermark of the batch before, and closes a window only if
the column that carries the watermark is in the GROUP BY. So a group is given a column that says
when it closes, exactly, and that column carries the watermark.
"""

from __future__ import annotations

from datetime import timedelta

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import (
    CalendarIntervalType,
    DayTimeIntervalType,
    TimestampNTZType,
    YearMonthIntervalType,
)

from tvfc_runtime.clock.era import as_event_time, era_ms
from tvfc_runtime.rows.intervals import FAILED
from tvfc_runtime.rows.sql_text import quote
from tvfc_runtime.sources.watermark import or_null

START = "window_start"
END = "window_end"
CLOSE = "__close"
"""When no more rows of a group can come: the first clock value at which it is final."""

SESSION_TIME, SESSION_GAP = "__session_time", "__session_gap"
ALL = "__all"

MICROSECOND = timedelta(microseconds=1)


def tumble(
    rows: DataFrame, time: str, size: timedelta, offset: timedelta = timedelta(0)
) -> DataFrame:
    """Rows with the window of `size` that holds them, as `window_start` and `window_end`."""
    return hop(rows, time, slide=size, size=size, offset=offset)


def hop(
    rows: DataFrame, time: str, slide: timedelta, size: timedelta, offset: timedelta = timedelta(0)
) -> DataFrame:
    """Rows once for each window of `size`, one beginning every `slide`, that holds them.

    Args:
        rows: rows of any kind.
        time: their time, Spark SQL; rows without one are in no window.
        slide: from the start of one window to that of the next.
        size: from the start of a window, which belongs to it, to its end, which does not.
        offset: where the first window after 1970-01-01 UTC begins.
    """
    return _flat(rows.select("*", _window(time, size, slide, offset).alias("__window")))


def cumulate(rows: DataFrame, time: str, step: timedelta, size: timedelta) -> DataFrame:
    """Rows once for each window that holds them: windows of one start grow by `step` to `size`."""
    span, each = size // MICROSECOND, step // MICROSECOND
    whole = rows.select("*", _window(time, size, size, timedelta(0)).alias("__whole"))
    passed = f"timestampdiff(MICROSECOND, __whole.start, {time})"
    ends = f"sequence({passed} div {each} + 1, {-(-span // each)})"
    grown = whole.select("*", F.expr(f"explode({ends})").alias("__steps"))
    end = f"timestampadd(MICROSECOND, least(__steps * {each}, {span}), __whole.start)"
    return grown.withColumns({START: F.expr("__whole.start"), END: F.expr(end)}).drop(
        "__whole", "__steps"
    )


def in_sessions(
    rows: DataFrame, time: str, later: timedelta = timedelta(0), gap: timedelta | str = MICROSECOND
) -> DataFrame:
    """Rows to be grouped by a session_window of `__session_time`, and a key `__all` for none.

    A row exactly a gap after the one before begins a session of its own. Spark's session_window()
    would merge the two, so its gap is to be a microsecond shorter. Then the time is a microsecond
    later, so that a session ends when it should.

    Args:
        rows: rows of any kind; those without a time are in no session.
        time: their time, Spark SQL.
        later: for how long after its time a row may come; Spark's session is later by that, too.
        gap: how long a session goes on after each of its rows. Where that depends on the row, it
            is Spark SQL; then there is `__session_gap`, too.
    """
    shift = (later + MICROSECOND) // MICROSECOND
    micros = F.unix_micros(time_of(time).cast("timestamp"))
    timed = rows.withColumns({SESSION_TIME: F.timestamp_micros(micros + shift), ALL: F.lit(1)})
    if isinstance(gap, str):
        length = end_of_row(rows, time, gap) - micros - 1
        timed = timed.withColumn(
            SESSION_GAP, F.concat(length.cast("string"), F.lit(" microseconds"))
        )
    return as_event_time(timed, SESSION_TIME)


def end_of_row(rows: DataFrame, time: str, gap: timedelta | str) -> Column:
    """How long a session goes on for a row, microseconds since the epoch.

    Args:
        rows: the rows.
        time: their time, Spark SQL.
        gap: the same for all of them; or Spark SQL, an interval or text that is one.
    """
    if isinstance(gap, timedelta):
        return F.unix_micros(time_of(time).cast("timestamp")) + F.lit(gap // MICROSECOND)
    length = F.expr(gap)
    if not isinstance(rows.select(length).schema[0].dataType, INTERVALS):
        length = length.cast("interval")
    return F.unix_micros((time_of(time) + length).cast("timestamp"))


INTERVALS = (CalendarIntervalType, DayTimeIntervalType, YearMonthIntervalType)


def session_bounds(
    rows: DataFrame, later: timedelta = timedelta(0), kind: str = "TIMESTAMP"
) -> dict[str, str]:
    """The bounds of a session in SQL over rows in sessions, by the names `session_start`, `_end`.

    The cast takes from them that they carry the watermark.
    """
    shift = era_ms(rows.sparkSession) * 1000 + later // MICROSECOND
    micros = "timestamp_micros(unix_micros(session_window.{}) - {}L)"
    start, end = micros.format("start", shift + 1), micros.format("end", shift)
    return {"session_start": f"CAST({start} AS {kind})", "session_end": f"CAST({end} AS {kind})"}


def session(
    rows: DataFrame,
    time: str,
    keys: list[str],
    gap: timedelta | str,
    later: timedelta = timedelta(0),
) -> DataFrame:
    """Rows of closed sessions, with the session that holds them.

    As in `in_sessions`; Spark's operator gathers the rows.
    """
    names = [f"c{place}" for place in range(len(rows.columns))]
    row = F.struct(*(F.col(quote(name)).alias(plain) for name, plain in _columns(rows, names)))
    parts = [F.expr(key).alias(f"key{place}") for place, key in enumerate(keys)]
    members = in_sessions(rows, time, later, gap)
    gaps = [SESSION_GAP] if isinstance(gap, str) else []
    marked = members.select(
        row.alias("row"), SESSION_TIME, *gaps, time_of(time).alias("own"), ALL, *parts
    )
    short = F.session_window(SESSION_TIME, shorter(gap))
    of = [f"key{place}" for place in range(len(keys))] or [ALL]
    grouped = marked.groupBy(*of, short.alias("session_window"))
    closed = grouped.agg(F.collect_list("row").alias("rows"))
    kind = "TIMESTAMP_NTZ" if _is_ntz(marked) else "TIMESTAMP"
    start, end = map(F.expr, session_bounds(rows, later, kind).values())
    listed = closed.select(F.explode("rows").alias("row"), "session_window")
    listed = listed.withColumns({START: start, END: end})
    own = [F.col(f"row.{plain}").alias(name) for name, plain in _columns(rows, names)]
    return listed.select(*own, START, END)


def shorter(gap: timedelta | str) -> Column | str:
    """The gap that Spark is given."""
    if isinstance(gap, str):
        return F.col(SESSION_GAP)
    return f"{gap // MICROSECOND - 1} microseconds"


def closing(rows: DataFrame, due: Column) -> DataFrame:
    """Rows to be grouped by `__close`, with which their groups close.

    Args:
        rows: rows on time.
        due: when their group is final, milliseconds since the epoch. Rows without are in no group.
    """
    # What is due after the last moment, or cannot be computed, is in no group.
    moment = F.timestamp_millis(F.when(due < FAILED, due))
    timed = rows.withColumn(CLOSE, moment).where(f"{CLOSE} IS NOT NULL")
    return as_event_time(timed, CLOSE)


def type_of(rows: DataFrame, expression: str) -> str:
    """The type of an expression over rows, in SQL."""
    return rows.selectExpr(expression).schema[0].dataType.simpleString()


def _columns(rows: DataFrame, plain: list[str]) -> list[tuple[str, str]]:
    return list(zip(rows.columns, plain, strict=True))


def _is_ntz(marked: DataFrame) -> bool:
    return isinstance(marked.schema["own"].dataType, TimestampNTZType)


def _window(time: str, size: timedelta, slide: timedelta, offset: timedelta) -> Column:
    # A start beyond the slide means the same windows as one within it.
    durations = (size, slide, offset % slide)
    return F.window(time_of(time), *(f"{each // MICROSECOND} microseconds" for each in durations))


def time_of(time: str) -> Column:
    """The time of rows; those whose number is no time have none."""
    return F.expr(or_null(time) if time.startswith("timestamp_millis(") else time)


def _flat(rows: DataFrame) -> DataFrame:
    bounds = {START: F.expr("__window.start"), END: F.expr("__window.end")}
    return rows.withColumns(bounds).drop("__window")
