"""A table by hash in which each row is there once: find rows of a batch, put others in their place.

Its leaves are sorted by hashes alone; rows that differ may share them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tvfc_runtime.changing.leaves import Leaves, compared
from tvfc_runtime.changing.ranks import group_codes
from tvfc_runtime.rows import chunks

PORTION_ROWS = 1 << 18
"""About how many rows of the table are in memory at a time."""


@dataclass(frozen=True)
class Found:
    """The leaves that wanted rows are in, or would be in.

    Attributes:
        leaves: the leaves.
        where: the leaf of each wanted row.
        known: all rows of those leaves; None: there are none.
        at: where in `known` each wanted row is; -1: it is new.
    """

    leaves: np.ndarray
    where: np.ndarray
    known: pa.RecordBatch | None
    at: np.ndarray

    def column(self, wanted: pa.RecordBatch, name: str) -> pa.Array:
        """A column of the wanted rows, as it is in the table if they are there.

        Values that are equal may look different, such as 0.0 and -0.0; so a row is taken back as
        it was given.
        """
        if self.known is None:
            return wanted.column(name)
        both = pa.concat_arrays([self.known.column(name), wanted.column(name)])
        new = self.known.num_rows + np.arange(len(self.at))
        return both.take(pa.array(np.where(self.at < 0, new, self.at)))

    def numbers(self, name: str) -> np.ndarray:
        """Whole numbers of the wanted rows, 0 for new ones."""
        if self.known is None:
            return np.zeros(len(self.at), dtype=np.int64)
        return np.where(self.at < 0, 0, self.known.column(name).to_numpy()[self.at])


def portions(leaves: Leaves, wanted: pa.RecordBatch) -> Iterator[np.ndarray]:
    """The wanted rows, by place, in parts for which few leaves are read at a time.

    The caller changes the table between one part and the next.
    """
    hashes = wanted.select([each.name for each in leaves.sort])
    order = np.argsort(compared([hashes], leaves.sort), kind="stable")
    while len(order):
        where = leaves.locate(hashes.take(pa.array(order)))
        weight = np.ones(len(order), dtype=np.int64)
        if len(leaves):
            weight += np.where(np.diff(where, prepend=-1) > 0, leaves.sizes()[where], 0)
        part = max(1, int(np.searchsorted(np.cumsum(weight), PORTION_ROWS, side="right")))
        yield order[:part]
        order = order[part:]


def find(leaves: Leaves, wanted: pa.RecordBatch, keys: Sequence[str]) -> Found:
    """Find rows by columns on which their hash depends."""
    where = leaves.locate(wanted)
    touched = np.unique(where)
    known = leaves.read_all(touched)
    if known is None:
        return Found(touched, where, None, np.full(wanted.num_rows, -1, dtype=np.int64))
    size = known.num_rows
    columns = [pa.concat_arrays([known.column(key), wanted.column(key)]) for key in keys]
    codes, first = group_codes(columns, size + wanted.num_rows)
    place = np.full(len(first), -1, dtype=np.int64)
    place[codes[:size]] = np.arange(size)
    return Found(touched, where, known, place[codes[size:]])


def replace(leaves: Leaves, found: Found, rows: pa.RecordBatch, left: np.ndarray) -> None:
    """Put rows in place of the wanted ones.

    Args:
        leaves: the table.
        found: what has been found of the wanted rows.
        rows: as many rows as were wanted.
        left: which of them stay in the table.
    """
    stay = np.flatnonzero(left)
    rows, where = rows.take(pa.array(stay)), found.where[stay]
    if found.known is not None:
        same = np.ones(found.known.num_rows, dtype=bool)
        same[found.at[found.at >= 0]] = False
        kept = np.flatnonzero(same)
        places = np.repeat(found.leaves, leaves.sizes()[found.leaves])[kept]
        rows = chunks.concat([found.known.take(pa.array(kept)), rows])
        where = np.concatenate([places, where])
    order = np.argsort(compared([rows], leaves.sort), kind="stable")
    leaves.write(found.leaves, rows.take(pa.array(order)), where[order])
