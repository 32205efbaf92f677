"""The first rows of each group of a changing relation: ORDER BY … LIMIT, and ranks up to a bound.

All rows of a shard are in one table, sorted by group, then as the query orders them, then by their
other values, so that the answer does not depend on how rows came. A batch touches the leaves in
which rows come and go, and those at the head of the groups that it changes. One group of all rows
would be in one shard: so it is first looked for the first rows of each shard.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import IntegerType, StructField, StructType

from tvfc_runtime.changing.bags import add_to_bag, covered
from tvfc_runtime.changing.exact import add_by
from tvfc_runtime.changing.heads import NUMBER, Numbering
from tvfc_runtime.changing.heads_in_time import Change, Group, Told
from tvfc_runtime.changing.leaves import LEAF_ROWS, Leaves, Store, words_of
from tvfc_runtime.changing.output import operated
from tvfc_runtime.changing.partial import AT, DIFF, HASH
from tvfc_runtime.changing.ranks import Sort, group_codes, ranks_of_words
from tvfc_runtime.changing.rows import RowChanges, hash_of, netted, pack_rows
from tvfc_runtime.changing.timing import Timing
from tvfc_runtime.changing.waves import at_several_times
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows import updates as columns
from tvfc_runtime.rows.shards import shard_keys

PORTION_ROWS = 1 << 16
"""About how many changed rows are looked at a time; a group is never divided."""

FIRST_LEAVES = 2
"""Of how many leaves the head of a group is read at first: one of them may end another group."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which rows are wanted.

    Attributes:
        partition: columns of a group; none: one group.
        order: columns to sort by. Rows that are equal in them are sorted by their other columns.
        limit: how many rows, or how many ranks; None: all.
        offset: how many to leave out before.
        kind: what counts: `row_number`, `rank` or `dense_rank`.
        numbered: whether the result has the number of a row as its last column.
    """

    partition: tuple[str, ...] = ()
    order: tuple[Sort, ...]
    limit: int | None = None
    offset: int = 0
    kind: str = "row_number"
    numbered: bool = False


def top(
    updates: DataFrame, wanted: Wanted, shards: int, observed_as: str, timing: Timing
) -> DataFrame:
    """The first rows of each group, as updates.

    Args:
        updates: rows with `__time` and `__diff`.
        wanted: which rows.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.
        observed_as: prefix of the name under which rows of state are counted.
        timing: which changes are told, and from when on.

    Returns:
        The rows, if `numbered` their number, `__time` and `__diff`, which is any number but 0.
    """
    if not wanted.partition and wanted.limit is not None and shards > 1:
        # What is not among the first of its part is not among the first of all.
        names = columns.payload_of(updates)
        part = F.pmod(hash_of(updates, names), F.lit(shards)).alias(PART)
        first = first_of_parts(wanted)
        parts = _top(updates.select("*", part), first, shards, f"{observed_as}/parts", timing)
        updates = parts.drop(PART)
    return _top(updates, wanted, shards, observed_as, timing)


PART = "__part"


def first_of_parts(wanted: Wanted) -> Wanted:
    """Which rows to take of each part of the rows: so all that are wanted are there."""
    limit = None if wanted.limit is None else wanted.offset + wanted.limit
    return replace(wanted, partition=(PART,), limit=limit, offset=0, numbered=False)


def _top(
    updates: DataFrame, wanted: Wanted, shards: int, observed_as: str, timing: Timing
) -> DataFrame:
    names = columns.payload_of(updates)
    changes = updates.select(
        hash_of(updates, wanted.partition).alias(HASH),
        timing.at().alias(AT),
        *names,
        F.col(columns.DIFF).cast("bigint").alias(DIFF),
    )
    number = [StructField("number", IntegerType())] if wanted.numbered else []
    types = StructType([*(updates.schema[name] for name in names), *number])
    packing = pack_rows(lambda rows: rows, (DIFF,), shard_keys(shards))
    operator = Top((DIFF,), wanted, tuple(names))
    return operated(changes, packing, operator, types, observed_as, timing)


@dataclass(frozen=True)
class Top(RowChanges):
    """`Operator` of first rows.

    Attributes:
        wanted: which rows.
        names: the columns of rows.
    """

    wanted: Wanted
    names: tuple[str, ...]

    def tables(self, store: Store) -> TopTable:
        """The state of one shard."""
        return TopTable(self.wanted, self.names, store)


class TopTable:
    """The rows of a shard by group and in order.

    Args:
        wanted: which of them are in the result.
        names: their columns.
        store: the state of the shard.
        most: rows of a leaf, at most.
    """

    def __init__(
        self, wanted: Wanted, names: tuple[str, ...], store: Store, most: int = LEAF_ROWS
    ) -> None:
        self._names = list(names)
        self._group = [HASH, *wanted.partition]
        sort = {name: Sort(name) for name in self._group}
        # What a group is known by, or comes a second time in ORDER BY, orders nothing any more.
        for each in (*wanted.order, *map(Sort, names)):
            sort.setdefault(each.name, each)
        self._leaves = Leaves(store, 0, tuple(sort.values()), most)
        self._numbering = Numbering(
            wanted.order, wanted.offset, wanted.limit, wanted.kind, wanted.numbered
        )

    @property
    def rows(self) -> int:
        """How many different rows there are."""
        return self._leaves.rows

    def apply(self, change: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Change rows; yields what is more or less in the result."""
        for part in by_groups(change, self._group):
            several = at_several_times(part, self._group)
            if not several.all():
                yield self._apply(part.filter(pa.array(~several)))
            if several.any():
                yield self._apply_in_time(part.filter(pa.array(several)))
            self._leaves.flush()

    def _apply(self, change: pa.RecordBatch) -> pa.RecordBatch:
        _, first = group_codes([change.column(name) for name in self._group], change.num_rows)
        groups = change.select([*self._group, AT]).take(pa.array(first))
        change = change.drop_columns([AT])
        empty = change.slice(0, 0)
        before = self._heads(groups, empty, self._numbering, self._names)
        add_to_bag(self._leaves, change)
        after = self._heads(groups, empty, self._numbering, self._names)
        taken = pa.array(-before.column(DIFF).to_numpy())
        both = [before.set_column(before.num_columns - 1, DIFF, taken), after]
        found = netted(chunks.concat(both), (DIFF,))
        diff = found.column(DIFF).cast(pa.int32())
        return found.set_column(found.num_columns - 1, DIFF, diff)

    def _apply_in_time(self, change: pa.RecordBatch) -> pa.RecordBatch:
        """Changes of groups at several clock values, of all of which the result is told."""
        names = [name for name in change.schema.names if name not in (AT, DIFF)]
        codes, first = group_codes([change.column(name) for name in names], change.num_rows)
        diff = change.column(DIFF).to_numpy()
        rows = change.select([*names, DIFF]).take(pa.array(first))
        net = add_by(codes, len(first), diff)
        was, now = add_to_bag(self._leaves, _counting(rows, net))
        rest = self._first_of_rest(change, rows, now)
        both = chunks.concat([_counting(rows, was), rest])
        order = np.lexsort(words_of([both], self._leaves.sort)[::-1])
        both = both.take(pa.array(order))
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        told = list(self._followed(both, place[codes], change.column(AT).to_numpy(), diff))
        at, where, number, often = np.array(told, dtype=np.int64).reshape(-1, 4).T
        taken = both.take(pa.array(where))
        columns = {name: taken.column(name) for name in self._names}
        if self._numbering.numbered:
            columns[NUMBER] = pa.array(number, pa.int32())
        columns |= {AT: pa.array(at), DIFF: pa.array(often, pa.int32())}
        return pa.RecordBatch.from_pydict(columns)

    def _first_of_rest(
        self, change: pa.RecordBatch, rows: pa.RecordBatch, now: np.ndarray
    ) -> pa.RecordBatch:
        """The rows that do not change and that may be wanted while all that do are gone."""
        _, first = group_codes([change.column(name) for name in self._group], change.num_rows)
        groups = change.select([*self._group, AT]).take(pa.array(first))
        limit = self._numbering.limit
        limit = None if limit is None else self._numbering.offset + limit
        first_ones = replace(self._numbering, offset=0, limit=limit, numbered=False)
        add_to_bag(self._leaves, _counting(rows, -now))
        names = [name for name in rows.schema.names if name != DIFF]
        found = self._heads(groups, rows.slice(0, 0), first_ones, names)
        add_to_bag(self._leaves, _counting(rows, now))
        return found.drop_columns([AT])

    def _followed(
        self, rows: pa.RecordBatch, place: np.ndarray, at: np.ndarray, diff: np.ndarray
    ) -> Iterator[Told]:
        """What changes in the result as rows, by their place in order, come and go."""
        count = rows.num_rows
        group, _ = group_codes([rows.column(name) for name in self._group], count)
        peers = ranks_of_words(words_of([rows], self._numbering.order), count).tolist()
        counts = rows.column(DIFF).to_numpy().tolist()
        bounds = [*np.flatnonzero(np.diff(group, prepend=-1)).tolist(), count]
        order = np.lexsort((place, at, group[place]))
        cuts = np.searchsorted(group[place][order], np.arange(len(bounds))).tolist()
        changes = list(map(Change, *(each[order].tolist() for each in (at, place, diff))))
        for number, (start, end) in enumerate(pairwise(bounds)):
            known = dict(zip(range(start, end), counts[start:end], strict=True))
            of_group = Group(self._numbering, known, peers)
            yield from of_group.follow(changes[cuts[number] : cuts[number + 1]])

    def _heads(
        self,
        groups: pa.RecordBatch,
        empty: pa.RecordBatch,
        numbering: Numbering,
        names: list[str],
    ) -> pa.RecordBatch:
        """The rows of some groups that are in the result, with `t` of their group; how often."""
        times = groups.column(AT).to_numpy()
        nobody = np.zeros(0, dtype=np.int64)
        parts = [_timed(numbering.heads(empty, nobody, names).rows, nobody)]
        first, last = self._leaves.span(groups, len(self._group))
        pending, reach = np.arange(groups.num_rows), FIRST_LEAVES
        while len(pending) and len(self._leaves):
            until = np.minimum(first + reach - 1, last)
            leaves = np.flatnonzero(covered(first[pending], until[pending], len(self._leaves)))
            rows = chunks.concat(self._leaves.read(leaf) for leaf in leaves.tolist())
            places = np.repeat(leaves, self._leaves.sizes()[leaves])
            group = self._groups_of(rows, groups, pending)
            known = np.flatnonzero((group >= 0) & (places <= until[group]))
            found = numbering.heads(rows.take(pa.array(known)), group[known], names)
            done = until == last
            done[found.enough] = True
            rows = _timed(found.rows, times[found.group])
            parts.append(rows.filter(pa.array(done[found.group])))
            pending, reach = pending[~done[pending]], reach * 4
        return chunks.concat(parts)

    def _groups_of(
        self, rows: pa.RecordBatch, groups: pa.RecordBatch, pending: np.ndarray
    ) -> np.ndarray:
        """Which of the pending groups each row belongs to; -1: none."""
        found = places_among(rows, groups.take(pa.array(pending)), self._group)
        return np.where(found < 0, -1, pending[found])


