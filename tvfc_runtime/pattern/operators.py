"""Operators of conditions: NULL is None, and what comes out is what Spark computes.

Each makes of the functions and kinds of its operands a function and a kind.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from tvfc_runtime.pattern.folds import EXACT, OverflowedError, nan_last
from tvfc_runtime.pattern.kinds import (
    BOOLEAN,
    DOUBLE,
    MOST_DIGITS,
    NUMBERS,
    Family,
    NotComputedError,
    Of,
)
from tvfc_runtime.pattern.path import Path, UnknownRowError, Value

Made = tuple[Value, Of]

DAY_US = 86_400_000_000


def _connected(name: str, values: list[Value], kinds: list[Of]) -> Made:
    """AND and OR: one term may decide, also where another is of a row that has not come."""
    _all_are(Family.BOOLEAN, kinds)
    deciding = name == "or"

    def value(path: Path) -> bool | None:
        found: bool | None = not deciding
        is_unknown = False
        for each in values:
            try:
                term = each(path)
            except UnknownRowError:
                is_unknown = True
                continue
            if term is deciding:
                return deciding
            found = None if term is None else found
        if is_unknown:
            raise UnknownRowError
        return found

    return value, BOOLEAN


def _negation(_name: str, values: list[Value], kinds: list[Of]) -> Made:
    _all_are(Family.BOOLEAN, kinds)
    (term,) = values

    def value(path: Path) -> bool | None:
        found = term(path)
        return None if found is None else not found

    return value, BOOLEAN


def _is_null(_name: str, values: list[Value], _kinds: list[Of]) -> Made:
    (term,) = values
    return lambda path: term(path) is None, BOOLEAN


def _all_are(family: Family, kinds: list[Of]) -> None:
    odd = next((each for each in kinds if each.family is not family), None)
    if odd is not None:
        raise NotComputedError(f"{odd.family.value} stands where {family.value} is expected")


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda one, other: one == other,
    "<>": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}


def _comparison(name: str, values: list[Value], kinds: list[Of]) -> Made:
    one, other = values
    as_common, _ = _common(kinds)
    compare = _COMPARISONS["=" if name == "<=>" else name]
    if name != "<=>":
        return _with_two(
            values, lambda left, right: compare(as_common(left), as_common(right))
        ), BOOLEAN

    def is_same(path: Path) -> bool:
        left, right = one(path), other(path)
        if left is None or right is None:
            return left is right
        return compare(as_common(left), as_common(right))

    return is_same, BOOLEAN


def _common(kinds: list[Of]) -> tuple[Callable[[Any], Any], Of]:
    """In which form values are compared, and the kind that they have in common."""
    families = {each.family for each in kinds}
    if len(families) == 1 and Family.DOUBLE not in families:
        return _same, kinds[0]
    if families <= set(NUMBERS):
        return (_as_double, DOUBLE) if Family.DOUBLE in families else (_same, kinds[0].as_decimal)
    shown = " and ".join(dict.fromkeys(each.family.value for each in kinds))
    raise NotComputedError(f"{shown} of several rows are not put together: CAST one to the other")


def _same(value: Any) -> Any:
    return value


def _as_double(value: Any) -> tuple[bool, float]:
    return nan_last(float(value))


def _arithmetic(name: str, values: list[Value], kinds: list[Of]) -> Made:
    families = tuple(each.family for each in kinds)
    if len(values) == 1:
        return _negative(values[0], kinds[0])
    if not set(families) <= set(NUMBERS):
        return _of_times(name, values, families)
    if name == "/" or Family.DOUBLE in families:
        return _of_doubles(name, values, families)
    if Family.DECIMAL in families:
        return _of_decimals(name, values, [each.as_decimal for each in kinds])
    bits = max(each.bits for each in kinds)
    return _checked(_with_two(values, _WHOLE[name]), bits), Of(Family.INTEGER, bits=bits)


_WHOLE: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "*": lambda one, other: one * other,
}


def _with_two(values: list[Value], compute: Callable[[Any, Any], Any]) -> Value:
    """NULL of a NULL, also where the other operand is of a row that has not come."""
    one, other = values

    def value(path: Path) -> Any:
        try:
            left = one(path)
        except UnknownRowError:
            if other(path) is None:
                return None
            raise
        right = None if left is None else other(path)
        return None if right is None else compute(left, right)

    return value


def _checked(value: Value, bits: int) -> Value:
    most = 1 << bits - 1

    def checked(path: Path) -> Any:
        found = value(path)
        if found is not None and not -most <= found < most:
            raise OverflowedError(f"a number in MATCH_RECOGNIZE does not fit {bits} bits")
        return found

    return checked


def _negative(term: Value, kind: Of) -> Made:
    if kind.family not in (*NUMBERS, Family.INTERVAL):
        raise NotComputedError(f"there is no negative {kind.family.value}")

    def value(path: Path) -> Any:
        found = term(path)
        return None if found is None else -found

    return (_checked(value, kind.bits) if kind.bits else value), kind


def _of_doubles(name: str, values: list[Value], families: tuple[Family, ...]) -> Made:
    if name == "/" and Family.DECIMAL in families and Family.DOUBLE not in families:
        raise NotComputedError(
            "the quotient of DECIMALs of several rows is not computed: CAST one to DOUBLE"
        )
    compute = _quotient if name == "/" else _WHOLE[name]
    return _with_two(values, lambda one, other: compute(float(one), float(other))), DOUBLE


def _quotient(one: float, other: float) -> float:
    if other == 0:
        raise OverflowedError("a number is divided by zero in MATCH_RECOGNIZE")
    return one / other


_DECIMAL: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": EXACT.add,
    "-": EXACT.subtract,
    "*": EXACT.multiply,
}


def _of_decimals(name: str, values: list[Value], kinds: list[Of]) -> Made:
    """Sums and products that Spark does not round, since they have no more digits than it keeps."""
    one, other = kinds
    if name == "*":
        precision, scale = one.precision + other.precision + 1, one.scale + other.scale
    else:
        scale = max(one.scale, other.scale)
        precision = max(one.precision - one.scale, other.precision - other.scale) + scale + 1
    if precision > MOST_DIGITS:
        raise NotComputedError(
            f"a DECIMAL of more than {MOST_DIGITS} digits is not computed: CAST its operands to "
            "types of fewer digits"
        )
    compute = _DECIMAL[name]
    value = _with_two(values, lambda left, right: compute(Decimal(left), Decimal(right)))
    return value, Of(Family.DECIMAL, precision=precision, scale=scale)


def _of_times(name: str, values: list[Value], families: tuple[Family, ...]) -> Made:
    one, other = families
    found = _TIMES.get((name, one, other))
    if found is None:
        shown = f" {name} ".join(each.value for each in families)
        raise NotComputedError(f"{shown} of several rows is not computed")
    if one is Family.DATE:
        days = _with_two(values, lambda left, right: (left - right) * DAY_US)
        return _checked(days, 64), Of(found)
    return _checked(_with_two(values, _WHOLE[name]), 64), Of(found)


_TIMES: dict[tuple[str, Family, Family], Family] = {
    ("+", Family.INTERVAL, Family.INTERVAL): Family.INTERVAL,
    ("-", Family.INTERVAL, Family.INTERVAL): Family.INTERVAL,
    ("-", Family.DATE, Family.DATE): Family.INTERVAL,
    **{
        entry: result
        for time in (Family.TIMESTAMP, Family.TIMESTAMP_NTZ)
        for entry, result in (
            (("-", time, time), Family.INTERVAL),
            (("+", time, Family.INTERVAL), time),
            (("+", Family.INTERVAL, time), time),
            (("-", time, Family.INTERVAL), time),
        )
    },
}


def _absolute(_name: str, values: list[Value], kinds: list[Of]) -> Made:
    (term,), (kind,) = values, kinds
    if kind.family not in NUMBERS:
        raise NotComputedError(f"there is no abs() of {kind.family.value}")

    def value(path: Path) -> Any:
        found = term(path)
        return None if found is None else math.fabs(found) if kind == DOUBLE else abs(found)

    return (_checked(value, kind.bits) if kind.bits else value), kind


def _case(_name: str, values: list[Value], kinds: list[Of]) -> Made:
    """Conditions and values by turns, and at the end the value of the others."""
    *pairs, otherwise = values
    conditions, results = pairs[::2], pairs[1::2]
    _all_are(Family.BOOLEAN, kinds[:-1:2])
    kind = _one_kind([*kinds[1::2], kinds[-1]])

    def value(path: Path) -> Any:
        for condition, result in zip(conditions, results, strict=True):
            if condition(path) is True:
                return result(path)
        return otherwise(path)

    return value, kind


def _first_known(_name: str, values: list[Value], kinds: list[Of]) -> Made:
    kind = _one_kind(kinds)

    def value(path: Path) -> Any:
        return next((found for each in values if (found := each(path)) is not None), None)

    return value, kind


def _one_kind(kinds: list[Of]) -> Of:
    if len(set(kinds)) > 1:
        raise NotComputedError(
            "the values of CASE and COALESCE are of several types: CAST them to one"
        )
    return kinds[0]


OPERATORS: dict[str, Callable[[str, list[Value], list[Of]], Made]] = {
    "and": _connected,
    "or": _connected,
    "not": _negation,
    "is null": _is_null,
    "<=>": _comparison,
    **dict.fromkeys(_COMPARISONS, _comparison),
    **dict.fromkeys("+-*/", _arithmetic),
    "abs": _absolute,
    "case": _case,
    "coalesce": _first_known,
}
