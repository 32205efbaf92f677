"""Aggregates that need all values of a group: places in their order, bits, moments, regressions.

All are computed of many groups at once, whose values stand one after another, in order within each
group. A value that is there several times stands there as often.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tvfc_runtime.changing.ranks import ranks


@dataclass(frozen=True)
class Values:
    """Values of groups.

    Attributes:
        columns: one for each argument.
        bounds: where the values of each group begin, and where the last ones end.
    """

    columns: Sequence[pa.Array]
    bounds: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """How many values each group has."""
        return np.diff(self.bounds)

    def doubles(self, place: int = 0) -> np.ndarray:
        """A column as doubles."""
        column = self.columns[place]
        kind = pa.float64()
        # A decimal with more digits than a double has is rounded, as in Spark.
        return pc.cast(column, kind, safe=False).to_numpy(zero_copy_only=False)

    def sums(self, numbers: np.ndarray) -> np.ndarray:
        """Sums by group of a number for each value."""
        return _reduced(np.add, numbers, self.bounds)

    def deviations(self, place: int = 0) -> np.ndarray:
        """How far the values of a column are from the mean of their group."""
        numbers = self.doubles(place)
        return numbers - np.repeat(self.means(place), self.counts)

    def means(self, place: int = 0) -> np.ndarray:
        """The means of a column by group."""
        return self.sums(self.doubles(place)) / np.maximum(self.counts, 1)


def _reduced(function: np.ufunc, numbers: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """A function over the numbers of each group; that of an empty one has no meaning."""
    if not len(bounds) - 1:
        return numbers[:0]
    # An empty group takes the number behind it, so that there must be one.
    padded = np.append(numbers, numbers.dtype.type(0))
    return function.reduceat(padded, bounds)[:-1]


def percentiles(values: Values, shares: Sequence[float], *, descending: bool) -> list[pa.Array]:
    """Spark's percentile(): between two values, in proportion to where it lies."""
    numbers, counts = values.doubles(), values.counts
    found = []
    for share in shares:
        position = np.maximum(counts - 1, 0) * share
        lower, upper = np.floor(position), np.ceil(position)
        low, high = (_at(numbers, values, each, descending=descending) for each in (lower, upper))
        with np.errstate(invalid="ignore"):
            between = (upper - position) * low + (position - lower) * high
        found.append(pa.array(np.where(lower == upper, low, between), mask=counts == 0))
    return found


def _at(numbers: np.ndarray, values: Values, place: np.ndarray, *, descending: bool) -> np.ndarray:
    where = _where(values, place, descending=descending)
    return np.append(numbers, np.nan)[where]


def _where(values: Values, place: np.ndarray, *, descending: bool) -> np.ndarray:
    """Where the value at a place of each group stands; behind the last one for an empty group."""
    starts, ends = values.bounds[:-1], values.bounds[1:]
    place = place.astype(np.int64)
    where = ends - 1 - place if descending else starts + place
    return np.where(starts == ends, values.bounds[-1], where)


def ranked(values: Values, shares: Sequence[float], *, descending: bool) -> list[pa.Array]:
    """The first value that has so large a share of all at or before it: percentile_disc()."""
    counts = values.counts
    (column,) = values.columns
    padded = pa.concat_arrays([column, pa.nulls(1, column.type)])
    found = []
    for share in shares:
        place = np.maximum(np.ceil(counts * share) - 1, 0)
        found.append(padded.take(pa.array(_where(values, place, descending=descending))))
    return found


def as_lists(columns: Sequence[pa.Array], counts: np.ndarray) -> pa.Array:
    """Several results of each group as a list, NULL for a group without values."""
    size, width = len(counts), len(columns)
    together = pa.concat_arrays(columns)
    order = np.arange(size * width).reshape(width, size).T.ravel()
    ends = np.arange(size + 1) * width
    mask = pa.array(counts == 0)
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), together.take(order), mask=mask)


