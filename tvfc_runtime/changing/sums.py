"""Sums of groups as columns: out of rows, and put together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from tvfc_runtime.changing.calls import Count, Real, Sum, Whole
from tvfc_runtime.changing.exact import (
    add_bigs_by,
    add_by,
    bigs_by,
    carried,
    decode_bigs,
    encode_bigs,
    finite,
    limbs_of,
)
from tvfc_runtime.changing.runs import Runs

Columns = list[pa.Array]


def types(wanted: Sum) -> list[pa.DataType]:
    """The types of a sum's columns."""
    match wanted:
        case Count():
            return [pa.int64()]
        case Whole(limbs=limbs):
            return [pa.int64()] * limbs
        case Real(power=power):
            return [pa.binary(), *([pa.int64()] * 3 if power == 1 else [])]


def zeros(kind: pa.DataType, size: int) -> pa.Array:
    """A column of a sum over nothing."""
    return pa.repeat(pa.scalar(b"" if pa.types.is_binary(kind) else 0, kind), size)


def sums_of(
    wanted: Sum, rows: pa.RecordBatch, diff: np.ndarray, codes: np.ndarray, groups: int
) -> Columns:
    """The sum of each group over rows.

    Args:
        wanted: the sum.
        rows: rows with its inputs.
        diff: how often each row counts, int64; below zero: it is taken away.
        codes: the group of each row.
        groups: number of groups.
    """
    match wanted:
        case Count(inputs=inputs):
            counted = diff
            for name in inputs:
                counted = counted * _there(rows.column(name))
            return [pa.array(add_by(codes, groups, counted))]
        case Whole(input=name):
            limbs = [add_by(codes, groups, limb * diff) for limb in limbs_of(rows.column(name))]
            return [pa.array(limb) for limb in carried(limbs)]
        case Real(input=name, power=power):
            values = rows.column(name)
            bigs = encode_bigs(bigs_by(finite(values), diff, codes, groups, power))
            if power > 1:
                return [bigs]
            found = values.fill_null(0.0).to_numpy(zero_copy_only=False)
            odd = (np.isnan(found), found == np.inf, found == -np.inf)
            return [bigs, *(pa.array(add_by(codes, groups, diff * each)) for each in odd)]


def merged(wanted: Sum, columns: Sequence[pa.Array], codes: np.ndarray, groups: int) -> Columns:
    """Sums of sums by code."""
    added = [
        add_bigs_by(codes, groups, column)
        if pa.types.is_binary(column.type)
        else pa.array(add_by(codes, groups, column.to_numpy()))
        for column in columns
    ]
    if isinstance(wanted, Whole):
        return [pa.array(limb) for limb in carried([column.to_numpy() for column in added])]
    return added


def accumulated(wanted: Sum, before: Columns, more: Columns, runs: Runs) -> Columns:
    """Sums as they are after each change of a run.

    Args:
        wanted: the sum.
        before: its columns before a run, by run.
        more: those of the changes.
        runs: which changes follow one another.
    """
    found = [
        _big_sums(first, each, runs)
        if pa.types.is_binary(each.type)
        else pa.array(first.to_numpy()[runs.run] + runs.sums(each.to_numpy()))
        for first, each in zip(before, more, strict=True)
    ]
    if isinstance(wanted, Whole):
        return [pa.array(limb) for limb in carried([column.to_numpy() for column in found])]
    return found


def _big_sums(before: pa.Array, more: pa.Array, runs: Runs) -> pa.Array:
    totals = decode_bigs(before)
    found = []
    for run, big in zip(runs.run.tolist(), decode_bigs(more), strict=True):
        totals[run] += big
        found.append(totals[run])
    return encode_bigs(found)


def nothing(column: pa.Array) -> np.ndarray:
    """Where a column of a sum is zero."""
    if pa.types.is_binary(column.type):
        return column.to_numpy(zero_copy_only=False) == b""
    return column.to_numpy() == 0


def _there(values: pa.Array) -> np.ndarray:
    if not values.null_count:
        return np.ones(len(values), dtype=np.int64)
    return values.is_valid().to_numpy(zero_copy_only=False).astype(np.int64)
