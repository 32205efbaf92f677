"""NOT EXISTS where a partner that has come stays: the first one takes a row back for good.

So the pairs need not be counted. A row comes, and goes with its first partner; if it waits for the
clock at that time, it never appears.

Before   Counted anti: rows; their columns of Pairs (Join inner rows, others)
After    rows, each until it is in the Join leftsemi of rows and others, where each is once
"""

from __future__ import annotations

from dataclasses import replace

from compiler.plan.nodes import (
    Counted,
    Join,
    Named,
    Plan,
    Project,
    Rule,
    TemporalFilter,
    has_updates,
    held_by,
)


def with_first_partners(node: Counted) -> Plan | None:
    """Rows with a partner, each when it gets its first one; None where that does not tell all."""
    if node.rule is not Rule.UNMATCHED or node.shares:
        return None
    match node.inputs:
        case (rows, Project(input=Named(input=Project(input=Join() as join)), items=items)):
            if join.left != rows or join.kind != "inner" or not _decides(join):
                return None
            return Project(input=replace(join, kind="leftsemi"), items=items)
        case _:
            return None


def _decides(join: Join) -> bool:
    """Whether rows of a join wait for the clock, and their partners come to stay."""
    return _waits(join.left) and not _waits(join.right) and not has_updates(join.right)


def _waits(rows: Plan) -> bool:
    return any(isinstance(each, TemporalFilter) for each in held_by(rows))
