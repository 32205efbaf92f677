"""The wall clock of a query that runs: it is given to each batch, and wakes the query.

Spark gives a batch the watermark that it has as it plans the batch, and writes it down before the
batch runs; see clock.py. A watermark that rows move is that of the batch before. So the main
program moves Spark's watermark itself, as the clock goes on, and whatever batch there is next has
the time of its beginning, also the first one after a quiet night.

There is a batch for the clock alone, a tick, only where something is due: operators tell when that
is (waking.py). The main program asks for it in a file of its own machine, which the reader of ticks
looks into (ticks.py). A reader that finds the file left alone goes on by itself, a tick a step.

Units: whole milliseconds since the epoch.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
import weakref
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql.streaming.query import StreamingQuery

from tvfc_runtime.clock.of_batch import reached_ms
from tvfc_runtime.clock.ticks import asked_for, now_ms
from tvfc_runtime.counters.progress import Counters

BEAT_MS, QUIET_BEAT_MS = 100, 250
"""Milliseconds between two looks at the system's clock, at most; where there is no batch, the
longer ones."""

QUIET_S = 5
"""So long after its last batch a query is quiet."""

BEATS_A_LOOK = 10
"""Each question to the JVM has its price, so that some are asked once in a while."""


class LiveClock:
    """The wall clock of one query.

    Args:
        checkpoint: of the query.
        step_ms: ticks are so many milliseconds apart at least.
        era_ms: by how much Spark's watermark is ahead of the clock; see era.py.
    """

    def __init__(self, checkpoint: str, step_ms: int, era_ms: int) -> None:
        folder = tempfile.mkdtemp(prefix="tvfc-clock-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.place = f"{folder}/tick"
        self._step_ms, self._era_ms = step_ms, era_ms
        self._now = reached_ms(checkpoint) - era_ms
        self._ticked_ms = self._beats = 0
        self._told: Counters | None = None
        self._told_at = time.monotonic()
        self._behind = 0
        self._sleeps = False
        self._news = threading.Event()
        self._query: Any = None
        self._tracker: Any = None

    def prepare(self, *, sleeps: bool) -> None:
        """Before the query starts: from now on its ticks are those that are asked for.

        Args:
            sleeps: whether all that waits for the clock tells until when.
        """
        self._sleeps = sleeps
        asked_for(self.place, 0)

    def run(self, query: StreamingQuery) -> None:
        """Go along with a query until it ends."""
        self._query = query._jsq  # noqa: SLF001 - PySpark offers no more
        threading.Thread(target=self._run, name="tvfc clock", daemon=True).start()

    def told(self, counters: Counters) -> None:
        """A batch is counted."""
        self._told, self._told_at = counters, time.monotonic()
        self._news.set()

    def _run(self) -> None:
        try:
            while self._goes_on():
                self._beat()
                self._news.wait(self._pause_ms() / 1000)
                self._news.clear()
        except (Py4JError, OSError):
            return  # The JVM has ended, or this program; else the reader goes on by itself.

    def _goes_on(self) -> bool:
        """Whether the query runs; also sees whether all of its batches are counted."""
        self._beats += 1
        if self._beats % BEATS_A_LOOK:
            return True
        self._behind = self._behind + 1 if self._is_uncounted() else 0
        return bool(self._query.isActive())

    def _is_uncounted(self) -> bool:
        """Whether a batch is done that is not counted, and may have set timers."""
        last = self._query.lastProgress()
        # A query that idles reports the number of its next batch, without observations.
        if self._told is None or last is None or last.observedMetrics().isEmpty():
            return False
        return int(last.batchId()) > self._told.batch

    def _beat(self) -> None:
        """Give Spark the time, and ask for a tick where there is to be one."""
        now = self._now = max(now_ms(), self._now)
        tracker = self._tracker or self._query.streamingQuery().watermarkTracker()
        if tracker is None:
            return  # The query is still being set up.
        if self._told is not None:
            # Before its first batch it may still get another one.
            self._tracker = tracker
        tracker.setWatermark(now + self._era_ms)
        due = self._due_ms()
        if due is not None and max(due, self._ticked_ms + self._step_ms) <= now:
            self._ticked_ms = now
            asked_for(self.place, now)
        else:
            os.utime(self.place)

    def _due_ms(self) -> int | None:
        """When a tick is wanted; None: as far as is known, never."""
        # Spark drops the word of a batch where too many of them wait to be heard.
        if self._told is None or not self._sleeps or self._behind > 1:
            return 0
        wakes = self._told.wakes
        if wakes is None:
            return 0
        return wakes[0][0] if wakes else None

    def _pause_ms(self) -> int:
        due = self._due_ms()
        is_quiet = time.monotonic() > self._told_at + QUIET_S
        beat = min(QUIET_BEAT_MS if is_quiet else BEAT_MS, self._step_ms)
        if due is None:
            return beat
        return max(1, min(beat, max(due, self._ticked_ms + self._step_ms) - self._now))
