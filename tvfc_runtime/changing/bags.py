"""Bags of all groups of a shard in one sorted table: by group, then by value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tvfc_runtime.changing.leaves import Leaves, words_of
from tvfc_runtime.changing.partial import DIFF
from tvfc_runtime.changing.ranks import ranks_of_words
from tvfc_runtime.rows import chunks

GID = "gid"
"""The number of a group in its shard."""


@dataclass(frozen=True)
class Range:
    """Values of groups.

    Attributes:
        rows: rows of a bag, in order.
        starts: where the rows of each group begin.
        ends: where they end; the same, if it has none.
    """

    rows: pa.RecordBatch | None
    starts: np.ndarray
    ends: np.ndarray


def add_to_bag(leaves: Leaves, entries: pa.RecordBatch) -> tuple[np.ndarray, np.ndarray]:
    """Add values to the bags of their groups, or take them away.

    Args:
        leaves: the table: columns that it is sorted by, and `d`.
        entries: the same columns; each value of a group once.

    Returns:
        How often each of the values was there, and how often it is now.
    """
    where = leaves.locate(entries)
    touched = np.unique(where)
    known = leaves.read_all(touched)
    size = 0 if known is None else known.num_rows
    rows = entries if known is None else chunks.concat([known, entries])
    sizes = leaves.sizes()
    places = np.concatenate([np.repeat(touched, sizes[touched]), where]) if size else where
    rank = ranks_of_words(words_of([rows], leaves.sort), rows.num_rows)
    diff = rows.column(DIFF).to_numpy()
    different = int(rank.max()) + 1 if len(rank) else 0
    before = np.zeros(different, dtype=np.int64)
    before[rank[:size]] = diff[:size]
    after = before.copy()
    after[rank[size:]] += diff[size:]
    stands = np.zeros(different, dtype=np.int64)
    stands[rank[size:]] = np.arange(size, len(rank))
    stands[rank[:size]] = np.arange(size)
    left = np.flatnonzero(after)
    kept = rows.take(pa.array(stands[left]))
    kept = kept.set_column(kept.num_columns - 1, DIFF, pa.array(after[left]))
    leaves.write(touched, kept, places[stands[left]])
    return before[rank[size:]], after[rank[size:]]


def values_of(leaves: Leaves, groups: np.ndarray, ends: Iterable[str]) -> Range:
    """The values of some groups, or only what is at one end of their order.

    Args:
        leaves: the table.
        groups: their numbers.
        ends: of `first`, `last` and `all`, what must be found.
    """
    count = len(leaves)
    first, last = leaves.span(pa.RecordBatch.from_pydict({GID: pa.array(groups)}), 1)
    wanted = np.zeros(count + 1, dtype=bool)
    for end in ends:
        match end:
            case "first":
                wanted[first] = True
                wanted[np.minimum(first + 1, last)] = True
            case "last":
                wanted[last] = True
                wanted[np.maximum(last - 1, first)] = True
            case _:
                wanted |= covered(first, last, count + 1)
    rows = leaves.read_all(np.flatnonzero(wanted[:count]))
    known = np.zeros(0, dtype=np.int64) if rows is None else rows.column(GID).to_numpy()
    return Range(
        rows,
        np.searchsorted(known, groups, side="left"),
        np.searchsorted(known, groups, side="right"),
    )


def covered(first: np.ndarray, last: np.ndarray, size: int) -> np.ndarray:
    """Whether a number below `size` lies in one of some ranges."""
    bounds = np.zeros(size + 1, dtype=np.int64)
    np.add.at(bounds, first, 1)
    np.add.at(bounds, last + 1, -1)
    return np.cumsum(bounds)[:-1] > 0
