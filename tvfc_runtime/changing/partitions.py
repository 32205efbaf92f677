"""Window functions over a changing relation: of each partition that changes, all rows anew.

    updates --pack--> changes by shard --transformWithState--> rows as they were and as they are
            --Spark's window functions--> the same with their values --> what differs

The operator keeps the rows of all partitions, sorted. At each clock value at which a partition
changes it gives its rows twice: as they were, with `__diff` of -1, and as they are, with 1. Spark's
own functions run above it, batch by batch, over each of these apart; what they say of both alike
cancels out. So a change costs as much as its partition is large.

A value that was told must be taken back as the same. So rows that are equal in ORDER BY stand in
the order of their other columns, always.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructField, StructType

from tvfc_runtime.changing.bags import add_to_bag, covered
from tvfc_runtime.changing.exact import add_by
from tvfc_runtime.changing.leaves import LEAF_ROWS, Leaves, Store
from tvfc_runtime.changing.netting import netted
from tvfc_runtime.changing.output import operated
from tvfc_runtime.changing.partial import AT, DIFF, HASH
from tvfc_runtime.changing.ranks import Sort, group_codes
from tvfc_runtime.changing.rows import RowChanges, hash_of, pack_rows
from tvfc_runtime.changing.rows import netted as added_up
from tvfc_runtime.changing.timing import Timing
from tvfc_runtime.changing.top import by_groups, places_among
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows import updates as columns
from tvfc_runtime.rows.hashes import has_hash
from tvfc_runtime.rows.shards import shard_keys
from tvfc_runtime.rows.sql_text import quote


@dataclass(frozen=True, kw_only=True)
class WindowFunction:
    """A window function, of which partition and order are those of its step.

    Attributes:
        name: of its column.
        call: the call in SQL, such as `sum(v)`.
        frame: which rows it sees, such as `ROWS 2 PRECEDING`; none: as SQL has it.
    """

    name: str
    call: str
    frame: str = ""


def whole_partitions(
    updates: DataFrame, partition: Sequence[str], shards: int, observed_as: str, timing: Timing
) -> DataFrame:
    """The rows of each partition that changes, as they were and as they are.

    Args:
        updates: rows with `__time` and `__diff`.
        partition: columns of a partition; none: all rows are one.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.
        observed_as: prefix of the name under which rows of state are counted.
        timing: which changes are told, and from when on.

    Returns:
        The rows, `__time`, and `__diff` of -1 for those that were there before that clock value and
        1 for those that are there then; a row that is there several times as often.
    """
    names = columns.payload_of(updates)
    changes = updates.select(
        hash_of(updates, partition).alias(HASH),
        timing.at().alias(AT),
        *names,
        F.col(columns.DIFF).cast("bigint").alias(DIFF),
    )
    types = StructType([updates.schema[name] for name in names])
    packing = pack_rows(lambda rows: rows, (DIFF,), shard_keys(shards))
    operator = Partitions((DIFF,), tuple(partition), tuple(names))
    return operated(changes, packing, operator, types, observed_as, timing)


def with_functions(
    rows: DataFrame,
    functions: Sequence[WindowFunction],
    partition: Sequence[str],
    order: Sequence[Sort],
    shards: int,
) -> DataFrame:
    """Rows with the values of window functions, as updates.

    Args:
        rows: what `whole_partitions` gives.
        functions: what is computed.
        partition: columns of a partition.
        order: columns to sort by.
        shards: the number of shuffle partitions.

    Returns:
        The rows, the values, `__time` and `__diff`, which is any number but 0.
    """
    names = columns.payload_of(rows)
    apart = [*map(quote, partition), columns.TIME, columns.DIFF]
    known = {*partition, *(each.name for each in order)}
    ties = [_tie(each) for each in rows.select(*map(quote, names)).schema if each.name not in known]
    # Spark finds the rows of its windows in this order, and sorts them no more.
    places: list[Column | str] = [*apart, *map(_column, order), *map(F.expr, ties)]
    placed = rows.repartition(shards, *apart).sortWithinPartitions(*places)
    by = f" ORDER BY {', '.join(map(_sql, order))}" if order else ""
    within = f"PARTITION BY {', '.join(apart)}{by}"
    values = [
        F.expr(f"{each.call} OVER ({within} {each.frame})").alias(each.name) for each in functions
    ]
    found = placed.select(*map(quote, names), *values, columns.TIME, columns.DIFF)
    return netted(found)


def _tie(field: StructField) -> str:
    """What puts rows in order that are equal in ORDER BY: a column, or its text if it has none."""
    name = quote(field.name)
    return name if has_hash(field.dataType) else f"to_json(struct({name}))"


def _comes_first(key: Sort) -> bool:
    """Whether NULL does."""
    return not key.descending if key.nulls_first is None else key.nulls_first


def _column(key: Sort) -> Column:
    column = F.col(quote(key.name))
    if key.descending:
        return column.desc_nulls_first() if _comes_first(key) else column.desc_nulls_last()
    return column.asc_nulls_first() if _comes_first(key) else column.asc_nulls_last()


def _sql(key: Sort) -> str:
    way = "DESC" if key.descending else "ASC"
    return f"{quote(key.name)} {way} NULLS {'FIRST' if _comes_first(key) else 'LAST'}"


@dataclass(frozen=True)
class Partitions(RowChanges):
    """`Operator` of whole partitions.

    Attributes:
        partition: the columns of a partition.
        names: the columns of rows.
    """

    partition: tuple[str, ...]
    names: tuple[str, ...]

    def tables(self, store: Store) -> PartitionTable:
        """The state of one shard."""
        return PartitionTable(self.partition, self.names, store)


class PartitionTable:
    """The rows of a shard, sorted by partition and value, with how often each is there.

    Args:
        partition: the columns of a partition.
        names: the columns of rows.
        store: the state of the shard.
        most: rows of a leaf, at most.
    """

    def __init__(
        self,
        partition: tuple[str, ...],
        names: tuple[str, ...],
        store: Store,
        most: int = LEAF_ROWS,
    ) -> None:
        self._names = list(names)
        self._group = [HASH, *partition]
        sort = dict.fromkeys((*self._group, *names))
        self._leaves = Leaves(store, 0, tuple(map(Sort, sort)), most)

    @property
    def rows(self) -> int:
        """How many different rows there are."""
        return self._leaves.rows

    def apply(self, change: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Change rows; yields those of their partitions as they were and as they are."""
        for part in by_groups(change, self._group):
            yield self._apply(part)
            self._leaves.flush()

    def _apply(self, change: pa.RecordBatch) -> pa.RecordBatch:
        net = added_up(change.drop_columns([AT]), (DIFF,))
        known = self._known(change)
        rows = change.drop_columns([AT]).select(net.schema.names)
        both = rows if known is None else chunks.concat([known.select(net.schema.names), rows])
        size = both.num_rows - change.num_rows
        codes, first = group_codes([both.column(name) for name in self._names], both.num_rows)
        diff = both.column(DIFF).to_numpy()
        counts = add_by(codes[:size], len(first), diff[:size])
        values = both.take(pa.array(first))
        group, _ = group_codes([values.column(name) for name in self._group], len(first))
        told = _versions(group, counts, codes[size:], change.column(AT).to_numpy(), diff[size:])
        if net.num_rows:
            add_to_bag(self._leaves, net)
        taken = values.take(pa.array(told.row))
        found = {name: taken.column(name) for name in self._names}
        return pa.RecordBatch.from_pydict(
            {**found, AT: pa.array(told.at), DIFF: pa.array(told.diff, pa.int32())}
        )

    def _known(self, change: pa.RecordBatch) -> pa.RecordBatch | None:
        """The rows that the partitions of a change have so far."""
        _, first = group_codes([change.column(name) for name in self._group], change.num_rows)
        groups = change.select(self._group).take(pa.array(first))
        if not len(self._leaves):
            return None
        begin, end = self._leaves.span(groups, len(self._group))
        rows = self._leaves.read_all(np.flatnonzero(covered(begin, end, len(self._leaves))))
        if rows is None:
            return None
        return rows.filter(pa.array(places_among(rows, groups, self._group) >= 0))


