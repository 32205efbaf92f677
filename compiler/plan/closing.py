"""When the clock closes the values of an expression: no more rows with such a value can come."""

from __future__ import annotations

from sqlglot import exp

from compiler.plan.scope import Closing, Scope


def closing_of(node: exp.Expression, scope: Scope) -> Closing | None:
    """When the clock closes a value of an expression over a column that it closes."""
    node = node.this if isinstance(node, exp.Paren) else node
    if isinstance(node, exp.Column):
        return _column_closing(node, scope)
    truncated = node.this if isinstance(node, exp.TimestampTrunc | exp.DateTrunc) else None
    if truncated is not None and closing_of(truncated, scope) is not None:
        unit = (node.text("unit") or "").lower()
        return Closing(moment=f"{{}} + INTERVAL 1 {unit.upper()}") if unit in _TRUNCATIONS else None
    is_date = isinstance(node, exp.TsOrDsToDate) or (
        isinstance(node, exp.Cast) and node.to.is_type(exp.DType.DATE)
    )
    if is_date and closing_of(node.this, scope) is not None:
        return Closing(moment="CAST({} AS TIMESTAMP) + INTERVAL 1 DAY")
    return None


_TRUNCATIONS = frozenset({"second", "minute", "hour", "day", "week", "month", "quarter", "year"})


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
