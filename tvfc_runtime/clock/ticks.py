"""The wall clock as an input: a stream of ticks, each of them a value of the watermark.

A tick is its own offset: Spark logs it before the batch that has it, so that a batch that is run
again has the same tick, and a restart goes on from it. Ticks never fall, even where the system's
clock is set back, and after a down time a single one leads to the present.

Where a program goes along with the query (live_clock.py), it says when there is to be a tick, in a
file: the last one that it has asked for. It touches the file again and again; where it has not done
so for a while, or has none, there is a tick each step.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader
from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

TICKS_FORMAT = "tvfc_ticks"

TICK_SETTING = "spark.tvfc.tick.ms"
"""Milliseconds between two ticks of the wall clock, at least; each costs a batch."""

TICK_MS = 1_000

LEFT_ALONE_S = 10
"""So long after the last touch nobody goes along with a query any more."""

DAWDLE = ((60.0, 1.0), (5.0, 0.25))
"""Spark asks for offsets a hundred times a second, which costs a tenth of a processor. Where there
has been no batch for so many seconds, the reader takes so many to answer. It looks whether a tick
is asked for meanwhile; input waits for the answer."""

LOOK_S = 0.1
"""Seconds between two of these looks."""


def now_ms() -> int:
    """The system's clock, in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def tick_ms(spark: SparkSession) -> int:
    """Milliseconds between two ticks of the wall clock."""
    return int(spark.conf.get(TICK_SETTING, None) or TICK_MS)


def wall_clock_ticks(spark: SparkSession, asked: str) -> DataFrame:
    """The wall clock of a query as a stream: column `w`, milliseconds since the epoch.

    Args:
        spark: the session.
        asked: the file in which ticks are asked for.
    """
    reader = spark.readStream.format(TICKS_FORMAT).option("step", tick_ms(spark))
    return reader.option("asked", asked).load()


def asked_for(place: str, tick: int) -> None:
    """Ask for a tick, in milliseconds since the epoch; 0: for none yet."""
    path = Path(place)
    new = path.with_name(f"{path.name}.new")
    new.write_text(str(tick), encoding="utf-8")
    new.replace(path)


class TickReader(SimpleDataSourceStreamReader):
    """Ticks; an offset is what tells the reader from others, and `w`, the last tick."""

    def __init__(self, mark: dict[str, str]) -> None:
        self._mark = mark

    @abstractmethod
    def next_tick(self, last_ms: int) -> int | None:
        """A tick after the last one, in milliseconds since the epoch; None if none is due."""

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """No tick yet."""
        return {**self._mark, "w": 0}

    def read(self, start: dict[str, Any]) -> tuple[Iterator[tuple[int]], dict[str, Any]]:
        """The next tick, if one is due."""
        tick = self.next_tick(start["w"])
        if tick is None:
            return iter(()), start
        return iter([(tick,)]), {**start, "w": tick}

    def readBetweenOffsets(  # noqa: N802
        self,
        start: dict[str, Any],  # noqa: ARG002
        end: dict[str, Any],
    ) -> Iterator[tuple[int]]:
        """The tick of a batch that is run again."""
        return iter([(end["w"],)])

    def commit(self, end: dict[str, Any]) -> None:
        """Nothing is kept."""


class TickSource(DataSource):
    """`spark.readStream.format("tvfc_ticks")`: one column `w BIGINT`, milliseconds since the epoch.

    Options: `step`, the milliseconds between two ticks; `asked`, the file in which they are asked
    for.
    """

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return TICKS_FORMAT

    def schema(self) -> str:
        """One column."""
        return "w BIGINT"

    def simpleStreamReader(self, schema: Any) -> SimpleDataSourceStreamReader:  # noqa: ARG002, N802
        """The ticks of one query."""
        return WallClockReader(int(self.options["step"]), self.options.get("asked"))


class WallClockReader(TickReader, SupportsTriggerAvailableNow):
    """Ticks that are asked for; else the system's clock, rounded down to whole steps.

    Args:
        step_ms: a step.
        asked: the file in which ticks are asked for; None: nobody does.
    """

    def __init__(self, step_ms: int, asked: str | None = None) -> None:
        super().__init__({"clock": "wall"})
        self._step_ms = step_ms
        self._asked = asked
        self._stopped_at: int | None = None
        self._answered = time.monotonic()
        self._last_batch = self._answered

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Stop the clock: a run that ends with its input has the time of its start throughout."""
        self._stopped_at = self._step_now()

    def next_tick(self, last_ms: int) -> int | None:
        """The last tick that there is to be, if it is a later one."""
        quiet = self._answered - self._last_batch
        # Of several readers of a query only the first one waits.
        until = self._answered + next((each for after, each in DAWDLE if quiet >= after), 0.0)
        tick = self._tick_now()
        while tick <= last_ms and time.monotonic() < until:
            time.sleep(LOOK_S)
            tick = self._tick_now()
        self._answered = time.monotonic()
        return tick if tick > last_ms else None

    def commit(self, end: dict[str, Any]) -> None:  # noqa: ARG002
        """There is a next batch."""
        self._last_batch = time.monotonic()

    def _tick_now(self) -> int:
        if self._stopped_at is not None:
            return self._stopped_at
        asked = self._last_asked()
        return self._step_now() if asked is None else asked

    def _last_asked(self) -> int | None:
        """The last tick that was asked for; None: nobody asks."""
        if self._asked is None:
            return None
        try:
            touched = Path(self._asked).stat().st_mtime
            if abs(time.time() - touched) < LEFT_ALONE_S:
                return int(Path(self._asked).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return None

    def _step_now(self) -> int:
        return now_ms() // self._step_ms * self._step_ms