@dataclass(frozen=True)
class _Told:
    """Rows by their number, a clock value and -1 or 1 for each."""

    row: np.ndarray
    at: np.ndarray
    diff: np.ndarray


def _versions(
    group: np.ndarray, counts: np.ndarray, row: np.ndarray, at: np.ndarray, diff: np.ndarray
) -> _Told:
    """The rows of each group before and after each clock value at which it changes.

    Args:
        group: of each row.
        counts: how often each row is there at first.
        row: which row each change is of.
        at: when it is.
        diff: how much more often the row is there then.
    """
    counts = counts.copy()
    order = np.lexsort((at, group[row]))
    row, at, diff = row[order], at[order], diff[order]
    members = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[members], np.arange(group.max(initial=-1) + 2))
    starts = np.flatnonzero((np.diff(group[row], prepend=-1) != 0) | (np.diff(at, prepend=0) != 0))
    found: list[tuple[np.ndarray, int, int]] = []
    for start, end in zip(starts, [*starts[1:], len(row)], strict=True):
        own = group[row[start]]
        rows = members[bounds[own] : bounds[own + 1]]
        for sign in (-1, 1):
            if sign == 1:
                np.add.at(counts, row[start:end], diff[start:end])
            often = np.maximum(counts[rows], 0)
            found.append((np.repeat(rows, often), int(at[start]), sign))
    none = np.zeros(0, dtype=np.int64)
    sizes = [len(rows) for rows, _, _ in found]
    return _Told(
        np.concatenate([none, *(rows for rows, _, _ in found)]),
        np.repeat(np.array([time for _, time, _ in found], dtype=np.int64), sizes),
        np.repeat(np.array([sign for _, _, sign in found], dtype=np.int64), sizes),
    )
