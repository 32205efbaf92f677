"""A priority queue of rows by due time, kept as Arrow chunks in a key-value state.

It is a radix heap (Ahuja, Mehlhorn, Orlin, Tarjan 1990), the shape of a hierarchical timing wheel:
a clock that never falls allows coarse buckets for what is far and fine ones for what is near.
A row due at `d`, queued when the clock is `now`, belongs to the bucket that starts at `d` with the
digits below the highest one in which `d` and `now` differ set to zero. So a bucket always starts
after `now` and no later than any of its rows is due; when the clock reaches its start, the rows
that are due leave and the others move to strictly finer buckets. A row moves a few times at most,
a batch touches few buckets however its due times are spread, and nothing but the bucket that the
clock has reached is ever read.

Where a clock moves evenly, the buckets for the next some batches end where it is expected to stand
after each: then all rows of one leave together and have been written once.

Chunks are sorted by due time and carry their first and last one, so that most are stored and
released without being looked into.

Units: due times and the clock are whole milliseconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from tvfc_runtime.rows import chunks

DUE = "__due"
"""The column with a row's due time, the first of every chunk; int64, never NULL."""

RESOLUTION_BITS = 10
"""The finest bucket is 2^10 ms wide, or about as wide as the clock moves in a batch, if that is
more: finer ones would only mean more state calls."""

NEAR_STEPS = 16
SLACK = 16
"""A clock that is a sixteenth of a step further than expected empties no bucket early."""

DIGIT_BITS = 4
CHUNK_ROWS = 4_096
CHUNK_BYTES = 256 << 10
"""The most that one chunk holds, in rows and in bytes before compression."""

VALUE_ROWS = 8 * CHUNK_ROWS
VALUE_BYTES = 4 << 20
"""About what one value of state holds: some chunks side by side, since each call has its price."""

SMALL_ROWS = 1_024
"""Chunks with fewer rows than this are rewritten as one when they meet in a bucket."""

GATHER_BYTES = 32 << 20
"""Chunks on their way to buckets are gathered up to this size, to write few and full values."""


class Chunk(NamedTuple):
    """Rows due from `first` to `last` inclusive, encoded.

    The text is a line for each record batch: its first and last due time, its number of rows, and
    the batch, in order of due time.
    """

    first: int
    last: int
    rows: int
    text: str


def chunk_of(batch: pa.RecordBatch, due: np.ndarray) -> Chunk:
    """A chunk of one record batch, which is in order of due time."""
    first, last = int(due[0]), int(due[-1])
    text = chunks.to_text(chunks.encode(batch))
    return Chunk(first, last, len(due), f"{first} {last} {len(due)} {text}")


def parts_of(chunk: Chunk) -> list[Chunk]:
    """A chunk for each record batch of a chunk."""
    lines = chunk.text.split(chunks.SEPARATOR)
    if len(lines) == 1:
        return [chunk]
    return [_chunk_of_line(line) for line in lines]


def _chunk_of_line(line: str) -> Chunk:
    first, last, rows, _ = line.split(" ", 3)
    return Chunk(int(first), int(last), int(rows), line)


class Store(Protocol):
    """Key-value state of one shard; `QueueState` is the one on Spark, a dict serves in tests."""

    def bucket(self, start: int) -> tuple[int, tuple[int, ...]] | None:
        """Number of values in a bucket, and the row counts of its last, small ones."""

    def put_bucket(self, start: int, count: int, tail: tuple[int, ...]) -> None:
        """Store what `bucket` answers."""

    def remove_bucket(self, start: int) -> None:
        """Forget a bucket whose values are removed."""

    def value(self, start: int, number: int) -> Chunk:
        """Read a value; its text is that of one chunk or of several."""

    def put_value(self, start: int, number: int, value: Chunk) -> None:
        """Store a value."""

    def remove_value(self, start: int, number: int) -> None:
        """Remove a value."""

    def wake(self, start: int) -> None:
        """Ask for `expire(start)` once the clock has reached it."""


