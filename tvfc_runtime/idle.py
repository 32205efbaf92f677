"""IDLE AFTER: the wall clock moves the watermark of a source that has fallen silent.

A stream of ticks is read beside such a source. A tick is a value of the watermark, and is its own
offset: Spark logs it before the batch that has it, so that a batch that is run again has the same
tick, and a restart goes on from it. While rows arrive there are no ticks, and no batches for them.

Whether rows have arrived is read from the offset log, where each source has a line a batch; ticks
are read right behind their source, so that its line is the one before theirs.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader

from tvfc_runtime.storage import list_numbers, read_text

IDLE_FORMAT = "tvfc_idle"

LOOK_MS = 100
"""Milliseconds between two looks; Spark asks for offsets far more often."""

LEAST_STEP_MS = 1_000
"""Ticks are so many milliseconds apart at least; each costs a batch."""


@dataclass
class Silence:
    """How long a source has been silent, by looking at it again and again.

    Attributes:
        after_ms: the silence, in milliseconds, from which on the source is idle.
        since_ms: when the last row had come, milliseconds since the epoch; None: not known yet.
        looked_ms: the last look.
    """

    after_ms: int
    since_ms: int | None = None
    looked_ms: int | None = None

    def look(self, now_ms: int, *, arrived: bool) -> int | None:
        """The watermark of an idle source in milliseconds; None while it is not idle.

        Only now is it known whether the look before this one had found rows; what has come
        since then, say during a long batch, is known at the next look. So silence counts up to
        the look before.
        """
        before, self.looked_ms = self.looked_ms, now_ms
        if arrived or self.since_ms is None:
            self.since_ms = now_ms
            return None
        if before is None or before - self.since_ms < self.after_ms:
            return None
        return before - self.after_ms


def idle_ticks(
    spark: SparkSession, checkpoint: str, source: str, idle_after: timedelta
) -> DataFrame:
    """The ticks of a source as a stream: column `w`, milliseconds since the epoch."""
    after_ms = idle_after // timedelta(milliseconds=1)
    reader = spark.readStream.format(IDLE_FORMAT).option("checkpoint", checkpoint)
    return reader.option("source", source).option("after", str(after_ms)).load()


class IdleSource(DataSource):
    """`spark.readStream.format("tvfc_idle")`: one column `w BIGINT`, milliseconds since the epoch.

    Options: `checkpoint` of the query, name of the `source`, `after` in milliseconds.
    """

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return IDLE_FORMAT

    def schema(self) -> str:
        """One column."""
        return "w BIGINT"

    def simpleStreamReader(self, schema: Any) -> SimpleDataSourceStreamReader:  # noqa: ARG002, N802
        """Ticks for one source of one query."""
        options = self.options
        return IdleReader(options["checkpoint"], options["source"], int(options["after"]))


class IdleReader(SimpleDataSourceStreamReader):
    """Ticks; an offset is `{"idle": source, "w": the last tick}`."""

    def __init__(self, checkpoint: str, source: str, after_ms: int) -> None:
        self._log = OffsetLog(checkpoint, source)
        self._source = source
        self._step_ms = max(LEAST_STEP_MS, after_ms // 10)
        self._silence = Silence(after_ms, self._log.last_arrival_ms())

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """No tick yet."""
        return {"idle": self._source, "w": 0}

    def read(self, start: dict[str, Any]) -> tuple[Iterator[tuple[int]], dict[str, Any]]:
        """The next tick, if one is due."""
        now_ms = time.time_ns() // 1_000_000
        looked = self._silence.looked_ms
        if looked is not None and now_ms - looked < LOOK_MS:
            return iter(()), start
        watermark_ms = self._silence.look(now_ms, arrived=self._log.has_moved())
        if watermark_ms is None or watermark_ms < start["w"] + self._step_ms:
            return iter(()), start
        return iter([(watermark_ms,)]), {**start, "w": watermark_ms}

    def readBetweenOffsets(  # noqa: N802
        self,
        start: dict[str, Any],  # noqa: ARG002
        end: dict[str, Any],
    ) -> Iterator[tuple[int]]:
        """The tick of a batch that is run again."""
        return iter([(end["w"],)])

    def commit(self, end: dict[str, Any]) -> None:
        """Nothing is kept."""


class OffsetLog:
    """What the offset log of a query tells of one of its sources."""

    def __init__(self, checkpoint: str, source: str) -> None:
        self._folder = f"{checkpoint}/offsets"
        self._source = source
        self._batch = max(list_numbers(self._folder), default=-1)
        self._offset = self._read(self._batch)[1] if self._batch >= 0 else None

    def has_moved(self) -> bool:
        """Whether a batch since the last call has read rows of the source."""
        newest = max(list_numbers(self._folder), default=-1)
        if newest == self._batch:
            return False
        before, self._batch = self._offset, newest
        self._offset = self._read(newest)[1]
        return self._offset != before

    def last_arrival_ms(self) -> int | None:
        """When the last batch with rows of the source began, or the oldest batch that is known."""
        arrival_ms, later = None, None
        for number in sorted(list_numbers(self._folder), reverse=True):
            began_ms, offset = self._read(number)
            if later is not None and offset != later:
                break
            arrival_ms, later = began_ms, offset
        return arrival_ms

    def _read(self, batch: int) -> tuple[int, str | None]:
        """When a batch began, in milliseconds since the epoch, and how far it read the source."""
        _version, facts, *offsets = read_text(f"{self._folder}/{batch}").split("\n")
        began_ms = int(json.loads(facts)["batchTimestampMs"])
        for before, line in pairwise(offsets):
            if line.startswith("{") and json.loads(line).get("idle") == self._source:
                return began_ms, before
        return began_ms, None