BITS = {"bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor}


def bits(function: str, values: Values) -> pa.Array:
    """Whole numbers bit by bit."""
    (column,) = values.columns
    numbers = column.to_numpy(zero_copy_only=False)
    found = _reduced(BITS[function], numbers, values.bounds)
    return pa.array(found, column.type, mask=values.counts == 0)


def joined(values: Values, delimiter: str) -> pa.Array:
    """Texts one after another: listagg(); NULL for a group without any."""
    texts = values.columns[-1]
    counts = values.counts
    lists = pa.ListArray.from_arrays(pa.array(values.bounds, pa.int32()), texts)
    found = pc.binary_join(lists, pa.scalar(delimiter, texts.type))
    return pc.if_else(pa.array(counts == 0), pa.scalar(None, found.type), found)


def shape(function: str, values: Values) -> pa.Array:
    """skewness() and kurtosis(), of all values as a population; NULL if they are all the same."""
    count, apart = values.counts.astype(np.float64), values.deviations()
    second = values.sums(apart**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        if function == "skewness":
            found = np.sqrt(count) * values.sums(apart**3) / np.sqrt(second**3)
        else:
            found = count * values.sums(apart**4) / second**2 - 3.0
    return pa.array(found, mask=(values.counts == 0) | (second == 0))


@dataclass(frozen=True)
class _Pairs:
    """What is known of the pairs (y, x) of groups."""

    count: np.ndarray
    mean_y: np.ndarray
    mean_x: np.ndarray
    yy: np.ndarray
    xx: np.ndarray
    xy: np.ndarray


def of_pairs(function: str, values: Values) -> pa.Array:
    """corr(), covar_pop(), covar_samp() and regr_…() of pairs."""
    y, x = values.deviations(0), values.deviations(1)
    sums = values.sums(y * y), values.sums(x * x), values.sums(x * y)
    pairs = _Pairs(values.counts, values.means(0), values.means(1), *sums)
    if function == "regr_count":
        return pa.array(values.counts, pa.int64())
    with np.errstate(divide="ignore", invalid="ignore"):
        found, is_none = _OF_PAIRS[function](pairs)
    return pa.array(found, mask=is_none | (pairs.count == 0))


def _r2(pairs: _Pairs) -> tuple[np.ndarray, np.ndarray]:
    square = pairs.xy**2 / (pairs.xx * pairs.yy)
    return np.where(pairs.yy == 0, 1.0, square), pairs.xx == 0


_OF_PAIRS: dict[str, Callable[[_Pairs], tuple[np.ndarray, np.ndarray]]] = {
    "corr": lambda p: (p.xy / np.sqrt(p.xx * p.yy), p.count == 1),
    "covar_pop": lambda p: (p.xy / p.count, p.count == 0),
    "covar_samp": lambda p: (p.xy / (p.count - 1), p.count < 2),
    "regr_avgx": lambda p: (p.mean_x, p.count == 0),
    "regr_avgy": lambda p: (p.mean_y, p.count == 0),
    "regr_sxx": lambda p: (p.xx, p.count == 0),
    "regr_syy": lambda p: (p.yy, p.count == 0),
    "regr_sxy": lambda p: (p.xy, p.count == 0),
    "regr_slope": lambda p: (p.xy / p.xx, p.xx == 0),
    "regr_intercept": lambda p: (p.mean_y - p.xy / p.xx * p.mean_x, p.xx == 0),
    "regr_r2": _r2,
}
"""Values, and where they are NULL."""


def union(_function: str, values: Values) -> pa.Array:
    """collect_union(): the different elements of arrays in order, without NULL."""
    (arrays,) = values.columns
    sizes = pc.list_value_length(arrays).to_numpy()
    group = np.repeat(np.repeat(np.arange(len(values.counts)), values.counts), sizes)
    elements = arrays.flatten()
    if pa.types.is_floating(elements.type):
        # As in Spark, 0.0 stands for -0.0.
        elements = pc.add(elements, pa.scalar(0.0, elements.type))
    there = elements.is_valid()
    elements, group = elements.filter(there), group[there.to_numpy(zero_copy_only=False)]
    place = ranks([elements], len(elements))
    order = np.lexsort((place, group))
    pairs = np.stack([group, place])[:, order]
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (pairs[:, 1:] != pairs[:, :-1]).any(axis=0)
    taken = order[is_first]
    ends = np.searchsorted(group[taken], np.arange(len(values.counts) + 1))
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), elements.take(pa.array(taken)))


OF_VALUES: dict[str, Callable[[str, Values], pa.Array]] = {
    **dict.fromkeys(BITS, bits),
    **dict.fromkeys(("skewness", "kurtosis"), shape),
    **dict.fromkeys((*_OF_PAIRS, "regr_count"), of_pairs),
    "collect_union": union,
}
"""Aggregates by name that are computed of all values of a group, and of nothing else."""

OF_DOUBLES = frozenset({"skewness", "kurtosis", "regr_count", *_OF_PAIRS})
"""Those whose values are taken as doubles."""


def most_frequent(
    column: pa.Array, times: np.ndarray, bounds: np.ndarray, *, descending: bool
) -> pa.Array:
    """mode(): of the different values of each group that which is there most often.

    Args:
        column: the values in order, each once.
        times: how often each is there.
        bounds: where the values of each group begin, and where the last ones end.
        descending: whether of those that are there equally often the last is meant.
    """
    counts = np.diff(bounds)
    group = np.repeat(np.arange(len(counts)), counts)
    place = np.arange(len(group))
    order = np.lexsort((-place if descending else place, -times, group))
    best = np.append(order, len(order))[np.where(counts == 0, len(order), bounds[:-1])]
    return pa.concat_arrays([column, pa.nulls(1, column.type)]).take(pa.array(best))
