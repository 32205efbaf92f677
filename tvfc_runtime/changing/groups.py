"""The groups of one shard: changes go in, and rows of the result that have changed come out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from tvfc_runtime.changing.bags import GID
from tvfc_runtime.changing.calls import Bag, Plan
from tvfc_runtime.changing.hashed import find, portions, replace
from tvfc_runtime.changing.leaves import LEAF_ROWS, Leaves, Store
from tvfc_runtime.changing.partial import (
    AT,
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
from tvfc_runtime.changing.runs import Runs
from tvfc_runtime.changing.sums import Columns, accumulated, nothing, sums_of, types, zeros
from tvfc_runtime.changing.values import BagChange, change_bag, keep_ends
from tvfc_runtime.changing.waves import runs_in_time

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
        summed = {each.bag for each in plan.sums}
        # Of rows that never go, a value between the ends will never be at one.
        self._only_ends = [
            plan.grows and bool(ends) and "all" not in ends and number not in summed
            for number, ends in enumerate(self._ends)
        ]

    @property
    def rows(self) -> int:
        """Groups, and their values where there may be many."""
        bags = zip(self._bags, self._only_ends, strict=True)
        return self._groups.rows + sum(bag.rows for bag, only_ends in bags if not only_ends)

    def apply(self, change: Change) -> Iterator[pa.RecordBatch]:
        """Change groups; where the result of one is another, the old row and the new one.

        Yields:
            Keys, results, `t`, `d`: -1 for an old row, +1 for a new one.
        """
        # Without keys there is one group, whatever happens.
        next_before = self._next
        rest = effective(self._plan, change) if self._plan.keys else change
        keys = [rest.sums.column(key) for key in self._plan.keys]
        codes, first = group_codes(keys, rest.sums.num_rows)
        groups = rest.sums.take(pa.array(first))
        for chosen in portions(self._groups, groups):
            order, runs = runs_in_time(rest.sums, codes, chosen)
            yield self._apply(groups.take(pa.array(chosen)), of_groups(rest, order), runs)
            for table in (self._groups, *self._bags):
                table.flush()
        if self._next != next_before:
            self._store.put(COUNTER, 0, str(self._next))

    def _apply(self, wanted: pa.RecordBatch, change: Change, runs: Runs) -> pa.RecordBatch:
        """Change groups, each by a run of changes."""
        found = find(self._groups, wanted, self._plan.keys)
        fresh = found.at < 0
        gids = found.numbers(GID)
        gids[fresh] = np.arange(self._next, self._next + int(fresh.sum()))
        self._next += int(fresh.sum())
        bags = [
            change_bag(leaves, entries, gids, runs, ends)
            for leaves, entries, ends in zip(self._bags, change.bags, self._ends, strict=True)
        ]
        keys = {name: found.column(wanted, name) for name in self._plan.keys}
        state: dict[str, pa.Array] = {HASH: wanted.column(HASH), GID: pa.array(gids), **keys}
        sums, last = [], pa.array(runs.ends - 1)
        for number, each in enumerate(self._plan.sums):
            old = _known_sums(self._plan, number, found.known, found.at)
            new = accumulated(each, old, self._added(number, change, bags), runs)
            sums.append([pa.concat_arrays(pair) for pair in zip(old, new, strict=True)])
            columns = (column.take(last) for column in new)
            state |= dict(zip(sum_columns(self._plan, number), columns, strict=True))
        for number, bag in enumerate(bags):
            more = bag.more
            if self._only_ends[number]:
                more = more - keep_ends(self._bags[number], gids, self._ends[number])
            state[f"e{number}"] = pa.array(found.numbers(f"e{number}") + more)
        rows = pa.RecordBatch.from_pydict(state)
        replace(self._groups, found, rows, self._left(rows))
        ranges = [(bag.before, bag.after) for bag in bags]
        kinds = [[e.column(name).type for name in value_columns(e)] for e in change.bags]
        there = ~fresh if not self._plan.keys else None
        times = change.sums.column(AT)
        return self._emitted(keys, Groups(sums, ranges, kinds), runs, times, there)

    def _added(self, number: int, change: Change, bags: list[BagChange]) -> Columns:
        """The columns of a sum, as each change adds to them."""
        wanted = self._plan.sums[number]
        if wanted.bag is None:
            return [change.sums.column(name) for name in sum_columns(self._plan, number)]
        bag = bags[wanted.bag]
        groups = bag.entries.column(GROUP).to_numpy()
        return sums_of(wanted, bag.entries, bag.flips, groups, change.sums.num_rows)

    def _left(self, rows: pa.RecordBatch) -> np.ndarray:
        """Which groups are not empty."""
        empty = np.full(rows.num_rows, bool(self._plan.keys))
        for name in rows.schema.names[2 + len(self._plan.keys) :]:
            empty &= nothing(rows.column(name))
        return ~empty

    def _emitted(
        self,
        keys: dict[str, pa.Array],
        groups: Groups,
        runs: Runs,
        times: pa.Array,
        was_there: np.ndarray | None,
    ) -> pa.RecordBatch:
        """Rows of the result that have changed.

        Args:
            keys: those of each group.
            groups: what is known of each before its first change, and after each of its changes.
            runs: the changes of each group.
            times: when they are.
            was_there: whether each group was there before, if that does not go by its rows.
        """
        results = [evaluate(result, groups) for result in self._plan.results]
        size, number = len(runs.starts), len(runs.run)
        there = groups.sums[0][0].to_numpy() > 0
        if was_there is not None:
            there = np.concatenate([was_there, np.ones(number, dtype=bool)])
        codes, _ = group_codes([pa.array(there), *results], size + number)
        new = size + np.arange(number)
        old = new - 1
        old[runs.starts] = np.arange(size)
        changed = codes[old] != codes[new]
        state = np.concatenate([old[changed & there[old]], new[changed & there[new]]])
        change = np.concatenate([np.flatnonzero(changed & there[each]) for each in (old, new)])
        run = pa.array(runs.run[change])
        columns = {name: column.take(run) for name, column in keys.items()}
        columns |= {f"r{place}": each.take(pa.array(state)) for place, each in enumerate(results)}
        gone = np.count_nonzero(changed & there[old])
        diff = np.where(np.arange(len(change)) < gone, -1, 1).astype(np.int32)
        columns |= {AT: times.take(pa.array(change)), DIFF: pa.array(diff)}
        return pa.RecordBatch.from_pydict(columns)


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
