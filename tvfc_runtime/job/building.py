"""What a generated job builds its streaming query with: sources, watermarks, delay, sink."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from itertools import count
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructField

from tvfc_runtime.changing.calls import Call
from tvfc_runtime.checkpoint.memory import Memory
from tvfc_runtime.clock.column import clock_column
from tvfc_runtime.clock.era import begin_era
from tvfc_runtime.clock.idle import idle_ticks
from tvfc_runtime.clock.live import LiveClock
from tvfc_runtime.clock.waking import begin_telling
from tvfc_runtime.counters.due_times import due_times
from tvfc_runtime.counters.progress import PREFIX, Counters
from tvfc_runtime.delay.operator import delay
from tvfc_runtime.fill.operator import fill
from tvfc_runtime.job.changing import PROC_TIME as PROC_TIME
from tvfc_runtime.job.inputs import InputJob, Reader, Ticks
from tvfc_runtime.over.operator import Frame, over
from tvfc_runtime.pattern.operator import matches
from tvfc_runtime.pattern.spec import Matching
from tvfc_runtime.queue.release_queue import DUE
from tvfc_runtime.rows.intervals import FOREVER
from tvfc_runtime.rows.updates import numbered
from tvfc_runtime.sessions.operator import BOUNDS
from tvfc_runtime.sessions.wanted import Wanted
from tvfc_runtime.sources.at_start import AtStart
from tvfc_runtime.sources.backfill import read_in_turn
from tvfc_runtime.sources.from_start import from_start
from tvfc_runtime.sources.watermark import (
    moment,
)
from tvfc_runtime.spec.job import Output
from tvfc_runtime.spec.source import Source


class Job(InputJob):
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


def _in_state(rows: DataFrame) -> list[StructField]:
    """The columns of rows as an operator calls them that has all of them."""
    return [StructField(f"c{number}", field.dataType) for number, field in enumerate(rows.schema)]


def _filled_in(template: str, texts: Mapping[str, str]) -> str:
    """A template with texts, themselves no templates, in some of its places."""

    def text_of(found: re.Match[str]) -> str:
        value = texts.get(found["name"] or "")
        return found[0] if value is None else value.replace("{", "{{").replace("}", "}}")

    return re.sub(r"\{\{|\}\}|\{(?P<name>\w+)\}", text_of, template)


AT = "__at"
