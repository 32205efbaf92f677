"""What rows that come and go have before them: changes that are called off when a row is withdrawn.

A *record* says at which clock value a row changes next (`__due`), by how much (`__diff`), and at
which values it changes after that, back and forth (`__rest`). What a row does is linear in how
often it is there. So a row that is withdrawn has before it the opposite of what it had when it
came: the records of both are equal but for the sign, and both are gone when they meet. No row has
to be looked for by what it once was.

The records of a shard are a table sorted by `__due` and the hash of the row: what is due is in
front, and a record is found by what it says. The table counts equal records and holds no others.

Units: whole milliseconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from tvfc_runtime.changing.hashed import PORTION_ROWS, portions
from tvfc_runtime.changing.leaves import LEAF_ROWS, Leaves, Store, compared
from tvfc_runtime.changing.partial import HASH
from tvfc_runtime.changing.ranks import Sort
from tvfc_runtime.changing.rows import netted
from tvfc_runtime.delay.release import FIRST_CLOCK_VALUE
from tvfc_runtime.queue.release_queue import DUE
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.intervals import Intervals, Moments, ahead, intervals_between
from tvfc_runtime.rows.updates import DIFF, TIME
from tvfc_runtime.temporal.operator import VALID

REST = "__rest"
"""Clock values as binary: an int64 each. Bytes are compared faster than lists."""

OWN = (VALID, TIME, DUE, REST, HASH, DIFF)

NO_CLOCK = 0
"""The clock while it has no value, as Spark has it."""

DUE_TABLE, WAITING_TABLE = 0, 1
"""Records by when they are due; those that wait for the first clock value, at which they arrive."""


def records_of(rows: pa.RecordBatch, intervals: Intervals, at: np.ndarray) -> pa.RecordBatch:
    """Updates as records; those of rows that are past, and that have nothing before them, are gone.

    Args:
        rows: `__diff`, how many rows more or less there are, the hash of each, and their columns.
        intervals: when a row is in the result, as far as it is there at all.
        at: the clock value of each update.
    """
    row, start, end = intervals.where(intervals.end > at[intervals.row])
    to_come = Intervals(row, np.maximum(start, at[row]), end)
    _, changes = ahead(to_come, rows.num_rows, NO_CLOCK)
    some = (changes.counts > 0) & (rows.column(DIFF).to_numpy() != 0)
    return _records(_some(rows, some), changes.where(some))


def _some(rows: pa.RecordBatch, some: np.ndarray) -> pa.RecordBatch:
    return rows if some.all() else rows.filter(pa.array(some))


def _records(rows: pa.RecordBatch, changes: Moments, sign: int = 1) -> pa.RecordBatch:
    """Records of rows that each have a change before them."""
    diff = sign * rows.column(DIFF).to_numpy().astype(np.int64)
    own = {DUE: pa.array(changes.firsts(), pa.int64()), REST: to_binary(changes.rest())}
    counted = {HASH: rows.column(HASH), **_columns(rows), DIFF: pa.array(diff)}
    return pa.RecordBatch.from_pydict(own | counted)


def _columns(rows: pa.RecordBatch) -> dict[str, pa.Array]:
    """The columns of the rows themselves."""
    return {name: rows.column(name) for name in rows.schema.names if name not in OWN}


def to_binary(moments: Moments) -> pa.Array:
    """Lists of clock values as bytes."""
    offsets = np.concatenate([[0], np.cumsum(moments.counts * 8)]).astype(np.int32)
    data = np.ascontiguousarray(moments.times, dtype=np.int64)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.binary(), len(moments.counts), buffers)


def from_binary(values: pa.Array) -> Moments:
    """What `to_binary` gave."""
    if not len(values):
        nothing = np.zeros(0, dtype=np.int64)
        return Moments(nothing, nothing)
    _, places, data = values.buffers()
    end = values.offset + len(values) + 1
    offsets = np.frombuffer(places, dtype=np.int32, count=end)[values.offset :].astype(np.int64)
    size = int(offsets[-1]) // 8
    times = np.frombuffer(data, dtype=np.int64, count=size) if size else np.zeros(0, dtype=np.int64)
    return Moments(times[int(offsets[0]) // 8 :], np.diff(offsets) // 8)


def made(records: pa.RecordBatch, now: int) -> tuple[list[pa.RecordBatch], list[pa.RecordBatch]]:
    """What records have come to when the clock is at `now`: updates, and records of what is left.

    Updates are the rows, `__time` and `__diff`.
    """
    updates: list[pa.RecordBatch] = []
    later: list[pa.RecordBatch] = []
    while records.num_rows:
        is_due = records.column(DUE).to_numpy() <= now
        later.append(_some(records, ~is_due))
        due = _some(records, is_due)
        updates.append(_updates(due))
        records = _following(due)
    return _used(updates), _used(later)


def _used(parts: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    return [each for each in parts if each.num_rows]


def _updates(due: pa.RecordBatch) -> pa.RecordBatch:
    change = {HASH: due.column(HASH), TIME: due.column(DUE), DIFF: due.column(DIFF)}
    return pa.RecordBatch.from_pydict(_columns(due) | change)


def _following(due: pa.RecordBatch) -> pa.RecordBatch:
    """What comes after the changes that records are due for."""
    rest = from_binary(due.column(REST))
    some = rest.counts > 0
    return _records(_some(due, some), rest.where(some), sign=-1)


def arrived(records: pa.RecordBatch, now: int, *, history: bool) -> pa.RecordBatch:
    """Records of rows that came before there was a clock, when it is at `now`, its first value.

    They arrive at it; with a history, those that begin to count before it have done so.
    """
    rest = from_binary(records.column(REST))
    begins = np.cumsum(rest.counts) - rest.counts
    times = np.insert(rest.times, begins, records.column(DUE).to_numpy())
    intervals = intervals_between(Moments(times, rest.counts + 1))
    at = np.full(records.num_rows, now)
    if history:
        # What has no beginning begins with the clock.
        endless = intervals.start <= FIRST_CLOCK_VALUE
        intervals = intervals._replace(start=np.where(endless, now, intervals.start))
        intervals = intervals.where(intervals.start < intervals.end)
        at = np.full(records.num_rows, FIRST_CLOCK_VALUE)
    return records_of(records, intervals, at)


class PendingTable:
    """The records of one shard.

    Args:
        store: the state of the shard.
        most: rows of a leaf, at most.
        history: whether rows that come before the clock has a value have a past when it has one.
    """

    def __init__(self, store: Store, most: int = LEAF_ROWS, *, history: bool = False) -> None:
        self._history = history
        sort = (Sort(DUE), Sort(HASH))
        self._due = Leaves(store, DUE_TABLE, sort, most)
        self._waiting = Leaves(store, WAITING_TABLE, sort, most)

    @property
    def rows(self) -> int:
        """How many records there are."""
        return self._due.rows + self._waiting.rows

    @property
    def wakes_at(self) -> int | None:
        """When something is to be done, even if no rows come; None: never."""
        return FIRST_CLOCK_VALUE if self._waiting.rows else self._due.least(DUE)

    def apply(self, records: list[pa.RecordBatch], now: int) -> Iterator[pa.RecordBatch]:
        """Take in records of a batch; yields what has changed by `now`: rows, `__time`, `__diff`.

        With no clock yet, all records wait.
        """
        if now == NO_CLOCK:
            _add(self._waiting, records)
            return
        waited = _taken(self._waiting, None)
        records = [*records, *(arrived(each, now, history=self._history) for each in waited)]
        updates: list[pa.RecordBatch] = []
        later: list[pa.RecordBatch] = []
        for each in records:
            more, left = made(each, now)
            updates += more
            later += left
        given = netted(chunks.concat(updates), (DIFF,)) if updates else None
        for due in _taken(self._due, now):
            more, left = made(due, now)
            later += left
            own, given = _met(chunks.concat(more), given)
            yield _net(own)
        if given is not None:
            yield _net([given])
        _add(self._due, later)


def _met(
    updates: pa.RecordBatch, others: pa.RecordBatch | None
) -> tuple[list[pa.RecordBatch], pa.RecordBatch | None]:
    """Updates with those others that may concern the same rows, and the others that do not."""
    if others is None:
        return [updates], None
    same = np.isin(others.column(HASH).to_numpy(), updates.column(HASH).to_numpy())
    return [updates, others.filter(pa.array(same))], others.filter(pa.array(~same))


def _net(updates: list[pa.RecordBatch]) -> pa.RecordBatch:
    """Updates without those that cancel each other at one clock value."""
    rows = netted(chunks.concat(updates), (DIFF,)).drop_columns([HASH])
    often = rows.column(DIFF).cast(pa.int32())
    return rows.set_column(rows.schema.get_field_index(DIFF), DIFF, often)


def _taken(table: Leaves, now: int | None) -> Iterator[pa.RecordBatch]:
    """Records that are due by `now`, or all, out of a table, not too many at a time."""
    while (first := table.least(DUE)) is not None and (now is None or first <= now):
        leaves, rows = _first_leaves(table, now)
        due = rows.column(DUE).to_numpy()
        taken = len(due) if now is None else int(np.searchsorted(due, now, side="right"))
        # They are in order, so that what is left of them is of the last leaf.
        left = rows.slice(taken)
        table.write(leaves, left, np.full(left.num_rows, leaves[-1]))
        table.flush()
        yield rows.slice(0, taken)
        if left.num_rows:
            return


def _first_leaves(table: Leaves, now: int | None) -> tuple[np.ndarray, pa.RecordBatch]:
    """The first leaves of a table, up to one with records due after `now`, and their rows."""
    parts: list[pa.RecordBatch] = []
    rows = 0
    for leaf in range(len(table)):
        parts.append(table.read(leaf))
        rows += parts[-1].num_rows
        if rows >= PORTION_ROWS or (now is not None and parts[-1].column(DUE)[-1].as_py() > now):
            break
    return np.arange(len(parts)), chunks.concat(parts)


def _add(table: Leaves, records: list[pa.RecordBatch]) -> None:
    """Add records to a table, without those that cancel each other."""
    if not records:
        return
    wanted = netted(chunks.concat(records), (DIFF,))
    for chosen in portions(table, wanted):
        _absorb(table, wanted.take(pa.array(chosen)))
        table.flush()


def _absorb(table: Leaves, wanted: pa.RecordBatch) -> None:
    leaves = np.unique(table.locate(wanted))
    known = table.read_all(leaves)
    if known is None:
        order = np.argsort(compared([wanted], table.sort), kind="stable")
        table.write(leaves, wanted.take(pa.array(order)), np.zeros(len(order), dtype=np.int64))
        return
    same = np.isin(known.column(HASH).to_numpy(), wanted.column(HASH).to_numpy())
    met = netted(chunks.concat([known.filter(pa.array(same)), wanted]), (DIFF,))
    rows = chunks.concat([known.filter(pa.array(~same)), met])
    places = np.repeat(leaves, table.sizes()[leaves])[~same]
    where = np.concatenate([places, table.locate(met)])
    order = np.argsort(compared([rows], table.sort), kind="stable")
    table.write(leaves, rows.take(pa.array(order)), where[order])
