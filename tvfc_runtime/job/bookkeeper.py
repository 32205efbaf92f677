"""Counts what the queries of a job do, batch by batch, and watches their bad and late rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, TypeVar

from pyspark.sql.streaming.listener import StreamingQueryListener
from pyspark.sql.streaming.query import StreamingQuery

from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.job.building import Job
from tvfc_runtime.reports.bad_row_watch import BadRowWatch, TooManyBadRowsError
from tvfc_runtime.reports.batch import Batch, batch_of
from tvfc_runtime.reports.late_row_watch import LateRowWatch
from tvfc_runtime.reports.log import Log

PATIENCE_S = 5
Found = TypeVar("Found")


class Bookkeeper(StreamingQueryListener):
    """Counts each batch of the queries of a job and stores the counts in their checkpoints.

    `failure` is why the job must stop, if it must; `ended` the runs that are over.

    Args:
        log: takes warnings, and what each batch has done.
    """

    def __init__(self, log: Log) -> None:
        self.failure: TooManyBadRowsError | None = None
        self.ended: set[str] = set()
        self._warn = log.say
        self._reporters: list[Callable[[Batch], None]] = [log.batch]
        self._jobs: dict[str, tuple[str, Job, BadRowWatch, LateRowWatch]] = {}
        self._names: dict[str, Job] = {}
        self._early: dict[str, list[Any]] = {}
        self._lock = Lock()
        self._told = 0

    def watch(self, query: StreamingQuery, job: Job) -> None:
        """Count the batches of a query, also those that it has run already."""
        with self._lock:
            bad, late = BadRowWatch(job.max_bad_rows, self._warn), LateRowWatch(self._warn)
            name = str(query.name)
            self._jobs[str(query.id)] = name, job, bad, late
            self._names[name] = job
            late.begin(job.memory.counters)
            self._guarded(lambda: bad.begin(job.memory.counters))
            BadRowWatch({}, self._warn).look(job.bad_of_tables)
            for progress in self._early.pop(str(query.id), []):
                self._count(name, job, bad, late, progress)

    def report_to(self, reporter: Callable[[Batch], None]) -> None:
        """Tell one more of each batch; it is quick, and raises nothing."""
        self._reporters.append(reporter)

    def read(self, use: Callable[[dict[str, Counters]], Found]) -> Found:
        """What is made of the counters of the queries, by name; no batch is counted meanwhile."""
        with self._lock:
            return use({name: job.memory.counters for name, job in self._names.items()})

    def stop_if_failed(self) -> None:
        """Raise the failure, if there is one.

        Raises:
            TooManyBadRowsError: more rows of a source do not fit than may.
        """
        if self.failure is not None:
            raise self.failure

    def catch_up(self, queries: Sequence[StreamingQuery]) -> None:
        """Wait for the counts of batches that have just ended; they come by another thread."""
        deadline = time.monotonic() + PATIENCE_S
        for query in queries:
            _, job, *_ = self._jobs[str(query.id)]
            # While a query idles it reports the batch that is to come, without observations.
            counted = [each["batchId"] for each in query.recentProgress if each["observedMetrics"]]
            last = max(counted, default=-1)
            while job.memory.counters.batch < last:
                if time.monotonic() > deadline:
                    return
                time.sleep(0.02)

    def _count(
        self, name: str, job: Job, bad: BadRowWatch, late: LateRowWatch, progress: Any
    ) -> None:
        counters = job.memory.counters
        known = counters.batch
        counters.update(progress)
        job.memory.remember(counters)
        if job.live_clock is not None:
            job.live_clock.told(counters)
        if counters.batch > known:
            batch = batch_of(name, counters, {each.operator: each.output for each in job.held})
            for report in self._reporters:
                report(batch)
        self._tell(counters)
        late.look(counters)
        self._guarded(lambda: bad.look(counters))

    def _tell(self, counters: Counters) -> None:
        """A word on rows that are lost, and another one when they are twice as many."""
        if counters.never_due > 2 * self._told:
            self._told = counters.never_due
            self._warn(f"warning: {counters.never_due} rows never due: bound out of range")

    def _guarded(self, look: Callable[[], None]) -> None:
        try:
            look()
        except TooManyBadRowsError as error:
            self.failure = self.failure or error

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        """Nothing to count yet."""

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        """A batch is done."""
        progress = event.progress
        with self._lock:
            known = self._jobs.get(str(progress.id))
            if known is None:
                self._early.setdefault(str(progress.id), []).append(progress)
            else:
                self._count(*known, progress)

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        """Nothing has changed."""

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """Nothing more will come."""
        self.ended.add(str(event.runId))
