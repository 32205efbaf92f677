"""Groups that are sessions -> one step, in which Spark forms and aggregates them at once."""

from __future__ import annotations

from compiler.plan import nodes as plan
from compiler.plan.facts.sessions import is_bound
from compiler.release.lowering.items import given_name
from compiler.release.nodes import (
    SESSION_END,
    SESSION_START,
    Input,
    Item,
    Sessions,
    TotaledSessions,
)
from compiler.sql.exprs import Expr, renamed
from compiler.sql.names import own_name, parts_of

BOUND = {"window_start": SESSION_START, "window_end": SESSION_END}


def sessions_step(
    node: plan.Aggregate,
    windows: plan.Windows,
    below: Input,
    name: str,
    tables: tuple[str, ...],
) -> Sessions:
    """The step for groups that are the sessions of `windows`, of the rows `below`."""
    return Sessions(
        name=name,
        input=below,
        time=windows.time,
        keys=tuple(key.sql for key in node.group if not _is_of_bounds(key)),
        gap=windows.gap.sql if windows.gap else dict(windows.sizes)["gap"],
        later=windows.later,
        without_zone=windows.without_zone,
        items=tuple(Item(sql=_with_bounds(each.expr), name=_name(each)) for each in node.items),
        having=_with_bounds(node.having) if node.having else None,
        types=tuple((each, _with_bounds(of)) for each, of in node.types),
        tables=tables,
    )


def totaled_sessions_step(
    node: plan.SessionTotals, windows: plan.Windows, below: Input, name: str
) -> TotaledSessions:
    """The step for the sessions of `windows`, of the rows `below`, of which totals are kept."""
    return TotaledSessions(
        name=name,
        input=below,
        rows=tuple(Item(sql=each.expr.sql, name=given_name(each)) for each in node.rows),
        as_they_are=all(parts_of(each.expr.sql) == (each.name,) for each in node.rows),
        time=node.time,
        keys=node.keys,
        gap=node.gap or dict(windows.sizes)["gap"],
        later=windows.later,
        calls=node.calls,
        items=tuple(Item(sql=each.expr.sql, name=given_name(each)) for each in node.items),
        having=tuple(each.sql for each in node.having),
    )


def _is_of_bounds(key: Expr) -> bool:
    return bool(key.reads) and all(is_bound(read) for read in key.reads)


def _with_bounds(expr: Expr) -> str:
    """An expression in which the bounds of a session have the names by which the job gives them."""
    names = {read: BOUND[own_name(read).lower()] for read in expr.reads if is_bound(read)}
    return renamed(expr.sql, names)


def _name(item: plan.Item) -> str | None:
    """The alias to write; an expression that has its name already needs none."""
    if any(is_bound(read) for read in item.expr.reads):
        return item.name
    return None if item.name == own_name(item.expr.sql) else item.name
