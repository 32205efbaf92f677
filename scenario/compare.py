"""Rows that were expected against rows that came: as multisets, or in order."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, TypeAlias

Rows: TypeAlias = list[tuple[Any, ...]]

TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Difference:
    """Rows missing and rows too many; with `order` the rows are right and their order is not."""

    missing: Rows
    unexpected: Rows
    order: bool = False


def difference(expected: Rows, actual: Rows, *, ordered: bool = False) -> Difference | None:
    """How two lists of rows in normal form differ, or None if they do not."""
    missing, unexpected = _leftover(expected, actual)
    if missing or unexpected:
        return Difference(missing, unexpected)
    pairs = zip(expected, actual, strict=True)
    if ordered and not all(same(one, other) for one, other in pairs):
        return Difference(expected, actual, order=True)
    return None


def net(updates: list[tuple[tuple[Any, ...], int]]) -> tuple[Rows, Rows]:
    """The sum of weighted rows: rows with how often they stand, and rows taken away too often."""
    weights: Counter[tuple[Any, ...]] = Counter()
    for row, weight in updates:
        weights[_with_one_nan(row)] += weight
    present = [row for row, weight in weights.items() for _ in range(weight)]
    negative = [row for row, weight in weights.items() if weight < 0]
    return present, negative


def _with_one_nan(value: Any) -> Any:
    """A value in which NaN is one object, and so one key: to Python no two are equal."""
    if isinstance(value, tuple):
        return tuple(map(_with_one_nan, value))
    return math.nan if isinstance(value, float) and math.isnan(value) else value


def same(one: Any, other: Any) -> bool:
    """Equality of normal forms; floating-point numbers may differ in the last digits."""
    if isinstance(one, float) and isinstance(other, float):
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


def _leftover(expected: Rows, actual: Rows) -> tuple[Rows, Rows]:
    """What remains on either side once equal rows are paired off."""
    wanted, found = Counter(expected), Counter(actual)
    missing = list((wanted - found).elements())
    unexpected = list((found - wanted).elements())
    # Only rows with floating-point numbers can still pair.
    for row in list(missing):
        partner = next((each for each in unexpected if same(row, each)), None)
        if partner is not None:
            missing.remove(row)
            unexpected.remove(partner)
    return missing, unexpected
