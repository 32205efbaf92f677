"""In which rows two bags differ, whatever their types."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from commands.comparing.rows import Bag, Difference, changed, difference


def bag(counts: list[int] | None = None, **columns: Any) -> Bag:
    rows = pa.table(columns)
    given = [1] * rows.num_rows if counts is None else counts
    return Bag(rows, pa.array(given, pa.int64()))


def numbers(found: Difference) -> tuple[int, int, int]:
    return found.both, *found.only


@pytest.mark.parametrize(
    "values",
    [
        [1, None, 3],
        ["a", "", None],
        [0.5, None, float("nan")],
        [b"a", b"", None],
        [True, False, None],
        [Decimal("1.10"), None, Decimal("2.00")],
        [datetime(2026, 1, 1, tzinfo=UTC), None, datetime(1, 1, 1, tzinfo=UTC)],
        [[1, 2], None, []],
        [{"a": 1, "b": None}, None, {"a": None, "b": "x"}],
        [None, None, None],
    ],
)
def test_values_are_the_same_as_themselves_and_as_nothing_else(values: list[Any]) -> None:
    one, other = bag(x=values), bag(x=values[::-1])
    assert numbers(difference(one, other, 5)) == (3, 0, 0)
    assert difference(one, other, 5).is_none
    less = bag(x=values[:-1])
    assert numbers(difference(one, less, 5)) == (2, 1, 0)
    assert difference(less, one, 5).examples[1]["x"].to_pylist() != []


def test_nan_and_zero_are_one_value() -> None:
    assert difference(bag(x=[0.0, float("nan")]), bag(x=[-0.0, -float("nan")]), 5).is_none


def test_other_types_of_one_value() -> None:
    narrow = Bag(pa.table({"x": pa.array([1, 2], pa.int32())}), pa.array([1, 1]))
    assert difference(narrow, bag(x=[2, 1]), 5).is_none
    assert numbers(difference(bag(x=["1"]), bag(x=[1]), 5)) == (1, 0, 0)
    assert numbers(difference(bag(x=["one"]), bag(x=[1]), 5)) == (0, 1, 1)


def test_other_columns() -> None:
    found = difference(bag(x=[1, 1], y=[1, 2]), bag(x=[1, 1], z=[1, 2]), 5)
    assert numbers(found) == (2, 0, 0)
    assert (found.columns, found.is_none) == ((("y",), ("z",)), False)
    found = difference(bag(x=[1, 1]), bag(z=[1]), 5)
    assert numbers(found) == (0, 2, 1)
    assert not found.is_none


def test_a_side_without_rows_has_no_columns() -> None:
    nothing = Bag(pa.table({}), pa.array([], pa.int64()))
    assert difference(nothing, nothing, 5).is_none
    assert numbers(difference(bag(x=[1]), nothing, 5)) == (0, 1, 0)
    assert numbers(difference(nothing, bag(x=[[1], [1]]), 5)) == (0, 0, 2)


def test_random_bags_against_counters() -> None:
    chance = Random(17)
    for _ in range(100):
        sides = []
        for _ in range(2):
            rows = [(chance.choice([None, 1, 2]), chance.choice(["a", None])) for _ in range(9)]
            counts = [chance.choice([1, 1, 2, -1, 0]) for _ in rows]
            sides.append((rows, counts))
        nets: list[Counter[Any]] = []
        for rows, counts in sides:
            net: Counter[Any] = Counter()
            for row, count in zip(rows, counts, strict=True):
                net[row] += count
            nets.append(net)
        keys = {*nets[0], *nets[1]}
        expected = (
            sum(min(nets[0][each], nets[1][each]) for each in keys),
            sum(max(nets[0][each] - nets[1][each], 0) for each in keys),
            sum(max(nets[1][each] - nets[0][each], 0) for each in keys),
        )
        bags = [
            Bag(
                pa.table(
                    {"x": pa.array([r[0] for r in rows], pa.int64()), "y": [r[1] for r in rows]}
                ),
                pa.array(counts, pa.int64()),
            )
            for rows, counts in sides
        ]
        assert numbers(difference(bags[0], bags[1], 5)) == expected


def test_changes_up_to_a_clock_value() -> None:
    at = [datetime(2026, 1, 1, 0, 0, second, tzinfo=UTC) for second in (1, 2, 3)]
    clock = pa.scalar(at[1], pa.timestamp("us", "UTC"))
    for times in (at, [each.isoformat().replace("+00:00", "Z") for each in at]):
        rows = pa.table({"x": [7, 7, 8, 9], "_time": [*times, None], "_diff": [1, -1, 1, 1]})
        found = changed(rows, "_time", "_diff", clock)
        assert numbers(difference(found, bag(x=[9]), 5)) == (1, 0, 0)
        before = changed(rows, "_time", "_diff", None)
        assert numbers(difference(before, bag(x=[9]), 5)) == (1, 0, 0)
