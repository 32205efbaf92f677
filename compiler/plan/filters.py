"""WHERE, HAVING and QUALIFY: what is decided by a row alone, and what waits for the clock."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from compiler.plan.conditions import split_by_clock
from compiler.plan.delays import held_by_clock
from compiler.plan.expressions import ExpressionBinder
from compiler.plan.nodes import Filter, Plan
from compiler.plan.predicates import Predicate, all_of
from compiler.plan.temporal import by_owner, pushed, temporal_filter
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
