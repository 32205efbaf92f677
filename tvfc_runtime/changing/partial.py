"""What rows of a batch change in groups: computed where the rows are, before the shuffle.

A change of groups is a record batch `sums`, with a row for each group and clock value, and one for
each bag, whose rows name that by its place in `sums`. As text, they are chunks one after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tvfc_runtime.changing.calls import Bag, Plan
from tvfc_runtime.changing.exact import MOST_DIFFS, add_by
from tvfc_runtime.changing.ranks import codes_of_words, group_codes, words
from tvfc_runtime.changing.sums import merged, nothing, sums_of, types
from tvfc_runtime.rows import chunks

HASH = "h"
"""The hash of the keys, BIGINT: decides shard and leaf of a group."""

AT = "t"
"""The clock value of a change, BIGINT, milliseconds since the epoch; 0: there is none."""

DIFF = "d"
"""How often a row counts, BIGINT."""

GROUP = "g"


@dataclass(frozen=True)
class Change:
    """Changes of groups.

    Attributes:
        sums: `h`, `t`, keys, the columns of sums; each group once at a clock value.
        bags: for each bag `g`, its values, `d`; each value of a row of `sums` once.
    """

    sums: pa.RecordBatch
    bags: tuple[pa.RecordBatch, ...]

    @property
    def rows(self) -> int:
        """A measure of its size."""
        return self.sums.num_rows + sum(bag.num_rows for bag in self.bags)

    def encode(self) -> str:
        """As text."""
        parts = [self.sums, *self.bags]
        return chunks.SEPARATOR.join(chunks.to_text(chunks.encode(part)) for part in parts)


def decode(text: str) -> Change:
    """What `encode` has written."""
    sums, *bags = chunks.decode_text(text)
    return Change(sums, tuple(bags))


def change_of(plan: Plan, rows: pa.RecordBatch) -> Change:
    """What rows with `h`, `t`, keys, inputs and `d` change."""
    diff = rows.column(DIFF).to_numpy()
    if np.abs(diff).sum() >= MOST_DIFFS:
        raise ArithmeticError("a batch of rows stands for more than 2^31 rows")
    codes, first = group_codes([rows.column(name) for name in (AT, *plan.keys)], rows.num_rows)
    columns = {name: rows.column(name).take(pa.array(first)) for name in (HASH, AT, *plan.keys)}
    for number, wanted in enumerate(plan.sums):
        if wanted.bag is None:
            columns |= _named(number, sums_of(wanted, rows, diff, codes, len(first)))
    bags = tuple(_bag_of(bag, rows, diff, codes) for bag in plan.bags)
    return Change(pa.RecordBatch.from_pydict(columns), bags)


def sum_columns(plan: Plan, number: int) -> list[str]:
    """What the columns of a sum are called."""
    return [f"s{number}_{place}" for place in range(len(types(plan.sums[number])))]


def _named(number: int, columns: Sequence[pa.Array]) -> dict[str, pa.Array]:
    return {f"s{number}_{place}": column for place, column in enumerate(columns)}


def _bag_of(bag: Bag, rows: pa.RecordBatch, diff: np.ndarray, codes: np.ndarray) -> pa.RecordBatch:
    there = np.ones(rows.num_rows, dtype=bool)
    for name in bag.inputs[: bag.needed]:
        column = rows.column(name)
        if column.null_count:
            there &= column.is_valid().to_numpy(zero_copy_only=False)
    used = np.flatnonzero(there)
    values = [rows.column(name).take(pa.array(used)) for name in bag.inputs]
    return _netted(codes[used], values, diff[used])


def _netted(groups: np.ndarray, values: Sequence[pa.Array], diff: np.ndarray) -> pa.RecordBatch:
    """Values of groups, each once."""
    parts = [groups, *(word for column in values for word in words(column, ordered=False))]
    codes, first = codes_of_words(parts, len(groups))
    totals = add_by(codes, len(first), diff)
    left = np.flatnonzero(totals)
    taken = pa.array(first[left])
    columns = {GROUP: pa.array(groups[first[left]])}
    columns |= {f"v{place}": column.take(taken) for place, column in enumerate(values)}
    return pa.RecordBatch.from_pydict({**columns, DIFF: pa.array(totals[left])})


def combine(plan: Plan, changes: Sequence[Change]) -> Change:
    """Several changes as one."""
    if len(changes) == 1:
        return changes[0]
    sums = chunks.concat(change.sums for change in changes)
    codes, first = group_codes([sums.column(name) for name in (AT, *plan.keys)], sums.num_rows)
    columns = {name: sums.column(name).take(pa.array(first)) for name in (HASH, AT, *plan.keys)}
    for number, wanted in enumerate(plan.sums):
        if wanted.bag is None:
            parts = [sums.column(name) for name in sum_columns(plan, number)]
            columns |= _named(number, merged(wanted, parts, codes, len(first)))
    starts = np.cumsum([0, *(change.sums.num_rows for change in changes)])
    bags = []
    for number in range(len(plan.bags)):
        whole = chunks.concat(change.bags[number] for change in changes)
        groups = np.concatenate(
            [
                codes[change.bags[number].column(GROUP).to_numpy() + start]
                for change, start in zip(changes, starts[:-1], strict=True)
            ]
        )
        values = [whole.column(name) for name in value_columns(whole)]
        bags.append(_netted(groups, values, whole.column(DIFF).to_numpy()))
    return Change(pa.RecordBatch.from_pydict(columns), tuple(bags))


def value_columns(bag: pa.RecordBatch) -> list[str]:
    """The columns of a bag that hold values."""
    return [name for name in bag.schema.names if name.startswith("v")]


def of_groups(change: Change, chosen: np.ndarray) -> Change:
    """The part of a change in some rows of its sums, by place, in that order."""
    place = np.full(change.sums.num_rows, -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    bags = []
    for bag in change.bags:
        groups = place[bag.column(GROUP).to_numpy()]
        used = np.flatnonzero(groups >= 0)
        part = bag.take(pa.array(used))
        bags.append(part.set_column(0, GROUP, pa.array(groups[used])))
    return Change(change.sums.take(pa.array(chosen)), tuple(bags))


def effective(plan: Plan, change: Change) -> Change:
    """A change without what leaves a group as it is."""
    still = np.ones(change.sums.num_rows, dtype=bool)
    for name in change.sums.schema.names[2 + len(plan.keys) :]:
        still &= nothing(change.sums.column(name))
    for bag in change.bags:
        still[bag.column(GROUP).to_numpy()] = False
    return of_groups(change, np.flatnonzero(~still)) if still.any() else change


def by_shard(change: Change, shards: int) -> list[tuple[int, Change]]:
    """A change cut by the shard of its groups."""
    shard = np.mod(change.sums.column(HASH).to_numpy(), shards)
    return [
        (int(each), of_groups(change, np.flatnonzero(shard == each))) for each in np.unique(shard)
    ]


def part_of(hashes: np.ndarray, part: int, parts: int) -> np.ndarray:
    """Which rows of a shard belong to one of several parts, by place."""
    # The low bits have chosen the shard.
    return np.flatnonzero((hashes >> 32) % parts == part)


def begun(rows: pa.RecordBatch, now: int) -> pa.RecordBatch:
    """Rows with a clock value for what has come before there was one."""
    times = rows.column(AT).to_numpy()
    times = pa.array(np.where(times == 0, now, times))
    return rows.set_column(rows.schema.get_field_index(AT), AT, times)
