"""The outermost SELECT list where it reads the clock: it waits until rows are emitted."""

from __future__ import annotations

from compiler.diagnostics import Diagnostic, Label
from compiler.plan import nodes as plan
from compiler.release.nodes import Item
from compiler.sql.exprs import Expr, renamed, shown_clocks
from compiler.sql.names import own_name


def clock_in_changing(node: plan.Plan) -> Diagnostic:
    """The refusal of such a list where rows leave again.

    A column of a subquery has no place in the list; the clock is read where the subquery has it.
    """
    items = (
        item for each in plan.walk(node) if isinstance(each, plan.Project) for item in each.items
    )
    spans = [each.expr.span for each in items if each.expr.reads_clock and each.expr.span.end]
    return Diagnostic(
        "TVF506",
        "the clock in the SELECT list of a result that changes",
        tuple(Label(each, "has another value when the row leaves") for each in spans[:1]),
        help="leave it out: `_time` tells when each row came or left",
    )


def given_name(item: plan.Item) -> str | None:
    """The alias to write; none where the expression has that name already."""
    return None if item.name == own_name(item.expr.sql) else item.name


def split_emitted(node: plan.Plan) -> tuple[plan.Plan, tuple[Item, ...]]:
    """The part of the outermost SELECT list that must wait until rows are emitted."""
    if not isinstance(node, plan.Project) or not any(i.expr.reads_clock for i in node.items):
        return node, ()
    carried: list[plan.Item] = []
    emitted: list[Item] = []
    for number, item in enumerate(node.items, 1):
        shown = item.name or shown_clocks(item.expr.sql)
        if not item.expr.reads_clock:
            name = f"__c{number}"
            carried.append(plan.Item(expr=item.expr, name=name))
            emitted.append(Item(sql=name, name=shown))
            continue
        names = {read: f"__c{number}_{n}" for n, read in enumerate(item.expr.reads, 1)}
        carried += [plan.Item(expr=Expr(sql=old), name=new) for old, new in names.items()]
        emitted.append(Item(sql=renamed(item.expr.sql, names), name=shown))
    if not carried:
        carried.append(plan.Item(expr=Expr(sql="1"), name="__c0"))
    return plan.Project(input=node.input, items=tuple(carried), reads=node.reads), tuple(emitted)
