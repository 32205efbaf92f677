"""Columns of relations, as items of a SELECT list and as expressions."""

from __future__ import annotations

from compiler.bind.names.scope import OutColumn
from compiler.plan.nodes import Item
from compiler.sql.exprs import Expr
from compiler.sql.names import qualified, quoted_name


def column_named(name: str) -> Item:
    """A column handed on under its own name."""
    quoted = quoted_name(name)
    return Item(expr=Expr(sql=quoted, reads=(quoted,)), name=name)


def reference(qualifier: str | None, column: OutColumn) -> Expr:
    """A column by its name; the clock by its own."""
    if column.clock is not None:
        return Expr(sql=column.clock.column, type=column.type, clock=column.clock)
    sql = column.sql or (
        qualified(qualifier, column.name) if qualifier else quoted_name(column.name)
    )
    return Expr(sql=sql, type=column.type, reads=(sql,))
