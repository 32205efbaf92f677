"""Rows as text and back: every type that Arrow, and so Spark, gives a column."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest

from tvfc_runtime.rows import chunks

NOW = dt.datetime(2024, 2, 29, 12, 30, 15, 123456)
COLUMNS: dict[str, pa.Array] = {
    "bool": pa.array([True, None, False]),
    "tinyint": pa.array([-128, None, 127], pa.int8()),
    "smallint": pa.array([-(2**15), None, 1], pa.int16()),
    "int": pa.array([-(2**31), None, 1], pa.int32()),
    "bigint": pa.array([-(2**63), None, 2**63 - 1], pa.int64()),
    "float": pa.array([float("inf"), None, -0.0], pa.float32()),
    "double": pa.array([float("-inf"), None, 1e-300], pa.float64()),
    "decimal": pa.array([Decimal("-1.10"), None, Decimal("99999999.99")], pa.decimal128(10, 2)),
    "wide decimal": pa.array([Decimal(10) ** 37, None, Decimal(-1)], pa.decimal128(38, 0)),
    "string": pa.array(["", None, "größe\n\0'\""]),
    "binary": pa.array([b"", None, bytes(range(256))]),
    "date": pa.array([dt.date(1, 1, 1), None, dt.date(9999, 12, 31)]),
    "timestamp": pa.array([NOW, None, NOW], pa.timestamp("us", tz="UTC")),
    "timestamp_ntz": pa.array([NOW, None, NOW], pa.timestamp("us")),
    "day interval": pa.array([dt.timedelta(days=-1), None, dt.timedelta(0)], pa.duration("us")),
    "month interval": pa.array([-13, None, 5], pa.int32()),
    "null": pa.nulls(3),
    "array": pa.array([[], None, [1, None]], pa.list_(pa.int64())),
    "map": pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int32())),
    "struct": pa.array([{"x": 1, "y": None}, None, {"x": None, "y": [b"z"]}],
                       pa.struct({"x": pa.int8(), "y": pa.list_(pa.binary())})),
    "nested": pa.array([[{"k": [Decimal("1.5")]}], [None], None],
                       pa.list_(pa.struct({"k": pa.list_(pa.decimal128(5, 1))}))),
}  # fmt: skip


@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_of_any_type_comes_back(column: str) -> None:
    batch = pa.RecordBatch.from_pydict({column: COLUMNS[column]})
    (back,) = chunks.decode_text(chunks.to_text(chunks.encode(batch)))
    assert back.equals(batch, check_metadata=True)


def test_a_row_of_all_types_comes_back_from_a_text_of_several_chunks() -> None:
    batch = pa.RecordBatch.from_pydict(COLUMNS)
    parts = [batch.slice(0, 1), batch.slice(1, 2), batch.slice(0, 0)]
    text = chunks.SEPARATOR.join(chunks.to_text(chunks.encode(part)) for part in parts)
    back = chunks.decode_text(text)
    assert [each.num_rows for each in back] == [1, 2, 0]
    assert chunks.concat(back).equals(batch)


def test_a_slice_takes_no_more_room_than_its_rows() -> None:
    """A cut of a large batch must not carry the whole of it."""
    batch = pa.RecordBatch.from_pydict({"n": list(range(100_000))})
    assert len(chunks.encode(batch.slice(50_000, 10))) < 2_000


def test_equal_rows_give_equal_text() -> None:
    """What is written again after a failure is the same to the byte."""
    batches = [pa.RecordBatch.from_pydict(COLUMNS) for _ in range(2)]
    assert chunks.encode(batches[0]) == chunks.encode(batches[1])


def test_text_is_one_line_of_plain_letters() -> None:
    text = chunks.to_text(chunks.encode(pa.RecordBatch.from_pydict(COLUMNS)))
    assert text.isascii()
    assert chunks.SEPARATOR not in text
