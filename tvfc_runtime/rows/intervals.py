"""The clock values at which rows are in a result, as lists of intervals, all rows at once.

Units: whole milliseconds since the epoch; an interval has its start and lacks its end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

FOREVER = np.iinfo(np.int64).max
"""The end of an interval that has none."""

FAILED = FOREVER - 1
"""The start of what could not be computed: later than all else, so that any other alternative
comes first, and a condition that has to hold as well does not help."""


class Intervals(NamedTuple):
    """Intervals of rows, in order of row and start; those of one row are apart.

    Attributes:
        row: the number of the row to which an interval belongs.
        start: its first clock value.
        end: the first clock value after it.
    """

    row: np.ndarray
    start: np.ndarray
    end: np.ndarray

    def where(self, some: np.ndarray) -> Intervals:
        """Some of the intervals."""
        if some.all():
            return self
        return Intervals(self.row[some], self.start[some], self.end[some])


class Moments(NamedTuple):
    """A list of clock values for each row, one list after the other.

    Attributes:
        times: the clock values, ascending within a row.
        counts: how many each row has.
    """

    times: np.ndarray
    counts: np.ndarray

    def firsts(self) -> np.ndarray:
        """The first value of each row; no row may be without one."""
        return self.times[np.cumsum(self.counts) - self.counts]

    def rest(self) -> Moments:
        """All but the first of each row; no row may be without one."""
        later = np.ones(len(self.times), dtype=bool)
        later[np.cumsum(self.counts) - self.counts] = False
        return Moments(self.times[later], self.counts - 1)

    def where(self, some: np.ndarray) -> Moments:
        """Those of some of the rows."""
        if some.all():
            return self
        return Moments(self.times[np.repeat(some, self.counts)], self.counts[some])

    def to_lists(self) -> pa.ListArray:
        """As an Arrow column."""
        offsets = np.concatenate([[0], np.cumsum(self.counts)]).astype(np.int32)
        return pa.ListArray.from_arrays(pa.array(offsets), pa.array(self.times, pa.int64()))


def moments_of(lists: pa.ListArray) -> Moments:
    """What `to_lists` gave."""
    counts = np.diff(lists.offsets.to_numpy())
    return Moments(lists.flatten().to_numpy(), counts)


def intervals_of(valid: pa.ListArray) -> Intervals:
    """Pieces as they were computed, which may overlap, touch, be crossed or NULL, put in order.

    Args:
        valid: per row a list of structs (from, to); `from` NULL: no piece, `to` NULL: for ever.
    """
    counts = valid.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    row = np.repeat(np.arange(len(valid)), counts)
    starts, ends = valid.flatten().flatten()
    start = starts.fill_null(0).to_numpy(zero_copy_only=False)
    end = ends.fill_null(FOREVER).to_numpy(zero_copy_only=False)
    known = starts.is_valid().to_numpy(zero_copy_only=False)
    pieces = Intervals(row, start, end).where(known & (start < end))
    if np.any(pieces.row[1:] == pieces.row[:-1]):
        return _united(pieces)
    return pieces


def _united(pieces: Intervals) -> Intervals:
    """Pieces in any order within their row, as disjoint intervals that do not touch."""
    order = np.lexsort((pieces.start, pieces.row))
    row, start, end = (each[order] for each in pieces)
    # How far a row reaches up to each of its pieces: a running maximum that begins anew with each
    # row, since the row is the upper part of what is compared.
    ends, place = np.unique(end, return_inverse=True)
    reach = ends[np.maximum.accumulate(row * len(ends) + place) % len(ends)]
    opens = np.ones(len(row), dtype=bool)
    opens[1:] = (row[1:] != row[:-1]) | (start[1:] > reach[:-1])
    closes = np.append(opens[1:], [True])
    return Intervals(row[opens], start[opens], reach[closes])


def intervals_between(moments: Moments) -> Intervals:
    """The intervals that start and end by turns at `moments`; an odd last one has no end."""
    row = np.repeat(np.arange(len(moments.counts)), moments.counts)
    place = np.arange(len(row)) - np.repeat(
        np.cumsum(moments.counts) - moments.counts, moments.counts
    )
    starts = np.flatnonzero(place % 2 == 0)
    open_ended = place[starts] + 1 == moments.counts[row[starts]]
    following = np.minimum(starts + 1, max(len(row) - 1, 0))
    end = np.where(open_ended, FOREVER, moments.times[following])
    return Intervals(row[starts], moments.times[starts], end)


class Ahead(NamedTuple):
    """What the clock has ahead of it, by row.

    Attributes:
        inside: whether the row is in the result now.
        changes: the clock values at which it enters or leaves, from now on.
    """

    inside: np.ndarray
    changes: Moments


def ahead(intervals: Intervals, rows: int, now: int) -> Ahead:
    """What rows, so many of them, have before them when the clock is at `now`."""
    row, start, end = intervals.where(intervals.end > now)
    begun = start <= now
    inside = np.zeros(rows, dtype=bool)
    inside[row[begun]] = True
    times = np.column_stack([start, end]).ravel()
    to_come = np.column_stack([~begun, end < FOREVER]).ravel()
    counts = np.bincount(np.repeat(row, 2)[to_come], minlength=rows)
    return Ahead(inside, Moments(times[to_come], counts))
