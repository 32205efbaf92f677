"""Groups that are sessions -> one step, in which Spark forms and aggregates them at once."""

from __future__ import annotations

from datetime import timedelta

from compiler.plan import nodes as plan
from compiler.plan.exprs import Expr, renamed
from compiler.plan.names import own_name
from compiler.plan.sessions import is_bound
from compiler.release.nodes import Input, Item, Sessions

MICROSECOND = timedelta(microseconds=1)


def sessions_step(
    node: plan.Aggregate,
    windows: plan.Windows,
    below: Input,
    name: str,
    tables: tuple[str, ...],
) -> Sessions:
    """The step for groups that are the sessions of `windows`, of the rows `below`."""
    kind = "TIMESTAMP_NTZ" if windows.without_zone else "TIMESTAMP"
    # Spark is given times that much later; see in_sessions() of the runtime.
    later = windows.later // MICROSECOND
    bounds = {
        "window_start": _moved("start", -1 - later, kind),
        "window_end": _moved("end", -later, kind),
    }
    return Sessions(
        name=name,
        input=below,
        time=windows.time,
        keys=tuple(key.sql for key in node.group if not _is_of_bounds(key)),
        gap=dict(windows.sizes)["gap"],
        later=windows.later,
        items=tuple(
            Item(sql=_by_spark(each.expr, bounds), name=_name(each)) for each in node.items
        ),
        having=_by_spark(node.having, bounds) if node.having else None,
        types=tuple((each, _by_spark(of, bounds)) for each, of in node.types),
        tables=tables,
    )


def _moved(bound: str, micros: int, kind: str) -> str:
    """A bound of a session; the cast takes from it that it carries the watermark."""
    if not micros:
        return f"CAST(session_window.{bound} AS {kind})"
    moved = f"timestampadd(MICROSECOND, {micros}, session_window.{bound})"
    return moved if kind == "TIMESTAMP" else f"CAST({moved} AS {kind})"


def _is_of_bounds(key: Expr) -> bool:
    return bool(key.reads) and all(is_bound(read) for read in key.reads)


def _by_spark(expr: Expr, bounds: dict[str, str]) -> str:
    """An expression in which the bounds of a session are those that Spark gives it."""
    names = {read: bounds[own_name(read).lower()] for read in expr.reads if is_bound(read)}
    return renamed(expr.sql, names)


def _name(item: plan.Item) -> str | None:
    """The alias to write; an expression that has its name already needs none."""
    if any(is_bound(read) for read in item.expr.reads):
        return item.name
    return None if item.name == own_name(item.expr.sql) else item.name
