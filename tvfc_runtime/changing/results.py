"""Results of aggregate functions out of the sums and bags of groups, for many groups at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tvfc_runtime.changing.bags import Range
from tvfc_runtime.changing.calls import Result
from tvfc_runtime.changing.exact import (
    SCALE,
    big_to_double,
    decimals,
    decode_bigs,
    doubles,
    longs,
    numbers,
    overflow,
    ratio,
)
from tvfc_runtime.changing.of_values import (
    OF_VALUES,
    Values,
    as_lists,
    joined,
    most_frequent,
    percentiles,
    ranked,
)
from tvfc_runtime.changing.partial import DIFF


@dataclass(frozen=True)
class Groups:
    """What is known of groups as they stand, some of them several times.

    Attributes:
        sums: the columns of each sum.
        bags: for each bag, its values in the groups; in parts, one after another.
        kinds: for each bag, the types of its values.
    """

    sums: Sequence[Sequence[pa.Array]]
    bags: Sequence[Sequence[Range]]
    kinds: Sequence[Sequence[pa.DataType]]


def ends_needed(result: Result) -> set[str]:
    """What of its bag a result needs, in the words of `values_of`."""
    match result.function:
        case "min" | "min_by":
            return {"first"}
        case "max" | "max_by":
            return {"last"}
        case _:
            return set() if result.bag is None else {"all"}


def evaluate(result: Result, groups: Groups) -> pa.Array:
    """The result in each group."""
    sums = [groups.sums[number] for number in result.sums]
    match result.function:
        case "count":
            return sums[0][0]
        case "sum" | "avg" | "try_sum" | "try_avg":
            return _total(result, sums)
        case "bool_and" | "bool_or":
            true, there = (each[0].to_numpy() for each in sums)
            value = true == there if result.function == "bool_and" else true > 0
            return pa.array(value, mask=there == 0)
        case "stddev_samp" | "stddev_pop" | "var_samp" | "var_pop":
            return _spread(result.function, sums)
        case _:
            return _of_bag(result, groups)


def _of_bag(result: Result, groups: Groups) -> pa.Array:
    number = result.bag or 0
    parts = groups.bags[number]
    place = 1 if result.function.endswith("_by") else 0
    name, kind = f"v{place}", groups.kinds[number][place]
    match result.function:
        case "min" | "min_by":
            return _at_end(parts, name, kind, lambda part: part.starts)
        case "max" | "max_by":
            return _at_end(parts, name, kind, lambda part: part.ends - 1)
        case "max_list_by" | "min_list_by":
            return pa.concat_arrays([_best(part, kind, result) for part in parts])
        case "list" | "set":
            repeated = result.function == "list"
            return pa.concat_arrays([_list(part, kind, repeated=repeated) for part in parts])
        case "mode":
            return pa.concat_arrays([_mode(part, kind, result) for part in parts])
        case _:
            kinds = groups.kinds[number]
            return pa.concat_arrays([_of_values(part, kinds, result) for part in parts])


def _total(result: Result, sums: Sequence[Sequence[pa.Array]]) -> pa.Array:
    count = sums[0][0].to_numpy()
    none = count == 0
    if pa.types.is_binary(sums[1][0].type):
        values = _real(sums[1])
        if result.function.endswith("avg"):
            values = values / np.where(none, 1, count)
        return pa.array(values, mask=none)
    limbs = [column.to_numpy() for column in sums[1]]
    if result.kind is not None:
        return _decimal_total(result, count, numbers(limbs))
    if result.function == "try_sum":
        over = overflow(limbs)
        kept = [np.where(over, 0, limb) for limb in limbs]
        return pa.array(longs(kept), mask=none | over)
    if result.function == "sum":
        return pa.array(longs(limbs), mask=none)
    return pa.array(doubles(limbs) / np.where(none, 1, count), mask=none)


def _decimal_total(result: Result, count: np.ndarray, totals: list[int]) -> pa.Array:
    counts = count.tolist()
    if result.function.endswith("sum"):
        found = [total if n else None for total, n in zip(totals, counts, strict=True)]
    else:
        # Of an average, Spark keeps up to four digits more.
        found = [
            _half_up(total * 10**result.digits, n) if n else None
            for total, n in zip(totals, counts, strict=True)
        ]
    if result.function.startswith("try_") and result.kind is not None:
        bound = 10**result.kind.precision
        found = [each if each is not None and abs(each) < bound else None for each in found]
    return decimals(found, result.kind)


def _half_up(numerator: int, denominator: int) -> int:
    """A quotient rounded to the nearest whole number, half away from zero."""
    found = (2 * abs(numerator) + abs(denominator)) // (2 * abs(denominator))
    return found if (numerator < 0) == (denominator < 0) else -found


def _real(columns: Sequence[pa.Array]) -> np.ndarray:
    """Sums of doubles: exact, rounded once; NaN and the infinite ones decide if there are any."""
    values = np.array([big_to_double(big) for big in decode_bigs(columns[0])], dtype=np.float64)
    nan, above, below = (column.to_numpy() > 0 for column in columns[1:])
    values[above] = np.inf
    values[below] = -np.inf
    values[nan | (above & below)] = np.nan
    return values


def _spread(function: str, sums: Sequence[Sequence[pa.Array]]) -> pa.Array:
    """Variances and their roots, rounded once: (n·Σx² - (Σx)²) / n(n - 1), or / n²."""
    counts = sums[0][0].to_numpy()
    sample = function.endswith("_samp")
    odd = np.zeros(len(counts), dtype=bool)
    for column in sums[1][1:]:
        odd |= column.to_numpy() > 0
    bigs = zip(counts.tolist(), *(decode_bigs(each[0]) for each in sums[1:]), strict=True)
    least = 2 if sample else 1
    values = np.array(
        [
            big_ratio(n * squares - total * total, n * (n - 1 if sample else n))
            if n >= least
            else 0.0
            for n, total, squares in bigs
        ],
        dtype=np.float64,
    )
    values[odd] = np.nan
    if function.startswith("stddev"):
        values = np.sqrt(values)
    return pa.array(values, mask=counts < least)


def big_ratio(squares: int, count: int) -> float:
    """A big of squares over a number."""
    return ratio(squares, count << 2 * SCALE)


def _at_end(
    parts: Sequence[Range],
    name: str,
    kind: pa.DataType,
    place: Callable[[Range], np.ndarray],
) -> pa.Array:
    """One value of each group; NULL if it has none."""
    found = []
    for part in parts:
        none = part.starts >= part.ends
        if part.rows is None or none.all():
            found.append(pa.nulls(len(none), kind))
            continue
        where = pa.array(np.where(none, 0, place(part)), mask=none)
        found.append(part.rows.column(name).take(where))
    return pa.concat_arrays(found)


def _mode(part: Range, kind: pa.DataType, result: Result) -> pa.Array:
    """The value of each group that is there most often."""
    places, bounds = _places(part)
    if part.rows is None:
        return pa.nulls(len(bounds) - 1, kind)
    times = part.rows.column(DIFF).to_numpy()[places]
    there = times > 0
    bounds = np.concatenate([[0], np.cumsum(there)])[bounds]
    values = part.rows.column("v0").take(pa.array(places[there]))
    return most_frequent(values, times[there], bounds, descending=result.descending)


def _of_values(part: Range, kinds: Sequence[pa.DataType], result: Result) -> pa.Array:
    """What is computed of all values of each group."""
    values = _values(part, kinds, result)
    shares = [each for each in result.constants if isinstance(each, float)]
    match result.function:
        case "percentile" | "percentiles":
            found = percentiles(values, shares, descending=result.descending)
        case "percentile_disc":
            # Spark has it as a DOUBLE, whatever the values are.
            doubles = Values([pa.array(values.doubles())], values.bounds)
            found = ranked(doubles, shares, descending=result.descending)
        case "percentile_approx" | "percentiles_approx":
            found = ranked(values, shares, descending=result.descending)
        case "listagg":
            found = [joined(values, str(result.constants[0]))]
        case _:
            found = [OF_VALUES[result.function](result.function, values)]
    is_list = result.function in ("percentiles", "percentiles_approx")
    return as_lists(found, values.counts) if is_list else found[0]


def _values(part: Range, kinds: Sequence[pa.DataType], result: Result) -> Values:
    """The values of each group, those that are there several times as often."""
    places, bounds = _places(part)
    if part.rows is None:
        return Values([pa.nulls(0, kind) for kind in kinds], bounds)
    times = np.maximum(part.rows.column(DIFF).to_numpy()[places], 0)
    times = np.minimum(times, 1) if result.distinct else times
    last = f"v{len(kinds) - 1}"
    if result.function == "listagg":
        times = times * part.rows.column(last).is_valid().to_numpy(zero_copy_only=False)[places]
    ends = np.concatenate([[0], np.cumsum(times)])[bounds]
    taken = np.repeat(places, times)
    if result.descending and result.function == "listagg":
        group = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        taken = taken[np.lexsort((-np.arange(len(taken)), group))]
    columns = [part.rows.column(f"v{n}").take(pa.array(taken)) for n in range(len(kinds))]
    return Values(columns, ends)


def _places(part: Range) -> tuple[np.ndarray, np.ndarray]:
    """Where the different values of each group are, and where those of a group begin among them."""
    sizes = part.ends - part.starts
    places = np.repeat(part.ends - np.cumsum(sizes), sizes) + np.arange(sizes.sum())
    return places, np.concatenate([[0], np.cumsum(sizes)])


def _list(part: Range, kind: pa.DataType, *, repeated: bool) -> pa.Array:
    """All values of each group, `repeated` as often as they are there."""
    values = _values(part, [kind], Result("list", distinct=not repeated))
    return pa.ListArray.from_arrays(pa.array(values.bounds, pa.int32()), values.columns[0])


def _best(part: Range, kind: pa.DataType, result: Result) -> pa.Array:
    """The values of the greatest or the least of each group, best first; NULL if it has none."""
    sizes = part.ends - part.starts
    if part.rows is None:
        return pa.nulls(len(sizes), pa.list_(kind))
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    if result.function == "max_list_by":
        places = np.repeat(part.ends, sizes) - 1 - within
    else:
        places = np.repeat(part.starts, sizes) + within
    times = np.maximum(part.rows.column(DIFF).to_numpy()[places], 0)
    times = np.minimum(times, 1) if result.distinct else times
    up_to = np.concatenate([[0], np.cumsum(times)])
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    before = up_to[:-1] - np.repeat(up_to[bounds[:-1]], sizes)
    taken = np.clip(result.limit - before, 0, times)
    values = part.rows.column("v1").take(pa.array(np.repeat(places, taken)))
    ends = np.concatenate([[0], np.cumsum(taken)])[bounds]
    none = pa.array(sizes == 0)
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), values, mask=none)
