"""The wall clock as an input: a stream of ticks, each of them a value of the watermark.

A tick is its own offset: Spark logs it before the batch that has it, so that a batch that is run
again has the same tick, and a restart goes on from it. Ticks never fall, even where the system's
clock is set back, and after a down time a single one leads to the present.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader
from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

TICKS_FORMAT = "tvfc_ticks"

TICK_SETTING = "spark.tvfc.tick.ms"
"""Milliseconds between two ticks of the wall clock; each costs two batches."""

TICK_MS = 1_000


def now_ms() -> int:
    """The system's clock, in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def wall_clock_ticks(spark: SparkSession) -> DataFrame:
    """The wall clock of a query as a stream: column `w`, milliseconds since the epoch."""
    step_ms = str(spark.conf.get(TICK_SETTING, str(TICK_MS)))
    return spark.readStream.format(TICKS_FORMAT).option("step", step_ms).load()


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

    Option: `step`, the milliseconds between two ticks.
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
        return WallClockReader(int(self.options["step"]))


class WallClockReader(TickReader, SupportsTriggerAvailableNow):
    """The system's clock, rounded down to whole steps, so that all queries see the same ticks."""

    def __init__(self, step_ms: int) -> None:
        super().__init__({"clock": "wall"})
        self._step_ms = step_ms
        self._stopped_at: int | None = None

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Stop the clock: a run that ends with its input has the time of its start throughout."""
        self._stopped_at = self._step_now()

    def next_tick(self, last_ms: int) -> int | None:
        """The step that the clock is in, if it is a later one."""
        tick = self._step_now() if self._stopped_at is None else self._stopped_at
        return tick if tick > last_ms else None

    def _step_now(self) -> int:
        return now_ms() // self._step_ms * self._step_ms
