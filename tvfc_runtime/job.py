"""What a generated job builds its streaming query with: sources, watermarks, delay, sink."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.clock import CLOCK_FORMAT
from tvfc_runtime.delay import delay
from tvfc_runtime.idle import idle_ticks
from tvfc_runtime.memory import Memory
from tvfc_runtime.over import Frame, over
from tvfc_runtime.progress import PREFIX
from tvfc_runtime.release_queue import DUE
from tvfc_runtime.sources import BAD, Source, all_null, bad_row, quote, read_source, refused
from tvfc_runtime.watermark import (
    LATE,
    SEED,
    STRATEGY,
    Watermark,
    is_late,
    moment,
    seeded,
    with_values,
)
from tvfc_runtime.windows import WATERMARKED

Reader = Callable[[Source], DataFrame]
Ticks = Callable[[str, timedelta], DataFrame]


@dataclass(frozen=True, kw_only=True)
class Output:
    """One result of a job and where it goes.

    Attributes:
        name: the sink's name; `console` for the last bare query.
        build: makes the frame to be written.
        format: a Spark streaming sink.
        options: options of that sink.
    """

    name: str
    build: Callable[[Job], DataFrame]
    format: str = "console"
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class JobSpec:
    """A whole generated job.

    Attributes:
        name: the query file's name.
        query: the query's text, as compiled; the job's docstring.
        fingerprint: equal for two jobs that can continue each other's checkpoints.
        protocol: version of the runtime's interface that the job was generated for.
        outputs: what it writes.
    """

    name: str
    query: str | None
    fingerprint: str
    protocol: int
    outputs: tuple[Output, ...]


class Job:
    """The frame of one streaming query while it is built.

    `holds` tells whether rows are delayed, once the frame is built.

    Args:
        spark: the session.
        checkpoint: checkpoint location of this query.
        read: reads a source instead of its format, for tests; its rows may carry a column
            `__proc_time`.
        ticks: gives the ticks of a source that may fall idle instead of the wall clock, for tests.
    """

    def __init__(
        self,
        spark: SparkSession,
        checkpoint: str,
        read: Reader | None = None,
        ticks: Ticks | None = None,
    ) -> None:
        self.spark = spark
        self.checkpoint = checkpoint
        self.memory = Memory(checkpoint)
        self._read = read or (lambda source: read_source(spark, source))
        self._ticks = ticks or (
            lambda source, after: idle_ticks(spark, self.checkpoint, source, after)
        )
        self._places = count()
        self._refused: dict[str, DataFrame] = {}
        self._frames: dict[str, DataFrame] = {}
        self._clock: Column | None = None
        self.holds = False
        self._joins_in_time = False
        spark.conf.set(LAGGING, "true")

    def read(self, source: Source) -> DataFrame:
        """The rows of a source or table, without those that do not fit it."""
        rows = self._read(source)
        if PROC_TIME not in rows.columns and not source.static:
            rows = rows.withColumn(PROC_TIME, F.current_timestamp())
        bad = bad_row(rows, source)
        if bad is None:
            return rows
        if not source.static:
            rows = self._observe(
                rows,
                f"bad/{source.name}",
                F.count_if(F.expr(bad)).alias("rows"),
                # Spark parses what a query reads; this has it parse all that is declared.
                F.count_if(F.expr(all_null(source))).alias("empty"),
            )
        if source.fails_on_bad_rows:
            return rows.where(refused(rows, source, bad)).drop(BAD)
        return rows.where(f"NOT ({bad})").drop(BAD)

    def _once(self, name: str, build: Callable[[], DataFrame]) -> DataFrame:
        """The frame of a name; Spark reads one frame once, however often a query names it."""
        if name not in self._frames:
            self._frames[name] = build()
        return self._frames[name]

    def table(self, source: Source) -> DataFrame:
        """A static table, also visible to subqueries under its name."""
        rows = self._once(source.name, lambda: self.read(source))
        rows.createOrReplaceTempView(quote(source.name))
        return rows

    def query(self, name: str, sql: str) -> DataFrame:
        """A query over tables, also visible to subqueries under its name."""
        rows = self.spark.sql(sql)
        rows.createOrReplaceTempView(quote(name))
        return rows

    def stream(self, source: Source) -> DataFrame:
        """A source without a watermark."""
        return self._once(source.name, lambda: self._stream(source))

    def _stream(self, source: Source) -> DataFrame:
        rows = self.read(source)
        return self._observe(
            rows,
            f"source/{source.name}",
            F.count(F.lit(1)).alias("rows"),
            F.lit(0).alias("late"),
            F.lit(None).cast("bigint").alias("watermark"),
        )

    def watermarked(self, source: Source, watermark: Watermark) -> DataFrame:
        """The rows of a source that its watermark admits; they move the watermark.

        The late filter has the exact W(N). The strategy's column is gone above it, so that no
        operator applies Spark's own late filter, which is one batch behind.
        """
        what = f"source/{source.name}"
        return self._once(source.name, lambda: self._admitted(what, self.read(source), watermark))

    def on_time(self, name: str, rows: DataFrame, watermark: Watermark) -> DataFrame:
        """Rows of a view or query that a watermark admits; others are counted under `name`."""
        what = f"watermark/{name}"
        return self._once(what, lambda: self._admitted(what, rows, watermark))

    def _admitted(self, what: str, rows: DataFrame, watermark: Watermark) -> DataFrame:
        kind, name = what.split("/", 1)
        late = is_late(watermark, self.clock())
        # As a column, so that Spark reads the clock once a batch and not at each mention.
        rows = rows.withColumn(LATE, F.coalesce(late, F.lit(False)))  # noqa: FBT003
        # Late rows move nothing: their strategy is NULL.
        tagged = rows.withColumn(STRATEGY, F.when(~F.col(LATE), watermark.value()))
        if watermark.idle_after is not None:
            tagged = with_values(tagged, self._ticks(name, watermark.idle_after))
        seed = self.memory.watermark_ms(name)
        if seed is not None:
            tagged = seeded(tagged, seed)
        # Spark pushes filters below its watermark node, and rows that they drop would
        # no longer move the watermark; it pushes none below an observation.
        counted = self._observe(
            tagged.withWatermark(STRATEGY, "0 seconds"),
            what,
            # The rows of a view were counted where its sources are read.
            (_number_of_rows(tagged) if kind == "source" else F.lit(0)).alias("rows"),
            F.count_if(F.col(LATE)).alias("late"),
            F.unix_millis(F.max(STRATEGY)).alias("watermark"),
        )
        self._refused[name] = (
            counted.where(LATE)
            .drop(LATE, SEED, STRATEGY)
            .withColumn("_watermark", moment(self.clock()))
        )
        # Neither a seed nor a tick is late or on time.
        return counted.where(f"NOT {LATE}").drop(LATE, SEED, STRATEGY)

    def late_rows(self, name: str) -> DataFrame:
        """The rows that the watermark of a source refused, plus `_watermark`.

        They come from the same scan as those on time, so that a query of late rows alone has the
        same watermark.
        """
        return self._refused[name]

    def clock(self) -> Column:
        """W(N) in milliseconds since the epoch, a scalar subquery; NULL while there is none."""
        if self._clock is None:
            reader = self.spark.read.format(CLOCK_FORMAT).option("checkpoint", self.checkpoint)
            self._clock = reader.load().scalar().getField("w")
        return self._clock

    def watermark_ts(self) -> Column:
        """`WATERMARK_TS()` as a value."""
        return moment(self.clock())

    def sql(self, text: str, **frames: Any) -> DataFrame:
        """A query over frames that it calls `{name}`."""
        return self.spark.sql(text, **frames)

    def event_time(self, rows: DataFrame, moment: str) -> DataFrame:
        """One side of a join, with `__event`: the first clock value at which a row is past."""
        self._joins_in_time = True
        return rows.withColumn(EVENT, F.expr(moment)).withMetadata(EVENT, WATERMARKED)

    def delay(self, rows: DataFrame, *, in_order: bool = False) -> DataFrame:
        """Hold rows with a column `__due` until the watermark has reached it.

        Rows whose `__due` is NULL never leave and are not held. With `in_order`, those of a batch
        leave in order of their due times, in one partition.
        """
        self.holds = True
        if self._joins_in_time:
            self.spark.conf.set(LAGGING, "false")
        payload = [name for name in rows.columns if name != DUE]
        plain = [f"c{number}" for number in range(len(payload))]
        place = next(self._places)
        # Columns travel under plain names: what the query calls them may not survive Arrow, and
        # several may have one name.
        numbered = iter(plain)
        held = rows.where(f"{DUE} IS NOT NULL").toDF(
            *(DUE if name == DUE else next(numbered) for name in rows.columns)
        )
        shards = int(self.spark.conf.get("spark.sql.shuffle.partitions") or 1)
        released = delay(held.select(DUE, *plain), shards, f"{PREFIX}/delay/{place}")
        if in_order:
            released = released.repartition(1).sortWithinPartitions(DUE)
        return released.drop(DUE).toDF(*payload)

    def over(
        self, rows: DataFrame, *frames: Frame, closes: Column, complete: Column | None = None
    ) -> DataFrame:
        """Rows and those that their frames look at, marked by `__emit`; see over.py.

        Args:
            rows: closed rows.
            frames: the window specifications to come.
            closes: when a row is closed.
            complete: when what it looks at by time is closed, if that is later.
        """
        shards = int(self.spark.conf.get("spark.sql.shuffle.partitions") or 1)
        return over(rows, frames, closes, closes if complete is None else complete, shards)

    def _observe(self, rows: DataFrame, what: str, *metrics: Column) -> DataFrame:
        return rows.observe(f"{PREFIX}/{what}/{next(self._places)}", *metrics)


def _number_of_rows(rows: DataFrame) -> Column:
    return F.count_if(F.col(SEED).isNull()) if SEED in rows.columns else F.count(F.lit(1))


LAGGING = "spark.sql.streaming.statefulOperator.allowMultiple"
"""Whether Spark lets the watermark lag behind a join with a time bound, by that bound, so that no
operator takes the joined rows for late. The delay never does; its clock is the query's own."""

EVENT = "__event"
PROC_TIME = "__proc_time"
"""When a row arrived: the time of its micro-batch, the same when the batch is replayed."""
