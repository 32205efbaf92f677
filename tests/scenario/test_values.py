"""YAML values by the type of their column."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import types as t

from scenario.rows import normal_rows, show_row
from scenario.values import ValueFault, normal

DAY = 86_400_000_000
COLUMNS = t.StructType([t.StructField("a", t.IntegerType()), t.StructField("b", t.TimestampType())])


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (None, t.IntegerType(), None),
        (7, t.ByteType(), 7),
        (-(2**63), t.LongType(), -(2**63)),
        ("x", t.StringType(), "x"),
        (12, t.StringType(), "12"),
        (True, t.BooleanType(), True),
        ("1.50", t.DecimalType(10, 2), Decimal("1.5")),
        (3, t.DecimalType(3, 0), Decimal(3)),
        (2, t.DoubleType(), 2.0),
        ("1e-3", t.DoubleType(), 0.001),
        ("-.inf", t.DoubleType(), float("-inf")),
        (0, t.TimestampType(), 0),
        ("1.5", t.TimestampType(), 1_500_000),
        ("-0.000001", t.TimestampType(), -1),
        # As a binary fraction this would be a microsecond off.
        ("1234567890.123457", t.TimestampType(), 1_234_567_890_123_457),
        (253402300800, t.TimestampType(), 253402300800_000_000),
        ("1970-01-02", t.TimestampType(), DAY),
        ("1970-01-01T01:00:00+01:00", t.TimestampType(), 0),
        ("1970-01-01T00:00:01Z", t.TimestampType(), 1_000_000),
        ("1970-01-01 00:00:01.000001", t.TimestampNTZType(), 1_000_001),
        ("1970-01-31", t.DateType(), 30),
        ("1969-12-31", t.DateType(), -1),
        ("abc", t.BinaryType(), "616263"),
        ("X'0aFF'", t.BinaryType(), "0AFF"),
        (b"\x01", t.BinaryType(), "01"),
        (90, t.DayTimeIntervalType(), 90_000_000),
        ("INTERVAL '1' DAY", t.DayTimeIntervalType(), DAY),
        ("1 minute 30.5 seconds", t.DayTimeIntervalType(), 90_500_000),
        ("1 year 2 months", t.YearMonthIntervalType(), 14),
        ([1, None], t.ArrayType(t.IntegerType()), (1, None)),
        ({"b": 2, "a": 1}, t.MapType(t.StringType(), t.IntegerType()), (("a", 1), ("b", 2))),
        ([[2, "x"], [1, "y"]], t.MapType(t.IntegerType(), t.StringType()), ((1, "y"), (2, "x"))),
        ([1, 5], COLUMNS, (1, 5_000_000)),
        ({"b": 5}, COLUMNS, (None, 5_000_000)),
        ({"k": [1, 2]}, t.VariantType(), '{"k": [1, 2]}'),
    ],
)
def test_normal_form(value: Any, kind: t.DataType, expected: Any) -> None:
    assert normal(value, kind) == expected


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (128, t.ByteType(), "from -128 to 127"),
        ("1", t.IntegerType(), "write a whole number"),
        (True, t.IntegerType(), "write a whole number"),
        (True, t.StringType(), "in quotes"),
        ("yes", t.BooleanType(), "true or false"),
        ("1.005", t.DecimalType(10, 2), "2 after"),
        (1000, t.DecimalType(3, 0), "at most 3 digits"),
        ("x", t.DoubleType(), "write a number"),
        ("0.0000001", t.TimestampType(), "at most six decimals"),
        ("tomorrow", t.TimestampType(), "seconds since 1970"),
        (5, t.TimestampNTZType(), "write 2024-02-28T12:30:00"),
        ("2024-01-01T00:00:00Z", t.TimestampNTZType(), "without a time zone"),
        (5, t.DateType(), "write 2024-02-28"),
        (5, t.BinaryType(), "!!binary"),
        ("3 months", t.DayTimeIntervalType(), "3 seconds"),
        (5, t.ArrayType(t.IntegerType()), "write a list"),
        (5, t.MapType(t.StringType(), t.StringType()), "write a mapping"),
        ([1], COLUMNS, "write the fields a, b"),
        ({"c": 1}, COLUMNS, "`c` is no field"),
    ],
)
def test_what_does_not_fit(value: Any, kind: t.DataType, message: str) -> None:
    with pytest.raises(ValueFault) as caught:
        normal(value, kind)
    assert message in str(caught.value)


def test_rows_are_read_by_position_or_by_name() -> None:
    rows = normal_rows([[1, "2.5"], {"b": 3}], COLUMNS, "here")
    assert rows == [(1, 2_500_000), (None, 3_000_000)]
    assert [show_row(row, COLUMNS) for row in rows] == ["[1, 2.5]", "[null, 3]"]
