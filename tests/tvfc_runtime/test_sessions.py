"""The operator of sessions without Spark, against a search row by row."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql.types import (
    BooleanType,
    DecimalType,
    DoubleType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from tvfc_runtime.changing.calls import Call
from tvfc_runtime.queue.released import AsRows
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.shards import shard_keys
from tvfc_runtime.sessions.merged import greatest_so_far, merge
from tvfc_runtime.sessions.operator import END, INSTANT, START, SessionOperator, pack, shard_of
from tvfc_runtime.sessions.partials import Plan, planned

KINDS = {
    "b": LongType(),
    "d": DoubleType(),
    "m": DecimalType(12, 2),
    "w": StringType(),
    "f": BooleanType(),
}
CALLS = {
    "n": ("count", (), LongType()),
    "nw": ("count", ("w", "b"), LongType()),
    "b_sum": ("sum", ("b",), LongType()),
    "b_avg": ("avg", ("b",), DoubleType()),
    "b_min": ("min", ("b",), LongType()),
    "d_sum": ("sum", ("d",), DoubleType()),
    "d_max": ("max", ("d",), DoubleType()),
    "m_sum": ("sum", ("m",), DecimalType(22, 2)),
    "m_avg": ("avg", ("m",), DecimalType(16, 6)),
    "m_max": ("max", ("m",), DecimalType(12, 2)),
    "w_min": ("min", ("w",), StringType()),
    "w_max": ("max", ("w",), StringType()),
    "f_all": ("bool_and", ("f",), BooleanType()),
    "f_any": ("bool_or", ("f",), BooleanType()),
    "f_count": ("count_if", ("f",), LongType()),
}
MILLISECOND = 1000


@dataclass(frozen=True)
class Row:
    """A row: its key, from when until when it is, and its values."""

    key: int
    start: int
    end: int
    values: dict[str, Any]


def plan_of() -> tuple[Plan, dict[str, str]]:
    rows = StructType([StructField(name, kind) for name, kind in KINDS.items()])
    calls = [Call(name=n, function=f, arguments=a) for n, (f, a, _) in CALLS.items()]
    return planned(1, calls, rows, [kind for _, _, kind in CALLS.values()])


def batch_of(rows: list[Row], inputs: dict[str, str]) -> pa.RecordBatch:
    types = {
        "b": pa.int64(),
        "d": pa.float64(),
        "m": pa.decimal128(12, 2),
        "w": pa.string(),
        "f": pa.bool_(),
    }
    columns = {
        # Few hashes of one word, and different ones of the other: both tell keys apart.
        "key": pa.array([(row.key % 3 - 1) << 61 for row in rows], pa.int64()),
        "other_key": pa.array([row.key * 7 for row in rows], pa.int64()),
        START: pa.array([row.start for row in rows], pa.int64()).cast(INSTANT),
        END: pa.array([row.end for row in rows], pa.int64()).cast(INSTANT),
        "k0": pa.array([row.key for row in rows], pa.int64()),
    }
    for sql, name in inputs.items():
        column = next(each for each in KINDS if re.search(rf"\b{each}\b", sql))
        values = [row.values[column] for row in rows]
        if sql.startswith("IF("):
            values = [True if each else None for each in values]
        columns[name] = pa.array(values, types[column])
    return pa.RecordBatch.from_pydict(columns)


def answer(rows: list[Row], clock: int) -> Iterator[tuple[Any, ...]]:
    """The sessions that are final at a clock value, milliseconds."""
    keys: dict[int, list[list[Row]]] = defaultdict(list)
    for row in sorted(rows, key=lambda each: each.start):
        found = keys[row.key]
        if found and row.start < max(each.end for each in found[-1]):
            found[-1].append(row)
        else:
            found.append([row])
    for key, sessions in keys.items():
        for members in sessions:
            end = max(each.end for each in members)
            if clock and end <= clock * MILLISECOND:
                yield key, members[0].start, end, *totals(members)


def totals(rows: list[Row]) -> Iterator[Any]:
    of = {name: [row.values[name] for row in rows] for name in KINDS}
    there = {name: [each for each in own if each is not None] for name, own in of.items()}
    yield len(rows)
    yield sum(w is not None and b is not None for w, b in zip(of["w"], of["b"], strict=True))
    whole, doubles, money, text, truths = (there[name] for name in KINDS)
    yield sum(whole) if whole else None
    yield float(Fraction(sum(whole), len(whole))) if whole else None
    yield min(whole, default=None)
    yield sum(doubles) if doubles else None
    yield max(doubles, default=None)
    yield sum(money) if money else None
    yield None if not money else half_up(Fraction(sum(money)) / len(money) * 10**6)
    yield max(money, default=None)
    yield min(text, key=str.encode, default=None)
    yield max(text, key=str.encode, default=None)
    yield all(truths) if truths else None
    yield any(truths) if truths else None
    yield sum(truths)


def half_up(value: Fraction) -> int:
    """As Spark rounds decimals."""
    whole = (2 * abs(value.numerator) + value.denominator) // (2 * value.denominator)
    return whole if value >= 0 else -whole


def row_of(rng: Random, now: int, gap: int | None) -> Row:
    start = now + rng.randint(0, 40) * 250_000 + rng.choice((0, 0, 0, 1))
    length = gap or rng.choice((1, 250_000, 500_000, 3_000_000))
    values = {
        "b": rng.choice((2**62, -(2**62), 5, -7, rng.randint(-99, 99))),
        "d": rng.randint(-64, 64) / 8,
        "m": Decimal(rng.randint(-99_999, 99_999)) / 100,
        "w": rng.choice(("a", "b", "é", "z", "ab")),
        "f": rng.random() < 0.7,
    }
    some = {name: None if rng.random() < 0.3 else each for name, each in values.items()}
    return Row(rng.randint(1, 6), start, start + length, some)


@pytest.mark.parametrize("seed", range(40))
def test_sessions_of_any_type(seed: int) -> None:
    rng = Random(seed)
    plan, inputs = plan_of()
    shards = rng.choice((1, 2, 5))
    gap = rng.choice((None, 500_000, 1_000_000))
    operator = SessionOperator(plan, 0, AsRows(len(CALLS) + 3))
    state: dict[int, pa.RecordBatch | None] = {}
    arrived: list[Row] = []
    found: list[tuple[Any, ...]] = []
    now, clock = 1_000_000_000, 0
    for _ in range(rng.randint(2, 6)):
        rows = [row_of(rng, now, gap) for _ in range(rng.randint(0, 12))]
        rows = [row for row in rows if row.start >= clock * MILLISECOND]
        arrived += rows
        sent: dict[int, list[pa.RecordBatch]] = defaultdict(list)
        cut = rng.randint(0, len(rows))
        for part in (rows[:cut], rows[cut:]):
            if part:
                for packed in pack(plan, shard_keys(shards))(iter([batch_of(part, inputs)])):
                    for shard, text in zip(*(each.to_pylist() for each in packed), strict=True):
                        sent[shard] += chunks.decode_text(text)
        for shard in {*sent, *state}:
            new = chunks.concat(sent[shard]) if sent[shard] else None
            try:
                stepped = operator.step(state.get(shard), new, clock)
                if stepped is not None:
                    found += rows_of(stepped.leaving)
                    state[shard] = stepped.kept if stepped.kept.num_rows else None
            except ArithmeticError:
                # As Spark has it: the sum of a session does not fit.
                assert any(abs(each[5] or 0) >= 2**63 for each in answer(arrived, clock))
                return
        assert sorted(found, key=repr) == sorted(answer(arrived, clock), key=repr)
        now += rng.choice((0, 2_000_000, 20_000_000))
        clock = max(clock, now // MILLISECOND - rng.choice((0, 3_000)))


def rows_of(leaving: Any) -> list[tuple[Any, ...]]:
    place = 3 + [*CALLS].index("m_avg")
    found: list[tuple[Any, ...]] = []
    for batch in leaving:
        columns = [
            column.cast(pa.int64()).to_pylist() if n in (1, 2) else column.to_pylist()
            for n, column in enumerate(batch.columns)
        ]
        columns[place] = [each if each is None else int(each * 10**6) for each in columns[place]]
        found += zip(*columns, strict=True)
    return found


def test_a_row_within_a_long_one_ends_nothing() -> None:
    key = np.zeros(4, dtype=np.int64)
    start, end = np.array([0, 1, 5, 10]), np.array([10, 2, 6, 11])
    found = merge([key, key], start, end)
    assert found.firsts.tolist() == [0, 3]
    assert found.ends.tolist() == [10, 11]


def test_the_greatest_so_far_is_that_of_the_group() -> None:
    values = np.array([9, 3, 12, 5, 1, 2, 7, 6])
    groups = np.array([True, False, False, True, True, False, False, True])
    assert greatest_so_far(values, groups).tolist() == [9, 9, 12, 5, 1, 2, 7, 6]


def test_shards_are_ranges_of_hashes() -> None:
    ends = np.array([-(2**63), -1, 0, 2**63 - 1])
    assert shard_of(ends, 2).tolist() == [0, 0, 1, 1]
    assert shard_of(ends, 5).tolist() == [0, 2, 2, 4]
