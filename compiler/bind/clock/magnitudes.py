"""Moments and intervals roughly, in seconds: numbers that do not overflow where a moment does.

A bound beyond the range of TIMESTAMP is later, or earlier, than all values of the clock; the sign
of its magnitude tells which.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sqlglot import exp

from compiler.bind.names.expressions import ExpressionBinder
from compiler.sql.constants import number_of
from compiler.sql.exprs import Binding, Magnitude
from compiler.sql.inference import MOMENTS
from compiler.sqltypes import Kind

_UNITS = {
    "microsecond": 1e-6,
    "millisecond": 1e-3,
    "second": 1,
    "minute": 60,
    "hour": 3_600,
    "day": 86_400,
    "week": 604_800,
    "month": 2_629_746,
    "quarter": 7_889_238,
    "year": 31_556_952,
}
_OF_INTERVALS = {
    "make_dt_interval": ("day", "hour", "minute", "second"),
    "make_ym_interval": ("year", "month"),
}
_OF_MOMENTS = {
    "timestamp_seconds": ("second",),
    "timestamp_millis": ("millisecond",),
    "timestamp_micros": ("microsecond",),
}
_PART = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*([a-z]+?)s?\b")
_FAR = 1_000 * _UNITS["year"]
_ANY_INTERVAL = "1E13D"
"""More than from the first TIMESTAMP to the last one, as an interval in a column may be."""


def magnitude(binder: ExpressionBinder, node: exp.Expression) -> Magnitude | None:
    """The magnitude of a moment or an interval, if it is of a known form."""
    return _interval(binder, node) if _is_interval(binder, node) else _moment(binder, node)


def _is_interval(binder: ExpressionBinder, node: exp.Expression) -> bool:
    """By its form, since types are not always known."""
    match node:
        case exp.Paren() | exp.Neg():
            return _is_interval(binder, node.this)
        case exp.Mul() | exp.Div():
            return any(_is_interval(binder, each) for each in (node.this, node.expression))
        case exp.Interval() | exp.MakeInterval():
            return True
        case exp.Anonymous() if node.name.lower() in _OF_INTERVALS:
            return True
        case _:
            return binder.kind_of(node) is Kind.INTERVAL


def _moment(binder: ExpressionBinder, node: exp.Expression) -> Magnitude | None:
    match node:
        case exp.Paren():
            return _moment(binder, node.this)
        case exp.Add() | exp.Sub():
            left, right = node.this, node.expression
            if _is_interval(binder, left):
                left, right = right, left
            if not _is_interval(binder, right):
                return None
            sign = "+" if isinstance(node, exp.Add) else "-"
            return combined(_moment(binder, left), sign, _interval(binder, right))
        case exp.TimestampAdd():
            count = (node.expression, str(node.args.get("unit") or "").lower())
            return combined(_moment(binder, node.this), "+", _total(binder, [count]))
        case exp.Anonymous() if node.name.lower() in _OF_MOMENTS:
            return _total(
                binder, zip(node.expressions, _OF_MOMENTS[node.name.lower()], strict=False)
            )
        case _:
            return _whole(binder, node)


def _whole(binder: ExpressionBinder, node: exp.Expression) -> Magnitude | None:
    """A moment that is not looked into."""
    expr = binder.bind(node)
    if expr.type.kind in MOMENTS:
        return Magnitude(f"unix_timestamp({expr.sql})")
    if expr.type.kind in (Kind.STRING, Kind.UNKNOWN):
        return Magnitude(f"unix_timestamp(CAST({expr.sql} AS TIMESTAMP))")
    return None


def _interval(binder: ExpressionBinder, node: exp.Expression) -> Magnitude | None:
    match node:
        case exp.Paren():
            return _interval(binder, node.this)
        case exp.Neg():
            return combined(Magnitude("0D"), "-", _interval(binder, node.this))
        case exp.Add() | exp.Sub() if _is_interval(binder, node.this):
            sign = "+" if isinstance(node, exp.Add) else "-"
            left, right = (_interval(binder, each) for each in (node.this, node.expression))
            return combined(left, sign, right)
        case exp.Sub():
            return combined(_moment(binder, node.this), "-", _moment(binder, node.expression))
        case exp.Mul():
            return _product(binder, node)
        case exp.Div():
            size = _interval(binder, node.this)
            by = _number(binder, node.expression)
            return size and Magnitude(f"try_divide({size.sql}, {by})", is_far=True)
        case exp.Interval() if isinstance(node.this, exp.Literal):
            return _literal(node)
        case exp.MakeInterval() | exp.Anonymous():
            return _built(binder, node)
        case exp.Column():
            return Magnitude(f"sign({binder.bind(node).sql}) * {_ANY_INTERVAL}", is_far=True)
        case _:
            return None


def _built(binder: ExpressionBinder, node: exp.MakeInterval | exp.Anonymous) -> Magnitude | None:
    if isinstance(node, exp.MakeInterval):
        return _total(binder, [(node.args.get(unit), unit) for unit in reversed(_UNITS)])
    units = _OF_INTERVALS.get(node.name.lower(), ())
    return _total(binder, zip(node.expressions, units, strict=False))


def combined(left: Magnitude | None, sign: str, right: Magnitude | None) -> Magnitude | None:
    """A sum or difference of magnitudes."""
    if left is None or right is None:
        return None
    taken = _grouped(right.sql) if sign == "-" else right.sql
    return Magnitude(f"{left.sql} {sign} {taken}", is_far=left.is_far or right.is_far)


def _product(binder: ExpressionBinder, node: exp.Mul) -> Magnitude | None:
    interval, number = node.this, node.expression
    if not _is_interval(binder, interval):
        interval, number = number, interval
    size = _interval(binder, interval)
    if size is None:
        return None
    return Magnitude(f"{_grouped(size.sql)} * {_number(binder, number)}", is_far=True)


def _total(
    binder: ExpressionBinder, counts: Iterable[tuple[exp.Expression | None, str]]
) -> Magnitude | None:
    """Numbers, each of a unit."""
    counts = list(counts)
    if any(isinstance(number, exp.Kwarg) for number, _ in counts):
        return None
    terms = [
        f"{_UNITS[unit]}D * {_number(binder, number)}"
        for number, unit in counts
        if number is not None and unit in _UNITS and number != exp.Literal.number(0)
    ]
    return Magnitude(" + ".join(terms), is_far=True) if terms else None


def epoch_magnitude(binder: ExpressionBinder, milliseconds: exp.Expression) -> Magnitude:
    """The magnitude of a number of milliseconds since 1970."""
    text = milliseconds.name if isinstance(milliseconds, exp.Literal) else ""
    is_far = not text or abs(float(text)) / 1000 >= _FAR
    return Magnitude(f"0.001D * {_number(binder, milliseconds)}", is_far=is_far)


def _number(binder: ExpressionBinder, node: exp.Expression) -> str:
    """A number as a factor of a DOUBLE; sums of integers could overflow before."""
    constant = number_of(node)
    match node:
        case _ if constant is not None and not isinstance(node, exp.Literal | exp.Cast):
            return f"{constant.value}" if constant.value >= 0 else f"({constant.value})"
        case exp.Paren():
            return _number(binder, node.this)
        case exp.Add() | exp.Sub() | exp.Mul():
            sign = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*"}[type(node)]
            return f"({_double(binder, node.this)} {sign} {_double(binder, node.expression)})"
        case _:
            return binder.bind(node).inside(Binding.ARITHMETIC)


def _double(binder: ExpressionBinder, node: exp.Expression) -> str:
    number = _number(binder, node)
    is_plain = number_of(node) is not None or number[0] == "("
    return number if is_plain else f"double({number})"


def _literal(node: exp.Interval) -> Magnitude:
    unit = node.args.get("unit")
    if isinstance(unit, exp.IntervalSpan):
        # Its first number is of its largest unit.
        text = f"{re.split('[ :]|(?<=.)-', node.this.name)[0]} {unit.this.name}"
    else:
        text = f"{node.this.name} {unit or ''}"
    parts = _PART.findall(text.lower())
    seconds = sum(float(count) * _UNITS.get(each, 0) for count, each in parts)
    return Magnitude(f"{seconds:.15g}D", is_far=abs(seconds) >= _FAR)


def _grouped(size: str) -> str:
    return f"({size})" if " + " in size or " - " in size else size
