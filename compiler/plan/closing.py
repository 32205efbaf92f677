"""When the clock closes the values of an expression: no more rows with such a value can come."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import timedelta

from sqlglot import exp

from compiler.plan.closings import grids_of, struct_of, until, window_time
from compiler.plan.expressions import ExpressionBinder
from compiler.plan.exprs import Expr
from compiler.plan.grids import ZERO, Grid
from compiler.plan.lengths import length_of
from compiler.plan.names import parts_of
from compiler.plan.scope import Closing, Relation, Scope, same

_FIXED = {
    "SECOND": Grid(step=timedelta(seconds=1)),
    "MINUTE": Grid(step=timedelta(minutes=1)),
    "HOUR": Grid(unit="HOUR", step=timedelta(hours=1)),
}
_BY_CALENDAR = frozenset({"DAY", "WEEK", "MONTH", "QUARTER", "YEAR"})


def closing_of(node: exp.Expression, scope: Scope) -> Closing | None:
    """When the clock closes a value of an expression that grows with a column that it closes."""
    if isinstance(node, exp.Paren):
        return closing_of(node.this, scope)
    if isinstance(node, exp.Column):
        return _named_closing(node, scope)
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        return of_path(closing_of(node.this, scope), [node.expression.name])
    if isinstance(node, exp.Anonymous):
        call = _CALLS.get(node.name.lower())
        return call(node.expressions, scope) if call and node.expressions else None
    if isinstance(node, exp.Add | exp.Sub):
        return _shifted(node, scope)
    if isinstance(node, exp.TimestampTrunc | exp.DateTrunc):
        inner = closing_of(node.this, scope)
        unit = (node.text("unit") or "").upper()
        return _truncated(inner, unit, "{}") if inner else None
    to = exp.DType.DATE if isinstance(node, exp.TsOrDsToDate) else None
    if isinstance(node, exp.Cast):
        to = node.to.this
    inner = closing_of(node.this, scope) if to is not None else None
    if inner is not None and to == exp.DType.DATE:
        return _truncated(inner, "DAY", "CAST({} AS TIMESTAMP)")
    return _as_timestamp(inner) if to in _TIMESTAMPS else None


_TIMESTAMPS = (exp.DType.TIMESTAMP, exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMPLTZ)


def _of_millis(arguments: list[exp.Expression], scope: Scope) -> Closing | None:
    number = arguments[0]
    if isinstance(number, exp.Cast) and number.to.this == exp.DType.BIGINT:
        number = number.this
    return _as_timestamp(closing_of(number, scope))


def _of_window(arguments: list[exp.Expression], scope: Scope) -> Closing | None:
    """Of Spark's window(), which is a struct."""
    inner = closing_of(arguments[0], scope)
    if inner is not None and inner.window is not None:
        inner = window_time(inner)
    found = [length_of(each) for each in arguments[1:4]]
    lengths = [each for each in found if each is not None and each >= ZERO]
    if inner is None or not lengths or len(lengths) < len(found):
        return None
    sizes = dict(zip(("size", "slide", "offset"), lengths, strict=False))
    starts, ends = grids_of("hop", sizes)
    value = "{}" if inner.value == "{}" else "CAST({} AS TIMESTAMP)"
    end = until(inner, ends, ends, ZERO, value)
    return struct_of(until(inner, ends, starts, lengths[0], value), end)


def _of_window_time(arguments: list[exp.Expression], scope: Scope) -> Closing | None:
    window = closing_of(arguments[0], scope)
    return window_time(window) if window else None


_CALLS: dict[str, Callable[[list[exp.Expression], Scope], Closing | None]] = {
    "timestamp_millis": _of_millis,
    "window": _of_window,
    "window_time": _of_window_time,
}


def closing_in(node: exp.Expression, binder: ExpressionBinder) -> Closing | None:
    """The same of an expression that may stand for a column, such as `window.start`."""
    return closing_of(node, binder.scope) or closing_by_name(
        binder.bind(node).sql, binder.scope.relations
    )


def closing_by_name(sql: str, relations: list[Relation]) -> Closing | None:
    """When the clock closes a column, if that is what an expression has become."""
    first, *path = parts_of(sql) or ("",)
    named = (each.column(first) for each in relations)
    return next((of_path(each.closing, path) for each in named if each is not None), None)


def _as_timestamp(inner: Closing | None) -> Closing | None:
    return None if inner is None else replace(inner, value="{}")


def _shifted(node: exp.Add | exp.Sub, scope: Scope) -> Closing | None:
    inner, length = closing_of(node.this, scope), length_of(node.expression)
    if inner is None or length is None or inner.window is not None:
        return None
    return inner.shifted(length if isinstance(node, exp.Add) else -length)


def _truncated(inner: Closing, unit: str, value: str) -> Closing | None:
    """A truncated time closes when the last one does that gives the same."""
    fixed = _FIXED.get(unit)
    if fixed is not None:
        return until(inner, fixed, fixed, fixed.step, value)
    if unit not in _BY_CALENDAR:
        return None
    grid = Grid(unit=unit)
    return until(inner, grid, grid, f"1 {unit}", value)


def _named_closing(node: exp.Column, scope: Scope) -> Closing | None:
    """When the clock closes a column, or a field of one."""
    first, *others = [each.name for each in node.parts]
    for relation in scope.relations:
        path = [first, *others]
        if others and same(relation.alias or "", first):
            path = others
        column = relation.column(path[0])
        if column is not None:
            return of_path(column.closing, path[1:])
    return None


def is_of(expr: Expr, keys: Collection[str]) -> bool:
    """Whether an expression has one value for each value of some columns or expressions."""
    if expr.reads and all(any(_is_in(key, name) for key in keys) for name in expr.reads):
        return True
    rest = expr.sql
    for key in keys:
        rest = rest.replace(key, " ")
    words = {each.lower() for each in re.findall(r"\w+", rest)}
    named = {part.lower() for name in expr.reads for part in parts_of(name)}
    return rest != expr.sql and not named & words


def _is_in(key: str, name: str) -> bool:
    """Whether a name is a column, or a field of it, each qualified or not."""
    column, read = ([part.lower() for part in parts_of(each)] for each in (key, name))
    count = len(column)
    if not count:
        return False
    return column in (read[:count], read[1 : count + 1]) or column[1:] == read[: count - 1] != []


def of_path(closing: Closing | None, path: list[str]) -> Closing | None:
    """When the clock closes a field of a struct, or the value itself if there is no path."""
    for name in path:
        closing = closing.of_field(name) if closing else None
    return closing
