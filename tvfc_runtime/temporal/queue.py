"""Rows that enter and leave a result as the clock goes on: two release queues.

A row is held once, as a record of its next change: when (`__due`), by what (`__diff`), and at which
clock values it changes after that (`__rest`). Records of a last change have no `__rest` and lie in
a queue of their own, so that they are handed on without being looked into: most rows enter on
arrival and have but their end before them. The others are sorted in anew when they change.

While there is no clock yet, rows wait for its first value: due then, with all of their changes
still to come. They arrive at that value; but where the clock is a watermark, a row that comes
before it begins to count does so at its time, whatever batch it came in: it has a past then.

Units: whole milliseconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tvfc_runtime.delay.release import FIRST_CLOCK_VALUE
from tvfc_runtime.queue.packing import PACK_BYTES, PACK_ROWS
from tvfc_runtime.queue.release_queue import DUE, Chunk, ReleaseQueue, Store
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.intervals import (
    Intervals,
    Moments,
    ahead,
    intervals_between,
    moments_of,
)

DIFF = "__diff"
REST = "__rest"

NO_CLOCK = 0
"""The clock while it has no value, as Spark has it."""


class Records(NamedTuple):
    """Records of rows that have been sorted by what becomes of them.

    Attributes:
        batch: `__due`, `__diff`, for staged ones `__rest`, then the columns of the rows.
        entered_at: when the rows have entered, by what is against their next change; 0: not yet.
        staged: whether they change again after their next change.
    """

    batch: pa.RecordBatch
    entered_at: int
    staged: bool


class Arrival(NamedTuple):
    """A chunk of records on its way into the queue."""

    chunk: Chunk
    entered_at: int
    staged: bool


class Changed(NamedTuple):
    """Rows that enter or leave the result.

    Attributes:
        text: chunks of their records.
        at: 0 if they make the change that they are due for; else the clock value at which they
            enter, by what is against that change.
        rows: how many they are.
        gone: how many rows the state has lost.
    """

    text: str
    at: int
    rows: int
    gone: int


def arrive(
    rows: pa.RecordBatch,
    diff: np.ndarray,
    intervals: Intervals,
    now: int,
    known: np.ndarray | None = None,
) -> Iterator[Records]:
    """Rows that arrive when the clock is at `now`, as records; those that are past go nowhere.

    Args:
        rows: their columns.
        diff: how often they are to be counted, negative if they are taken back.
        intervals: when they are in the result.
        now: the clock.
        known: which rows are known to have entered, if they are in the result now; None: no row.
    """
    intervals = intervals.where(diff[intervals.row] != 0)
    if now == NO_CLOCK:
        yield from _wait_for_clock(rows, diff, intervals)
        return
    inside, changes = ahead(intervals, rows.num_rows, now)
    last, more = changes.counts == 1, changes.counts > 1
    comes = inside if known is None else inside & ~known
    for some, entered_at in ((comes, now), (inside & ~comes, 0), (~inside, 0)):
        sign = -1 if (some & inside).any() else 1
        if (some & last).any():
            yield _records(rows, sign * diff, changes, some & last, entered_at)
        if (some & more).any():
            yield _records(rows, sign * diff, changes, some & more, entered_at)
    stays = comes & (changes.counts == 0)
    if stays.any():
        # They enter and are forgotten.
        found = Moments(np.full(stays.sum(), now), stays.astype(np.int64))
        yield _records(rows, diff, found, stays, 0)


def pasts(
    rows: pa.RecordBatch, diff: np.ndarray, intervals: Intervals, now: int
) -> Iterator[Records]:
    """What rows have done before the clock is at `now`: records that are due."""
    begun = intervals.where((intervals.start < now) & (diff[intervals.row] != 0))
    ended = begun.where(begun.end <= now)
    for row, due, sign in ((begun.row, begun.start, 1), (ended.row, ended.end, -1)):
        if len(row):
            batch = _record_batch(rows.take(pa.array(row)), due, sign * diff[row], None)
            yield Records(batch, 0, staged=False)


def _wait_for_clock(
    rows: pa.RecordBatch, diff: np.ndarray, intervals: Intervals
) -> Iterator[Records]:
    to_come = intervals.where(intervals.end > FIRST_CLOCK_VALUE)
    begins = np.maximum(to_come.start, FIRST_CLOCK_VALUE)
    _, changes = ahead(to_come._replace(start=begins), rows.num_rows, NO_CLOCK)
    some = changes.counts > 0
    if some.any():
        due = np.full(some.sum(), FIRST_CLOCK_VALUE)
        batch = _record_batch(_some(rows, some), due, diff[some], changes.where(some))
        yield Records(batch, 0, staged=True)


def _records(
    rows: pa.RecordBatch, diff: np.ndarray, changes: Moments, some: np.ndarray, entered_at: int
) -> Records:
    """Records of some of the rows, which all have one change to come, or all have more."""
    found = changes.where(some)
    staged = bool(found.counts[0] > 1)
    batch = _record_batch(
        _some(rows, some), found.firsts(), diff[some], found.rest() if staged else None
    )
    return Records(batch, entered_at, staged)


def _some(rows: pa.RecordBatch, some: np.ndarray) -> pa.RecordBatch:
    return rows if some.all() else rows.filter(pa.array(some))


def _record_batch(
    rows: pa.RecordBatch, due: np.ndarray, diff: np.ndarray, rest: Moments | None
) -> pa.RecordBatch:
    found = {DUE: pa.array(due, pa.int64()), DIFF: pa.array(diff, pa.int32())}
    if rest is not None:
        found[REST] = rest.to_lists()
    found |= dict(zip(rows.schema.names, rows.columns, strict=True))
    return pa.RecordBatch.from_pydict(found)


class TemporalQueue:
    """The rows of one shard that have a change before them.

    Args:
        last: where those are kept that have one.
        staged: where those are kept that have more.
        now: the clock.
        step: how far the clock moves in a batch, about; 0 if unknown.
        history: whether rows that have waited for the first clock value have a past.
    """

    def __init__(
        self, last: Store, staged: Store, now: int, step: int = 0, *, history: bool = False
    ) -> None:
        self._now = now
        self._history = history
        self._last = ReleaseQueue(last, now, step)
        self._staged = ReleaseQueue(staged, now, step)
        self._filing: dict[bool, Filing] = {
            False: Filing(self._last),
            True: Filing(self._staged),
        }

    def push(self, arrival: Arrival) -> Iterator[Changed]:
        """Take in a chunk; yield the changes that are due. Call `flush` after the last one."""
        chunk = arrival.chunk
        if arrival.entered_at:
            yield Changed(chunk.text, arrival.entered_at, chunk.rows, gone=0)
        if arrival.staged:
            yield from self._change(self._staged.push(chunk))
        else:
            yield from _leave(self._last.push(chunk))

    def expire(self, start: int) -> Iterator[Changed]:
        """The clock has reached the start of a bucket."""
        yield from self._change(self._staged.expire(start))
        yield from _leave(self._last.expire(start))
        self.flush()

    def flush(self) -> None:
        """Write what has been taken in."""
        for filing in self._filing.values():
            filing.flush()
        self._staged.flush()
        self._last.flush()

    def _change(self, due: Iterator[Chunk]) -> Iterator[Changed]:
        """Staged chunks whose time has come; what they have still before them is filed anew."""
        for chunk in due:
            if chunk.last == FIRST_CLOCK_VALUE:
                for batch in chunks.decode_text(chunk.text):
                    yield from self._begin(batch)
                continue
            yield Changed(chunk.text, 0, chunk.rows, gone=0)
            for batch in chunks.decode_text(chunk.text):
                yield from self._advance(batch)

    def _begin(self, batch: pa.RecordBatch) -> Iterator[Changed]:
        """The clock has got its first value, at which these rows arrive."""
        rows, diff = batch.drop_columns([DUE, DIFF, REST]), batch.column(DIFF).to_numpy()
        intervals = intervals_between(moments_of(batch.column(REST)))
        known = None
        if self._history:
            # What has no beginning begins with the clock.
            endless = intervals.start <= FIRST_CLOCK_VALUE
            intervals = intervals._replace(start=np.where(endless, self._now, intervals.start))
            intervals = intervals.where(intervals.start < intervals.end)
            known = np.zeros(len(diff), dtype=bool)
            there = (intervals.start < self._now) & (intervals.end > self._now)
            known[intervals.row[there]] = True
            for past in pasts(rows, diff, intervals, self._now):
                yield _changed(past.batch)
        held = 0
        for records in arrive(rows, diff, intervals, self._now, known):
            found = records.batch
            due_now = not records.staged and found.column(DUE)[0].as_py() <= self._now
            if records.entered_at or due_now:
                yield _changed(found, records.entered_at)
            if not due_now:
                held += found.num_rows
                self._filing[records.staged].add(found)
        yield Changed("", 0, 0, gone=batch.num_rows - held)

    def _advance(self, batch: pa.RecordBatch) -> Iterator[Changed]:
        """Records whose change is made: their next ones, made as well where the clock is past."""
        rows = batch.drop_columns([DUE, DIFF, REST])
        diff = -batch.column(DIFF).to_numpy()
        changes = moments_of(batch.column(REST))
        while len(diff):
            past = changes.firsts() <= self._now
            last = changes.counts == 1
            for some in (past & last, past & ~last, ~past & last, ~past & ~last):
                if not some.any():
                    continue
                records = _records(rows, diff, changes, some, 0)
                if past[some][0]:
                    yield _changed(records.batch, gone=not records.staged)
                else:
                    self._filing[records.staged].add(records.batch)
            again = past & ~last
            rows, diff = _some(rows, again), -diff[again]
            changes = changes.where(again)
            if len(diff):
                changes = changes.rest()


def _leave(due: Iterator[Chunk]) -> Iterator[Changed]:
    """Chunks whose last change is due."""
    for chunk in due:
        yield Changed(chunk.text, 0, chunk.rows, gone=chunk.rows)


def _changed(batch: pa.RecordBatch, at: int = 0, *, gone: bool = False) -> Changed:
    text = chunks.to_text(chunks.encode(batch))
    return Changed(text, at, batch.num_rows, batch.num_rows if gone else 0)


class Filing:
    """Records gathered on their way back into a queue, so that they make full chunks."""

    def __init__(self, queue: ReleaseQueue) -> None:
        self._queue = queue
        self._waiting: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Take records that are due after now."""
        self._waiting.append(batch)
        self._rows += batch.num_rows
        self._bytes += batch.nbytes
        if self._rows >= PACK_ROWS or self._bytes >= PACK_BYTES:
            self.flush()

    def flush(self) -> None:
        """File them."""
        if self._waiting:
            self._queue.file(chunks.concat(self._waiting))
        self._waiting, self._rows, self._bytes = [], 0, 0
