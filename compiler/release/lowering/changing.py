"""Nodes on rows that come and go, as steps; see plan/nodes/changing.py."""

from __future__ import annotations

from compiler.diagnostics import InternalError
from compiler.plan import nodes as plan
from compiler.release.nodes import Input, OverChanged, OverItem, TopRows


def top(node: plan.Top, below: Input, name: str) -> TopRows:
    """The first rows of each partition."""
    if node.limit is None:
        raise InternalError("a numbering that does not know how far it counts")
    return TopRows(
        input=below,
        name=name,
        partition=node.partition,
        order=node.order,
        limit=node.limit,
        offset=node.offset,
        kind=node.kind,
        number=node.number,
        hidden=node.hidden,
    )


def over_changes(node: plan.OverChanges, below: Input, name: str) -> OverChanged:
    """Window functions over whole partitions."""
    return OverChanged(
        input=below,
        name=name,
        partition=node.partition,
        order=node.order,
        columns=tuple(
            OverItem(name=each.name, call=each.call, over=each.over) for each in node.columns
        ),
    )
