"""When the clock closes the values of an expression: no more rows with such a value can come."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from sqlglot import exp

from compiler.plan.expressions import ExpressionBinder
from compiler.plan.lengths import length_of
from compiler.plan.names import parts_of
from compiler.plan.scope import Closing, Relation, Scope

_FIXED = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
}
_BY_CALENDAR = frozenset({"day", "week", "month", "quarter", "year"})


def closing_of(node: exp.Expression, scope: Scope) -> Closing | None:
    """When the clock closes a value of an expression that grows with a column that it closes."""
    if isinstance(node, exp.Paren):
        return closing_of(node.this, scope)
    if isinstance(node, exp.Column):
        return _column_closing(node, scope)
    if isinstance(node, exp.Anonymous) and node.name.lower() == "timestamp_millis":
        node = node.expressions[0] if node.expressions else node
        return _as_timestamp(closing_of(node, scope))
    if isinstance(node, exp.Add | exp.Sub):
        return _shifted(node, scope)
    if isinstance(node, exp.TimestampTrunc | exp.DateTrunc):
        inner = closing_of(node.this, scope)
        unit = (node.text("unit") or "").lower()
        return _truncated(inner, unit, "{}") if inner else None
    to = exp.DType.DATE if isinstance(node, exp.TsOrDsToDate) else None
    if isinstance(node, exp.Cast):
        to = node.to.this
    inner = closing_of(node.this, scope) if to is not None else None
    if inner is not None and to == exp.DType.DATE:
        return _truncated(inner, "day", "CAST({} AS TIMESTAMP)")
    return _as_timestamp(inner) if to in _TIMESTAMPS else None


_TIMESTAMPS = (exp.DType.TIMESTAMP, exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMPLTZ)


def closing_in(node: exp.Expression, binder: ExpressionBinder) -> Closing | None:
    """The same of an expression that may stand for a column, such as `window.start`."""
    return closing_of(node, binder.scope) or closing_by_name(
        binder.bind(node).sql, binder.scope.relations
    )


def closing_by_name(sql: str, relations: list[Relation]) -> Closing | None:
    """When the clock closes a column, if that is what an expression has become."""
    parts = parts_of(sql)
    named = (each.column(parts[0]) for each in relations if len(parts) == 1)
    return next((each.closing for each in named if each is not None), None)


def _as_timestamp(inner: Closing | None) -> Closing | None:
    if inner is None or inner.has_calendar:
        return None
    return replace(inner, moment="{}")


def _shifted(node: exp.Add | exp.Sub, scope: Scope) -> Closing | None:
    inner, length = closing_of(node.this, scope), length_of(node.expression)
    if inner is None or length is None:
        return None
    # Windows of the value may begin or end within the time that it is shifted by.
    by = length if isinstance(node, exp.Add) else -length
    return replace(inner, reach=inner.reach - by)


def _truncated(inner: Closing, unit: str, moment: str) -> Closing | None:
    """A truncated time closes when the last one does that gives the same."""
    days = inner.moment.split(" + ", 1)[1:] if inner.has_calendar else []
    fixed = _FIXED.get(unit)
    if fixed is None and unit not in _BY_CALENDAR:
        return None
    if fixed is None:
        days.append(f"INTERVAL 1 {unit.upper()}")
    return replace(
        inner,
        moment=" + ".join([moment, *days]),
        reach=inner.reach + (fixed or timedelta(0)),
        after=False,
    )


def _column_closing(node: exp.Column, scope: Scope) -> Closing | None:
    qualifier = node.parts[0].name if len(node.parts) == 2 else None
    if len(node.parts) > 2:
        return None
    for relation in scope.relations:
        if qualifier and (relation.alias or "").lower() != qualifier.lower():
            continue
        column = relation.column(node.name)
        if column is not None:
            return column.closing
    return None
