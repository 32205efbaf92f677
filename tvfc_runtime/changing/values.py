"""What bags hold as the changes of a batch follow one another."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tvfc_runtime.changing.bags import GID, Range, add_to_bag, values_of
from tvfc_runtime.changing.exact import add_by
from tvfc_runtime.changing.leaves import Leaves, words_of
from tvfc_runtime.changing.partial import DIFF, GROUP, value_columns
from tvfc_runtime.changing.ranks import codes_of_words, words
from tvfc_runtime.changing.runs import Runs
from tvfc_runtime.rows import chunks


@dataclass(frozen=True)
class BagChange:
    """How bags of groups change.

    Attributes:
        entries: values with the change that each belongs to.
        flips: for each of these, how many different values there are more or less by it.
        before: what is needed of the bags before the first change, by group.
        after: the same after each change.
        more: how many values the state has more, by group.
    """

    entries: pa.RecordBatch
    flips: np.ndarray
    before: Range
    after: Range
    more: np.ndarray


def change_bag(
    leaves: Leaves, entries: pa.RecordBatch, gids: np.ndarray, runs: Runs, ends: Iterable[str]
) -> BagChange:
    """Change the bags of groups.

    Args:
        leaves: the table.
        entries: `g`, the place of a change in `runs`, values, `d`; each value of a change once.
        gids: the number of each group.
        runs: changes in order of time, a run for each group.
        ends: what is needed of the bags, in the words of `values_of`.
    """
    change = entries.column(GROUP).to_numpy()
    group = runs.run[change]
    before = values_of(leaves, gids, ends)
    codes, first = _numbered(entries, group, runs)
    diff = entries.column(DIFF).to_numpy()
    columns = {GID: pa.array(gids[group[first]])}
    columns |= {name: entries.column(name).take(pa.array(first)) for name in value_columns(entries)}
    columns |= {DIFF: pa.array(add_by(codes, len(first), diff))}
    values = pa.RecordBatch.from_pydict(columns)
    was, now = add_to_bag(leaves, values)
    more = np.zeros(len(gids), dtype=np.int64)
    np.add.at(more, group[first], (now != 0).astype(np.int64) - (was != 0))
    order = np.lexsort((change, codes))
    history = Runs(codes[order], np.searchsorted(codes[order], np.arange(len(first))))
    counts = was[history.run] + history.sums(diff[order])
    flips = np.empty(len(order), dtype=np.int64)
    flips[order] = (counts > 0).astype(np.int64) - (counts - diff[order] > 0)
    if runs.are_single:
        after = values_of(leaves, gids, ends)
    elif ends:
        rest = _untouched(leaves, values, now, gids, ends)
        spans = _spans(runs, change[order], history, was, counts)
        after = _through_time(leaves, values, spans, rest, runs, all_of="all" in ends)
    else:
        after = Range(None, np.zeros(len(runs.run), np.int64), np.zeros(len(runs.run), np.int64))
    return BagChange(entries, flips, before, after, more)


def keep_ends(leaves: Leaves, gids: np.ndarray, ends: Collection[str]) -> np.ndarray:
    """Take out the values of groups that lie between their ends; tells how many of each group.

    Args:
        leaves: the table.
        gids: the number of each group.
        ends: `first`, `last` or both: what stays.
    """
    found = values_of(leaves, gids, ("all",))
    sizes = np.where(found.ends - found.starts > len(ends), found.ends - found.starts, 0)
    group = np.repeat(np.arange(len(gids)), sizes)
    place = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes - found.starts, sizes)
    if "first" in ends:
        first = place == found.starts[group]
        place, group = place[~first], group[~first]
    if "last" in ends:
        last = place == found.ends[group] - 1
        place, group = place[~last], group[~last]
    if found.rows is not None and len(place):
        gone = found.rows.take(pa.array(place))
        often = pa.array(-gone.column(DIFF).to_numpy())
        add_to_bag(leaves, gone.set_column(gone.num_columns - 1, DIFF, often))
    return np.bincount(group, minlength=len(gids))


def _numbered(
    entries: pa.RecordBatch, group: np.ndarray, runs: Runs
) -> tuple[np.ndarray, np.ndarray]:
    """A number for each value of a group, and where each is first."""
    if runs.are_single:
        return np.arange(len(group)), np.arange(len(group))
    columns = [entries.column(name) for name in value_columns(entries)]
    parts = [word for each in columns for word in words(each, ordered=False)]
    return codes_of_words([group, *parts], len(group))


@dataclass(frozen=True)
class Spans:
    """Changes after which values are there, from `start` until before `end`.

    Attributes:
        value: which value.
        start: the first change.
        end: the change after the last one.
        count: how often the value is there.
    """

    value: np.ndarray
    start: np.ndarray
    end: np.ndarray
    count: np.ndarray


def _spans(
    runs: Runs, change: np.ndarray, history: Runs, was: np.ndarray, counts: np.ndarray
) -> Spans:
    """Where values that change are there; `history` is the run of changes of each value."""
    group = runs.run[change[history.starts]]
    following = np.append(change, 0)[1:]
    following[history.ends - 1] = runs.ends[group]
    value = np.concatenate([np.arange(len(was)), history.run])
    start = np.concatenate([runs.starts[group], change])
    end = np.concatenate([change[history.starts], following])
    count = np.concatenate([was, counts])
    used = (count > 0) & (start < end)
    return Spans(value[used], start[used], end[used], count[used])


def _untouched(
    leaves: Leaves, values: pa.RecordBatch, now: np.ndarray, gids: np.ndarray, ends: Iterable[str]
) -> Range:
    """What is needed of bags without some values, which are there `now` so often."""
    place = values.num_columns - 1
    add_to_bag(leaves, values.set_column(place, DIFF, pa.array(-now)))
    found = values_of(leaves, gids, ends)
    add_to_bag(leaves, values.set_column(place, DIFF, pa.array(now)))
    return found


def _through_time(
    leaves: Leaves, values: pa.RecordBatch, spans: Spans, rest: Range, runs: Runs, *, all_of: bool
) -> Range:
    """What bags hold after each change: all of it, or what is first and what is last."""
    place, group = _places_of(rest, all_of=all_of)
    rows = values.take(pa.array(spans.value))
    start, end, count = spans.start, spans.end, spans.count
    if rest.rows is not None and len(place):
        others = rest.rows.take(pa.array(place)).select(rows.schema.names)
        rows = chunks.concat([rows, others])
        start = np.concatenate([start, runs.starts[group]])
        end = np.concatenate([end, runs.ends[group]])
        count = np.concatenate([count, others.column(DIFF).to_numpy()])
    rows = rows.set_column(rows.num_columns - 1, DIFF, pa.array(count))
    order = np.lexsort(words_of([rows], leaves.sort[1:])[::-1])
    rows, start, end = rows.take(pa.array(order)), start[order], end[order]
    size = len(runs.run)
    if not all_of:
        last = greatest(start, end, size)
        first = len(order) - 1 - greatest(start[::-1], end[::-1], size)
        return Range(rows, np.where(last < 0, 0, first), last + 1)
    often = end - start
    value = np.repeat(np.arange(len(often)), often)
    change = np.arange(len(value)) - np.repeat(np.cumsum(often) - often - start, often)
    order = np.argsort(change, kind="stable")
    in_order = change[order]
    places = np.arange(size)
    return Range(
        rows.take(pa.array(value[order])),
        np.searchsorted(in_order, places, side="left"),
        np.searchsorted(in_order, places, side="right"),
    )


def _places_of(rest: Range, *, all_of: bool) -> tuple[np.ndarray, np.ndarray]:
    """Where values of groups are in a range, all or those at the ends; the group of each."""
    some = np.flatnonzero(rest.starts < rest.ends)
    starts, ends = rest.starts[some], rest.ends[some]
    if not all_of:
        return np.concatenate([starts, ends - 1]), np.concatenate([some, some])
    sizes = ends - starts
    group = np.repeat(some, sizes)
    return np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes - starts, sizes), group


def greatest(start: np.ndarray, end: np.ndarray, size: int) -> np.ndarray:
    """For each place below `size`, the last of the spans that hold it; -1: none does.

    A span is the union of two that are as long as a power of two. So each length gets the last span
    of that length that begins at a place, and hands it down to its two halves.
    """
    length = end - start
    level = np.frexp(length.astype(np.float64))[1] - 1
    number = np.arange(len(start))
    found = np.full(size, -1, dtype=np.int64)
    for each in range(int(level.max(initial=-1)), -1, -1):
        half = 1 << each
        upper, found = found, found.copy()
        np.maximum(found[half:], upper[:-half], out=found[half:])
        used = level == each
        np.maximum.at(found, start[used], number[used])
        np.maximum.at(found, end[used] - half, number[used])
    return found
