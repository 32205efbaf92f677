"""The groups of one shard: changes go in, and rows of the result that have changed come out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from tvfc_runtime.changing.bags import GID, Range, add_to_bag, values_of
from tvfc_runtime.changing.calls import Bag, Plan
from tvfc_runtime.changing.hashed import find, portions, replace
from tvfc_runtime.changing.leaves import LEAF_ROWS, Leaves, Store
from tvfc_runtime.changing.partial import (
    DIFF,
    GROUP,
    HASH,
    Change,
    effective,
    of_groups,
    sum_columns,
    value_columns,
)
from tvfc_runtime.changing.ranks import Sort, group_codes
from tvfc_runtime.changing.results import Groups, ends_needed, evaluate
from tvfc_runtime.changing.sums import Columns, merged, nothing, sums_of, types, zeros

COUNTER = -1
"""The table that holds the next number of a group."""


class GroupTables:
    """Sums of groups in one table by the hash of their keys, values in one for each bag.

    Args:
        plan: what is computed.
        store: the state of the shard.
        most: rows of a leaf, at most.
    """

    def __init__(self, plan: Plan, store: Store, most: int = LEAF_ROWS) -> None:
        self._plan = plan
        self._store = store
        self._groups = Leaves(store, 0, (Sort(HASH),), most)
        self._bags = [
            Leaves(store, number + 1, _bag_order(bag), most) for number, bag in enumerate(plan.bags)
        ]
        self._next = int(store.get(COUNTER, 0) or 0)
        self._ends = [
            {end for result in plan.results if result.bag == number for end in ends_needed(result)}
            for number in range(len(plan.bags))
        ]

    @property
    def rows(self) -> int:
        """Rows of all tables."""
        return self._groups.rows + sum(bag.rows for bag in self._bags)

    def apply(self, change: Change) -> Iterator[pa.RecordBatch]:
        """Change groups; for each whose result is another now, the old row and the new one.

        Yields:
            Keys, results, `d`: -1 for an old row, +1 for a new one.
        """
        # Without keys there is one group, whatever happens.
        next_before = self._next
        rest = effective(self._plan, change) if self._plan.keys else change
        for chosen in portions(self._groups, rest.sums):
            yield self._apply(of_groups(rest, chosen))
            for table in (self._groups, *self._bags):
                table.flush()
        if self._next != next_before:
            self._store.put(COUNTER, 0, str(self._next))

    def _apply(self, change: Change) -> pa.RecordBatch:
        count = change.sums.num_rows
        found = find(self._groups, change.sums, self._plan.keys)
        known, at = found.known, found.at
        fresh = at < 0
        gids = found.numbers(GID)
        gids[fresh] = np.arange(self._next, self._next + int(fresh.sum()))
        self._next += int(fresh.sum())
        old = [_known_sums(self._plan, each, known, at) for each in range(len(self._plan.sums))]
        bags, ranges, entries = self._apply_bags(change, gids)
        new = [self._added(number, columns, change, bags) for number, columns in enumerate(old)]
        keys = {name: found.column(change.sums, name) for name in self._plan.keys}
        for number, each in enumerate(entries):
            entries[number] = found.numbers(f"e{number}") + each
        state = {HASH: change.sums.column(HASH), GID: pa.array(gids), **keys}
        for number, columns in enumerate(new):
            state |= dict(zip(sum_columns(self._plan, number), columns, strict=True))
        state |= {f"e{number}": pa.array(each) for number, each in enumerate(entries)}
        rows = pa.RecordBatch.from_pydict(state)
        replace(self._groups, found, rows, self._left(rows))
        return self._emitted(keys, old, new, ranges, bags, ~fresh, count)

    def _apply_bags(
        self, change: Change, gids: np.ndarray
    ) -> tuple[list[tuple[pa.RecordBatch, np.ndarray]], list[list[Range]], list[np.ndarray]]:
        """Change the bags.

        Returns:
            For each bag its changed values with how many different ones there are more or less,
            what is needed of it before and after, and how many more values it has by group.
        """
        flips, ranges, sizes = [], [], []
        for leaves, ends, bag in zip(self._bags, self._ends, change.bags, strict=True):
            before = values_of(leaves, gids, ends)
            groups = bag.column(GROUP).to_numpy()
            values = {name: bag.column(name) for name in value_columns(bag)}
            entries = {GID: pa.array(gids[groups]), **values, DIFF: bag.column(DIFF)}
            was, now = add_to_bag(leaves, pa.RecordBatch.from_pydict(entries))
            flip = (now > 0).astype(np.int64) - (was > 0)
            size = np.zeros(len(gids), dtype=np.int64)
            np.add.at(size, groups, (now != 0).astype(np.int64) - (was != 0))
            flips.append((bag, flip))
            ranges.append([before, values_of(leaves, gids, ends)])
            sizes.append(size)
        return flips, ranges, sizes

    def _added(
        self,
        number: int,
        old: Columns,
        change: Change,
        bags: list[tuple[pa.RecordBatch, np.ndarray]],
    ) -> Columns:
        """The columns of a sum after the change."""
        wanted = self._plan.sums[number]
        count = change.sums.num_rows
        if wanted.bag is None:
            more = [change.sums.column(name) for name in sum_columns(self._plan, number)]
        else:
            bag, flip = bags[wanted.bag]
            more = sums_of(wanted, bag, flip, bag.column(GROUP).to_numpy(), count)
        both = [pa.concat_arrays(pair) for pair in zip(old, more, strict=True)]
        return merged(wanted, both, np.tile(np.arange(count), 2), count)

    def _left(self, rows: pa.RecordBatch) -> np.ndarray:
        """Which groups are not empty."""
        empty = np.full(rows.num_rows, bool(self._plan.keys))
        for name in rows.schema.names[2 + len(self._plan.keys) :]:
            empty &= nothing(rows.column(name))
        return ~empty

    def _emitted(
        self,
        keys: dict[str, pa.Array],
        old: list[Columns],
        new: list[Columns],
        ranges: list[list[Range]],
        bags: list[tuple[pa.RecordBatch, np.ndarray]],
        known: np.ndarray,
        count: int,
    ) -> pa.RecordBatch:
        """Rows of the result that have changed."""
        sums = [
            [pa.concat_arrays(pair) for pair in zip(before, after, strict=True)]
            for before, after in zip(old, new, strict=True)
        ]
        kinds = [[bag.column(name).type for name in value_columns(bag)] for bag, _ in bags]
        groups = Groups(sums, ranges, kinds)
        results = [evaluate(result, groups) for result in self._plan.results]
        there = sums[0][0].to_numpy() > 0
        if not self._plan.keys:
            there = np.concatenate([known, np.ones(count, dtype=bool)])
        codes, _ = group_codes([pa.array(there), *results], 2 * count)
        changed = np.tile(codes[:count] != codes[count:], 2) & there
        left = np.flatnonzero(changed)
        columns = {name: column.take(pa.array(left % count)) for name, column in keys.items()}
        columns |= {
            f"r{number}": column.take(pa.array(left)) for number, column in enumerate(results)
        }
        diff = np.where(left < count, -1, 1).astype(np.int32)
        return pa.RecordBatch.from_pydict({**columns, DIFF: pa.array(diff)})


def _known_sums(plan: Plan, number: int, known: pa.RecordBatch | None, at: np.ndarray) -> Columns:
    """The columns of a sum in known rows, zero for the others."""
    kinds, size = types(plan.sums[number]), len(at)
    if known is None:
        return [zeros(kind, size) for kind in kinds]
    where = pa.array(np.where(at < 0, known.num_rows, at))
    return [
        pa.concat_arrays([known.column(name), zeros(kind, 1)]).take(where)
        for name, kind in zip(sum_columns(plan, number), kinds, strict=True)
    ]


def _bag_order(bag: Bag) -> tuple[Sort, ...]:
    return Sort(GID), *(Sort(f"v{place}") for place in range(len(bag.inputs)))
