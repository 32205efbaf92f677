"""WHERE, HAVING and QUALIFY: what is decided by a row alone, and what waits for the clock."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from compiler.bind.clock.conditions import split_by_clock
from compiler.bind.closings.delays import held_by_clock
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.where.temporal import by_owner, pushed, temporal_filter
from compiler.plan.conditions.predicates import Predicate, all_of
from compiler.plan.nodes import Filter, Plan
from compiler.syntax import span_of


def filtered(
    plan: Plan,
    node: exp.Expression,
    binder: ExpressionBinder,
    others: Sequence[exp.Expression] = (),
) -> Plan:
    """The terms of a condition but some others."""
    ordinary, temporal = split_by_clock(binder, node, others)
    for term in ordinary:
        plan = Filter(input=plan, predicate=term)
    above: list[Predicate] = []
    for owner, terms in by_owner(temporal, binder.scope).items():
        below = owner and pushed(plan, owner, all_of(terms), span_of(node), binder.problems)
        plan = below or plan
        above += [] if below else terms
    if above:
        plan = temporal_filter(plan, all_of(above), span_of(node), binder.problems)
    if temporal:
        relations = binder.scope.relations
        relations[:] = held_by_clock(relations, all_of(temporal))
    return plan
