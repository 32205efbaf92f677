"""Aggregates over the rows of a match, a row at a time: each keeps what it was before.

So a path that goes back takes its last states off. A state is a tuple that is never changed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from pyspark.sql.types import (
    ByteType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
)

from tvfc_runtime.pattern.kinds import (
    LONG,
    MOST_DIGITS,
    Family,
    NotComputedError,
    Of,
    kind_of,
)

EXACT = Context(prec=100, rounding=ROUND_HALF_UP)
"""In which sums and products of DECIMALs are never rounded."""

LEAST, MOST = -(1 << 63), (1 << 63) - 1


class OverflowedError(ArithmeticError):
    """A value that is too large for its type; Spark ends the job, too."""


@dataclass(frozen=True, slots=True)
class Folded:
    """An aggregate as functions.

    Attributes:
        begin: its state of no rows.
        step: its state with one more value, which may be NULL.
        end: its value.
        type: that of its value, as Spark has it; None: that of the column (min and max).
    """

    begin: Any
    step: Callable[[Any, Any], Any]
    end: Callable[[Any], Any]
    type: DataType | None


def folded(function: str, kind: DataType | None) -> Folded:
    """An aggregate of a column of a type; None: of rows.

    Raises:
        NotComputedError: there is none of values of the type.
    """
    if function == "count":
        step = _counted if kind is not None else _counted_row
        return Folded(0, step, _as_it_is, LongType())
    if kind is None:
        raise NotComputedError(f"{function}() is of a column")
    if function in ("min", "max"):
        key = ordering(kind_of(kind))
        is_first = _is_less if function == "min" else _is_more
        return Folded(None, _extreme(key, is_first), _as_it_is, None)
    return _summed(function, kind)


def result_of(folded: Folded, kind: Of | None) -> Of:
    """The kind of an aggregate's value, given that of its column."""
    if folded.type is None and kind is not None:
        return kind
    return kind_of(folded.type) if folded.type is not None else LONG


def _counted(count: int, value: Any) -> int:
    return count if value is None else count + 1


def _counted_row(count: int, _value: Any) -> int:
    return count + 1


def _as_it_is(state: Any) -> Any:
    return state


def _is_less(one: Any, other: Any) -> bool:
    return bool(one < other)


def _is_more(one: Any, other: Any) -> bool:
    return bool(one > other)


def _extreme(
    key: Callable[[Any], Any], is_first: Callable[[Any, Any], bool]
) -> Callable[[Any, Any], Any]:
    def step(best: Any, value: Any) -> Any:
        if value is None:
            return best
        return value if best is None or is_first(key(value), key(best)) else best

    return step


def ordering(kind: Of) -> Callable[[Any], Any]:
    """What values of a kind are compared by: NaN is above all numbers, and equal to itself."""
    return nan_last if kind.family is Family.DOUBLE else _as_it_is


def nan_last(value: float) -> tuple[bool, float]:
    """A number in the order of Spark."""
    is_nan = math.isnan(value)
    return is_nan, 0.0 if is_nan else value


_INTEGERS = (ByteType, ShortType, IntegerType, LongType)


def _summed(function: str, kind: DataType) -> Folded:
    """sum() and avg(); the state is how many values there were, and their sum."""
    is_mean = function == "avg"
    if isinstance(kind, DecimalType):
        return _of_decimals(kind, is_mean=is_mean)
    if isinstance(kind, _INTEGERS) and not is_mean:
        return Folded((0, 0), _add_whole, _sum, LongType())
    if isinstance(kind, (*_INTEGERS, DoubleType, FloatType)):
        return Folded((0, 0.0), _add_double, _mean if is_mean else _sum, DoubleType())
    raise NotComputedError(
        f"{function}() of {kind.simpleString()} is not supported in MATCH_RECOGNIZE: "
        "CAST its values to DOUBLE or DECIMAL"
    )


def _of_decimals(kind: DecimalType, *, is_mean: bool) -> Folded:
    more = 4 if is_mean else 10
    precision, scale = kind.precision + more, kind.scale + (4 if is_mean else 0)
    if kind.precision + 10 > MOST_DIGITS:
        raise NotComputedError(
            f"sums of {kind.simpleString()} are not supported in MATCH_RECOGNIZE, since they may "
            f"have more than {MOST_DIGITS} digits: CAST the values to one of fewer digits"
        )
    least = Decimal(1).scaleb(-scale)

    def mean(state: tuple[int, Decimal]) -> Decimal | None:
        count, total = state
        return EXACT.divide(total, count).quantize(least, context=EXACT) if count else None

    result = DecimalType(precision, scale)
    return Folded((0, Decimal(0)), _add_decimal, mean if is_mean else _sum, result)


def _sum(state: tuple[int, Any]) -> Any:
    count, total = state
    return total if count else None


def _mean(state: tuple[int, float]) -> float | None:
    count, total = state
    return total / count if count else None


def _add_whole(state: tuple[int, int], value: int | None) -> tuple[int, int]:
    if value is None:
        return state
    total = state[1] + value
    if not LEAST <= total <= MOST:
        raise OverflowedError("a sum() in MATCH_RECOGNIZE is too large for BIGINT")
    return state[0] + 1, total


def _add_double(state: tuple[int, float], value: float | None) -> tuple[int, float]:
    return state if value is None else (state[0] + 1, state[1] + float(value))


def _add_decimal(state: tuple[int, Decimal], value: Decimal | None) -> tuple[int, Decimal]:
    return state if value is None else (state[0] + 1, EXACT.add(state[1], value))
