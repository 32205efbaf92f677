"""Which operator holds what its state has, by kind, columns, count and output."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql.types import (
    DataType,
    LongType,
    StringType,
    TimestampNTZType,
    TimestampType,
    YearMonthIntervalType,
)

from commands.inside.named import Described, described, names_of, operators_of
from commands.inside.opened import Opened
from tvfc_runtime.checkpoint.memory import Memory
from tvfc_runtime.counters.holdings import Held, Holding


def holding(operator: str, output: str, *columns: tuple[str, DataType]) -> Holding:
    held = tuple(Held(f"c{n}", name, kind) for n, (name, kind) in enumerate(columns))
    return Holding(operator, operator.split("/")[0], output, held)


def opened(number: int, rows: int, **columns: pa.DataType) -> Opened:
    payload = pa.table({name: pa.nulls(rows, kind) for name, kind in columns.items()})
    return Opened(number, ("delay",), "", pa.table({"_due": pa.nulls(rows)}), payload)


IDS = holding("delay/1", "a", ("id", StringType()))
OTHERS = holding("delay/2", "b", ("name", StringType()))
TIMED = holding("delay/3", "c", ("id", StringType()), ("ts", TimestampType()))
STRING, UTC = pa.string(), pa.timestamp("us", "UTC")


def found(parts: list[Opened], *holdings: Holding, **counted: int) -> dict[int, list[str]]:
    named = {name.replace("_", "/"): rows for name, rows in counted.items()} or None
    known = operators_of(parts, holdings, named)
    return {number: [each.operator for each in fitting] for number, fitting in known.items()}


def test_columns_tell() -> None:
    parts = [opened(0, 2, c0=STRING, c1=UTC), opened(1, 3, c0=STRING)]
    assert found(parts, IDS, TIMED) == {0: ["delay/3"], 1: ["delay/1"]}
    assert names_of(parts[0], [TIMED]) == ["id", "ts"]


def test_counts_tell_operators_with_the_same_columns() -> None:
    parts = [opened(0, 2, c0=STRING), opened(1, 3, c0=STRING)]
    assert found(parts, IDS, OTHERS, delay_1=3, delay_2=2) == {0: ["delay/2"], 1: ["delay/1"]}


def test_else_the_outputs_stand_in_order() -> None:
    parts = [opened(4, 2, c0=STRING), opened(7, 2, c0=STRING)]
    assert found(parts, IDS, OTHERS, delay_1=2, delay_2=2) == {4: ["delay/1"], 7: ["delay/2"]}
    assert found(parts, IDS, OTHERS) == {4: ["delay/1"], 7: ["delay/2"]}


def test_where_several_fit_nothing_is_made_up() -> None:
    """Of two in one output, or where one of them has no rows, Spark's order says nothing."""
    beside = Holding("delay/9", "delay", "a", OTHERS.columns)
    parts = [opened(0, 2, c0=STRING), opened(1, 2, c0=STRING)]
    assert found(parts, IDS, beside) == {0: ["delay/1", "delay/9"], 1: ["delay/1", "delay/9"]}
    assert names_of(parts[0], [IDS, beside]) == ["c0"]
    assert found(parts[:1], IDS, OTHERS) == {0: ["delay/1", "delay/2"]}
    assert names_of(parts[0], [IDS, IDS]) == ["id"]


def test_operators_of_an_earlier_version_keep_plain_names() -> None:
    part = opened(0, 2, c0=STRING)
    assert found([part]) == {0: []}
    assert names_of(part, []) == ["c0"]


@pytest.mark.parametrize(
    ("kind", "plain", "is_same"),
    [
        (TimestampType(), pa.timestamp("us"), False),
        (TimestampNTZType(), pa.timestamp("us"), True),
        (StringType(), pa.large_string(), True),
        (LongType(), pa.int32(), False),
        # Arrow has no such type: plain_types.py sends a number in its place.
        (YearMonthIntervalType(), pa.int32(), True),
    ],
)
def test_types_are_compared(kind: DataType, plain: pa.DataType, *, is_same: bool) -> None:
    fitting = found([opened(0, 1, c0=plain)], holding("delay/1", "a", ("x", kind)))
    assert fitting == {0: ["delay/1"] if is_same else []}


def test_what_a_job_has_described_is_read_again(tmp_path: Path) -> None:
    odd = holding("delay/5", "ünder\n`x`", ('a" b', YearMonthIntervalType()), ("_due", UTC_TYPE))
    memory = Memory(str(tmp_path))
    memory.describe([odd.to_json()], {"orders": "in"}, {})
    assert described(str(tmp_path)) == Described((odd,), {"orders": "in"})
    file = tmp_path / "tvfc/operators.json"
    written = file.stat().st_mtime_ns
    memory.describe([odd.to_json()], {"orders": "in"}, {})
    assert file.stat().st_mtime_ns == written
    file.write_bytes(b"\xff")
    memory.describe([], {}, {})
    assert described(str(tmp_path)) == Described((), {})


UTC_TYPE = TimestampType()


@pytest.mark.parametrize("text", ["", "[]", "null", '{"operators": [{}]}', '{"operators": 7}'])
def test_a_torn_description_is_none(tmp_path: Path, text: str) -> None:
    assert described(str(tmp_path)) == Described()
    (tmp_path / "tvfc").mkdir()
    (tmp_path / "tvfc/operators.json").write_text(text)
    assert described(str(tmp_path)) == Described()


def test_a_schema_that_is_none_is_no_description(tmp_path: Path) -> None:
    (tmp_path / "tvfc").mkdir()
    fields = [{"name": "c0", "type": "x", "nullable": True, "metadata": {}}]
    broken = IDS.to_json() | {"schema": {"type": "struct", "fields": fields}}
    text = json.dumps({"operators": [broken], "folders": {}})
    (tmp_path / "tvfc/operators.json").write_text(text)
    assert described(str(tmp_path)) == Described()
