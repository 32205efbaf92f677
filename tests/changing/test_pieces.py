"""The parts that the operators are made of."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from changing.feeds import KINDS, MemoryStore, frozen, ordered
from hypothesis import given, settings
from hypothesis import strategies as st

from tvfc_runtime.changing import processor
from tvfc_runtime.changing.exact import (
    add_bigs_by,
    big_to_double,
    bigs_by,
    decimals,
    decode_bigs,
    encode_bigs,
    limbs_of,
    numbers,
)
from tvfc_runtime.changing.leaves import Leaves
from tvfc_runtime.changing.multiplicity import Multiplicity
from tvfc_runtime.changing.ranks import Sort, group_codes, ranks

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("kind", KINDS)
def test_codes_tell_apart_and_ranks_sort_as_spark_does(kind: str) -> None:
    source = random.Random(3)
    values = [source.choice([None, *KINDS[kind][1]]) for _ in range(60)]
    column = pa.array([None, *values], KINDS[kind][0]).slice(1)
    codes, first = group_codes([column], len(values))
    place = ranks([column], len(values))
    keys = [frozen(value) for value in values]
    assert [keys[first[code]] for code in codes] == keys
    assert len(first) == len(set(keys))
    unlike = sorted(dict(zip(keys, values, strict=True)).values(), key=ordered)
    assert [frozen(unlike[each]) for each in place] == keys


def test_columns_together() -> None:
    columns = [pa.array([1, 1, 2, None]), pa.array(["a", "b", "a", "a"])]
    assert group_codes(columns, 4)[0].tolist() == [0, 1, 2, 3]
    assert ranks(columns, 4).tolist() == [1, 2, 3, 0]
    assert group_codes([], 3)[0].tolist() == [0, 0, 0]
    assert ranks([], 0).tolist() == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(DOUBLES, st.integers(-3, 3), st.integers(0, 2)), max_size=30))
def test_sums_of_doubles_are_exact(rows: list[tuple[float, int, int]]) -> None:
    values, diff, codes = (np.array([row[n] for row in rows]) for n in range(3))
    for power in (1, 2):
        found = bigs_by(values.astype(float), diff.astype(int), codes.astype(int), 3, power)
        for code in range(3):
            exact = sum((Fraction(x) ** power * n for x, n, c in rows if c == code), Fraction(0))
            assert Fraction(found[code], 1 << 1126 * power) == exact
        assert decode_bigs(encode_bigs(found)) == found
        twice = add_bigs_by(np.array([0, 1, 2, 0, 1, 2]), 3, encode_bigs(found + found))
        assert decode_bigs(twice) == [2 * each for each in found]


def test_a_sum_that_is_too_large_for_a_double_is_infinite() -> None:
    found = bigs_by(np.array([1.7e308] * 2), np.array([1, 1]), np.array([0, 0]), 1, 1)
    assert big_to_double(found[0]) == float("inf")
    assert big_to_double(-found[0]) == float("-inf")


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.decimal128(9, 2), pa.decimal128(38, 0)])
def test_limbs(kind: pa.DataType) -> None:
    whole = pa.types.is_integer(kind)
    bits = kind.bit_width if whole else 126
    values: list[Any] = [0, -1, 5, 2 ** (bits - 1) - 1, -(2 ** (bits - 1))]
    if not whole:
        most = 10**kind.precision - 1
        unscaled = [0, -1, 5, most, -most]
        column = decimals([None, *unscaled], kind)
        assert numbers(limbs_of(column)) == [0, *unscaled]
        with pytest.raises(ArithmeticError, match="DECIMAL"):
            decimals([most + 1], kind)
        return
    assert numbers(limbs_of(pa.array([None, *values], kind))) == [0, *values]


def rows_of(values: list[int]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"x": pa.array(values, pa.int64())})


@pytest.mark.parametrize("descending", [False, True])
def test_leaves_stay_sorted_and_of_a_handy_size(descending: bool) -> None:  # noqa: FBT001
    source, store = random.Random(1), MemoryStore()
    sort = (Sort("x", descending=descending),)
    there: set[int] = set()
    for step in range(60):
        leaves = Leaves(store, 0, sort, most=8)
        # First it grows, then it shrinks.
        fresh = set(source.sample(range(10_000), 20)) - there if step < 40 else set()
        gone = set(source.sample(sorted(there), min(len(there), 5 if step < 40 else 35)))
        changed = rows_of(sorted(fresh | gone))
        touched = np.unique(leaves.locate(changed))
        known = leaves.read_all(touched)
        before = set() if known is None else set(known.column("x").to_pylist())
        assert gone <= before
        after = rows_of(sorted((before - gone) | fresh, reverse=descending))
        leaves.write(touched, after, leaves.locate(after))
        leaves.flush()
        there = (there - gone) | fresh
        again = Leaves(store, 0, sort, most=8)
        assert again.rows == len(there)
        assert (again.sizes() > 0).all()
        assert (again.sizes() <= 8).all()
        whole = again.read_all(np.arange(len(again)))
        values = [] if whole is None else whole.column("x").to_pylist()
        assert values == sorted(there, reverse=descending)
    assert not there
    assert not store.texts


def test_rows_that_sort_alike_stay_in_one_leaf() -> None:
    leaves = Leaves(MemoryStore(), 0, (Sort("x"),), most=4)
    rows = rows_of([1] * 10 + [2, 3] + [4] * 10)
    leaves.write(np.array([0]), rows, np.zeros(22, dtype=np.int64))
    assert leaves.locate(rows_of([1, 2, 3, 4])).tolist()[0] == 0
    for value in (1, 4):
        (leaf,) = leaves.locate(rows_of([value])).tolist()
        assert leaves.read(leaf).column("x").to_pylist().count(value) == 10


def test_a_burst_is_worked_off_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    source, operator = random.Random(2), Multiplicity(("n",), "distinct", ())
    hashes = [source.randrange(-(2**63), 2**63) for _ in range(300)]
    ones = pa.array([1] * 300, pa.int64())
    rows = pa.RecordBatch.from_pydict({"h": pa.array(hashes), "t": ones, "n": ones})
    texts = [operator.encode(rows.slice(start, 100)) for start in (0, 100, 200)]
    whole = list(processor.parts_of(operator, texts, None))
    monkeypatch.setattr(processor, "PART_BYTES", 1_000)
    parts = list(processor.parts_of(operator, texts, None))
    assert [part.num_rows for part in whole] == [300]
    assert len(parts) > 3
    assert sorted(h for part in parts for h in part.column("h").to_pylist()) == sorted(hashes)
