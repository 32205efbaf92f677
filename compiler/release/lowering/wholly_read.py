"""Joins with tables that rows of stateful operators must not run into.

An inner join with a table that turns out to be empty does not read its other side at all. A
stateful operator there would not run, and Spark would commit a batch whose state is not written. So
such rows go through a shuffle first, which reads them whatever becomes of them. A condition with IN
or EXISTS over a table is such a join in Spark.
"""

from __future__ import annotations

from compiler.memo import remembered
from compiler.plan import nodes as plan
from compiler.plan.facts.properties import properties_of

_OWN = (
    plan.Aggregate,
    plan.Over,
    plan.Filled,
    plan.Totals,
    plan.Counted,
    plan.Paired,
    plan.Top,
    plan.OverChanges,
    plan.Match,
)


def side_to_read(join: plan.Join) -> str | None:
    """The side of a join, `left` or `right`, of which an empty table would leave all unread."""
    if join.kind not in ("inner", "leftsemi"):
        return None
    sides = {"left": (join.left, join.right), "right": (join.right, join.left)}
    for name, (rows, table) in sides.items():
        if not _is_of_stream(table) and is_out_of_state(rows):
            return name
    return None


@remembered
def is_out_of_state(node: plan.Plan) -> bool:
    """Whether rows come right out of a stateful operator; delays are above all joins."""
    match node:
        case plan.Join(left=left, right=right) if _is_of_stream(left) and _is_of_stream(right):
            return True
        case plan.Join() if side_to_read(node) is not None:
            return False
        case plan.Windows(kind="session"):
            return True
        case _:
            own = isinstance(node, _OWN) or (isinstance(node, plan.Changed) and bool(node.key))
            return own or any(is_out_of_state(each) for each in plan.children(node))


def _is_of_stream(node: plan.Plan) -> bool:
    return bool(properties_of(node).streams)
