"""Joins that Spark itself makes, bounded in time where they can be."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from compiler.plan.conditions import conjuncts, split_by_clock
from compiler.plan.delays import held_by_clock
from compiler.plan.expressions import ExpressionBinder
from compiler.plan.exprs import Expr, all_terms
from compiler.plan.join_closings import closings_of_join
from compiler.plan.joins import (
    closes,
    events_of,
    refuse_clock_in_on,
    refuse_join,
    without_partner,
)
from compiler.plan.nodes import Alias, Join, Plan
from compiler.plan.predicates import Predicate, all_of
from compiler.plan.scope import Relation, Scope
from compiler.plan.temporal import temporal_filter
from compiler.plan.time_bounds import time_bounds
from compiler.syntax import span_of


def plain_join(
    left: Plan, right: Relation, kind: str, node: exp.Join, scope: Scope, *, is_final: bool
) -> Plan:
    """A join with the relations of a scope; with `is_final`, of a query that emits final rows."""
    lefts, on = list(scope.relations), node.args.get("on")
    bounds = time_bounds(conjuncts(on) if on is not None else [], kind, lefts, right)
    is_closed = (is_final or kind == "leftsemi") and closes(kind, bounds)
    refuse_join(node, kind, lefts, right, scope.problems, is_closed=is_closed)
    scope.add(right)
    plan = Alias(name=right.alias or f"side_{len(scope.relations)}", input=right.plan)
    using = tuple(each.name for each in node.args.get("using") or ())
    scope.merged |= {name.lower() for name in using}
    binder = ExpressionBinder(scope, scope.problems)
    ordinary: list[Expr] = []
    temporal: list[Predicate] = []
    if on is not None:
        ordinary, temporal = split_by_clock(binder, on)
    if on is not None and temporal and kind != "inner":
        refuse_clock_in_on(on, scope.problems)
    is_alone = kind == "leftanti" and bool(bounds)
    joined: Plan = Join(
        left=left,
        right=plan,
        kind="cross"
        if kind == "inner" and not ordinary and not using
        else ("left" if is_alone else kind),
        on=all_terms(ordinary),
        using=using,
        events=events_of(bounds),
        bounds=tuple(each.sql for each in bounds),
        span=span_of(node),
    )
    if on is not None and temporal:
        joined = temporal_filter(joined, all_of(temporal), span_of(on), scope.problems)
    if right.streams and any(each.streams for each in lefts):
        scope.relations[:] = closings_of_join(lefts, right, kind, bounds)
    if temporal:
        scope.relations[:] = held_by_clock(scope.relations, all_of(temporal))
    if kind in ("leftsemi", "leftanti"):
        scope.relations.pop()
    if is_alone:
        joined = without_partner(joined, scope.relations[0], plan.name)
        scope.relations[0] = replace(scope.relations[0], has_proc_time=False)
    return joined
