"""The release queue on a dict, as a timeline: rows come, the clock moves, timers fire.

The oracle is a list of due times. As on Spark, a batch first takes in its rows and then fires the
timers that were asked for and that the clock has reached; nothing else wakes the queue.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pytest
from dict_store import DictStore
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tvfc_runtime.delay.operator import pack_batch
from tvfc_runtime.queue import release_queue
from tvfc_runtime.queue.release_queue import (
    CHUNK_BYTES,
    CHUNK_ROWS,
    DUE,
    GATHER_BYTES,
    SMALL_ROWS,
    Chunk,
    ReleaseQueue,
    bucket_range,
)
from tvfc_runtime.rows import chunks

DAY = 86_400_000
YEAR = 365 * DAY
START = 1_700_000_000_000


@dataclass
class Timeline:
    """A queue whose clock is moved by hand; rows are numbered as they come."""

    now: int
    step: int = 0
    store: DictStore = field(default_factory=DictStore)
    numbers: itertools.count[int] = field(default_factory=itertools.count)
    pieces: list[int] = field(default_factory=list)

    def batch(self, due: list[int], now: int) -> list[tuple[int, int]]:
        """Rows arrive in a batch that runs at `now`; the (due, number) that leave, timers last."""
        self.now = now
        numbers = [next(self.numbers) for _ in due]
        rows = pa.RecordBatch.from_pydict({DUE: pa.array(due, pa.int64()), "n": numbers})
        texts: list[str] = []
        if due:
            packed = pack_batch(rows, [0], task=0).to_pylist()
            queue = ReleaseQueue(self.store, now, self.step)
            for row in packed:
                texts += [
                    due.text
                    for due in queue.push(
                        Chunk(row["first"], row["last"], row["rows"], row["text"])
                    )
                ]
            queue.flush()
        # A timer that is set while others fire waits for the next batch.
        for start in sorted(timer for timer in self.store.timers if timer <= now):
            self.store.timers.discard(start)
            queue = ReleaseQueue(self.store, now, self.step)
            texts += [due.text for due in queue.expire(start)]
        batches = [batch for text in texts for batch in chunks.decode_text(text)]
        self.pieces = [batch.num_rows for batch in batches]
        return [(row[DUE], row["n"]) for batch in batches for row in batch.to_pylist()]


class Oracle:
    """All rows that wait."""

    def __init__(self) -> None:
        self.waiting: list[tuple[int, int]] = []
        self.numbers = itertools.count()

    def batch(self, due: list[int], now: int) -> list[tuple[int, int]]:
        self.waiting += [(each, next(self.numbers)) for each in due]
        ready = [row for row in self.waiting if row[0] <= now]
        self.waiting = [row for row in self.waiting if row[0] > now]
        return sorted(ready)


offsets = st.one_of(
    st.integers(-5_000, 5_000),
    st.integers(0, 3 * DAY),
    st.integers(0, 5 * YEAR),
    st.just(DAY),
    st.sampled_from([0, 1, 1_023, 1_024, 1_025, 16_384, 16_383, 1 << 30]),
)
steps = st.lists(
    st.tuples(
        st.lists(offsets, max_size=12),
        st.one_of(st.integers(0, 3_000), st.integers(0, DAY), st.integers(0, YEAR)),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=50, deadline=None)
@given(
    start=st.sampled_from([1, 1_000, START]),
    expected=st.sampled_from([0, 900, 1_024, 2_500, DAY]),
    steps=steps,
)
def test_rows_leave_at_the_first_clock_value_that_reaches_them(
    start: int, expected: int, steps: list[tuple[list[int], int]]
) -> None:
    timeline, oracle = Timeline(start, expected), Oracle()
    clock = start
    for moved, advance in steps:
        clock += advance
        due = [max(0, clock + each) for each in moved]
        assert sorted(timeline.batch(due, clock)) == oracle.batch(due, clock)
        assert_tidy(timeline, oracle)
    end = clock + 6 * YEAR
    assert sorted(timeline.batch([], end)) == oracle.batch([], end)
    assert timeline.store.buckets == {}
    assert timeline.store.values == {}
    assert timeline.store.timers == set()


def assert_tidy(timeline: Timeline, oracle: Oracle) -> None:
    """State holds the rows that wait and no others, and a timer stands for each bucket."""
    store = timeline.store
    held = [
        (row[DUE], row["n"])
        for value in store.values.values()
        for batch in chunks.decode_text(value.text)
        for row in batch.to_pylist()
    ]
    assert sorted(held) == sorted(oracle.waiting)
    assert store.timers == set(store.buckets)
    assert {start for start, _ in store.values} == set(store.buckets)
    assert all(start > timeline.now for start in store.buckets)


@given(
    now=st.integers(0, 1 << 45),
    after=st.one_of(st.integers(1, 1 << 45), st.integers(1, 1 << 17)),
    step=st.sampled_from([0, 1_023, 1_024, 5_000, 60_000]),
)
@example(now=0, after=15_425, step=1_024)
def test_a_bucket_starts_after_the_clock_and_before_its_rows(
    now: int, after: int, step: int
) -> None:
    due = now + after
    start, last = bucket_range(due, now, step)
    assert now < start <= due <= last
    # Rows of one bucket belong together: seen from any of them it is the same one, or for the rows
    # that are due first one that ends with it.
    again, end = bucket_range(last, now, step)
    assert end == last
    assert again == start or due - now <= max(1 << 10, 2 * step)


@pytest.mark.parametrize("late", [0, 300, -300])
def test_with_a_steady_clock_a_row_is_written_once(late: int) -> None:
    """A clock that is as far as expected or a little further moves few rows to a later bucket."""
    timeline, rows = Timeline(START, step=10_000), 1_000
    for batch in range(1, 21):
        now = START + 10_000 * batch + late * (batch % 2)
        due = [now + 5_000 + 10 * number for number in range(rows)]
        timeline.batch(due, now)
    written = sum(chunk.rows for chunk in timeline.store.written)
    assert written < 1.2 * 20 * rows


def test_a_clock_value_that_reaches_nothing_reads_nothing() -> None:
    timeline = Timeline(START)
    rng = random.Random(7)
    timeline.batch([START + rng.randrange(60_000, YEAR) for _ in range(20_000)], START)
    timeline.store.read.clear()
    assert timeline.batch([], START + 50_000) == []
    assert timeline.store.read == []


def test_expiring_reads_only_buckets_that_the_clock_has_reached() -> None:
    """200 seconds of rows in order, a second at a time: each value is read a few times at most."""
    timeline = Timeline(START)
    far = [START + YEAR + n for n in range(50_000)]
    near = [START + 100 * n for n in range(1, 2_001)]
    timeline.batch(far + near, START)
    far_buckets = {start for start in timeline.store.buckets if start > START + 200_000}
    timeline.store.read.clear()
    left = [row for second in range(1, 201) for row in timeline.batch([], START + 1_000 * second)]
    assert len(left) == len(near)
    assert not far_buckets & set(timeline.store.read)
    # A row sinks through at most one bucket for each digit of its distance.
    assert len(timeline.store.read) < 600


def test_a_common_instant_keeps_few_values_and_leaves_full_ones_alone() -> None:
    """An embargo: rows of many batches, all due at one moment a month away."""
    timeline = Timeline(START)
    moment = START + 30 * DAY
    total = 0
    for batch in range(200):
        timeline.batch([moment] * 500, START + 1_000 * batch)
        total += 500
    store = timeline.store
    assert len(store.buckets) == 1
    # Values of sizes that double, up to full ones.
    assert len(store.values) <= total // (CHUNK_ROWS // 2) + 12
    # Each row is written log2(CHUNK_ROWS / 500) times at most, not once for each batch.
    assert sum(value.rows for value in store.written) <= total * 8
    assert len(timeline.batch([], moment - 1)) == 0
    assert len(timeline.batch([], moment)) == total
    assert store.values == {}


def test_full_values_are_not_rewritten() -> None:
    timeline = Timeline(START)
    moment = START + 30 * DAY
    timeline.batch([moment] * CHUNK_ROWS, START)
    (full,) = timeline.store.values.values()
    for batch in range(1, 20):
        timeline.store.read.clear()
        timeline.batch([moment] * 10, START + batch)
        assert full in timeline.store.values.values()
        assert timeline.store.written.count(full) == 1


def test_a_burst_leaves_in_pieces_of_bounded_size() -> None:
    """Many rows of many batches due in one batch are handed over chunk by chunk."""
    timeline = Timeline(START)
    rng = random.Random(3)
    for batch in range(8):
        due = [START + DAY + rng.randrange(20 * DAY) for _ in range(20_000)]
        timeline.batch(due, START + batch)
    left = timeline.batch([], START + 40 * DAY)
    assert len(left) == 160_000
    assert max(timeline.pieces) <= CHUNK_ROWS


def test_wide_rows_are_cut_by_bytes() -> None:
    due = np.full(64, START + DAY)
    wide = pa.RecordBatch.from_pydict(
        {DUE: pa.array(due), "text": [random.Random(n).randbytes(1 << 18) for n in range(64)]}
    )
    found = list(release_queue.cut(wide, due, START))
    assert sum(chunk.rows for chunk in found) == 64
    # A full chunk before compression and base64, which adds a third.
    assert max(len(chunk.text) for chunk in found) < CHUNK_BYTES * 3 // 2


def test_what_is_gathered_before_it_is_written_is_bounded() -> None:
    store = DictStore()
    queue = ReleaseQueue(store, START)
    payload = "x" * (CHUNK_BYTES - 1)
    for _ in range(GATHER_BYTES // CHUNK_BYTES * 3):
        moment = START + DAY
        assert list(queue.push(Chunk(moment, moment, CHUNK_ROWS, payload))) == []
    # Nothing was flushed by hand, yet two thirds are stored.
    assert sum(len(value.text) for value in store.written) >= GATHER_BYTES * 2 - CHUNK_BYTES * 4


def test_a_chunk_that_is_due_passes_without_being_looked_into() -> None:
    store = DictStore()
    chunk = Chunk(1, START, 5, "not even a chunk")
    assert list(ReleaseQueue(store, START).push(chunk)) == [chunk]
    assert store == DictStore()


@pytest.mark.parametrize("rows", [SMALL_ROWS - 1, SMALL_ROWS * 4])
def test_merged_values_hold_the_rows_of_all_parts(rows: int) -> None:
    parts = []
    for part in range(3):
        due = [START + n for n in range(part, rows * 3, 3)]
        batch = pa.RecordBatch.from_pydict({DUE: pa.array(due, pa.int64())})
        parts.append(Chunk(due[0], due[-1], rows, chunks.to_text(chunks.encode(batch))))
    merged = release_queue.merge(parts)
    found = [
        value.as_py() for batch in chunks.decode_text(merged.text) for value in batch.column(DUE)
    ]
    assert sorted(found) == [START + n for n in range(rows * 3)]
    assert (merged.first, merged.last, merged.rows) == (min(found), max(found), rows * 3)


def test_rows_that_arrive_when_a_bucket_is_open_wait_in_it() -> None:
    """A bucket is woken once, however many batches fill it."""
    timeline = Timeline(START)
    moment = START + 10 * DAY
    for batch in range(5):
        timeline.batch([moment + batch], START + batch)
    assert len(timeline.store.timers) == 1
    assert [due for due, _ in timeline.batch([], moment + 2)] == [moment, moment + 1, moment + 2]
    assert [due for due, _ in timeline.batch([], moment + 9)] == [moment + 3, moment + 4]