def _counting(rows: pa.RecordBatch, often: np.ndarray) -> pa.RecordBatch:
    """Rows so often."""
    return rows.set_column(rows.num_columns - 1, DIFF, pa.array(often))


def _timed(rows: pa.RecordBatch, times: np.ndarray) -> pa.RecordBatch:
    """Rows with the column `t` before how often they count."""
    return rows.add_column(rows.num_columns - 1, AT, pa.array(times, pa.int64()))


def places_among(rows: pa.RecordBatch, groups: pa.RecordBatch, names: list[str]) -> np.ndarray:
    """Which of some different groups each row belongs to, by its columns; -1: none."""
    alike = [pa.concat_arrays([groups.column(name), rows.column(name)]) for name in names]
    codes, first = group_codes(alike, groups.num_rows + rows.num_rows)
    place = np.full(len(first), -1, dtype=np.int64)
    place[codes[: groups.num_rows]] = np.arange(groups.num_rows)
    return place[codes[groups.num_rows :]]


def by_groups(change: pa.RecordBatch, group: list[str]) -> Iterator[pa.RecordBatch]:
    """A change in parts, none of which ends within a group."""
    hashes = change.column(group[0]).to_numpy()
    order = np.argsort(hashes, kind="stable")
    while len(order):
        size = len(order)
        if size > PORTION_ROWS:
            in_order = hashes[order]
            size = int(np.searchsorted(in_order, in_order[PORTION_ROWS], side="left"))
            size = size or int(np.searchsorted(in_order, in_order[0], side="right"))
        yield change.take(pa.array(order[:size]))
        order = order[size:]
