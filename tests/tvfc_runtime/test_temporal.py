"""The temporal operator on dicts, as a timeline: rows come, the clock moves, timers fire.

The oracle says of every row and every clock value whether the row is in the result, by the rule
itself, in plain Python. As on Spark, a batch first takes in its rows and then fires the timers that
were asked for and that the clock has reached; nothing else wakes the operator.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import pyarrow as pa
import pytest
from dict_store import DictStore
from hypothesis import given, settings
from hypothesis import strategies as st

from tvfc_runtime.queue.packing import PACK_ROWS
from tvfc_runtime.queue.release_queue import CHUNK_ROWS, Chunk, ReleaseQueue
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.intervals import FOREVER, intervals_of
from tvfc_runtime.rows.shards import shard_keys
from tvfc_runtime.temporal.operator import TIME, VALID, pack_batch, update
from tvfc_runtime.temporal.queue import DIFF, Arrival, Changed, TemporalQueue

DAY = 86_400_000
START = 1_700_000_000_000

Piece: TypeAlias = tuple[int | None, int | None] | None
Row: TypeAlias = list[Piece] | None
"""When a row is valid."""
Update: TypeAlias = tuple[int, int, int]
"""Number of a row, clock value, difference."""

PIECES = pa.list_(pa.struct({"from": pa.int64(), "to": pa.int64()}))


def arriving(rows: list[Row], first: int) -> pa.RecordBatch:
    """Rows as they come to the operator, numbered from `first`."""
    valid = [None if each is None else [_struct(piece) for piece in each] for each in rows]
    return pa.RecordBatch.from_pydict(
        {
            VALID: pa.array(valid, PIECES),
            "n": range(first, first + len(rows)),
        }
    )


def _struct(piece: Piece) -> dict[str, int | None] | None:
    return None if piece is None else {"from": piece[0], "to": piece[1]}


@dataclass
class Timeline:
    """The operator with its clock moved by hand, on so many shards."""

    shards: int = 1
    history: bool = False
    now: int = 0
    held: int = 0
    rows: int = 0
    sizes: list[int] = field(default_factory=list)
    stores: list[tuple[DictStore, DictStore]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.stores = [(DictStore(), DictStore()) for _ in range(self.shards)]

    def batch(self, rows: list[Row], now: int) -> list[Update]:
        """Rows arrive in a batch that runs at `now`; what comes out."""
        self.now = now
        found: list[Update] = []
        keys = shard_keys(self.shards)
        if rows:
            queues = {
                key: self._queue(*stores) for key, stores in zip(keys, self.stores, strict=True)
            }
            for each in pack_batch(arriving(rows, self.rows), keys, 3, now).to_pylist():
                self.held += each["rows"]
                key = each.pop("shard")
                chunk = Chunk(*(each[name] for name in Chunk._fields))
                arrival = Arrival(chunk, each["entered_at"], each["staged"])
                found += self._taken(queues[key].push(arrival))
            for queue in queues.values():
                queue.flush()
            self.rows += len(rows)
        for last, staged in self.stores:
            # A timer that is set while others fire waits for the next batch.
            for start in sorted(timer for timer in last.timers | staged.timers if timer <= now):
                last.timers.discard(start)
                staged.timers.discard(start)
                found += self._taken(self._queue(last, staged).expire(start))
        return sorted(found)

    def _queue(self, last: DictStore, staged: DictStore) -> TemporalQueue:
        return TemporalQueue(last, staged, self.now, history=self.history)

    def _taken(self, changed: Iterator[Changed]) -> Iterator[Update]:
        for each in changed:
            self.held -= each.gone
            if not each.text:
                continue
            assert each.rows
            for records in chunks.decode_text(each.text):
                self.sizes.append(records.num_rows)
                for row in update(records, each.at).to_pylist():
                    yield row["n"], row[TIME], row[DIFF]

    def records(self) -> Counter[int]:
        """How often each row is in the state."""
        values = [
            value for pair in self.stores for store in pair for value in store.values.values()
        ]
        return Counter(
            number
            for value in values
            for batch in chunks.decode_text(value.text)
            for number in batch.column("n").to_pylist()
        )


class Oracle:
    """All rows that ever came."""

    def __init__(self, *, history: bool = False) -> None:
        self.history = history
        self.waiting: list[tuple[int, list[Piece]]] = []
        self.events: list[Update] = []
        self.numbers = itertools.count()

    def batch(self, rows: list[Row], now: int) -> list[Update]:
        fresh = [(next(self.numbers), valid or []) for valid in rows]
        if now:
            for row in self.waiting:
                self.events += with_past(*row, now) if self.history else changes(*row, now)
            for row in fresh:
                self.events += changes(*row, now)
            fresh, self.waiting = [], []
        self.waiting += fresh
        due = [event for event in self.events if event[1] <= now]
        self.events = [event for event in self.events if event[1] > now]
        return sorted(due)

    def held(self) -> set[int]:
        """The rows that have a change before them, or that wait for a first clock value."""
        later = {
            number for number, valid in self.waiting if any(until(piece) > 1 for piece in valid)
        }
        return later | {number for number, _, _ in self.events}


def until(piece: Piece) -> float:
    """Where a piece ends; minus infinity if it is none."""
    if piece is None or piece[0] is None:
        return float("-inf")
    end = float("inf") if piece[1] is None else piece[1]
    return end if end > piece[0] else float("-inf")


def changes(number: int, valid: list[Piece], now: int) -> Iterator[Update]:
    """What a row does that arrives at `now`: the clock values at which it is in, one after another.

    Between two neighbouring bounds nothing changes, so that it is enough to look at the bounds.
    """
    bounds = {bound for piece in valid if piece for bound in piece if bound is not None}
    inside = False
    for moment in [now, *sorted(bound for bound in bounds if bound > now)]:
        holds = any(
            piece is not None
            and piece[0] is not None
            and piece[0] <= moment
            and (piece[1] is None or moment < piece[1])
            for piece in valid
        )
        if holds != inside:
            yield number, moment, 1 if holds else -1
        inside = holds


def with_past(number: int, valid: list[Piece], now: int) -> list[Update]:
    """What a row does that came before the clock, whose first value is `now`.

    It begins to count at its time, however far back; without such a time, with the clock.
    """
    found = list(changes(number, valid, 1))
    if found and found[0][1] == 1:
        del found[0]
        if found and found[0][1] <= now:
            del found[0]
        else:
            found.insert(0, (number, now, 1))
    return found


def bound(near: int) -> st.SearchStrategy[int]:
    return st.one_of(
        st.integers(near - 6, near + 12),
        st.integers(near - DAY, near + DAY),
        st.sampled_from([near, near + 1, near + 1_024, near + 16_384, near + 400 * DAY]),
    )


def pieces(near: int) -> st.SearchStrategy[Piece]:
    one = st.tuples(st.one_of(bound(near), st.none()), st.one_of(bound(near), st.none()))
    return st.one_of(st.none(), one, st.tuples(bound(near), bound(near)))


def row(near: int) -> st.SearchStrategy[Row]:
    single = st.lists(st.tuples(bound(near), bound(near)), max_size=1)
    return st.one_of(st.none(), single, st.lists(pieces(near), max_size=6))


@st.composite
def timelines(draw: st.DrawFn) -> list[tuple[list[Row], int]]:
    """Batches of rows with the clock of each, which may be none (0) at first."""
    batches = []
    start = draw(st.sampled_from([1, 2, 1_000, START]))
    clock = draw(st.sampled_from([0, start]))
    for _ in range(draw(st.integers(1, 8))):
        rows = draw(st.lists(row(max(clock, start)), max_size=8))
        batches.append((rows, clock))
        step = draw(st.one_of(st.integers(0, 8), st.integers(0, 2 * DAY)))
        clock = max(clock, start) + step if step else clock
    return batches


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(batches=timelines(), shards=st.integers(1, 3), history=st.booleans())
def test_rows_come_and_go_when_the_clock_says_so(
    batches: list[tuple[list[Row], int]],
    shards: int,
    history: bool,  # noqa: FBT001
) -> None:
    timeline, oracle = Timeline(shards, history), Oracle(history=history)
    for rows, clock in batches:
        assert timeline.batch(rows, clock) == oracle.batch(rows, clock)
        assert_tidy(timeline, oracle)
    end = START + 1_000 * DAY
    assert timeline.batch([], end) == oracle.batch([], end)
    assert_tidy(timeline, oracle)
    assert timeline.held == 0
    for last, staged in timeline.stores:
        for store in (last, staged):
            assert (store.buckets, store.values, store.timers) == ({}, {}, set())


def assert_tidy(timeline: Timeline, oracle: Oracle) -> None:
    """State holds each row that has a change before it once, and no others."""
    assert timeline.records() == Counter(oracle.held())
    assert timeline.held == len(oracle.held())
    for pair in timeline.stores:
        for store in pair:
            assert store.timers == set(store.buckets)
            assert {start for start, _ in store.values} == set(store.buckets)
            assert all(start > timeline.now for start in store.buckets)


def test_rows_with_a_single_change_are_not_looked_into() -> None:
    """They enter on arrival, and the chunk that says so is the one that is kept and leaves."""
    timeline = Timeline()
    end = START + DAY
    assert len(timeline.batch([[(0, end)]] * CHUNK_ROWS, START)) == CHUNK_ROWS
    ((last, staged),) = timeline.stores
    assert staged == DictStore()
    (kept,) = last.values.values()
    leaving = [each.text for each in TemporalQueue(last, staged, end).expire(min(last.buckets))]
    assert leaving == [kept.text]


def test_a_burst_is_worked_off_in_bounded_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of many batches enter and leave while the job is down, and some come again later."""
    timeline = Timeline()
    filed: list[int] = []
    file = ReleaseQueue.file

    def watched(queue: ReleaseQueue, batch: pa.RecordBatch) -> None:
        filed.append(batch.num_rows)
        file(queue, batch)

    monkeypatch.setattr(ReleaseQueue, "file", watched)
    starts = [START + DAY + number % 20 * DAY // 2 for number in range(40_000)]
    again = [START + 40 * DAY + number for number in range(40_000)]
    rows: list[Row] = [
        [(second, None if number % 4 else second + 5), (first, first + DAY)]
        for number, (first, second) in enumerate(zip(starts, again, strict=True))
    ]
    for batch in range(0, len(rows), 5_000):
        assert timeline.batch(rows[batch : batch + 5_000], START + batch) == []
    timeline.sizes.clear()
    burst = timeline.batch([], START + 30 * DAY)
    assert Counter(diff for _, _, diff in burst) == {1: 40_000, -1: 40_000}
    assert all(time == starts[number] + DAY * (diff < 0) for number, time, diff in burst)
    assert max(timeline.sizes) <= CHUNK_ROWS
    assert max(filed) <= PACK_ROWS + CHUNK_ROWS
    assert timeline.held == 40_000
    end = timeline.batch([], START + 41 * DAY)
    assert Counter(diff for _, _, diff in end) == {1: 40_000, -1: 10_000}
    assert timeline.held == 0


def test_what_comes_before_the_first_clock_value_arrives_at_it() -> None:
    timeline = Timeline()
    rows: list[Row] = [
        [(-5, 1)],  # over before the clock begins
        [(0, START)],  # over when it begins
        [(None, None)],
        None,
        [(-5, START + 10)],
        [(START + 10, None), (0, START + 5)],
        [(0, None)],
    ]
    assert timeline.batch(rows, 0) == []
    assert timeline.held == 4
    assert timeline.batch([], START) == [(4, START, 1), (5, START, 1), (6, START, 1)]
    assert timeline.held == 2
    assert timeline.batch([], START + 7) == [(5, START + 5, -1)]
    assert timeline.batch([], START + 99) == [(4, START + 10, -1), (5, START + 10, 1)]
    assert timeline.held == 0


def test_pieces_are_put_in_order() -> None:
    many: list[Piece] = [(5, 7), (1, 3), (3, 4), None, (9, 9), (2, 2), (None, 8), (6, 6)]
    rows: list[Row] = [many, [], None, [(4, None), (9, 12)]]
    found = intervals_of(arriving(rows, first=0).column(VALID))
    assert list(zip(*(each.tolist() for each in found), strict=True)) == [
        (0, 1, 4),
        (0, 5, 7),
        (3, 4, FOREVER),
    ]
