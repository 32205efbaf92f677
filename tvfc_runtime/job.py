"""What a generated job builds its streaming query with: sources, watermarks, delay, sink."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import reduce
from itertools import count
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructField

from tvfc_runtime.at_start import AtStart
from tvfc_runtime.backfill import read_in_turn
from tvfc_runtime.bad_row_watch import BadRowWatch
from tvfc_runtime.bad_rows import (
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
from tvfc_runtime.changing.calls import Call
from tvfc_runtime.changing.columns import numbered
from tvfc_runtime.changing_job import PROC_TIME as PROC_TIME
from tvfc_runtime.clock import BEYOND_ALL_MS
from tvfc_runtime.clock_column import clock_column
from tvfc_runtime.delay import delay
from tvfc_runtime.due_times import due_times
from tvfc_runtime.era import begin_era, era_ms, in_era
from tvfc_runtime.fill import fill
from tvfc_runtime.from_start import from_start
from tvfc_runtime.groups import least_of_groups
from tvfc_runtime.idle import idle_ticks
from tvfc_runtime.intervals import FOREVER
from tvfc_runtime.live_clock import LiveClock
from tvfc_runtime.memory import Memory
from tvfc_runtime.over import Frame, over
from tvfc_runtime.pane_job import PaneJob
from tvfc_runtime.pattern.operator import matches
from tvfc_runtime.pattern.spec import Matching
from tvfc_runtime.progress import PREFIX, Counters
from tvfc_runtime.records.read import PARTITION
from tvfc_runtime.release import FIRST_CLOCK_VALUE
from tvfc_runtime.release_queue import DUE
from tvfc_runtime.sessions.operator import BOUNDS
from tvfc_runtime.sessions.wanted import Wanted
from tvfc_runtime.sources import FILE_FORMATS, Source
from tvfc_runtime.spec import Output
from tvfc_runtime.sql_text import quote
from tvfc_runtime.ticks import tick_ms, wall_clock_ticks
from tvfc_runtime.waking import begin_telling
from tvfc_runtime.watermark import (
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

Reader = Callable[[Source], DataFrame]
Ticks = Callable[[str, timedelta], DataFrame]


class Job(PaneJob):
    """The frame of one streaming query while it is built.

    Once the frames are built, `holds` tells whether rows of an output are delayed, `max_bad_rows`
    how many rows of a source may not fit, and `held` what its operators hold.

    Args:
        spark: the session.
        checkpoint: checkpoint location of this query.
        read: reads a source instead of its format, for tests; its rows may carry a column
            `__proc_time`.
        ticks: gives the ticks of a source that may fall idle instead of the wall clock, for tests.
        wall_clock: gives the ticks of the wall clock (column `w`, milliseconds since the epoch),
            for tests.
        tables: gives the changes of tables whose rows are there from the start, by the names and
            rows of these, instead of the checkpoint.
        sessions: whether the query has sessions.
        late_examples: keep one of the late rows of each batch with the counters.
        due_times: count when rows are due that wait.
        at_start: what stands in OPTIONS in this run.
    """

    def __init__(
        self,
        spark: SparkSession,
        checkpoint: str,
        read: Reader | None = None,
        ticks: Ticks | None = None,
        wall_clock: Callable[[], DataFrame] | None = None,
        tables: Callable[[str, DataFrame], DataFrame] | None = None,
        *,
        sessions: bool = False,
        late_examples: bool = False,
        due_times: bool = False,
        at_start: AtStart | None = None,
    ) -> None:
        self.spark = spark
        self.checkpoint = checkpoint
        self.memory = Memory(checkpoint)
        self.at_start = at_start or AtStart()
        self._read = read or (lambda source: read_in_turn(spark, source, checkpoint))
        self._ticks = ticks or (
            lambda source, after: idle_ticks(spark, self.checkpoint, source, after)
        )
        self._wall_clock = wall_clock or self._live_ticks
        self._from_start = tables or (
            lambda name, rows: from_start(spark, self.checkpoint, name, rows)
        )
        self.live_clock: LiveClock | None = None
        self._is_fed = read is not None
        self._has_ticks = False
        self._late_examples = late_examples
        self._due_times = due_times
        self._places = count()
        self._refused: dict[str, DataFrame] = {}
        self._unfit: dict[str, tuple[Source, DataFrame]] = {}
        self._of_tables: dict[str, DataFrame] = {}
        self.bad_of_tables = Counters()
        self.max_bad_rows: dict[str, int] = {}
        self._frames: dict[str, DataFrame] = {}
        self._clock: Column | None = None
        self.holds = False
        self.held = []
        self._output = ""
        self._folders: dict[str, str] = {}
        self.sources: dict[str, Source] = {}
        begin_era(spark, sessions=sessions)
        begin_telling(spark, tells=False)

    def build(self, output: Output) -> DataFrame:
        """The frame of an output; several may be written by one query."""
        self.holds = False
        self._output = output.name
        return output.build(self)

    def describe(self, sinks: Mapping[str, Mapping[str, str]]) -> None:
        """Write what the operators hold into the checkpoint, once all frames are built.

        Args:
            sinks: where each lies; see `AtStart.place_of`.
        """
        self.memory.describe([each.to_json() for each in self.held], self._folders, sinks)

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

    def clock(self) -> Column:
        """W(N) in milliseconds since the epoch, a scalar subquery; NULL while there is none."""
        if self._clock is None:
            self._clock = clock_column(self.spark, self.checkpoint)
        return self._clock

    def watermark_ts(self) -> Column:
        """`WATERMARK_TS()` as a value."""
        return moment(self.clock())

    def mz_now(self) -> Column:
        """`mz_now()` as a value: the wall clock moves the watermark."""
        return self.watermark_ts()

    def sql(self, text: str, **named: Any) -> DataFrame:
        """A query over frames that it calls `{name}`; texts of such names are part of it.

        As in Spark's own templates, `{{` and `}}` stand for braces.
        """
        texts = {name: value for name, value in named.items() if isinstance(value, str)}
        frames = {name: value for name, value in named.items() if name not in texts}
        return self.spark.sql(_filled_in(text, texts), **frames)

    def delay(self, rows: DataFrame, *, in_order: bool = False, inside: bool = False) -> DataFrame:
        """Hold rows with a column `__due` until the watermark has reached it.

        Rows whose `__due` is NULL or FOREVER never leave and are not held. With `in_order`, those
        of a batch leave in order of their due times, in one partition; a column `__at` tells those
        of one millisecond apart. Those `inside` the query are not counted as they leave.
        """
        self.holds = self.holds or not inside
        held, payload = numbered(rows.where(f"{DUE} < {FOREVER}"), (DUE,))
        operator = f"{'held' if inside else 'delay'}/{next(self._places)}"
        counted = f"{PREFIX}/{operator}"
        self._hold(counted, "delay", payload, held.schema)
        if self._due_times:
            held = held.observe(f"{PREFIX}/due/{operator}", due_times(F.col(DUE)))
        released = delay(held, self._shards, counted)
        columns = list(zip(released.columns[1:], payload, strict=True))
        if in_order:
            times = [plain for plain, name in columns if name == AT]
            released = released.repartition(1).sortWithinPartitions(DUE, *times)
        return released.select(*(F.col(plain).alias(name) for plain, name in columns if name != AT))

    def over(
        self,
        rows: DataFrame,
        *frames: Frame,
        closes: Column,
        complete: Column | None = None,
        release: Column | None = None,
    ) -> DataFrame:
        """Rows and those that their frames look at, marked by `__emit`; see over.py.

        Args:
            rows: closed rows.
            frames: the window specifications to come.
            closes: when a row is closed.
            complete: when what it looks at by time is closed, if that is later.
            release: when the rows are closed with which it is to leave, if it has to wait for them.
        """
        complete = closes if complete is None else complete
        place = f"{PREFIX}/over/{next(self._places)}"
        self._hold(place, "over", rows.columns, _in_state(rows))
        return over(rows, frames, closes, complete, self._shards, place, release)

    def match(
        self,
        rows: DataFrame,
        matching: Matching,
        *,
        time: str,
        closes: Column,
        ends: Column | None = None,
    ) -> DataFrame:
        """Matches of a row pattern, each when it is final; see pattern/operator.py.

        Args:
            rows: closed rows.
            matching: what is looked for.
            time: a TIMESTAMP, Spark SQL, by which rows are in order.
            closes: when a row is closed.
            ends: when no more rows can come of a match that begins with a row; None: never.
        """
        place = f"{PREFIX}/match/{next(self._places)}"
        self._hold(place, "match", rows.columns, _in_state(rows))
        return matches(rows, matching, F.expr(time), closes, ends, self._shards, place)

    def fill(
        self,
        groups: DataFrame,
        *,
        values: Sequence[str],
        how: str,
        size: timedelta,
        slide: timedelta | None = None,
        step: timedelta | None = None,
        keys: Sequence[str] = (),
        starts: str | None = None,
        ends: str | None = None,
        later: timedelta = timedelta(0),
        silence: timedelta | None = None,
    ) -> DataFrame:
        """Final groups of windows, and groups of the windows of a key without rows; see fill.py."""
        place = f"{PREFIX}/fill/{next(self._places)}"
        self._hold(place, "fill", groups.columns, _in_state(groups))
        return fill(
            groups,
            keys=keys,
            values=values,
            how=how,
            size=size,
            slide=slide,
            step=step,
            starts=starts,
            ends=ends,
            later=later,
            silence=silence,
            shards=self._shards,
            observed_as=place,
        )

    def sessions(
        self,
        rows: DataFrame,
        *calls: Call,
        keys: Sequence[str],
        time: str,
        gap: timedelta | str,
        later: timedelta = timedelta(0),
    ) -> DataFrame:
        """Sessions and what is aggregated in them, each when it is final; see sessions/.

        Args:
            rows: rows on time; those without a time or a gap above zero are in no session.
            calls: calls of aggregate functions on columns.
            keys: columns of which each has sessions of its own; none: all rows have.
            time: the column with the time of a row.
            gap: how long a session goes on after a row; of each row, the name of a column.
            later: for how long after its time a row may come.

        Returns:
            The keys, `window_start`, `window_end`, and the results by the names of their calls.
        """
        wanted = Wanted(tuple(keys), calls, time, gap, later)
        if not wanted.is_kept(rows):
            return wanted.by_spark(rows)
        place = f"{PREFIX}/sessions/{next(self._places)}"
        in_state = wanted.in_state(rows)
        self._hold(place, "sessions", [*keys, *BOUNDS], in_state)
        return wanted.kept(rows, self._shards, place)

    def _observe(self, rows: DataFrame, what: str, *metrics: Column) -> DataFrame:
        return rows.observe(f"{PREFIX}/{what}/{next(self._places)}", *metrics)


def _in_state(rows: DataFrame) -> list[StructField]:
    """The columns of rows as an operator calls them that has all of them."""
    return [StructField(f"c{number}", field.dataType) for number, field in enumerate(rows.schema)]


def _filled_in(template: str, texts: Mapping[str, str]) -> str:
    """A template with texts, themselves no templates, in some of its places."""

    def text_of(found: re.Match[str]) -> str:
        value = texts.get(found["name"] or "")
        return found[0] if value is None else value.replace("{", "{{").replace("}", "}}")

    return re.sub(r"\{\{|\}\}|\{(?P<name>\w+)\}", text_of, template)


def _number_of_rows(rows: DataFrame, which: Column | None = None) -> Column:
    """How many rows there are, values of the strategy alone left out."""
    conditions = [] if which is None else [which]
    conditions += [F.col(SEED).isNull()] if SEED in rows.columns else []
    return F.count_if(reduce(Column.__and__, conditions)) if conditions else F.count(F.lit(1))


AT = "__at"
