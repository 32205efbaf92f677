"""Which bounds become a column and a `timedelta`, and which stay SQL."""

from __future__ import annotations

from datetime import timedelta

import pytest

from compiler.codegen.shifts import shift_of, timedelta_code
from compiler.codegen.writer import flat


@pytest.mark.parametrize(
    ("moment", "column", "amount"),
    [
        ("ts", "ts", timedelta(0)),
        ("o.ts + INTERVAL 15 MINUTES", "o.ts", timedelta(minutes=15)),
        ("`odd name` - INTERVAL '2' HOUR", "`odd name`", timedelta(hours=-2)),
        ("ts + interval '90 seconds'", "ts", timedelta(seconds=90)),
        ("ts+INTERVAL 1 HOUR", "ts", timedelta(hours=1)),
        ("((o.ts)- (INTERVAL '1' hour))", "o.ts", timedelta(hours=-1)),
        ("(ts)", "ts", timedelta(0)),
        ("`a)` + INTERVAL 1 HOUR", "`a)`", timedelta(hours=1)),
        ("(`(a - INTERVAL` + INTERVAL 1 HOUR)", "`(a - INTERVAL`", timedelta(hours=1)),
    ],
)
def test_a_column_and_a_time(moment: str, column: str, amount: timedelta) -> None:
    assert shift_of(moment) == (column, amount)


@pytest.mark.parametrize(
    "moment",
    [
        "ts + INTERVAL 24 HOURS",  # a day by the calendar, which may have 23 hours
        "ts + INTERVAL 1 DAY",
        "ts + INTERVAL 1 MONTH",
        "ts + INTERVAL 1 HOUR + INTERVAL 1 HOUR",
        "ts + wait",
        "f(ts)",
        "(ts) + INTERVAL 1 HOUR)",
        "(ts + INTERVAL 1 HOUR) - (INTERVAL 1 HOUR)",
        "-INTERVAL 1 HOUR",
        "'2024-01-01'",
    ],
)
def test_everything_else_stays_sql(moment: str) -> None:
    assert shift_of(moment) is None


@pytest.mark.parametrize(
    ("amount", "code"),
    [
        (timedelta(hours=2), "timedelta(hours=2)"),
        (timedelta(minutes=-90), "timedelta(minutes=-90)"),
        (timedelta(seconds=61), "timedelta(seconds=61)"),
    ],
)
def test_the_largest_unit_that_fits(amount: timedelta, code: str) -> None:
    assert flat(timedelta_code(amount)) == code
