"""Aggregates over a changing relation: for each group whose result changes, -1 and +1.

    updates --pack--> changes of groups by shard --transformWithState--> chunks --unpack--> updates

What rows of a task change in a group is added up before the shuffle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructType

from tvfc_runtime.changing.calls import FUNCTIONS, Call, Plan, Planner
from tvfc_runtime.changing.groups import GroupTables
from tvfc_runtime.changing.leaves import Store
from tvfc_runtime.changing.output import operated
from tvfc_runtime.changing.partial import (
    AT,
    DIFF,
    HASH,
    Change,
    begun,
    by_shard,
    change_of,
    combine,
    decode,
    of_groups,
    part_of,
)
from tvfc_runtime.changing.rows import hash_of, without_minus_zero
from tvfc_runtime.changing.timing import Timing
from tvfc_runtime.queue.packing import gathered
from tvfc_runtime.rows.shards import shard_keys
from tvfc_runtime.rows.sql_text import quote
from tvfc_runtime.rows.updates import DIFF as DIFF_COLUMN

PACK_ROWS = 1 << 17
"""How many rows a task adds up at a time."""

CHANGE_ROWS = 1 << 18
"""How large the changes grow that a task hands on."""


def aggregate(
    updates: DataFrame,
    keys: Sequence[str],
    calls: Sequence[Call],
    shards: int,
    observed_as: str,
    timing: Timing,
    *,
    grows: bool = False,
) -> DataFrame:
    """Groups and what is aggregated in them, as updates.

    Without keys there is one group. It is there from the first update on, so that one that changes
    nothing makes it.

    Args:
        updates: rows with `__time` and `__diff`.
        keys: key columns.
        calls: calls of aggregate functions on columns.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.
        observed_as: prefix of the name under which rows of state are counted.
        timing: which changes are told, and from when on.
        grows: whether rows come and never go: of values then only the ends are kept for MIN, MAX.

    Returns:
        The keys, the results by the names of their calls, `__time` and `__diff`. At a clock value,
        a row of a group as it was and as it is then, and nothing if it is the same.
    """
    types = result_types(updates, keys, calls)
    planner = Planner(updates.schema)
    results = tuple(
        planner.result(call, field.dataType)
        for call, field in zip(calls, types.fields[len(keys) :], strict=True)
    )
    names = tuple(f"k{place}" for place in range(len(keys)))
    values = [without_minus_zero(updates, key) for key in keys]
    plan = Plan(names, tuple(planner.sums), tuple(planner.bags), results, grows)
    changes = updates.select(
        hash_of(updates, keys).alias(HASH),
        timing.at().alias(AT),
        *(value.alias(name) for value, name in zip(values, names, strict=True)),
        *(F.expr(sql).alias(name) for sql, name in planner.inputs.items()),
        F.col(DIFF_COLUMN).cast("bigint").alias(DIFF),
    )
    packing = pack(plan, shard_keys(shards))
    return operated(changes, packing, Aggregate(plan), types, observed_as, timing)


def result_types(rows: DataFrame, keys: Sequence[str], calls: Sequence[Call]) -> StructType:
    """The schema of the groups of `aggregate`: what Spark itself answers for such rows."""
    for call in calls:
        if call.function.upper() not in FUNCTIONS:
            raise ValueError(f"{call.function} of a changing result")
    grouped = rows.groupBy(*(F.col(quote(key)) for key in keys))
    # Spark counts no calls as none: a group by keys alone is DISTINCT.
    found = grouped.agg(*(F.expr(call.sql()).alias(call.name) for call in calls), F.count("*"))
    return StructType(found.schema.fields[:-1])


def pack(plan: Plan, keys: list[int]) -> Any:
    """A function from record batches to changes by shard."""

    def pack_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        waiting: list[Change] = []
        for rows in gathered(batches, PACK_ROWS):
            waiting.append(change_of(plan, rows))
            if sum(change.rows for change in waiting) > CHANGE_ROWS:
                yield packed(combine(plan, waiting), keys)
                waiting = []
        if waiting:
            yield packed(combine(plan, waiting), keys)

    return pack_batches


def packed(change: Change, keys: list[int]) -> pa.RecordBatch:
    """A change cut by shard, as text."""
    parts = by_shard(change, len(keys))
    return pa.RecordBatch.from_arrays(
        [
            pa.array([keys[shard] for shard, _ in parts], pa.int32()),
            pa.array([part.encode() for _, part in parts], pa.string()),
        ],
        names=["shard", "text"],
    )


@dataclass(frozen=True)
class Aggregate:
    """`Operator` of aggregates."""

    plan: Plan

    def decode(self, text: str) -> Change:
        """A change."""
        return decode(text)

    def encode(self, change: Change) -> str:
        """As text."""
        return change.encode()

    def part(self, change: Change, part: int, parts: int) -> Change:
        """The groups of one part."""
        if parts == 1:
            return change
        return of_groups(change, part_of(change.sums.column(HASH).to_numpy(), part, parts))

    def combine(self, changes: list[Change]) -> Change:
        """As one."""
        return combine(self.plan, changes)

    def begun(self, change: Change, now: int) -> Change:
        """With a clock value for what has come before there was one."""
        return replace(change, sums=begun(change.sums, now))

    def tables(self, store: Store) -> GroupTables:
        """The state of one shard."""
        return GroupTables(self.plan, store)
