"""Tables as text, JSON and CSV: values of every type, and such as would act in a terminal."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from commands.inside.shown import WIDEST, as_csv, as_lines, as_objects, as_plain

MOMENT = datetime(2026, 11, 29, 12, 15, 20, 1_000, UTC)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        (True, True),
        (7, 7),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (Decimal("1.50"), "1.50"),
        (MOMENT, "2026-11-29 12:15:20.001"),
        (MOMENT.replace(microsecond=0), "2026-11-29 12:15:20"),
        (MOMENT.replace(microsecond=1), "2026-11-29 12:15:20.000001"),
        (date(1, 1, 1), "0001-01-01"),
        (b"\x00\xff", "00ff"),
        ([{"a": Decimal(1)}], [{"a": "1"}]),
        ([("k", b"\x01")], [["k", "01"]]),
    ],
)
def test_values(value: Any, plain: Any) -> None:
    assert as_plain(value) == plain
    json.dumps(as_plain(value), allow_nan=False)


def test_lines() -> None:
    table = pa.table({"n": [1, 20], "\x1b[31mtext": ["a\nb", "x" * 99], "z": [None, "\u202e"]})
    lines = as_lines(table)
    assert lines[0].startswith(r" n  \x1b[31mtext")
    assert lines[1] == f" 1  {'a' + chr(92) + 'nb':<{WIDEST}}  NULL"
    assert lines[2] == f"20  {'x' * (WIDEST - 1)}…  \\u202e"
    assert all(line.isprintable() for line in lines)


def test_moments_that_python_does_not_have() -> None:
    """Spark has years up to 294247, Python up to 9999; Arrow writes those beyond 32767 wrong."""
    numbers = pa.array([0, 9_000_000_000_000_000_000], pa.int64())
    rows = as_objects(pa.table({"ts": numbers.cast(pa.timestamp("us", "UTC"))}))
    assert [each["ts"] for each in rows] == [
        "1970-01-01 00:00:00",
        "9000000000000000000 us since 1970",
    ]


def test_json_and_csv_hold_the_same_rows() -> None:
    table = pa.table({"id": ['a"b,c', "\n"], "n": [None, 2]})
    assert as_objects(table) == [{"id": 'a"b,c'}, {"id": "\n", "n": 2}]
    assert list(csv.reader(io.StringIO(as_csv(table)))) == [["id", "n"], ['a"b,c', ""], ["\n", "2"]]


def test_a_table_without_rows_has_its_headings() -> None:
    nothing = pa.table({"a": pa.array([], pa.int64())})
    assert as_lines(nothing) == ["a"]
    assert as_csv(nothing) == "a\n"
    assert as_objects(nothing) == []
