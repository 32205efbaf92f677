"""Conditions of a pattern as functions of a path.

path --condition--> True, False or None
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from pyspark.sql.types import DataType

from tvfc_runtime.pattern.folds import folded, result_of
from tvfc_runtime.pattern.kinds import Family, NotComputedError, Of, kind_of
from tvfc_runtime.pattern.operators import OPERATORS
from tvfc_runtime.pattern.path import Path, UnknownRowError, Value
from tvfc_runtime.pattern.spec import Apply, Expression, Fold, Pick, folds_of, picks_of


class Reads(IntEnum):
    """By what a condition is decided."""

    ROW = 0
    """By the row alone, and those beside it."""
    START = 1
    """By that and the first row of the match."""
    PATH = 2
    """By which rows were taken for which variables."""


def reads_of(expression: Expression) -> Reads:
    """By what an expression is decided."""
    picks, folds = picks_of(expression), folds_of(expression)
    if any(each.of is not None for each in picks) or any(each.of is not None for each in folds):
        return Reads.PATH
    in_match = any(each.first or each.offset for each in picks)
    return Reads.START if in_match or folds else Reads.ROW


def condition_of(expression: Expression, types: Mapping[str, DataType]) -> Value:
    """A condition as a function.

    Raises:
        NotComputedError: it has an operator or types that are not computed.
    """
    if isinstance(expression, Pick) and _is_current(expression):
        column = expression.column
        return lambda path: path.columns[column][path.position]
    value, kind = _bound(expression, types)
    if kind.family is not Family.BOOLEAN:
        raise NotComputedError("a condition of DEFINE is no BOOLEAN")
    return value


def _is_current(pick: Pick) -> bool:
    return pick.of is None and not (pick.first or pick.offset or pick.shift)


def place_of(pick: Pick, path: Path) -> int | None:
    """The row that a value is of; None: there is none.

    Raises:
        UnknownRowError: it may yet come.
    """
    if pick.of is None:
        place = path.start + pick.offset if pick.first else path.position - pick.offset
        if not path.start <= place <= path.position:
            return None
    else:
        places = path.places[pick.of]
        if pick.offset >= len(places):
            return None
        place = places[pick.offset if pick.first else -1 - pick.offset]
    place += pick.shift
    if place >= path.count:
        if path.ended:
            return None
        raise UnknownRowError
    return place if place >= 0 else None


def _bound(expression: Expression, types: Mapping[str, DataType]) -> tuple[Value, Of]:
    match expression:
        case Pick(column=column):
            return _picked(expression), kind_of(types[column])
        case Fold(function=function, column=column):
            of = types[column] if column is not None else None
            fold = folded(function, of)
            end = fold.end
            kind = kind_of(of) if of is not None and fold.type is None else None
            return lambda path: end(path.states[expression][-1]), result_of(fold, kind)
        case Apply(operator=operator, operands=operands):
            bound = [_bound(each, types) for each in operands]
            make = OPERATORS.get(operator)
            if make is None:
                raise NotComputedError(f"`{operator}` of several rows is not computed")
            return make(operator, [value for value, _ in bound], [kind for _, kind in bound])


def _picked(pick: Pick) -> Value:
    column = pick.column

    def value(path: Path) -> Any:
        place = place_of(pick, path)
        return None if place is None else path.columns[column][place]

    return value
