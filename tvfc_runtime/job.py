"""What a generated job builds its streaming query with: sources, watermarks, delay, sink."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.clock import CLOCK_FORMAT
from tvfc_runtime.delay import delay
from tvfc_runtime.memory import Memory
from tvfc_runtime.over import Frame, over
from tvfc_runtime.progress import PREFIX
from tvfc_runtime.release_queue import DUE
from tvfc_runtime.sources import BAD, Source, all_null, bad_row, quote, read_source, refused
from tvfc_runtime.watermark import LATE, SEED, STRATEGY, Watermark, is_late, moment, seeded

Reader = Callable[[Source], DataFrame]


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
    """

    def __init__(self, spark: SparkSession, checkpoint: str, read: Reader | None = None) -> None:
        self.spark = spark
        self.checkpoint = checkpoint
        self.memory = Memory(checkpoint)
        self._read = read or (lambda source: read_source(spark, source))
        self._places = count()
        self._refused: dict[str, DataFrame] = {}
        self._frames: dict[str, DataFrame] = {}
        self._clock: Column | None = None
        self.holds = False

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

    def _once(self, source: Source, build: Callable[[], DataFrame]) -> DataFrame:
        """The frame of a source; Spark reads one frame once, however often a query names it."""
        if source.name not in self._frames:
            self._frames[source.name] = build()
        return self._frames[source.name]

    def table(self, source: Source) -> DataFrame:
        """A static table, also visible to subqueries under its name."""
        rows = self._once(source, lambda: self.read(source))
        rows.createOrReplaceTempView(quote(source.name))
        return rows

    def query(self, name: str, sql: str) -> DataFrame:
        """A query over tables, also visible to subqueries under its name."""
        rows = self.spark.sql(sql)
        rows.createOrReplaceTempView(quote(name))
        return rows

    def stream(self, source: Source) -> DataFrame:
        """A source without a watermark."""
        return self._once(source, lambda: self._stream(source))

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
        return self._once(source, lambda: self._watermarked(source, watermark))

    def _watermarked(self, source: Source, watermark: Watermark) -> DataFrame:
        rows = self.read(source)
        late = is_late(watermark, self.clock())
        self._refused.setdefault(
            source.name, rows.where(late).withColumn("_watermark", moment(self.clock()))
        )
        # As a column, so that Spark reads the clock once a batch and not at each mention.
        rows = rows.withColumn(LATE, F.coalesce(late, F.lit(False)))  # noqa: FBT003
        # Late rows move nothing: their strategy is NULL.
        tagged = rows.withColumn(STRATEGY, F.when(~F.col(LATE), watermark.value()))
        seed = self.memory.watermark_ms(source.name)
        if seed is not None:
            tagged = seeded(tagged, seed)
        # Spark pushes filters below its watermark node, and rows that they drop would
        # no longer move the watermark; it pushes none below an observation.
        counted = self._observe(
            tagged.withWatermark(STRATEGY, "0 seconds"),
            f"source/{source.name}",
            (F.count(F.lit(1)) if seed is None else F.count_if(F.col(SEED).isNull())).alias("rows"),
            F.count_if(F.col(LATE)).alias("late"),
            F.unix_millis(F.max(STRATEGY)).alias("watermark"),
        )
        kept = counted.where(f"NOT {LATE}").drop(LATE)
        if seed is not None:
            kept = kept.where(f"{SEED} IS NULL").drop(SEED)
        return kept.drop(STRATEGY)

    def late_rows(self, name: str) -> DataFrame:
        """The rows that the watermark of a source refused, plus `_watermark`."""
        return self._refused[name]

    def clock(self) -> Column:
        """W(N) in milliseconds since the epoch, a scalar subquery; NULL while there is none."""
        if self._clock is None:
            reader = self.spark.read.format(CLOCK_FORMAT).option("checkpoint", self.checkpoint)
            # A number would stand in the code that Spark generates, so that every batch compiled
            # its own; a struct is passed to the same code.
            self._clock = reader.load().select(F.struct("w")).scalar().getField("w")
        return self._clock

    def watermark_ts(self) -> Column:
        """`WATERMARK_TS()` as a value."""
        return moment(self.clock())

    def sql(self, text: str, rows: DataFrame) -> DataFrame:
        """A query over rows that it calls `{rows}`."""
        return self.spark.sql(text, rows=rows)

    def delay(self, rows: DataFrame, *, in_order: bool = False) -> DataFrame:
        """Hold rows with a column `__due` until the watermark has reached it.

        Rows whose `__due` is NULL never leave and are not held. With `in_order`, those of a batch
        leave in order of their due times, in one partition.
        """
        self.holds = True
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


PROC_TIME = "__proc_time"
"""When a row arrived: the time of its micro-batch, the same when the batch is replayed."""
