"""Groups that are sessions -> one step, in which Spark forms and aggregates them at once."""

from __future__ import annotations

from compiler.plan import nodes as plan
from compiler.plan.exprs import Expr, renamed
from compiler.plan.sessions import is_bound
from compiler.release.nodes import Input, Item, Sessions

START = "timestampadd(MICROSECOND, -1, session_window.start)"
"""Spark is given times a microsecond later; see in_sessions() of the runtime."""
END = "session_window.end"


def sessions_step(
    node: plan.Aggregate,
    windows: plan.Windows,
    below: Input,
    name: str,
    tables: tuple[str, ...],
) -> Sessions:
    """The step for groups that are the sessions of `windows`, of the rows `below`."""
    kind = "TIMESTAMP_NTZ" if windows.without_zone else "TIMESTAMP"
    return Sessions(
        name=name,
        input=below,
        time=windows.time,
        keys=tuple(key.sql for key in node.group if not _is_of_bounds(key)),
        gap=dict(windows.sizes)["gap"],
        items=tuple(Item(sql=_by_spark(each.expr, kind), name=_name(each)) for each in node.items),
        having=_by_spark(node.having, kind) if node.having else None,
        tables=tables,
    )


def _is_of_bounds(key: Expr) -> bool:
    return bool(key.reads) and all(is_bound(read) for read in key.reads)


def _by_spark(expr: Expr, kind: str) -> str:
    """An expression in which the bounds of a session are those that Spark gives it."""
    bounds = [read for read in expr.reads if is_bound(read)]
    names = {
        read: f"CAST({START if 'start' in read.lower() else END} AS {kind})" for read in bounds
    }
    return renamed(expr.sql, names)


def _name(item: plan.Item) -> str | None:
    """The alias to write; an expression that has its name already needs none."""
    if any(is_bound(read) for read in item.expr.reads):
        return item.name
    bare = item.expr.sql.rsplit(".", 1)[-1].strip("`")
    return None if item.name == bare else item.name
