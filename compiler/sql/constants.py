"""Constant numbers and intervals, computed exactly.

Spark adds and multiplies literals in the narrowest type that holds each of them, so that
`30 * 24 * 3600 * 1000` overflows an INT; here it is 2592000000, and known to be too large for one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation, Overflow

from sqlglot import exp

BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
_EXACT = Context(prec=1_000)
_MICROS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 604_800_000_000,
}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_PART = re.compile(r"([+-]?\s*\d*\.?\d+)\s*([a-z]+?)s?\b")


@dataclass(frozen=True, slots=True)
class Number:
    """A constant: its value, the type that Spark gives it, and whether that is too narrow."""

    value: int | Decimal
    type: str
    overflows: bool = False


def number_of(node: exp.Expr | None) -> Number | None:
    """The exact value of a constant number; None: it is no constant, or has none."""
    if node is None:
        return None
    # Sums are long: each part is looked at once.
    if "exact_number" not in node.meta:
        node.meta["exact_number"] = _number_of(node)
    found: Number | None = node.meta["exact_number"]
    return found


def _number_of(node: exp.Expr) -> Number | None:
    match node:
        case exp.Paren():
            return number_of(node.this)
        case exp.Literal() if not node.is_string:
            return _of_literal(node.name)
        case exp.Neg():
            inner = number_of(node.this)
            return None if inner is None else _typed(-inner.value, inner)
        case exp.Cast() if isinstance(node.this, exp.Literal) and not node.this.is_string:
            # `7Y`, `7S`, `7L` and CAST(7 AS INT)
            inner, name = _of_literal(node.this.name), str(node.to.this.value).upper()
            return Number(inner.value, name) if inner and name in BITS else None
        case exp.Add() | exp.Sub() | exp.Mul() | exp.IntDiv() | exp.Mod():
            right = number_of(node.expression)
            left = None if right is None else number_of(node.this)
            return None if left is None or right is None else _combined(node, left, right)
        case _:
            return None


def _of_literal(text: str) -> Number | None:
    if text.isdigit():
        value = int(text)
        fits = next((name for name in ("INT", "BIGINT") if value < 2 ** (BITS[name] - 1)), "")
        return Number(value, fits or "DECIMAL")
    if re.fullmatch(r"\d*\.\d+|\d+\.", text):
        return Number(Decimal(text), "DECIMAL")
    return None


def _combined(node: exp.Expr, left: Number, right: Number) -> Number | None:
    one, other = left.value, right.value
    if isinstance(one, Decimal) or isinstance(other, Decimal):
        value = _of_decimals(node, Decimal(one), Decimal(other))
        return None if value is None else Number(value, "DECIMAL")
    if isinstance(node, exp.Add | exp.Sub):
        return _typed(one + other if isinstance(node, exp.Add) else one - other, left, right)
    if isinstance(node, exp.Mul):
        return _typed(one * other, left, right)
    if other == 0:
        return None
    quotient = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
    if isinstance(node, exp.Mod):
        return _typed(one - quotient * other, left, right)
    has_overflowed = left.overflows or right.overflows or not fits(quotient, "BIGINT")
    return Number(quotient, "BIGINT", has_overflowed)


def _of_decimals(node: exp.Expr, one: Decimal, other: Decimal) -> Decimal | None:
    try:
        match node:
            case exp.Add():
                return _EXACT.add(one, other)
            case exp.Sub():
                return _EXACT.subtract(one, other)
            case exp.Mul():
                return _EXACT.multiply(one, other)
            case _:
                return None
    except (InvalidOperation, Overflow):
        return Decimal("Infinity")


def _typed(value: int | Decimal, *operands: Number) -> Number:
    """A result in the widest type of its operands, which may be too narrow."""
    if isinstance(value, Decimal):
        return Number(value, "DECIMAL")
    names = [*BITS, "DECIMAL"]
    name = max((each.type for each in operands), key=names.index)
    overflows = any(each.overflows for each in operands) or not fits(value, name)
    return Number(value, name, overflows)


def fits(value: int | Decimal, name: str) -> bool:
    """Whether a value is in the range of an integer type; every other type holds it."""
    return name not in BITS or -(2 ** (BITS[name] - 1)) <= value < 2 ** (BITS[name] - 1)


@dataclass(frozen=True, slots=True)
class Length:
    """A constant interval."""

    months: Decimal
    micros: Decimal

    @property
    def fits(self) -> bool:
        """Whether Spark can hold it."""
        return abs(self.months) < 2**31 and abs(self.micros) < 2**63

    def scaled(self, by: Decimal) -> Length:
        """Several times the interval."""
        return Length(_EXACT.multiply(self.months, by), _EXACT.multiply(self.micros, by))


def interval_of(node: exp.Expr | None) -> Length | None:
    """A constant interval with literal parts; None: it is none of a known form."""
    if node is None:
        return None
    if "exact_length" not in node.meta:
        node.meta["exact_length"] = _interval_of(node)
    found: Length | None = node.meta["exact_length"]
    return found


def _interval_of(node: exp.Expr) -> Length | None:
    match node:
        case exp.Paren():
            return interval_of(node.this)
        case exp.Neg():
            inner = interval_of(node.this)
            return None if inner is None else inner.scaled(Decimal(-1))
        case exp.Interval() if isinstance(node.this, exp.Literal):
            return _of_text(node)
        case exp.Mul():
            for one, other in ((node.this, node.expression), (node.expression, node.this)):
                number = number_of(other)
                length = None if number is None else interval_of(one)
                if length is not None and number is not None:
                    return length.scaled(Decimal(number.value))
            return None
        case exp.Add() | exp.Sub():
            right = interval_of(node.expression)
            left = None if right is None else interval_of(node.this)
            if left is None or right is None:
                return None
            right = right if isinstance(node, exp.Add) else right.scaled(Decimal(-1))
            return Length(left.months + right.months, left.micros + right.micros)
        case _:
            return None


def _of_text(node: exp.Interval) -> Length | None:
    unit = node.args.get("unit")
    if isinstance(unit, exp.IntervalSpan):
        return None
    text = f"{node.this.name} {unit or ''}".lower()
    months = micros = Decimal(0)
    for count, name in _PART.findall(text):
        if name not in _MICROS and name not in _MONTHS:
            return None
        number = Decimal(count.replace(" ", ""))
        months += number * _MONTHS.get(name, 0)
        micros += number * _MICROS.get(name, 0)
    return Length(months, micros)
