"""Numbers of rows that are sorted by group and order, and which of them are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tvfc_runtime.changing.leaves import words_of
from tvfc_runtime.changing.partial import DIFF
from tvfc_runtime.changing.ranks import Sort

NUMBER = "number"


@dataclass(frozen=True)
class Heads:
    """Wanted rows of some groups.

    Attributes:
        rows: the rows, their number if it is asked for, how often they are wanted.
        group: the group of each.
        enough: the groups of which no further row can be wanted.
    """

    rows: pa.RecordBatch
    group: np.ndarray
    enough: np.ndarray


@dataclass(frozen=True)
class Numbering:
    """How rows are numbered, and which numbers are wanted: those from `offset` + 1 on.

    Attributes:
        order: what rows are sorted by; rows that are equal in it have one rank.
        offset: how many numbers are left out.
        limit: how many numbers are wanted; None: all.
        kind: `row_number`, `rank` or `dense_rank`.
        numbered: whether rows get a column with their number.
    """

    order: tuple[Sort, ...]
    offset: int
    limit: int | None
    kind: str
    numbered: bool

    def heads(self, rows: pa.RecordBatch, group: np.ndarray, names: Sequence[str]) -> Heads:
        """The wanted ones of rows.

        Args:
            rows: rows, from the first of each group on, in order; how often each is there.
            group: the group of each.
            names: the columns to keep.
        """
        times = rows.column(DIFF).to_numpy()
        if (times <= 0).any():
            there = np.flatnonzero(times > 0)
            rows, group, times = rows.take(pa.array(there)), group[there], times[there]
        before = np.cumsum(times) - times
        before -= before[_start_of(_changes(group))]
        if self.kind == "row_number":
            used, number, often = self._by_place(before, times)
            enough = group[before + times >= self._end]
        else:
            rank = self._ranks(rows, group, before)
            used = np.flatnonzero((rank > self.offset) & (rank <= self._end))
            number, often = rank[used], times[used]
            enough = group[rank > self._end]
        found = {name: rows.column(name).take(pa.array(used)) for name in names}
        if self.numbered:
            found[NUMBER] = pa.array(number, pa.int32())
        found[DIFF] = pa.array(often, pa.int64())
        return Heads(pa.RecordBatch.from_pydict(found), group[used], np.unique(enough))

    @property
    def _end(self) -> int:
        """The last number that is wanted."""
        return NO_END if self.limit is None else self.offset + self.limit

    def _by_place(
        self, before: np.ndarray, times: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Which rows are wanted by ROW_NUMBER, their numbers, and how often.

        A row that is there several times has several numbers, so it is a row for each.
        """
        low = np.maximum(before, self.offset)
        often = np.minimum(before + times, self._end) - low
        used = np.flatnonzero(often > 0)
        low, often = low[used], often[used]
        if not self.numbered:
            return used, low, often
        number = np.arange(often.sum()) + np.repeat(low - np.cumsum(often) + often, often) + 1
        return np.repeat(used, often), number, np.ones(len(number), dtype=np.int64)

    def _ranks(self, rows: pa.RecordBatch, group: np.ndarray, before: np.ndarray) -> np.ndarray:
        """RANK or DENSE_RANK of each row."""
        starts = _changes(group)
        peers = starts.copy()
        for word in words_of([rows], self.order):
            peers |= _changes(word)
        if self.kind == "rank":
            return before[_start_of(peers)] + 1
        dense = np.cumsum(peers)
        return dense - dense[_start_of(starts)] + 1


NO_END = np.iinfo(np.int64).max
"""No number is as large."""


def _changes(values: np.ndarray) -> np.ndarray:
    """Where a value differs from the one before."""
    found = np.ones(len(values), dtype=bool)
    found[1:] = values[1:] != values[:-1]
    return found


def _start_of(starts: np.ndarray) -> np.ndarray:
    """For each place, the last start up to it."""
    return np.maximum.accumulate(np.where(starts, np.arange(len(starts)), 0))
