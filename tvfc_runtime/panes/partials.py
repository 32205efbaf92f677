"""Partial aggregates of keys in panes: made of rows, and put together, on Arrow.

A table of partials has a row for each key and pane: the columns of the key, `pane`, and `p0`, `p1`,
… for what is aggregated. Arrow computes all of it, and NULL counts for nothing, as in SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

PANE = "pane"


@dataclass(frozen=True)
class Partial:
    """What is aggregated.

    Attributes:
        kind: `count`, `sum`, `min` or `max`.
        input: a column of the rows; None: rows are counted.
        is_real: whether its values are DOUBLEs that are compared: NaN is the greatest of all.
    """

    kind: str
    input: str | None = None
    is_real: bool = False


def of_rows(rows: pa.Table, keys: Sequence[str], partials: Sequence[Partial]) -> pa.Table:
    """Partials of rows that have the columns of the keys, `pane` and the inputs."""
    known: list[str] = []
    calls: list[tuple[str | list[str], str]] = []
    for number, each in enumerate(partials):
        if each.input is None:
            calls.append(([], "count_all"))
            continue
        values = rows.column(each.input)
        name = f"v{number}"
        rows = rows.append_column(name, ordered(values) if each.is_real else values)
        known.append(name)
        calls.append((name, each.kind))
    return _aggregated(rows, keys, calls, partials)


def merged(rows: pa.Table, keys: Sequence[str], partials: Sequence[Partial]) -> pa.Table:
    """Partials put together, a row for each key and `pane`."""
    calls: list[tuple[str | list[str], str]] = [
        (f"p{number}", "sum" if each.kind == "count" else each.kind)
        for number, each in enumerate(partials)
    ]
    return _aggregated(rows, keys, calls, partials)


def _aggregated(
    rows: pa.Table,
    keys: Sequence[str],
    calls: Sequence[tuple[str | list[str], str]],
    partials: Sequence[Partial],
) -> pa.Table:
    by = [*keys, PANE]
    found = rows.group_by(by, use_threads=False).aggregate(list(calls))
    for name, kind in calls:
        if kind == "sum" and isinstance(name, str) and pa.types.is_integer(rows.column(name).type):
            _refuse_overflow(rows, by, name)
    return found.rename_columns([*by, *(f"p{number}" for number in range(len(partials)))])


def _refuse_overflow(rows: pa.Table, by: list[str], name: str) -> None:
    """Arrow's sums of whole numbers go round in silence.

    Raises:
        ArithmeticError: a sum is beyond BIGINT, as Spark's own would be.
    """
    values = rows.column(name)
    least, most = (pc.min_max(values)[each].as_py() or 0 for each in ("min", "max"))
    if max(-least, most) * rows.num_rows < 2**63:
        return
    values = values.cast(pa.int64())
    halves = rows.select(by)
    halves = halves.append_column("high", pc.shift_right(values, 32))
    halves = halves.append_column("low", pc.bit_wise_and(values, 0xFFFFFFFF))
    sums = halves.group_by(by, use_threads=False).aggregate([("high", "sum"), ("low", "sum")])
    high, low = (sums.column(f"{each}_sum").fill_null(0).to_numpy() for each in ("high", "low"))
    high = high + (low >> 32)
    if np.any((high < -(2**31)) | (high >= 2**31)):
        raise ArithmeticError(
            "[ARITHMETIC_OVERFLOW] a sum is beyond BIGINT; sum it as DECIMAL(28, 0), or as DOUBLE"
        )


_SIGN = np.int64(2**63 - 1)


def ordered(values: pa.ChunkedArray) -> pa.Array:
    """DOUBLEs as whole numbers in the same order, NaN after all others."""
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    is_null = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
    reals = array.fill_null(0.0).to_numpy(zero_copy_only=False)
    # One NaN for all, and one zero.
    reals = np.where(np.isnan(reals), np.nan, reals + 0.0)
    bits = reals.view(np.int64)
    return pa.array(np.where(bits < 0, bits ^ _SIGN, bits), mask=is_null)


def unordered(values: pa.ChunkedArray) -> pa.Array:
    """What `ordered` has made of DOUBLEs, back again."""
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    is_null = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
    bits = array.fill_null(0).to_numpy(zero_copy_only=False)
    return pa.array(np.where(bits < 0, bits ^ _SIGN, bits).view(np.float64), mask=is_null)
