"""What a generated job reads, sources and tables: the part of `Job` that is about them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.checkpoint.memory import Memory
from tvfc_runtime.clock.era import era_ms, in_era
from tvfc_runtime.clock.groups import least_of_groups
from tvfc_runtime.clock.live import LiveClock
from tvfc_runtime.clock.of_batch import BEYOND_ALL_MS
from tvfc_runtime.clock.ticks import tick_ms, wall_clock_ticks
from tvfc_runtime.clock.waking import begin_telling
from tvfc_runtime.counters.progress import PREFIX, Counters
from tvfc_runtime.delay.release import FIRST_CLOCK_VALUE
from tvfc_runtime.job.changing import PROC_TIME as PROC_TIME
from tvfc_runtime.job.panes import PaneJob
from tvfc_runtime.records.bad_rows import (
    BAD,
    FAULT,
    FILE,
    all_null,
    described,
    example,
    fault_of,
    is_no_time,
    refused,
)
from tvfc_runtime.records.read import PARTITION
from tvfc_runtime.reports.bad_row_watch import BadRowWatch
from tvfc_runtime.rows.sql_text import quote
from tvfc_runtime.sources.at_start import AtStart
from tvfc_runtime.sources.read import FILE_FORMATS
from tvfc_runtime.sources.watermark import (
    LATE,
    SEED,
    STRATEGY,
    Watermark,
    is_late,
    late_example,
    moment,
    seeded,
    untimed,
    with_values,
)
from tvfc_runtime.spec.source import Source

Reader = Callable[[Source], DataFrame]
Ticks = Callable[[str, timedelta], DataFrame]


class InputJob(PaneJob):
    """The rows of sources and tables, each read once by a query, however often it names them."""

    memory: Memory
    _read: Reader
    _ticks: Ticks
    _wall_clock: Callable[[], DataFrame]
    _from_start: Callable[[str, DataFrame], DataFrame]
    live_clock: LiveClock | None
    at_start: AtStart
    max_bad_rows: dict[str, int]
    bad_of_tables: Counters
    sources: dict[str, Source]
    _is_fed: bool
    _late_examples: bool
    _refused: dict[str, DataFrame]
    _unfit: dict[str, tuple[Source, DataFrame]]
    _of_tables: dict[str, DataFrame]
    _frames: dict[str, DataFrame]
    _folders: dict[str, str]

    def read(self, source: Source) -> DataFrame:
        """The rows of a source or table, without those that do not fit it."""
        return self._once(f"rows of {source.name}", lambda: self._fitting(source))

    def _fitting(self, declared: Source) -> DataFrame:
        source = self.sources[declared.name] = self.at_start.settled(declared)
        rows = self._read(source)
        path = self.at_start.path_of(declared)
        if path is not None and source.format in FILE_FORMATS:
            self._folders[source.name] = path
        if PROC_TIME not in rows.columns and not source.static:
            rows = rows.withColumn(PROC_TIME, F.current_timestamp())
        fault = fault_of(rows, source)
        # As a column, so that Spark computes it once and not at each mention.
        rows = rows.withColumn(FAULT, F.lit(None).cast("string") if fault is None else fault)
        if fault is not None and not source.static:
            rows = self._observe(
                rows,
                f"bad/{source.name}",
                F.count(FAULT).alias("rows"),
                example(rows, source).alias("example"),
                # Spark parses what a query reads; this has it parse all that is declared.
                F.count_if(F.expr(all_null(source))).alias("empty"),
            )
        elif fault is not None and not source.fails_on_bad_rows:
            self._of_tables[source.name] = rows.agg(
                F.count(FAULT).alias("rows"), example(rows, source).alias("example")
            )
        if source.max_bad_rows is not None:
            self.max_bad_rows[source.name] = source.max_bad_rows
        self._unfit[source.name] = source, rows.where(f"{FAULT} IS NOT NULL")
        if fault is not None and source.fails_on_bad_rows:
            rows = rows.where(refused(rows, source))
        elif fault is not None:
            rows = rows.where(f"{FAULT} IS NULL")
        return rows.drop(BAD, FAULT, FILE)

    def bad_rows(self, name: str) -> DataFrame:
        """The records of a source that do not fit its columns: `record`, `reason` and `file`."""
        source, rows = self._unfit[name]
        return described(rows, source)

    def unfit_rows(self, name: str) -> DataFrame:
        """The same with what could be read of the columns."""
        source, rows = self._unfit[name]
        return rows.select(*(quote(each) for each in source.columns))

    def look_at_tables(self) -> None:
        """Count the rows of static tables that do not fit: Spark observes streams alone.

        Raises:
            TooManyBadRowsError: they are more than a table allows.
        """
        for name, frame in self._of_tables.items():
            found = frame.first()
            if found is not None and found["rows"]:
                self.bad_of_tables.bad[name] = found["rows"]
                self.bad_of_tables.examples[name] = found["example"].asDict()
        BadRowWatch(self.max_bad_rows, lambda _: None).look(self.bad_of_tables)

    def _once(self, name: str, build: Callable[[], DataFrame]) -> DataFrame:
        """The frame of a name; Spark reads one frame once, however often a query names it."""
        if name not in self._frames:
            self._frames[name] = build()
        return self._frames[name]

    def table(self, source: Source) -> DataFrame:
        """A static table, also visible to subqueries under its name."""
        rows = self._once(f"source/{source.name}", lambda: self.read(source))
        rows.createOrReplaceTempView(quote(source.name))
        return rows

    def query(self, name: str, sql: str) -> DataFrame:
        """A query over tables, also visible to subqueries under its name."""
        rows = self.spark.sql(sql)
        rows.createOrReplaceTempView(quote(name))
        return rows

    def stream(self, source: Source) -> DataFrame:
        """A source without a watermark."""
        return self._once(f"source/{source.name}", lambda: self._stream(source))

    def _stream(self, source: Source) -> DataFrame:
        rows = self.read(source)
        return self._observe(
            rows,
            f"source/{source.name}",
            F.count(F.lit(1)).alias("rows"),
            F.lit(0).alias("late"),
            F.lit(0).alias("without_time"),
            F.lit(None).cast("bigint").alias("watermark"),
        )

    def on_wall_clock(self, source: Source) -> DataFrame:
        """The rows of a source in a query whose clock is the wall clock: none of them is late.

        The first such source of the query brings the clock with it. A second watermark would only
        hold the first one back.
        """
        return self._once(f"source/{source.name}", lambda: self._beside_ticks(self._stream(source)))

    def _live_ticks(self) -> DataFrame:
        self.live_clock = LiveClock(self.checkpoint, tick_ms(self.spark), era_ms(self.spark))
        # All that waits for the clock stands above its ticks.
        begin_telling(self.spark, tells=True)
        return wall_clock_ticks(self.spark, self.live_clock.place)

    def _beside_ticks(self, rows: DataFrame) -> DataFrame:
        if self._has_ticks:
            return self.beside_clock(rows)
        self._has_ticks = True
        timeless = rows.withColumn(STRATEGY, F.lit(None).cast("timestamp"))
        ticking = self._moving(with_values(timeless, self._wall_clock()))
        # Below an observation Spark pushes no filter; without it the ticks would be gone before
        # they move the watermark.
        seen = self._observe(ticking, "clock", self._highest())
        return seen.where(f"{SEED} IS NULL").drop(SEED, STRATEGY)

    def beside_clock(self, rows: DataFrame) -> DataFrame:
        """Rows that do not move the clock, which other rows of the query do.

        Spark gives a stateful operator the least watermark of what it reads, and none where that
        has none. So a value that is never the least comes with the rows.
        """
        timeless = rows.withColumn(STRATEGY, F.lit(None).cast("timestamp"))
        never_least = self.spark.range(0, 1, 1, 1).select(F.lit(BEYOND_ALL_MS).alias("w"))
        marked = with_values(timeless, never_least).withWatermark(STRATEGY, "0 seconds")
        # As with the ticks, the filter must not come before the watermark.
        seen = self._observe(marked, "clock", self._highest())
        return seen.where(f"{SEED} IS NULL").drop(SEED, STRATEGY)

    def watermarked(self, source: Source, watermark: Watermark) -> DataFrame:
        """The rows of a source that its watermark admits; they move the watermark.

        The late filter has the exact W(N). The strategy's column is gone above it, so that no
        operator applies Spark's own late filter, which is one batch behind.
        """
        what = f"source/{source.name}"
        return self._once(what, lambda: self._admitted(what, self.read(source), watermark))

    def on_time(
        self, name: str, rows: DataFrame, watermark: Watermark, epoch_ms: str | None = None
    ) -> DataFrame:
        """Rows of a view or query that a watermark admits; others are counted under `name`.

        Args:
            name: what to call the rows.
            rows: the rows.
            watermark: by which column they are late.
            epoch_ms: that column, if it is in milliseconds since the epoch. Rows with a number that
                is no time are never due, and are counted as such.
        """
        what = f"watermark/{name}"
        return self._once(
            what, lambda: self._admitted(what, self._timed(name, rows, epoch_ms), watermark)
        )

    def _timed(self, name: str, rows: DataFrame, epoch_ms: str | None) -> DataFrame:
        if epoch_ms is None:
            return rows
        untimed = F.expr(is_no_time(epoch_ms))
        counted = self._observe(rows, f"untimed/{name}", F.count_if(untimed).alias("rows"))
        return counted.where(~F.coalesce(untimed, F.lit(False)))  # noqa: FBT003

    def _admitted(self, what: str, rows: DataFrame, watermark: Watermark) -> DataFrame:
        kind, name = what.split("/", 1)
        late = is_late(watermark, self.clock())
        # As a column, so that Spark reads the clock once a batch and not at each mention.
        rows = rows.withColumn(LATE, F.coalesce(late, F.lit(False)))  # noqa: FBT003
        # Late rows move nothing: their strategy is NULL.
        tagged = rows.withColumn(STRATEGY, F.when(~F.col(LATE), watermark.value()))
        if watermark.per is not None:
            tagged = self._by_groups(name, tagged, watermark, watermark.per)
        if watermark.idle_after is not None:
            tagged = with_values(tagged, self._ticks(name, watermark.idle_after))
        seed = self.memory.watermark_ms(name)
        if seed is not None:
            tagged = seeded(tagged, seed)
        # Spark pushes filters below its watermark node, and rows that they drop would
        # no longer move the watermark; it pushes none below an observation.
        counted = self._observe(
            self._moving(tagged),
            what,
            # The rows of a view were counted where its sources are read.
            (_number_of_rows(tagged) if kind == "source" else F.lit(0)).alias("rows"),
            F.count_if(F.col(LATE)).alias("late"),
            _number_of_rows(tagged, untimed(watermark)).alias("without_time"),
            self._highest(),
            *([late_example(rows).alias("example")] if self._late_examples else []),
        )
        self._refused[name] = (
            counted.where(LATE)
            .drop(LATE, SEED, STRATEGY)
            .withColumn("_watermark", moment(self.clock()))
        )
        # Neither a seed nor a tick is late or on time.
        return counted.where(f"NOT {LATE}").drop(LATE, SEED, STRATEGY)

    def _by_groups(self, name: str, tagged: DataFrame, watermark: Watermark, per: str) -> DataFrame:
        """Rows whose groups move the watermark together; see groups.py."""
        if per == PARTITION and self._is_fed:
            # Rows of a caller, as in a scenario, are of no partition.
            tagged = tagged.withColumn(per, F.lit(None).cast("string"))
        least = least_of_groups(
            tagged,
            F.col(STRATEGY),
            F.col(PROC_TIME),
            per,
            checkpoint=self.checkpoint,
            source=name,
            idle_after=watermark.idle_after,
        )
        return with_values(tagged.withColumn(STRATEGY, F.lit(None).cast("timestamp")), least)

    def _moving(self, rows: DataFrame) -> DataFrame:
        """Rows whose strategy moves Spark's watermark."""
        era = era_ms(self.spark)
        if era:
            has_value = F.unix_millis(STRATEGY) >= FIRST_CLOCK_VALUE
            rows = rows.withColumn(STRATEGY, F.when(has_value, in_era(F.col(STRATEGY), era)))
        return rows.withWatermark(STRATEGY, "0 seconds")

    def _highest(self) -> Column:
        return (F.unix_millis(F.max(STRATEGY)) - era_ms(self.spark)).alias("watermark")

    def late_rows(self, name: str) -> DataFrame:
        """The rows that the watermark of a source refused, plus `_watermark`.

        They come from the same scan as those on time, so that a query of late rows alone has the
        same watermark.
        """
        return self._refused[name]

    def _observe(self, rows: DataFrame, what: str, *metrics: Column) -> DataFrame:
        return rows.observe(f"{PREFIX}/{what}/{next(self._places)}", *metrics)


def _number_of_rows(rows: DataFrame, which: Column | None = None) -> Column:
    """How many rows there are, values of the strategy alone left out."""
    conditions = [] if which is None else [which]
    conditions += [F.col(SEED).isNull()] if SEED in rows.columns else []
    return F.count_if(reduce(Column.__and__, conditions)) if conditions else F.count(F.lit(1))
