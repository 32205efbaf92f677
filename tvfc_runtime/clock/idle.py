"""IDLE AFTER: the wall clock moves the watermark of a source that has fallen silent.

A stream of ticks (ticks.py) is read beside such a source. While rows arrive there are no ticks, and
no batches for them.

Whether rows have arrived is read from the offset log, where each source has a line a batch; ticks
are read right behind their source, so that its line is the one before theirs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader

from tvfc_runtime.checkpoint.storage import list_numbers, read_text
from tvfc_runtime.clock.ticks import TickReader, now_ms

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


class IdleReader(TickReader):
    """Ticks; an offset is `{"idle": source, "w": the last tick}`."""

    def __init__(self, checkpoint: str, source: str, after_ms: int) -> None:
        super().__init__({"idle": source})
        self._log = OffsetLog(checkpoint, source)
        self._step_ms = max(LEAST_STEP_MS, after_ms // 10)
        self._silence = Silence(after_ms, self._log.last_arrival_ms())

    def next_tick(self, last_ms: int) -> int | None:
        """The watermark of the source if it is idle, and that is a step after the last tick."""
        now = now_ms()
        looked = self._silence.looked_ms
        if looked is not None and now - looked < LOOK_MS:
            return None
        watermark_ms = self._silence.look(now, arrived=self._log.has_moved())
        if watermark_ms is None or watermark_ms < last_ms + self._step_ms:
            return None
        return watermark_ms


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
