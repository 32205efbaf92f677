"""Batches netted by key in Arrow: the rule of changes.py, on random batches."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tvfc_runtime.sinks import SinkError
from tvfc_runtime.sinks.changes import Row, changed, grown
from tvfc_runtime.sinks.net import are_among, net_changes, net_growth, refuse_known

KEY, NAMES = ["c0", "c1"], ("carrier", "day")
NUMBERS = st.sampled_from([None, 0.0, -0.0, 1.5, float("inf")])
ROWS = st.tuples(
    st.sampled_from([None, "a", "b"]), st.sampled_from([None, 1.0, -0.0, 0.0]), NUMBERS
)


def table(rows: list[Row]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    kinds = (pa.string(), pa.float64(), pa.float64())
    return pa.table({f"c{at}": pa.array(columns[at], kind) for at, kind in enumerate(kinds)})


def rows_of(found: pa.Table) -> list[Row]:
    return [tuple(row.values()) for row in found.to_pylist()]


def outcome(net: Any, *given: Any) -> Any:
    try:
        return net(*given)
    except SinkError as error:
        return str(error).split(" ")[0]


@settings(deadline=None)
@given(st.lists(st.tuples(ROWS, st.sampled_from([1, -1])), max_size=8))
def test_changes_are_those_of_rows_one_by_one(updates: list[tuple[Row, int]]) -> None:
    wanted = outcome(changed, updates, (0, 1), NAMES)
    diff = pa.chunked_array([pa.array([diff for _, diff in updates], pa.int32())])
    found = outcome(net_changes, table([row for row, _ in updates]), diff, KEY, NAMES)
    if isinstance(wanted, str):
        assert found == wanted
        return
    assert set(rows_of(found.upserts)) == set(wanted.upserts.values())
    assert set(rows_of(found.deletes)) == set(wanted.deletes)
    assert set(rows_of(found.new_keys)) == set(wanted.new)
    assert found.upserts.num_rows == len(wanted.upserts)


@settings(deadline=None)
@given(st.lists(ROWS, max_size=8))
def test_of_rows_for_good_the_last_of_a_key_stays(rows: list[Row]) -> None:
    found = net_growth(table(rows), KEY, NAMES)
    assert set(rows_of(found.upserts)) == set(grown(rows, (0, 1)).upserts.values())
    assert found.new_keys.num_rows == found.deletes.num_rows == 0


@settings(deadline=None)
@given(st.lists(ROWS, max_size=6), st.lists(ROWS, max_size=6))
def test_keys_are_found_among_others(rows: list[Row], keys: list[Row]) -> None:
    known = {row[:2] for row in keys}
    found = are_among(table(rows).select(KEY), table(keys).select(KEY))
    assert found.to_pylist() == [row[:2] in known for row in rows]


def test_nan_is_one_number() -> None:
    nan = [("a", float("nan"), 1.0)]
    diff = pa.chunked_array([pa.array([1, -1], pa.int32())])
    assert net_changes(table(nan + nan), diff, KEY, NAMES).upserts.num_rows == 0
    assert are_among(table(nan).select(KEY), table(nan).select(KEY)).to_pylist() == [True]


def test_a_key_that_is_there_is_no_new_one() -> None:
    keys = table([("a", None, 1.0)]).select(KEY)
    refuse_known(keys, table([("a", 1.0, 1.0), (None, None, 1.0)]).select(KEY), NAMES)
    with pytest.raises(SinkError, match=r"TVF706.*carrier = 'a', day = None"):
        refuse_known(keys, keys, NAMES)


def test_values_that_cannot_be_grouped_are_told_apart_by_their_text() -> None:
    rows = pa.table({"c0": [1, 1, 2], "c1": [[1], [1], [2]], "same": ["[1]", "[1]", "[2]"]})
    diff = pa.chunked_array([pa.array([1, -1, 1], pa.int32())])
    found = net_changes(rows, diff, ["c0"], ("id",))
    assert rows_of(found.upserts) == [(2, [2])]
