"""Columns of SELECT lists: what they are called, and where they cannot read the clock."""

from __future__ import annotations

from compiler.diagnostics import Diagnostic, Label
from compiler.plan import nodes as plan
from compiler.sql.names import own_name


def clock_in_changing(node: plan.Output) -> Diagnostic:
    """The refusal of a list that reads the clock where rows leave again.

    A column of a subquery has no place in the list; the clock is read where the subquery has it.
    """
    below = (each for each in plan.walk(node.plan) if isinstance(each, plan.Project))
    items = (*node.emitted, *(item for each in below for item in each.items))
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
