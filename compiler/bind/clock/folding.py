"""Conditions on the clock mean their constants as numbers, not as values of a narrow type.

Before   days * 86400000 + t + 30 * 24 * 3600 * 1000 <= WATERMARK_TS()
After    days * 86400000L + t + 2592000000 <= WATERMARK_TS()

A constant that cannot be computed, or takes every row beyond all time, is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from sqlglot import exp

from compiler.bind.names.expressions import ExpressionBinder
from compiler.sql.constants import fits, interval_of, number_of
from compiler.sql.exprs import Expr, flat_text
from compiler.sql.inference import MOMENTS
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of

_TOO_LARGE = 10**38
"""The first number that no DECIMAL holds."""

_ALL_TIME_MS = 2 * 2**63 // 1000
"""From the first TIMESTAMP to the last one, in milliseconds."""

_YEAR_MS = 31_556_952_000
_NARROW = frozenset({"TINYINT", "BYTE", "SMALLINT", "SHORT", "INT", "INTEGER"})

_INTS_OF = {
    "make_interval": 6,
    "make_ym_interval": 2,
    "make_dt_interval": 3,
    "date_add": 2,
    "dateadd": 2,
    "date_sub": 2,
    "add_months": 2,
}
"""Functions of whole numbers that must fit an INT: how many of the arguments may be such."""

_UNIT = r"(nano|micro|milli)?(second|minute|hour|day|week|month|quarter|year)s?"
_INTERVAL_TEXT = re.compile(
    rf"\s*(interval\s)?(\s*[+-]?\s*\d*\.?\d+\s*{_UNIT})+\s*"
    r"|\s*[+-]?\d+-\d+\s*|\s*[+-]?(\d+ )?\d+(:\d+)+(\.\d+)?\s*",
    re.IGNORECASE,
)
_MOMENT_TEXT = re.compile(
    r"\s*([+-]?\d{4,7}(-\d{1,2}(-\d{1,2}([T ].*)?)?)?|T?\d{1,2}:\d{1,2}.*)\s*", re.IGNORECASE
)


_AN_INTERVAL = "write a number and a unit, such as INTERVAL 5 MINUTES"


def fold_constants(
    binder: ExpressionBinder, node: exp.Expression, *, on_clock: bool = True
) -> None:
    """Let the constants of a condition stand for their exact values; report those without one.

    What fails in a condition that is not `on_clock` is left to Spark.
    """
    narrow: dict[int, bool] = {}
    for each in _parts(binder, node):
        number = number_of(each)
        if number is None:
            if on_clock:
                _check(binder, each)
                _widen(binder, each, narrow)
        elif abs(Decimal(number.value)) >= _TOO_LARGE:
            _refuse(binder, each, "is larger than any number of SQL", "38 digits at most")
        elif number.overflows:
            binder.stands_for[span_of(each)] = _literal(str(number.value))


def check_bound(binder: ExpressionBinder, node: exp.Expression) -> None:
    """A bound that is a constant text must be a moment; a sum must not leave all time behind."""
    match node:
        case exp.Paren():
            check_bound(binder, node.this)
        case exp.Literal() if node.is_string and not _MOMENT_TEXT.fullmatch(node.name):
            _refuse(
                binder,
                node,
                "is no moment",
                "never reached",
                "write TIMESTAMP '2024-02-29 12:00:00'",
            )
        case exp.Add() | exp.Sub():
            for side in (node.this, node.expression):
                number = number_of(side)
                if number is None:
                    check_bound(binder, side)
                elif _ALL_TIME_MS < abs(Decimal(number.value)) < _TOO_LARGE:
                    _beyond_time(binder, side, abs(Decimal(number.value)))
        case _:
            pass


def _beyond_time(binder: ExpressionBinder, node: exp.Expression, milliseconds: Decimal) -> None:
    _refuse(
        binder,
        node,
        "takes every row beyond all time",
        f"about {milliseconds / _YEAR_MS:.3g} years, as milliseconds",
        "a number beside the clock counts milliseconds; leave the condition out where it is to "
        "hold for ever",
    )


def _parts(binder: ExpressionBinder, node: exp.Expression) -> Iterator[exp.Expression]:
    """The parts of a condition, a constant as a whole; queries have conditions of their own."""
    stack: list[exp.Expr] = [node]
    while stack:
        each = stack.pop()
        if isinstance(each, exp.Query) or span_of(each) in binder.stands_for:
            continue
        if isinstance(each, exp.Expression):
            yield each
        if number_of(each) is None:
            stack.extend(reversed(list(each.iter_expressions())))


def _literal(text: str) -> Expr:
    """A number; Spark takes an integer for what is wide enough: INT, BIGINT or DECIMAL."""
    return Expr(
        sql=f"({text})" if text.startswith("-") else text, type=SqlType(Kind.NUMBER, "DECIMAL")
    )


# What fails in every row


def _check(binder: ExpressionBinder, node: exp.Expression) -> None:
    match node:
        case exp.Div() | exp.IntDiv() | exp.Mod() if _is_zero(node.expression):
            advice = "write the number that is meant, or try_divide(a, b), which is NULL then"
            _refuse(binder, node, "divides by zero", "has no value", advice)
        case exp.Cast() if _is_text(node.this) and node.to.is_type(exp.DType.INTERVAL):
            is_try = binder.problems.source.slice(span_of(node)).lower().startswith("try")
            if not is_try and not _INTERVAL_TEXT.fullmatch(node.this.name):
                _refuse(binder, node, "is no interval", "no number and unit", _AN_INTERVAL)
        case exp.Mul() | exp.Add() | exp.Sub():
            _check_sum(binder, node)
        case exp.Func():
            _check_call(binder, node)
        case _:
            pass


def _check_sum(binder: ExpressionBinder, node: exp.Expression) -> None:
    length = interval_of(node)
    if length is not None:
        if not length.fits:
            _refuse(binder, node, "is longer than any interval", "106751991 days at most")
        return
    number = number_of(node.expression)
    if number is None or isinstance(node, exp.Mul) or fits(number.value, "INT"):
        return
    if binder.bind(node.this).type.kind is Kind.DATE:
        _refuse(binder, node.expression, "is more days than a DATE has", "out of range")


def _check_call(binder: ExpressionBinder, node: exp.Func) -> None:
    name = binder.problems.source.slice(span_of(node)).split("(")[0].strip().lower()
    for argument in _arguments(node)[: _INTS_OF.get(name, 0)]:
        number = number_of(argument)
        if number is not None and not fits(number.value, "INT"):
            _refuse(binder, argument, f"does not fit {name}()", "an INT is asked for")


def _arguments(node: exp.Func) -> list[exp.Expression]:
    found = (
        each.expression if isinstance(each, exp.Kwarg) else each for each in node.iter_expressions()
    )
    return [each for each in found if isinstance(each, exp.Expression)]


def _is_zero(node: exp.Expression) -> bool:
    number = number_of(node)
    return number is not None and number.value == 0


def _is_text(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)


def _refuse(
    binder: ExpressionBinder,
    node: exp.Expression,
    what: str,
    label: str,
    advice: str = "write the number that is meant",
) -> None:
    text = flat_text(binder.problems.source, span_of(node))
    binder.problems.add("TVF405", f"`{text}` {what}", span_of(node), label, advice=advice)


# Literals beside columns that are narrower than what is meant


def _widen(binder: ExpressionBinder, node: exp.Expression, narrow: dict[int, bool]) -> None:
    """`days * 86400000` as `days * 86400000L`; where an INT is asked for, it stays one."""
    if not isinstance(node, exp.Add | exp.Sub | exp.Mul):
        return
    for side, other in ((node.this, node.expression), (node.expression, node.this)):
        number = number_of(side)
        if number is None or number.type != "INT" or number.overflows:
            continue
        if _is_narrow(binder, other, narrow) and _may_be_wide(binder, node):
            binder.stands_for[span_of(side)] = _literal(f"{number.value}L")


def _is_narrow(binder: ExpressionBinder, node: exp.Expression, known: dict[int, bool]) -> bool:
    """Whether a column, or arithmetic with one, is in a type no wider than INT.

    `known` are answers by the id of the node, since sums are long.
    """
    if id(node) not in known:
        known[id(node)] = _is_narrow_of(binder, node, known)
    return known[id(node)]


def _is_narrow_of(binder: ExpressionBinder, node: exp.Expression, known: dict[int, bool]) -> bool:
    match node:
        case exp.Paren() | exp.Neg():
            return _is_narrow(binder, node.this, known)
        case exp.Column() if not binder.is_clock(node):
            return binder.bind(node).type.ddl.upper() in _NARROW
        case exp.Add() | exp.Sub() | exp.Mul():
            sides = [node.this, node.expression]
            if any(span_of(each) in binder.stands_for for each in sides):
                return False
            columns = [each for each in sides if number_of(each) is None]
            return bool(columns) and all(_is_narrow(binder, each, known) for each in columns)
        case _:
            return False


def _may_be_wide(binder: ExpressionBinder, node: exp.Expression) -> bool:
    """Whether a BIGINT may stand for a number: not for days of a DATE or for most functions."""
    child, parent = node, node.parent
    while isinstance(parent, exp.Paren | exp.Neg | exp.Add | exp.Sub | exp.Mul | exp.Div):
        if isinstance(parent, exp.Binary):
            other = parent.expression if child is parent.this else parent.this
            kind = binder.bind(other).type.kind
            if kind is Kind.INTERVAL:
                return True
            if kind in MOMENTS:
                return False
        child, parent = parent, parent.parent
    choices = (exp.Case, exp.If, exp.Coalesce, exp.Greatest, exp.Least, exp.Between, exp.Cast)
    comparisons = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
    return isinstance(parent, (*choices, *comparisons))