def bucket_range(due: int, now: int, step: int = 0) -> tuple[int, int]:
    """First and last due time of the bucket for `due`, seen from `now < due`.

    Rows due within the finest bucket that `now` is in get one that starts at the first of them.

    Args:
        due: milliseconds since the epoch.
        now: the clock.
        step: how far the clock moves in a batch, about; 0 if unknown. For some steps ahead buckets
            then end where the clock is expected to stand: the rows of each leave together.
    """
    resolution = max(RESOLUTION_BITS, step.bit_length() - 1)
    begin = now + step // SLACK
    if step >> RESOLUTION_BITS and due - begin <= NEAR_STEPS * step:
        number = max(0, (due - begin - 1) // step)
        start = due if number == 0 else begin + number * step + 1
        return start, begin + (number + 1) * step
    digits = (due ^ now) >> resolution
    if not digits:
        return due, due | (1 << resolution) - 1
    shift = resolution + (digits.bit_length() - 1) // DIGIT_BITS * DIGIT_BITS
    start = due >> shift << shift
    return start, start + (1 << shift) - 1


def by_due(batch: pa.RecordBatch) -> tuple[pa.RecordBatch, np.ndarray]:
    """The batch in order of due time, and its due times."""
    due = batch.column(DUE).to_numpy()
    if np.all(due[:-1] <= due[1:]):
        return batch, due
    order = np.argsort(due, kind="stable")
    return batch.take(pa.array(order)), due[order]


def cut(batch: pa.RecordBatch, due: np.ndarray, now: int, step: int = 0) -> Iterator[Chunk]:
    """Sorted rows, all due after `now`, as chunks that each fit a bucket seen from `now`."""
    limit = max(1, min(CHUNK_ROWS, CHUNK_BYTES * batch.num_rows // max(1, batch.nbytes)))
    begin = 0
    while begin < len(due):
        start, last = bucket_range(int(due[begin]), now, step)
        end = int(np.searchsorted(due, last, side="right"))
        yield from _divide(batch, due, (begin, end), (start, last), limit)
        begin = end


def _divide(
    batch: pa.RecordBatch,
    due: np.ndarray,
    rows: tuple[int, int],
    bucket: tuple[int, int],
    limit: int,
) -> Iterator[Chunk]:
    """Chunks of at most `limit` rows; of a bucket that gets more than a value, by finer buckets."""
    begin, end = rows
    start, last = bucket
    if end - begin <= VALUE_ROWS or last - start < 1 << RESOLUTION_BITS:
        for first in range(begin, end, limit):
            count = min(limit, end - first)
            yield chunk_of(batch.slice(first, count), due[first : first + count])
        return
    width = (last - start + 1) >> DIGIT_BITS
    while begin < end:
        finer = start + (int(due[begin]) - start) // width * width
        stop = begin + int(np.searchsorted(due[begin:end], finer + width - 1, side="right"))
        yield from _divide(batch, due, (begin, stop), (finer, finer + width - 1), limit)
        begin = stop


def merge(parts: list[Chunk]) -> Chunk:
    """Several chunks as one value: side by side, or rewritten as one chunk if they are small."""
    if len(parts) == 1:
        return parts[0]
    first, last = min(p.first for p in parts), max(p.last for p in parts)
    rows = sum(p.rows for p in parts)
    text = chunks.SEPARATOR.join(p.text for p in parts)
    if rows < SMALL_ROWS * (text.count(chunks.SEPARATOR) + 1):
        return chunk_of(*by_due(chunks.concat(chunks.decode_text(text))))
    return Chunk(first, last, rows, text)


class ReleaseQueue:
    """Rows of one shard that wait for their due time.

    Args:
        store: where they are kept.
        now: the clock.
        step: how far the clock moves in a batch, about; 0 if unknown. Any value is right, a good
            one saves state calls.
    """

    def __init__(self, store: Store, now: int, step: int = 0) -> None:
        self._store = store
        self._now = now
        self._step = step
        self._gathered: dict[int, list[Chunk]] = {}
        self._gathered_bytes = 0

    def push(self, chunk: Chunk) -> Iterator[Chunk]:
        """Take in a chunk; yield what is due already. Call `flush` after the last one."""
        if chunk.last <= self._now:
            yield chunk
        elif chunk.first > self._now and chunk.last <= self._bucket(chunk.first)[1]:
            self._gather(chunk)
        elif len(parts := parts_of(chunk)) > 1:
            for part in parts:
                yield from self.push(part)
        else:
            (batch,) = chunks.decode_text(chunk.text)
            due = batch.column(DUE).to_numpy()
            ready = int(np.searchsorted(due, self._now, side="right"))
            if ready:
                yield chunk_of(batch.slice(0, ready), due[:ready])
            for later in cut(batch.slice(ready), due[ready:], self._now, self._step):
                self._gather(later)

    def file(self, batch: pa.RecordBatch) -> None:
        """Take in rows that are all due after now. Call `flush` after the last ones."""
        for chunk in cut(*by_due(batch), self._now, self._step):
            self._gather(chunk)

    def _bucket(self, due: int) -> tuple[int, int]:
        return bucket_range(due, self._now, self._step)

    def expire(self, start: int) -> Iterator[Chunk]:
        """Empty the bucket that the clock has reached: yield due rows, sort in the others anew."""
        found = self._store.bucket(start)
        if found is None:
            return
        for number in range(found[0]):
            yield from self.push(self._store.value(start, number))
            self._store.remove_value(start, number)
        self._store.remove_bucket(start)
        self.flush()

    def flush(self) -> None:
        """Write the chunks gathered by `push` to their buckets."""
        for parts in self._gathered.values():
            start, _ = self._bucket(min(part.first for part in parts))
            self._append(start, parts)
        self._gathered, self._gathered_bytes = {}, 0

    def _gather(self, chunk: Chunk) -> None:
        _, last = self._bucket(chunk.first)
        self._gathered.setdefault(last, []).append(chunk)
        self._gathered_bytes += len(chunk.text)
        if self._gathered_bytes >= GATHER_BYTES:
            self.flush()

    def _append(self, start: int, parts: list[Chunk]) -> None:
        """Add chunks to a bucket, merged with small values before them.

        Merging only with values of at most their own size (the logarithmic method) keeps a bucket
        that is filled by a few rows a batch for a month from holding a million tiny values, and
        rewrites a row log2(VALUE_ROWS) times at most.
        """
        found = self._store.bucket(start)
        count, tail = found or (0, ())
        used = count
        for value in self._values(parts):
            whole = value
            while tail and tail[-1] <= whole.rows and tail[-1] + whole.rows <= VALUE_ROWS:
                count, tail = count - 1, tail[:-1]
                whole = merge([self._store.value(start, count), whole])
            self._store.put_value(start, count, whole)
            count += 1
            used = max(used, count)
            full = whole.rows >= VALUE_ROWS // 2 or len(whole.text) >= VALUE_BYTES // 2
            tail = () if full else (*tail, whole.rows)
        # Of several values merged into one, all but the first are left over.
        for number in range(count, used):
            self._store.remove_value(start, number)
        self._store.put_bucket(start, count, tail)
        if found is None:
            self._store.wake(start)

    def _values(self, parts: list[Chunk]) -> Iterator[Chunk]:
        """Chunks put together to values of about VALUE_BYTES."""
        group: list[Chunk] = []
        size = 0
        for part in parts:
            if group and size + len(part.text) > VALUE_BYTES:
                yield merge(group)
                group, size = [], 0
            group.append(part)
            size += len(part.text)
        if group:
            yield merge(group)
