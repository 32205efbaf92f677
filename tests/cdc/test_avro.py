"""Changes in Avro as texts of JSON: what the schema knows of a value is not lost."""

from __future__ import annotations

import io
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import fastavro
import pytest

from tvfc_runtime.cdc.avro import plain

MICRO = "io.debezium.time.MicroTimestamp"
ANY_SCALE = {
    "type": "record",
    "name": "AnyScale",
    "connect.name": "io.debezium.data.VariableScaleDecimal",
    "fields": [{"name": "scale", "type": "int"}, {"name": "value", "type": "bytes"}],
}


def read(kind: Any, value: Any) -> Any:
    """A field that is written in Avro, read, made plain, and read again by whoever reads JSON."""
    schema = fastavro.parse_schema(
        {"type": "record", "name": "Row", "fields": [{"name": "v", "type": kind}]}
    )
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, schema, {"v": value})
    stream.seek(0)
    found = fastavro.schemaless_reader(stream, schema, None)
    return json.loads(json.dumps(plain(found, schema)))["v"]


def number(called: str, kind: str = "long") -> Any:
    return ["null", {"type": kind, "connect.name": called}]


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (number(MICRO), 1_700_000_000_123_456, "2023-11-14T22:13:20.123456Z"),
        (number(MICRO), -1, "1969-12-31T23:59:59.999999Z"),
        (number(MICRO), -62_135_596_800_000_000, "0001-01-01T00:00:00.000000Z"),
        (number("io.debezium.time.Timestamp"), 1_500, "1970-01-01T00:00:01.500000Z"),
        (number("io.debezium.time.NanoTimestamp"), 1_000_000_001, "1970-01-01T00:00:01.000000001Z"),
        (number("io.debezium.time.NanoTimestamp"), 1_000_001_000, "1970-01-01T00:00:01.000001Z"),
        (number("io.debezium.time.Date", "int"), 19_000, "2022-01-08"),
        (number("io.debezium.time.Date", "int"), -1, "1969-12-31"),
        (number(MICRO), None, None),
        (number("io.debezium.time.MicroTime"), 5, 5),
        ("long", 5, 5),
        (
            {"type": "long", "logicalType": "timestamp-micros"},
            datetime(2024, 1, 1, 0, 0, 0, 1, UTC),
            "2024-01-01T00:00:00.000001Z",
        ),
        ({"type": "int", "logicalType": "date"}, date(2024, 2, 29), "2024-02-29"),
        (
            {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 3},
            Decimal("-12345678901234567890.100"),
            "-12345678901234567890.100",
        ),
        (ANY_SCALE, {"scale": 2, "value": (-1234).to_bytes(2, "big", signed=True)}, "-12.34"),
        (ANY_SCALE, {"scale": -2, "value": b"\x07"}, "700"),
        (ANY_SCALE, {"scale": 0, "value": (10**60).to_bytes(30, "big")}, str(10**60)),
        ("bytes", b"\x00\xff", "AP8="),
        (["null", "string", "long"], 7, 7),
        (
            {"type": "array", "items": number(MICRO)},
            [0, None],
            ["1970-01-01T00:00:00.000000Z", None],
        ),
        ({"type": "map", "values": number(MICRO)}, {"a": 0}, {"a": "1970-01-01T00:00:00.000000Z"}),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, "A", "A"),
        ("boolean", True, True),
    ],
)
def test_values(kind: Any, value: Any, text: Any) -> None:
    assert read(kind, value) == text


def test_the_row_that_was_is_written_like_the_row_that_is() -> None:
    """A schema names the type of the second one only."""
    row = {
        "type": "record",
        "name": "shop.Value",
        "fields": [{"name": "at", "type": number(MICRO)}],
    }
    schema = fastavro.parse_schema(
        {
            "type": "record",
            "name": "shop.Envelope",
            "fields": [
                {"name": "before", "type": ["null", row]},
                {"name": "after", "type": ["null", "shop.Value"]},
            ],
        }
    )
    event = {"before": {"at": 0}, "after": {"at": 1}}
    assert plain(event, schema) == {
        "before": {"at": "1970-01-01T00:00:00.000000Z"},
        "after": {"at": "1970-01-01T00:00:00.000001Z"},
    }
    only = {"before": None, "after": {"at": 1}}
    assert plain(only, schema)["after"] == {"at": "1970-01-01T00:00:00.000001Z"}


def test_a_time_that_no_column_holds_is_a_fault() -> None:
    with pytest.raises(ValueError, match="years 1 to 9999"):
        read(number(MICRO), 2**63 - 1)
