"""ORDER BY of final rows: by a time that the clock closes, then by anything.

All rows of one value of that time leave in one batch, once no more can come, and each batch is
sorted: so rows are in order from the first batch to the last.

Before   SELECT id FROM a ORDER BY ts, k EMIT ON WINDOW CLOSE
After    SELECT id, ts AS __order_1, k AS __order_2 FROM a EMIT ON WINDOW CLOSE, each batch sorted
         by these two, which are not for the sink
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from compiler.bind.names.columns import column_named, reference
from compiler.bind.names.scope import Relation
from compiler.bind.over.keys import OrderKey, delayed, keeps_order
from compiler.bind.relations.derived import rename
from compiler.bind.top.first_rows import Ordered
from compiler.bind.where.temporal import waiting_for
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import listed
from compiler.plan.nodes import (
    Aggregate,
    Join,
    Plan,
    Project,
    TemporalFilter,
    UnionAll,
    held_by,
)
from compiler.syntax import span_of
from compiler.syntax.nodes import is_final


def is_sorted(node: exp.Expression) -> bool:
    """Whether the query of an output gives final rows, and says in which order."""
    return is_final(node) and bool(node.args.get("order")) and not node.args.get("limit")


def in_order(bound: Relation, of: Ordered, node: exp.Expression, problems: Problems) -> Relation:
    """Final rows that leave in order of their first sort key, so that batches can be sorted.

    Args:
        bound: the rows, with all that they are sorted by.
        of: the query without its ORDER BY, and what that says.
        node: the query.
        problems: takes an order in which final rows cannot leave.
    """
    column = bound.column(of.keys[0].column) if of.keys else None
    if bound.is_open or column is None or problems.has_names_at_fault:
        return bound
    closing = column.closing
    if of.keys[0].descending or closing is None or closing.window is not None:
        _refuse(of, bound, node, problems)
        return bound
    key = OrderKey(expr=reference(None, column), closing=closing)
    plan = _in_order_of(bound.plan, key, node)
    if plan is not bound.plan and _reads_clock(bound.plan):
        problems.add(
            "TVF311",
            "the clock in the SELECT list beside an ORDER BY for which rows wait",
            span_of(node.args["order"]),
            "rows wait until the clock has closed this",
            advice="leave the clock out of the SELECT list, or order by the time by which the rows "
            "leave",
        )
    return replace(bound, plan=plan)


def renamed_in_order(
    bound: Relation, names: exp.Expression | None, of: Ordered, problems: Problems
) -> tuple[Relation, Ordered]:
    """Rows under the names that INSERT gives, and their order by those.

    Args:
        bound: the rows, the columns last that are there to sort by only.
        names: the names of the others; None: none are given.
        of: their order.
        problems: takes names that do not fit.
    """
    visible = len(bound.columns) - len(of.hidden)
    shown, hidden = bound.columns[:visible], bound.columns[visible:]
    found = rename(replace(bound, columns=shown), names, problems)
    if not isinstance(found.plan, Project) or found.plan is bound.plan:
        return bound, of
    new = {old.name: now.name for old, now in zip(shown, found.columns, strict=True)}
    keys = tuple(replace(each, column=new.get(each.column, each.column)) for each in of.keys)
    items = (*found.plan.items, *(column_named(each.name) for each in hidden))
    plan = replace(found.plan, items=items)
    return replace(found, plan=plan, columns=(*found.columns, *hidden)), replace(of, keys=keys)


def _in_order_of(plan: Plan, key: OrderKey, node: exp.Expression) -> Plan:
    """Rows of which all of one value of a key come in one batch, in order of it."""
    if any(isinstance(each, UnionAll) for each in held_by(plan)):
        # What comes of several queries comes at one time of each only if it waits for that.
        return waiting_for(plan, key.closed(span_of(node)), span_of(node))
    return plan if _comes_by_windows(plan, key) else delayed(plan, key, node)


def _comes_by_windows(plan: Plan, key: OrderKey) -> bool:
    """Whether rows are groups of windows, each of which comes as its window ends."""
    below = list(held_by(plan))
    by_windows = any(isinstance(each, Aggregate) and not each.held for each in below)
    waits = any(isinstance(each, TemporalFilter | Join) for each in below)
    return by_windows and not waits and keeps_order(plan, key) and not key.closing.later


def _reads_clock(plan: Plan) -> bool:
    return isinstance(plan, Project) and any(each.expr.reads_clock for each in plan.items)


def _refuse(of: Ordered, bound: Relation, node: exp.Expression, problems: Problems) -> None:
    """Rows that have left cannot be moved behind others."""
    order = node.args["order"]
    first = order.expressions[0] if order.expressions else order
    known = [each for each in bound.columns if each.closing is not None and not each.closing.window]
    names = [each.name for each in known if each.name not in of.hidden]
    column = bound.column(of.keys[0].column)
    if of.keys[0].descending and column is not None and column.closing is not None:
        message, label = "final rows cannot leave in descending order", "the last one comes last"
    else:
        message = "final rows cannot leave in an order that does not begin with a time"
        label = "a row that comes before others by this may come at any time"
    problems.add(
        "TVF311",
        message,
        span_of(first),
        label,
        notes=["rows leave as the clock closes them, and those that have left stay where they are"],
        advice=f"begin with {listed(names)}, ascending, such as `ORDER BY {names[0]}, …`"
        if names
        else "begin with the watermarked column or the end of a window, ascending: `ORDER BY "
        "ts, …`; or leave ORDER BY out, and sort where the result is read",
    )
