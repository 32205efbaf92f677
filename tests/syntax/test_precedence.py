"""Which operator binds tighter, against Spark's own parser: all pairs of operators."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from sqlglot import exp

from compiler.diagnostics import CompileError
from compiler.syntax import parse_query, span_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

BETWEEN_OPERANDS = (
    *("+", "-", "*", "/", "%", "DIV", "||", "|", "^", "&", "<<", ">>", ">>>"),
    *("=", "==", "<>", "!=", "<=>", "<", "<=", ">", ">=", "!>", "!<", "AND", "OR"),
    *("LIKE", "NOT LIKE", "ILIKE", "RLIKE", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"),
    "BETWEEN 1 AND",
)
BEHIND = ("IS NULL", "IS NOT TRUE", "IN (1, 2)", "COLLATE UTF8_LCASE", "::INT", "[0]")
BEFORE = ("NOT", "!", "-", "+", "~")

TEXTS = [
    *(f"a {one} b {two} c" for one, two in product(BETWEEN_OPERANDS, repeat=2)),
    *(f"a {one} b {two}" for one, two in product(BETWEEN_OPERANDS, BEHIND)),
    *(f"a {one} {two} b" for one, two in product(BEHIND, BETWEEN_OPERANDS)),
    *(f"a {one} {two}" for one, two in product(BEHIND, repeat=2)),
    *(f"{one} a {two} b" for one, two in product(BEFORE, BETWEEN_OPERANDS)),
    *(f"{one} a {two}" for one, two in product(BEFORE, BEHIND)),
]

REFUSED = ("a ::INT COLLATE UTF8_LCASE",)
"""What Spark's parser takes, and its analyzer refuses as we do: INT has no collation."""


def grouped(sql: str) -> str:
    """An expression with all that it is made of in parentheses, as we read it."""
    text = f"SELECT {sql} FROM t"
    query = parse_query(text)
    assert isinstance(query, exp.Select)
    (root,) = query.selects
    assert isinstance(root, exp.Expression)

    def inside(node: exp.Expression) -> str:
        start, end = span_of(node).start, span_of(node).end
        written, place = "", start
        operands = [each for each in node.iter_expressions() if isinstance(each, OPERATORS)]
        for each in sorted(operands, key=lambda operand: span_of(operand).start):
            span = span_of(each)
            written += f"{text[place : span.start]}({inside(each)})"
            place = span.end
        return written + text[place:end]

    return inside(root)


OPERATORS = (exp.Binary, exp.Unary, exp.Between, exp.In, exp.Cast, exp.Bracket, exp.Predicate)


def test_operators_bind_as_in_spark(spark: SparkSession) -> None:
    parser = spark._jsparkSession.sessionState().sqlParser()

    def by_spark(sql: str) -> str | None:
        try:
            return str(parser.parseExpression(sql).sql())
        except Exception:
            return None

    faults = []
    for sql in set(TEXTS) - {*REFUSED}:
        expected = by_spark(sql)
        try:
            ours = grouped(sql)
        except CompileError:
            ours = None
        if (ours is None) != (expected is None):
            faults.append(f"{sql}: {'refused' if ours is None else 'accepted'} here alone")
        elif ours is not None and by_spark(ours) != expected:
            faults.append(f"{sql}: {ours}, to Spark {expected}")
    assert not faults, "\n".join(faults)
