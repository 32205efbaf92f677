"""Constants of conditions: exact, and known to overflow where Spark's types would."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.sql.constants import interval_of, number_of
from compiler.syntax import parse_query

INTEGERS = st.recursive(
    st.integers(0, 10**12).map(str),
    lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from("+-*"), inner),
    max_leaves=8,
)


def value(text: str) -> object:
    number = number_of(parse_query(f"SELECT {text}").expressions[0])
    return None if number is None else (number.value, number.type, number.overflows)


@given(INTEGERS)
def test_sums_and_products_are_exact(text: str) -> None:
    number = number_of(parse_query(f"SELECT {text}").expressions[0])
    assert number is not None
    assert number.value == eval(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2147483647", (2147483647, "INT", False)),
        ("2147483648", (2147483648, "BIGINT", False)),
        ("2147483647 + 1", (2147483648, "INT", True)),
        ("2147483647 + 1L", (2147483648, "BIGINT", False)),
        ("100Y * 2Y", (200, "TINYINT", True)),
        ("100Y * 2S", (200, "SMALLINT", False)),
        ("300S * 300S", (90000, "SMALLINT", True)),
        ("-(5 - 12)", (7, "INT", False)),
        ("-7 DIV 2", (-3, "BIGINT", False)),
        ("-7 % 4", (-3, "INT", False)),
        ("50000 * 50000 DIV 2", (1250000000, "BIGINT", True)),
        ("CAST(5 AS BIGINT) * 2000000000", (10000000000, "BIGINT", False)),
        ("5 DIV 0", None),
        ("5 + a", None),
        ("'5'", None),
    ],
)
def test_types_are_those_of_spark(text: str, expected: object) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "days", "fits"),
    [
        ("INTERVAL 3 DAYS", 3, True),
        ("-INTERVAL '2 days 24 hours'", -3, True),
        ("30 * 24 * INTERVAL 1 HOUR", 30, True),
        ("INTERVAL 1 DAY * 200000000", 200000000, False),
        ("INTERVAL 1 WEEK + INTERVAL 1 DAY", 8, True),
    ],
)
def test_intervals(text: str, days: int, fits: bool) -> None:  # noqa: FBT001
    length = interval_of(parse_query(f"SELECT {text}").expressions[0])
    assert length is not None
    assert (int(length.micros), length.fits) == (days * 86_400_000_000, fits)


def test_structs_are_no_constants() -> None:
    assert value("STRUCT(1, 2)") is None
    assert value("STRUCT(1, a)") is None
