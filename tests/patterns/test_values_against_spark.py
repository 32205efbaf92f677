"""Conditions over several rows as the matcher computes them, and Spark, of the same values."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from tvfc_runtime.pattern.path import Path
from tvfc_runtime.pattern.spec import Apply, Expression, Pick
from tvfc_runtime.pattern.step import values_of
from tvfc_runtime.pattern.values import condition_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCHEMA = (
    "i INT, l BIGINT, d DECIMAL(10, 2), x DOUBLE, t STRING, b BOOLEAN, day DATE, ts TIMESTAMP, "
    "gap INTERVAL DAY TO SECOND"
)
NAN, ZONE = float("nan"), UTC
ROWS: list[tuple[Any, ...]] = [
    (1, 2, Decimal("1.10"), 1.1, "a", True, date(2024, 1, 1),
     datetime(2024, 1, 1, tzinfo=ZONE), timedelta(seconds=5)),
    (2, 2, Decimal("2.00"), 2.0, "B", False, date(2024, 1, 2),
     datetime(2024, 1, 1, 0, 0, 5, tzinfo=ZONE), timedelta(seconds=-5)),
    (-7, 9_007_199_254_740_993, Decimal("0.30"), NAN, "é", None, date(1969, 12, 31),
     datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=ZONE), timedelta(microseconds=1)),
    (0, -1, Decimal("-2.00"), -0.0, "", True, date(2024, 1, 1),
     datetime(2024, 1, 1, tzinfo=ZONE), timedelta(0)),
    (3, 9_007_199_254_740_992, Decimal("99999999.99"), 9_007_199_254_740_992.0, "𝄞", False,
     date(2100, 1, 1), datetime(2100, 1, 1, tzinfo=ZONE), timedelta(days=400)),
    (None,) * 9,
]  # fmt: skip
"""Each stands beside each other one, as the columns `p_…` and `q_…`."""

COMPARED = ("=", "<>", "<", "<=", ">", ">=", "<=>")
OF_NUMBERS = ("i", "l", "d", "x")


def p(name: str) -> Pick:
    return Pick(f"p_{name}")


def q(name: str) -> Pick:
    return Pick(f"q_{name}")


def conditions() -> list[tuple[str, Expression]]:
    """Pairs of a condition as SQL and as the matcher has it."""
    found: list[tuple[str, Expression]] = []
    pairs = [(a, b) for a in OF_NUMBERS for b in OF_NUMBERS]
    pairs += [(each, each) for each in ("t", "b", "day", "ts", "gap")]
    for a, b in pairs:
        found += [(f"p_{a} {op} q_{b}", Apply(op, (p(a), q(b)))) for op in COMPARED]
    for op in "+-*":
        for a, b in (("i", "d"), ("d", "d"), ("d", "x"), ("i", "x"), ("x", "x"), ("l", "x")):
            sql, term = f"p_{a} {op} q_{b}", Apply(op, (p(a), q(b)))
            found += [(f"({sql}) {c} q_{a}", Apply(c, (term, q(a)))) for c in ("=", "<")]
        if op != "*":
            term = Apply(op, (p("ts"), q("gap")))
            found.append((f"p_ts {op} q_gap <= q_ts", Apply("<=", (term, q("ts")))))
            term = Apply(op, (p("gap"), q("gap")))
            found.append((f"p_gap {op} q_gap > p_gap", Apply(">", (term, p("gap")))))
    apart = Apply("-", (p("ts"), q("ts")))
    found.append(("p_ts - q_ts < q_gap", Apply("<", (apart, q("gap")))))
    guarded = Apply("case", (Apply(">", (p("x"), p("d"))), Apply("/", (p("i"), q("l"))), q("x")))
    found.append(
        ("CASE WHEN p_x > p_d THEN p_i / q_l ELSE q_x END < q_x",
         Apply("<", (guarded, q("x"))))
    )  # fmt: skip
    both, either = Apply("and", (p("b"), q("b"))), Apply("or", (p("b"), q("b")))
    found += [
        ("p_b AND q_b", both),
        ("p_b OR q_b", either),
        ("NOT (p_b AND q_b)", Apply("not", (both,))),
        ("(p_b OR q_b) IS NULL", Apply("is null", (either,))),
        ("coalesce(p_b, q_b)", Apply("coalesce", (p("b"), q("b")))),
        ("-p_i < q_l", Apply("<", (Apply("-", (p("i"),)), q("l")))),
        ("abs(p_d) >= q_d", Apply(">=", (Apply("abs", (p("d"),)), q("d")))),
    ]
    return found


@pytest.mark.spark
def test_conditions_are_as_spark_computes_them(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    one = spark.createDataFrame(ROWS, SCHEMA)
    names = one.columns
    left = one.selectExpr(*(f"{name} AS p_{name}" for name in names))
    right = one.selectExpr(*(f"{name} AS q_{name}" for name in names))
    both = left.crossJoin(right)
    asked = conditions()
    answers = both.selectExpr("*", *(f"{sql} AS c{n}" for n, (sql, _) in enumerate(asked)))
    table = answers.toArrow().combine_chunks()
    columns = {
        name: values_of(table.column(name).combine_chunks())
        for name in table.schema.names
        if name[:2] in ("p_", "q_")
    }
    types = {field.name: field.dataType for field in both.schema}
    path = Path(columns, table.num_rows)
    wrong = []
    for n, (sql, term) in enumerate(asked):
        condition = condition_of(term, types)
        for place, expected in enumerate(table.column(f"c{n}").to_pylist()):
            path.start = path.position = place
            found = condition(path)
            if found != expected:
                values = {name: column[place] for name, column in columns.items()}
                wrong.append((sql, found, expected, values))
    assert not wrong
    assert table.num_rows == len(ROWS) ** 2
