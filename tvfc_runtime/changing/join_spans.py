"""Joins of rows that are there for a time: what changes at which clock value.

A row of a side is there, so often, over some *spans* of time. A pair is in the result where spans
of its two rows overlap, so that pairs are found by keys and times at once, and none is looked at
that comes to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

EVER = np.iinfo(np.int64).min
"""The start of a span that was there before."""

ALWAYS = np.iinfo(np.int64).max
"""The end of a span that stays."""


@dataclass(frozen=True)
class Spans:
    """Spans of rows.

    Attributes:
        row: the row.
        key: the number of its key.
        start: the first clock value.
        end: the first clock value after it.
        count: how often the row is there.
    """

    row: np.ndarray
    key: np.ndarray
    start: np.ndarray
    end: np.ndarray
    count: np.ndarray

    def where(self, some: np.ndarray) -> Spans:
        """Some of them."""
        parts = (self.row, self.key, self.start, self.end, self.count)
        return Spans(*(each[some] for each in parts))


def spans_of(
    row: np.ndarray, key: np.ndarray, at: np.ndarray, diff: np.ndarray, before: np.ndarray
) -> Spans:
    """Spans of rows that change.

    Args:
        row: the row of each change.
        key: the key of each row.
        at: the clock value of each change; a row has one at a clock value.
        diff: how much more often the row is there from then on.
        before: how often each row was there before its changes, each of which has some.
    """
    order = np.lexsort((at, row))
    row, at = row[order], at[order]
    first = np.flatnonzero(np.diff(row, prepend=-1))
    total = np.cumsum(diff[order])
    total = total - (total[first] - diff[order][first] - before[row[first]])[_runs(row)]
    ends = np.append(at, 0)[1:]
    ends[np.append(first, len(row))[1:] - 1] = ALWAYS
    found = Spans(
        np.concatenate([row[first], row]),
        key[np.concatenate([row[first], row])],
        np.concatenate([np.full(len(first), EVER), at]),
        np.concatenate([at[first], ends]),
        np.concatenate([before[row[first]], total]),
    )
    return found.where(found.count != 0)


def _runs(row: np.ndarray) -> np.ndarray:
    return np.cumsum(np.diff(row, prepend=-1) != 0) - 1


def standing(row: np.ndarray, key: np.ndarray, count: np.ndarray) -> Spans:
    """Spans of rows that do not change."""
    return Spans(row, key, np.full(len(row), EVER), np.full(len(row), ALWAYS), count)


def united(one: Spans, other: Spans) -> Spans:
    """The spans of both."""
    names = ("row", "key", "start", "end", "count")
    return Spans(*(np.concatenate([getattr(one, n), getattr(other, n)]) for n in names))


def of_keys(spans: Spans, keys: int, *, there: bool) -> Spans:
    """Where keys, which are the rows, have a row that is `there`; or where they have none."""
    key = np.concatenate([np.arange(keys), spans.key, spans.key])
    at = np.concatenate([np.full(keys, EVER), spans.start, spans.end])
    diff = np.concatenate([np.zeros(keys, dtype=np.int64), spans.count, -spans.count])
    order = np.lexsort((at, key))
    key, at, total = key[order], at[order], np.cumsum(diff[order])
    ends = np.append(at, ALWAYS)[1:]
    ends[np.append(np.diff(key), 1) != 0] = ALWAYS
    # All spans of a key add up to nothing in the end, so that each key begins with nothing.
    used = ((total > 0) == there) & (at < ends)
    ones = np.ones(np.count_nonzero(used), dtype=np.int64)
    return Spans(key[used], key[used], at[used], ends[used], ones)


@dataclass(frozen=True)
class Changes:
    """How pairs of rows change: `one` and `other`, `at` a clock value, `diff` more often."""

    one: np.ndarray
    other: np.ndarray
    at: np.ndarray
    diff: np.ndarray


def changes_of_pairs(left: Spans, right: Spans, most: int) -> Iterator[Changes]:
    """What changes in the pairs of rows with equal keys, not many more than `most` at a time."""
    times = np.unique(np.concatenate([left.start, left.end, right.start, right.end]))

    def place(key: np.ndarray, at: np.ndarray) -> np.ndarray:
        return key * np.int64(len(times) + 1) + np.searchsorted(times, at)

    for flipped, (one, other) in enumerate(((left, right), (right, left))):
        # A pair begins when its later row does: of two that begin at once, in the first turn.
        order = np.argsort(place(other.key, other.start), kind="stable")
        starts = place(other.key, other.start)[order]
        is_old = one.start == EVER
        low = np.searchsorted(starts, place(one.key, one.start), "right" if flipped else "left")
        low = np.where(is_old, np.searchsorted(starts, place(one.key, one.start), "right"), low)
        high = np.searchsorted(starts, place(one.key, one.end), "left")
        yield from _changes(one, other, order, low, np.maximum(high - low, 0), most, flipped)
    # Those that were there before both: only where one of them ends.
    old, other_old = left.start == EVER, right.start == EVER
    for one_ends, other_ends in ((True, None), (False, True)):
        one = left.where(old & ((left.end < ALWAYS) == one_ends))
        other = right.where(other_old if other_ends is None else other_old & (right.end < ALWAYS))
        order = np.argsort(other.key, kind="stable")
        low = np.searchsorted(other.key[order], one.key, "left")
        times_each = np.searchsorted(other.key[order], one.key, "right") - low
        yield from _changes(one, other, order, low, times_each, most, 0)


def _changes(
    one: Spans,
    other: Spans,
    order: np.ndarray,
    low: np.ndarray,
    often: np.ndarray,
    most: int,
    flipped: int,
) -> Iterator[Changes]:
    """Changes of each span with those others that stand from `low` on in their order."""
    part = np.cumsum(often) // max(most, 1)
    used = np.flatnonzero(often)
    for number in np.unique(part[used]):
        chosen = used[part[used] == number]
        times = often[chosen]
        first = np.repeat(chosen, times)
        place = np.arange(len(first)) - np.repeat(np.cumsum(times) - times, times)
        second = order[np.repeat(low[chosen], times) + place]
        start = np.maximum(one.start[first], other.start[second])
        end = np.minimum(one.end[first], other.end[second])
        count = one.count[first] * other.count[second]
        rows = (one.row[first], other.row[second])
        left, right = rows[::-1] if flipped else rows
        at, diff = np.concatenate([start, end]), np.concatenate([count, -count])
        told = (at != EVER) & (at != ALWAYS) & np.tile(start < end, 2)
        yield Changes(np.tile(left, 2)[told], np.tile(right, 2)[told], at[told], diff[told])
