"""What window functions over time-ordered rows see: places of rows, and what their frames hold.

A *closed* row is one that no later row can precede: the watermark has passed its time. So closed
rows get their place in a partition once and for all. Of those, a row is *complete* when all rows of
its frames are closed, too; then it leaves. A row that has left stays as *context* for as long as
a later row may look back at it.

All of it is arithmetic on NumPy arrays with an element a row; nothing here knows Spark.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tvfc_runtime.rows.intervals import FOREVER


@dataclass(frozen=True, slots=True)
class Reach:
    """How far frames look, in rows of a partition.

    Attributes:
        before: rows before the row itself; None: all of them.
        after: rows after it.
        by_time: whether they look back by time, too; then each row has an `until`.
        last: how many marked rows up to the row itself they look back at, too.
    """

    before: int | None
    after: int
    by_time: bool
    last: int = 0


@dataclass(frozen=True, slots=True)
class Partitions:
    """Rows of one window specification, put in order of partition and place.

    Attributes:
        order: positions of the rows in that order.
        starts: where a partition starts, per row in that order.
        ends: where the next one starts, per row in that order.
        place: the place of each row in its partition, counted from 1, in that order.
    """

    order: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    place: np.ndarray


def codes_of(keys: list[np.ndarray]) -> np.ndarray:
    """Numbers from 0 that identify partitions in place of `keys`, per row.

    Few numbers are narrow ones, which NumPy sorts in a tenth of the time.
    """
    first, *others = keys
    codes, different = pd.factorize(first)
    for key in others:
        more, values = pd.factorize(key)
        codes, different = pd.factorize(codes * len(values) + more)
    return codes.astype(np.uint16) if len(different) <= NARROW else codes


NARROW = 1 << 16
"""How many numbers there are of 16 bits."""


def partitions(codes: np.ndarray, place: np.ndarray) -> Partitions:
    """Rows sorted by partition and place."""
    order = np.lexsort((place, codes))
    first = firsts([codes[order]], len(order))
    begins = np.flatnonzero(first)
    sizes = np.diff([*begins, len(order)])
    return Partitions(
        order=order,
        starts=np.repeat(begins, sizes),
        ends=np.repeat(begins + sizes, sizes),
        place=place[order],
    )


def firsts(keys: list[np.ndarray], rows: int) -> np.ndarray:
    """Whether a row differs from the one before it, in arrays that are sorted."""
    found = np.zeros(rows, dtype=bool)
    found[:1] = True
    for key in keys:
        found[1:] |= key[1:] != key[:-1]
    return found


def is_known(parts: Partitions, after: int) -> np.ndarray:
    """Whether the rows that follow within `after` are there already; by row."""
    last = parts.place[parts.ends - 1] if len(parts.place) else parts.place
    return _by_row(parts, parts.place + after <= last)


def seen_from(parts: Partitions, some: np.ndarray, reach: Reach) -> np.ndarray:
    """Rows that the frames of `some` rows hold, counted in rows; by row."""
    places = np.arange(len(parts.order))
    chosen = some[parts.order]
    following = np.where(chosen, places, len(places))
    following = np.minimum.accumulate(following[::-1])[::-1]
    has_following = following < parts.ends
    nearest = parts.place[np.minimum(following, len(places) - 1)]
    near = has_following
    if reach.before is not None:
        near = has_following & (nearest - parts.place <= reach.before)
    if reach.after:
        preceding = np.maximum.accumulate(np.where(chosen, places, -1))
        nearest = parts.place[np.maximum(preceding, 0)]
        near = near | ((preceding >= parts.starts) & (parts.place - nearest <= reach.after))
    return _by_row(parts, near)


def seen_by_time(
    parts: Partitions, some: np.ndarray, closes: np.ndarray, until: np.ndarray
) -> np.ndarray:
    """Rows that the frames of `some` rows may hold, by time; by row.

    Args:
        parts: the partitions.
        some: the rows whose frames are meant.
        closes: when rows close, milliseconds since the epoch.
        until: up to which `closes` rows are looked back at, likewise.
    """
    first = np.where(some, closes, FOREVER)[parts.order]
    begins = np.unique(parts.starts)
    least = np.minimum.reduceat(first, begins) if len(begins) else first
    sizes = np.diff([*begins, len(first)])
    return _by_row(parts, until[parts.order] >= np.repeat(least, sizes)) & _by_row(
        parts, np.repeat(least < FOREVER, sizes)
    )


def seen_marked(parts: Partitions, some: np.ndarray, marked: np.ndarray, last: int) -> np.ndarray:
    """The last marked rows up to each of some rows, itself among them; by row."""
    places = np.arange(len(parts.order))
    chosen, marks = some[parts.order], marked[parts.order]
    count = np.cumsum(marks)
    following = np.where(chosen, places, len(places))
    following = np.minimum.accumulate(following[::-1])[::-1]
    nearest = count[np.minimum(following, len(places) - 1)]
    return _by_row(parts, marks & (following < parts.ends) & (nearest - count < last))


def last_marked(parts: Partitions, marked: np.ndarray, last: int) -> np.ndarray:
    """The last marked rows of each partition, which later ones may look back at; by row."""
    marks = marked[parts.order]
    count = np.cumsum(marks)
    return _by_row(parts, marks & (count[parts.ends - 1] - count < last))


def last_rows(parts: Partitions, count: int) -> np.ndarray:
    """The last rows of each partition, which later ones may look back at; by row."""
    return _by_row(parts, parts.ends - np.arange(len(parts.order)) <= count)


def _by_row(parts: Partitions, values: np.ndarray) -> np.ndarray:
    found = np.empty(len(parts.order), dtype=values.dtype)
    found[parts.order] = values
    return found


@dataclass(frozen=True, slots=True)
class Numbers:
    """row_number(), rank() and dense_rank() of rows."""

    row_number: np.ndarray
    rank: np.ndarray
    dense_rank: np.ndarray


def number(
    codes: np.ndarray, order: list[np.ndarray], tie: np.ndarray, known: tuple[np.ndarray, ...]
) -> Numbers:
    """Number new rows after those that their partitions had.

    Rows that are equal in all of `order` close together, so none is equal to one from before.

    Args:
        codes: the partition of a row.
        order: sort keys, the first one first.
        tie: tells apart rows that are equal in all of them.
        known: per row, how many rows its partition had, and how many that differed.
    """
    rows = len(tie)
    by_place = np.lexsort((*reversed(order), codes))
    new_peers = firsts([key[by_place] for key in (codes, *order)], rows)
    if not new_peers.all():
        by_place = np.lexsort((tie, *reversed(order), codes))
    new_partition = firsts([codes[by_place]], rows)
    place = np.arange(rows)
    start = np.maximum.accumulate(np.where(new_partition, place, 0))
    peers = np.maximum.accumulate(np.where(new_peers, place, 0))
    groups = np.cumsum(new_peers)
    before, different = (each[by_place] for each in known)
    row_number, rank, dense = (np.empty(rows, dtype=np.int64) for _ in range(3))
    row_number[by_place] = before + place - start + 1
    rank[by_place] = before + peers - start + 1
    dense[by_place] = different + groups - (groups[start] if rows else 0) + 1
    return Numbers(row_number, rank, dense)


def sort_keys(values: pa.Array, *, descending: bool, nulls_first: bool) -> list[np.ndarray]:
    """Arrays that sort as Spark sorts a column: NaN is above all numbers."""
    nulls = values.is_null().to_numpy(zero_copy_only=False)
    keys = [~nulls if nulls_first else nulls] if nulls.any() else []
    if pa.types.is_floating(values.type):
        numbers = values.fill_null(0).to_numpy(zero_copy_only=False)
        odd = np.isnan(numbers)
        numbers = np.where(odd, 0, numbers)
        return [*keys, ~odd if descending else odd, -numbers if descending else numbers]
    codes = np.where(nulls, 0, _ranks(values))
    return [*keys, -codes if descending else codes]


def _ranks(values: pa.Array) -> np.ndarray:
    """Numbers that sort as the values do."""
    if not pa.types.is_nested(values.type):
        ranks = pc.rank(values, sort_keys="ascending", tiebreaker="dense")
        return ranks.to_numpy(zero_copy_only=False).astype(np.int64)
    # Arrow does not rank lists and structs.
    found = [_comparable(each) for each in values.to_pylist()]
    places = {each: place for place, each in enumerate(sorted(set(found)))}
    return np.array([places[each] for each in found], dtype=np.int64)


def _comparable(value: Any) -> tuple[Any, ...]:
    """A nested value in a form that Python compares as Spark does: NULL first, NaN last."""
    if value is None:
        return ()
    if isinstance(value, dict):
        return (0, tuple(map(_comparable, value.values())))
    if isinstance(value, list):
        return (0, tuple(map(_comparable, value)))
    return (1,) if isinstance(value, float) and math.isnan(value) else (0, value)
