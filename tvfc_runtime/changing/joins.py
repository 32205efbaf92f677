"""Joins of two changing relations by equal keys: inner, outer, semi and anti joins.

A pair is in the result as often as the product of the counts of its rows says. That is linear in
either side, so a change of one needs the other as it stands: d(A ⋈ B) = dA ⋈ B + (A + dA) ⋈ dB.
McSherry, Murray, Isaacs, Isard, Differential Dataflow (2013), is where the idea comes from. Rows
that are in the result by whether they have a partner change sides when the last partner of their
key leaves or the first one comes.

The rows of a side are in one table of the shard, by the hash of their keys, then by their own; so
the rows of a key lie side by side, however many they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructType

from tvfc_runtime.changing.bags import covered
from tvfc_runtime.changing.exact import add_by
from tvfc_runtime.changing.hashed import PORTION_ROWS, find, portions, replace
from tvfc_runtime.changing.join_sides import Side, as_updates, side_of
from tvfc_runtime.changing.join_spans import changes_of_pairs, of_keys
from tvfc_runtime.changing.leaves import LEAF_ROWS, Leaves, Store, compared
from tvfc_runtime.changing.output import operated
from tvfc_runtime.changing.partial import AT, HASH
from tvfc_runtime.changing.ranks import Sort, group_codes
from tvfc_runtime.changing.rows import RowChanges, hash_of, netted, pack_rows, without_minus_zero
from tvfc_runtime.changing.timing import Timing
from tvfc_runtime.changing.waves import at_several_times
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.shards import shard_keys
from tvfc_runtime.rows.updates import DIFF, LEG, OWN, payload_of

ROW_HASH = "row"
"""The hash of a whole row, BIGINT."""

Names = tuple[str, ...]

KEPT: dict[str, Names] = {
    "inner": (),
    "left": ("left",),
    "right": ("right",),
    "full": ("left", "right"),
    "leftsemi": ("left",),
    "leftanti": ("left",),
}
"""By kind of join, the sides whose rows are in the result by whether they have a partner."""


@dataclass(frozen=True)
class Joined:
    """What is joined, and how.

    Attributes:
        how: one of `KEPT`.
        sides: the columns of each side.
        keys: columns in which the rows of a pair are equal; NULL is equal to itself. None: every
            row is paired with every other, in one shard.
    """

    how: str
    sides: tuple[Names, Names]
    keys: Names

    @property
    def gives_pairs(self) -> bool:
        """Whether pairs are in the result, not rows of the left side alone."""
        return self.how not in ("leftsemi", "leftanti")

    @property
    def columns(self) -> Names:
        """The columns of the result."""
        return (*self.sides[0], *self.sides[1]) if self.gives_pairs else self.sides[0]

    def keeps(self, leg: int) -> bool:
        """Whether rows of a side, 0 or 1, are in the result by whether they have a partner."""
        return ("left", "right")[leg] in KEPT[self.how]


def join(
    updates: DataFrame, joined: Joined, shards: int, observed_as: str, timing: Timing
) -> DataFrame:
    """The result of a join, as updates.

    Args:
        updates: rows of both sides with `__leg`, `__time` and `__diff`; columns of the other side
            are NULL.
        joined: what is joined, and how.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.
        observed_as: prefix of the name under which rows of state are counted.
        timing: which changes are told, and from when on.

    Returns:
        The columns of the result, `__time` and `__diff`, which is any number but 0.
    """
    keys = joined.keys
    updates = updates.withColumns({key: without_minus_zero(updates, key) for key in keys})
    changes = updates.select(
        hash_of(updates, keys).alias(HASH),
        hash_of(updates, payload_of(updates)).alias(ROW_HASH),
        timing.at().alias(AT),
        *keys,
        *joined.sides[0],
        *joined.sides[1],
        LEG,
        F.col(DIFF).cast("bigint").alias(DIFF),
    )
    types = StructType([updates.schema[name] for name in joined.columns])
    packing = pack_rows(lambda rows: rows, (DIFF,), shard_keys(shards))
    operator = Joins((DIFF,), joined)
    return operated(changes, packing, operator, types, observed_as, timing)


def keyed(
    left: DataFrame, right: DataFrame, on: Sequence[tuple[str, str]], how: str
) -> tuple[DataFrame, Joined]:
    """Updates of both sides as `join` takes them.

    Args:
        left: rows with `__time` and `__diff`.
        right: those of the other relation.
        on: for each key, what it is on either side, in SQL; a row with a NULL in them has no
            partner.
        how: one of `KEPT`.
    """
    keys = [f"k{place}" for place in range(len(on))]
    legs: list[DataFrame] = []
    sides: list[Names] = []
    for leg, (rows, name) in enumerate(((left, "a"), (right, "b"))):
        values = [F.expr(each[leg]).alias(key) for each, key in zip(on, keys, strict=True)]
        plain = (f"{name}{place}" for place in range(len(rows.columns)))
        own = [each if each in OWN else next(plain) for each in rows.columns]
        legs.append(rows.select(*values, "*").toDF(*keys, *own).withColumn(LEG, F.lit(leg)))
        sides.append(tuple(each for each in own if each not in OWN))
    if keys:
        # As UNION has it, both sides of a key are of one type.
        types = legs[0].select(*keys).union(legs[1].select(*keys)).schema
        casts = {key: F.col(key).cast(types[key].dataType) for key in keys}
        # A key of its own for each side parts rows with a NULL from all of the other side.
        is_null = reduce(Column.__or__, (F.col(key).isNull() for key in keys))
        apart = F.when(is_null, F.col(LEG))
        legs = [each.withColumns(casts).withColumn("apart", apart) for each in legs]
        if not KEPT[how]:
            legs = [each.where("apart IS NULL").drop("apart") for each in legs]
        else:
            keys.append("apart")
    updates = legs[0].unionByName(legs[1], allowMissingColumns=True)
    return updates, Joined(how, (sides[0], sides[1]), tuple(keys))


@dataclass(frozen=True)
class Joins(RowChanges):
    """`Operator` of a join.

    Attributes:
        joined: what is joined, and how.
    """

    joined: Joined

    def tables(self, store: Store) -> JoinTables:
        """The state of one shard."""
        return JoinTables(self.joined, store)


class JoinTables:
    """The rows of both sides, and how often each is there.

    Args:
        joined: what is joined, and how.
        store: the state of the shard.
        most: rows of a leaf, at most.
    """

    def __init__(self, joined: Joined, store: Store, most: int = LEAF_ROWS) -> None:
        self._joined = joined
        self._sort = (Sort(HASH), Sort(ROW_HASH))
        self._tables = [Leaves(store, leg, self._sort, most) for leg in (0, 1)]

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(each.rows for each in self._tables)

    def apply(self, change: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Change counts; yields rows with how much more often they are in the result."""
        several = at_several_times(change, self._joined.keys)
        for some, apply in ((~several, self._apply), (several, self._apply_in_time)):
            part = change.filter(pa.array(some))
            for chosen in self._portions(part):
                yield from net(apply(part.take(pa.array(chosen))))

    def _portions(self, change: pa.RecordBatch) -> Iterator[np.ndarray]:
        """The rows of a change in parts with whole keys, to be worked on one after another."""
        order = np.argsort(compared([change], self._sort), kind="stable")
        hashes = change.column(HASH).to_numpy()[order]
        start = 0
        while start < len(order):
            last = hashes[min(start + PORTION_ROWS, len(order)) - 1]
            end = int(np.searchsorted(hashes, last, side="right"))
            yield order[start:end]
            start = end

    def _apply(self, change: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Changes of one side after those of the other, each with the other side as it stands."""
        for leg, (own, other) in enumerate((self._tables, self._tables[::-1])):
            names = (*self._joined.keys, *self._joined.sides[leg])
            rows = change.filter(pa.array(change.column(LEG).to_numpy() == leg))
            for chosen in portions(own, rows):
                given = self._counted(own, rows.take(pa.array(chosen)), names)
                own.flush()
                nothing = change.slice(0, 0).select(self._joined.columns)
                for found in self._changed(leg, given, own, other):
                    yield _as_result(found, nothing)

    def _apply_in_time(self, change: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Changes of keys at several clock values, of all of which the result is told."""
        left, right = (self._side(leg, change) for leg in (0, 1))
        codes, distinct = self._codes(left.rows, right.rows)
        spans = left.spans(codes), right.spans(distinct)
        for table, side in zip(self._tables, (left, right), strict=True):
            net_rows = side.net
            names = tuple(side.rows.schema.names[2:])
            for chosen in portions(table, net_rows):
                self._counted(table, net_rows.take(pa.array(chosen)), names)
                table.flush()
        nothing = change.slice(0, 0).select(self._joined.columns)
        if self._joined.gives_pairs:
            for pairs in changes_of_pairs(*spans, PORTION_ROWS):
                yield _as_result(as_updates(pairs, left.rows, right.rows), nothing)
        keys = int(max(codes.max(initial=-1), distinct.max(initial=-1))) + 1
        for leg, side in enumerate((left, right)):
            if self._joined.keeps(leg):
                others = of_keys(spans[1 - leg], keys, there=self._joined.how == "leftsemi")
                for pairs in changes_of_pairs(spans[leg], others, PORTION_ROWS):
                    yield _as_result(as_updates(pairs, side.rows), nothing)

    def _side(self, leg: int, change: pa.RecordBatch) -> Side:
        """The rows of a side with keys that change, and their changes."""
        known = list(self._rows_with_keys_of(self._tables[leg], change))
        self._tables[leg].flush()
        own = change.filter(pa.array(change.column(LEG).to_numpy() == leg))
        return side_of(known, own, [HASH, ROW_HASH], [*self._joined.keys, *self._joined.sides[leg]])

    def _counted(self, table: Leaves, wanted: pa.RecordBatch, names: Names) -> pa.RecordBatch:
        """Change the counts of rows in their table; gives the changes as rows first came."""
        found = find(table, wanted, names)
        columns = {name: found.column(wanted, name) for name in (HASH, ROW_HASH, *names)}
        often = found.numbers(DIFF) + wanted.column(DIFF).to_numpy()
        rows = pa.RecordBatch.from_pydict({**columns, DIFF: pa.array(often)})
        replace(table, found, rows, often != 0)
        columns[AT] = wanted.column(AT)
        return pa.RecordBatch.from_pydict({**columns, DIFF: wanted.column(DIFF)})

    def _changed(
        self, leg: int, given: pa.RecordBatch, own: Leaves, other: Leaves
    ) -> Iterator[pa.RecordBatch]:
        """What a change of one side, which its table has by now, makes different."""
        keeps = self._joined.keeps(leg), self._joined.keeps(1 - leg)
        sign = 1 if self._joined.how == "leftsemi" else -1
        turned = self._turned(own, given) if keeps[1] else None
        met = np.zeros(given.num_rows, dtype=bool)
        for partners in self._rows_with_keys_of(other, given):
            mine, theirs = self._codes(given, partners)
            met |= np.isin(mine, theirs)
            if self._joined.gives_pairs:
                yield from _pairs(given, mine, partners, theirs)
            if turned is not None:
                by_code = np.zeros((2, max(mine.max(), theirs.max(initial=0)) + 1), dtype=np.int64)
                by_code[:, mine] = sign * turned, given.column(AT).to_numpy()
                often, times = by_code[:, theirs]
                yield _counting(partners, often).add_column(0, AT, pa.array(times[often != 0]))
            other.flush()
        if keeps[0]:
            yield _counting(given, (met if sign > 0 else ~met).astype(np.int64))

    def _turned(self, own: Leaves, given: pa.RecordBatch) -> np.ndarray:
        """For each row of a change, 1 if its key is new on its side by it, -1 if it has gone."""
        diff = given.column(DIFF).to_numpy()
        change, _ = self._codes(given, given.slice(0, 0))
        after = np.zeros(given.num_rows, dtype=np.int64)
        for rows in self._rows_with_keys_of(own, given):
            mine, theirs = self._codes(given, rows)
            codes = int(max(mine.max(), theirs.max(initial=0))) + 1
            after += add_by(theirs, codes, rows.column(DIFF).to_numpy())[mine]
            own.flush()
        before = after - add_by(change, given.num_rows, diff)[change]
        return (after > 0).astype(np.int64) - (before > 0)

    def _rows_with_keys_of(self, table: Leaves, rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Rows of a table that may have the keys of others, some leaves at a time."""
        hashes = np.unique(rows.column(HASH).to_numpy())
        first, last = table.span(pa.RecordBatch.from_pydict({HASH: pa.array(hashes)}), 1)
        leaves = np.flatnonzero(covered(first, last, len(table) + 1)[: len(table)])
        part = np.cumsum(table.sizes()[leaves]) // PORTION_ROWS
        for number in np.unique(part):
            known = table.read_all(leaves[part == number])
            if known is not None:
                yield known.filter(pa.array(np.isin(known.column(HASH).to_numpy(), hashes)))

    def _codes(self, rows: pa.RecordBatch, others: pa.RecordBatch) -> tuple[np.ndarray, np.ndarray]:
        """A number for each of some rows and of others, the same for equal keys."""
        both = [pa.concat_arrays([rows.column(k), others.column(k)]) for k in self._joined.keys]
        codes, _ = group_codes(both, rows.num_rows + others.num_rows)
        return codes[: rows.num_rows], codes[rows.num_rows :]


def _pairs(
    rows: pa.RecordBatch, mine: np.ndarray, others: pa.RecordBatch, theirs: np.ndarray
) -> Iterator[pa.RecordBatch]:
    """Pairs of rows and others with equal numbers, not too many at a time."""
    order = np.argsort(theirs, kind="stable")
    found = theirs[order]
    low = np.searchsorted(found, mine, side="left")
    times = np.searchsorted(found, mine, side="right") - low
    for start, end in _pieces(times):
        often = times[start:end]
        one = np.repeat(np.arange(start, end), often)
        place = np.arange(len(one)) - np.repeat(np.cumsum(often) - often, often)
        two = order[np.repeat(low[start:end], often) + place]
        left, right = rows.take(pa.array(one)), others.take(pa.array(two))
        both = {name: right.column(name) for name in right.schema.names}
        both |= {name: left.column(name) for name in left.schema.names}
        both[DIFF] = pa.array(left.column(DIFF).to_numpy() * right.column(DIFF).to_numpy())
        yield pa.RecordBatch.from_pydict(both)


def _pieces(times: np.ndarray) -> Iterator[tuple[int, int]]:
    """Ranges of rows with about PORTION_ROWS partners each; rows without any may be in none."""
    part = np.cumsum(times) // PORTION_ROWS
    used = np.flatnonzero(times)
    for number in np.unique(part[used]):
        of_part = used[part[used] == number]
        yield int(of_part[0]), int(of_part[-1]) + 1


def _counting(rows: pa.RecordBatch, times: np.ndarray) -> pa.RecordBatch:
    """Rows so many times as often; those that are then there 0 times are left out."""
    often = rows.column(DIFF).to_numpy() * times
    counted = rows.set_column(rows.num_columns - 1, DIFF, pa.array(often))
    return counted.filter(pa.array(times != 0))


def _as_result(rows: pa.RecordBatch, nothing: pa.RecordBatch) -> pa.RecordBatch:
    """Rows with the columns of the result, those of a missing partner NULL."""
    known = set(rows.schema.names)
    columns = {
        each.name: rows.column(each.name)
        if each.name in known
        else pa.nulls(rows.num_rows, each.type)
        for each in nothing.schema
    }
    own = {AT: rows.column(AT), DIFF: rows.column(DIFF)}
    return pa.RecordBatch.from_pydict({**columns, **own})


def net(found: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows without those that both come and go, as far as some of them fit into memory."""
    waiting: list[pa.RecordBatch] = []
    for each in found:
        waiting.append(each)
        if sum(part.num_rows for part in waiting) > PORTION_ROWS:
            yield _net(waiting)
            waiting = []
    if waiting:
        yield _net(waiting)


def _net(parts: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    rows = netted(chunks.concat(parts), (DIFF,))
    often = rows.column(DIFF).cast(pa.int32())
    return rows.set_column(rows.num_columns - 1, DIFF, often)
