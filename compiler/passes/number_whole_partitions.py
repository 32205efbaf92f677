"""Numberings that no condition limits, as window functions over whole partitions.

Before   Top all of shop by sold desc, with the number n
After    OverChanges n = row_number() of shop by sold desc

Comes after `limit_numberings`.
Ensures  that each numbering which is left knows its limit.
"""

from __future__ import annotations

from compiler.diagnostics.problems import Problems
from compiler.passes.each import in_each_plan
from compiler.plan.nodes import OverChanges, OverColumn, Plan, Program, Top


def number_whole_partitions(program: Program, _problems: Problems) -> Program:
    """Numberings without a limit number all rows of a partition anew."""
    return in_each_plan(program, _numbered)


def _numbered(node: Plan) -> Plan:
    if not isinstance(node, Top) or node.limit is not None or node.number is None:
        return node
    call = f"{node.kind}()"
    return OverChanges(
        input=node.input,
        partition=node.partition,
        order=node.order,
        columns=(OverColumn(name=node.number, call=call, over=(), shown=call),),
        span=node.span,
    )
