"""Rows that come and go while they wait, are visible, or are past, against the rule itself."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from changing.feeds import MemoryStore, frozen

from tvfc_runtime.changing.partial import HASH
from tvfc_runtime.changing.pending import PendingTable, records_of
from tvfc_runtime.changing.rows import netted
from tvfc_runtime.queue.release_queue import DUE
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.intervals import intervals_of
from tvfc_runtime.rows.updates import DIFF, TIME
from tvfc_runtime.temporal.operator import VALID

PIECES = pa.list_(pa.struct({"from": pa.int64(), "to": pa.int64()}))
Row = tuple[Any, ...]
Pieces = tuple[tuple[int | None, int | None], ...]

ROWS: list[Row] = [
    (text, number, items)
    for text in ("a", None)
    for number in (0.5, float("nan"), None)
    for items in ([1, None], [], None)
]


@dataclass(frozen=True)
class Update:
    """A row that comes or goes at a clock value; `at` is None while there is no clock."""

    row: Row
    valid: Pieces
    at: int | None
    diff: int


def record_batch(updates: list[Update]) -> pa.RecordBatch:
    """Records as the operator packs them."""
    valid = [[{"from": start, "to": end} for start, end in each.valid] for each in updates]
    hashes = [hash(frozen(each.row)) % 5 for each in updates]
    batch = pa.RecordBatch.from_pydict(
        {
            VALID: pa.array(valid, PIECES),
            DIFF: pa.array([each.diff for each in updates], pa.int32()),
            HASH: pa.array(hashes, pa.int64()),
            "c0": pa.array([each.row[0] for each in updates], pa.string()),
            "c1": pa.array([each.row[1] for each in updates], pa.float64()),
            "c2": pa.array([each.row[2] for each in updates], pa.list_(pa.int32())),
        }
    )
    at = np.array([1 if each.at is None else each.at for each in updates], dtype=np.int64)
    return netted(records_of(batch, intervals_of(batch.column(VALID)), at), (DIFF,))


def holds(valid: Pieces, moment: int) -> bool:
    """Whether a clock value lies in one of some pieces."""
    return any(
        start is not None and start <= moment and (end is None or moment < end)
        for start, end in valid
    )


def changes_after(valid: Pieces, moment: int) -> tuple[int, ...]:
    """The clock values after one at which a row enters or leaves."""
    bounds = sorted({b for piece in valid for b in piece if b is not None and b > moment})
    return tuple(b for b in bounds if holds(valid, b) != holds(valid, b - 1))


@dataclass
class Oracle:
    """All updates so far."""

    updates: list[Update] = field(default_factory=list)
    given: Counter[Any] = field(default_factory=Counter)

    def batch(self, updates: list[Update], now: int) -> Counter[Any]:
        """What is to be said of the changes up to a value of the clock."""
        self.updates += updates
        if not now:
            return Counter()
        known = [self._from(each, now) for each in self.updates]
        self.updates = known
        found: Counter[Any] = Counter()
        for each in known:
            start = each.at or 0
            moments = [start, *changes_after(each.valid, start)]
            for moment in moments:
                if moment <= now:
                    was = moment > start and holds(each.valid, moment - 1)
                    change = int(holds(each.valid, moment)) - int(was)
                    found[frozen(each.row), moment] += change * each.diff
        more = Counter(found)
        more.subtract(self.given)
        self.given = found
        return Counter({key: often for key, often in more.items() if often})

    @staticmethod
    def _from(update: Update, now: int) -> Update:
        at = now if update.at is None else update.at
        return Update(update.row, update.valid, at, update.diff)

    def records(self, now: int) -> int:
        """How many records there must be: equal rows with the same before them are one."""
        left: Counter[Any] = Counter()
        for each in self.updates:
            changes = changes_after(each.valid, now)
            if not now and holds(each.valid, 1) and (not changes or changes[0] != 1):
                changes = (1, *changes)
            sign = -1 if holds(each.valid, now) else 1
            if changes:
                left[frozen(each.row), changes] += each.diff * sign
        return sum(1 for often in left.values() if often)


@pytest.mark.slow
def test_a_row_is_there_while_it_has_come_and_the_clock_admits_it() -> None:
    for seed in range(60):
        timeline(random.Random(seed))


def timeline(source: random.Random) -> None:
    store, oracle = MemoryStore(), Oracle()
    before, now = 0, source.choice([0, 0, 3])
    live: list[tuple[Row, Pieces]] = []
    for _ in range(8):
        updates = [draw(source, live, before, now) for _ in range(source.choice([0, 1, 6, 40]))]
        table = PendingTable(store, most=4)
        records = [record_batch(each) for each in (updates[::2], updates[1::2]) if each]
        found: Counter[Any] = Counter()
        for batch in table.apply(records, now):
            for each in batch.to_pylist():
                assert each[DIFF]
                found[frozen((each["c0"], each["c1"], each["c2"])), each[TIME]] += each[DIFF]
        wanted = oracle.batch(updates, now)
        assert Counter({key: often for key, often in found.items() if often}) == wanted
        assert PendingTable(store).rows == oracle.records(now) == stored(store)
        before, now = now, max(now, 1) + source.choice([0, 1, 5, 30])
    table = PendingTable(store, most=4)
    list(table.apply([], 10_000))
    assert (table.wakes_at, store.texts) == (None, {})


def draw(source: random.Random, live: list[tuple[Row, Pieces]], before: int, now: int) -> Update:
    """A row that comes, or one that has come before and goes."""
    at = source.randint(min(before + 1, now), now) if now else None
    if live and source.random() < 0.5:
        return Update(*live.pop(source.randrange(len(live))), at, -1)
    row = source.choice(ROWS)
    bounds = sorted(source.sample(range(1, now + 60), 4))
    valid: Pieces = source.choice(
        [
            ((bounds[0], None),),
            ((1, bounds[1]),),
            ((bounds[0], bounds[1]), (bounds[2], bounds[3])),
            ((bounds[2], None), (None, bounds[1]), (bounds[0], bounds[1])),
            (),
        ]
    )
    live.append((row, valid))
    return Update(row, valid, at, 1)


def stored(store: MemoryStore) -> int:
    """How many records the state has."""
    return sum(
        chunks.decode_text(text)[0].num_rows
        for (_, number), text in store.texts.items()
        if number >= 0
    )


@pytest.mark.parametrize("most", [16, 4096])
def test_heartbeats_leave_one_record_for_each_sensor(most: int) -> None:
    store = MemoryStore()
    sensors = [(str(number), 0.0, None) for number in range(40)]

    def since(now: int) -> Pieces:
        return ((now + 1_000, None),)

    for now in range(10, 60):
        old = [Update(each, since(now - 1), now, -1) for each in sensors if now > 10]
        new = [Update(each, since(now), now, 1) for each in sensors]
        table = PendingTable(store, most)
        assert not list(table.apply([record_batch(old + new)], now))
        assert (table.rows, stored(store), table.wakes_at) == (40, 40, now + 1_000)
    assert PendingTable(store).apply([], 1_059)
    (found,) = PendingTable(store).apply([], 1_059)
    assert found.num_rows == 40
    assert store.texts == {}


def test_what_has_come_before_the_clock_may_have_a_past() -> None:
    store = MemoryStore()
    pieces: list[Pieces] = [((20, 40),), ((1, 30),), ((5, 10),), ((60, None),)]
    updates = [Update(ROWS[n], valid, None, 1) for n, valid in enumerate(pieces)]
    gone = Update(ROWS[4], ((20, 40),), None, 1)
    list(PendingTable(store).apply([record_batch([*updates, gone])], 0))
    list(PendingTable(store).apply([record_batch([replace(gone, diff=-1)])], 0))
    (found,) = PendingTable(store, history=True).apply([], 25)
    came = [
        (*frozen((each["c0"], each["c1"], each["c2"])), each[TIME], each[DIFF])
        for each in found.to_pylist()
    ]
    wanted = [(0, 20, 1), (1, 25, 1), (2, 5, 1), (2, 10, -1)]
    assert sorted(came, key=str) == sorted(
        ((*frozen(ROWS[n]), at, diff) for n, at, diff in wanted), key=str
    )
    assert PendingTable(store).rows == 3


def test_records_are_sorted_by_when_they_are_due() -> None:
    store = MemoryStore()
    updates = [Update(row, ((100 - n, None),), 5, 1) for n, row in enumerate(ROWS)]
    list(PendingTable(store, most=4).apply([record_batch(updates)], 5))
    table = PendingTable(store, most=4)
    (found,) = table.apply([], 90)
    assert sorted(found.column(TIME).to_pylist()) == list(range(83, 91))
    assert table.wakes_at == 91
    assert DUE not in found.schema.names
