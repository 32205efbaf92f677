"""Rows by whether they have a partner: outer and semi joins, EXISTS and IN, bound to plans."""

from __future__ import annotations

from sqlglot import exp

from compiler.plan.conditions import split_by_clock
from compiler.plan.expressions import ExpressionBinder
from compiler.plan.exprs import Clock, Expr, conjunction
from compiler.plan.joins import refuse_clock_in_on
from compiler.plan.matching import (
    flattened,
    matched,
    mentioned_in,
    merged,
    names_of,
    on_same,
    outer_join,
    pairs_of,
    same_value,
)
from compiler.plan.nodes import Named, Plan, Rule
from compiler.plan.predicates import Predicate, all_of
from compiler.plan.problems import Problems
from compiler.plan.query_shapes import unaliased
from compiler.plan.scope import Relation, Scope
from compiler.plan.select_list import reference
from compiler.plan.semi import SemiTerm, own_terms
from compiler.plan.temporal import temporal_filter
from compiler.syntax import span_of


def matching_join(left: Plan, right: Relation, kind: str, node: exp.Join, scope: Scope) -> Plan:
    """A join of streams that asks whether a row has a partner; the scope is that of its result."""
    names = mentioned_in(node.parent_select or node)
    taken: set[str] = set()
    rows, lefts = flattened(left, scope.relations, names, taken)
    others, rights = flattened(right.plan, [right], names, taken)
    scope.relations[:] = lefts
    scope.add(rights[0])
    using = [each.name for each in node.args.get("using") or ()]
    terms = [on_same(name, lefts, rights[0]) for name in using]
    on = node.args.get("on")
    if on is not None:
        ordinary, temporal = split_by_clock(ExpressionBinder(scope, scope.problems), on)
        terms += ordinary
        if temporal:
            refuse_clock_in_on(on, scope.problems)
    pairs = pairs_of(rows, others, all_terms(terms), span_of(node))
    if kind in ("leftsemi", "leftanti"):
        scope.relations.pop()
        rule = Rule.MATCHED if kind == "leftsemi" else Rule.UNMATCHED
        return matched(rows, pairs, rule, span_of(node))
    scope.merged |= {name.lower() for name in using}
    scope.relations[:] = merged(using, scope.relations, kind)
    return outer_join(rows, others, pairs, kind, span_of(node))


def with_partner(
    rows: Named, other: Relation, semi: SemiTerm, scope: Scope, *, is_plain: bool
) -> Plan:
    """Rows that have a partner in a subquery, or none.

    Args:
        rows: flattened rows.
        other: what the subquery reads if it `is_plain`, else its result.
        semi: the term that asks.
        scope: that of the rows.
        is_plain: whether the WHERE of the subquery tells who is a partner.
    """
    place, problems = span_of(semi.query), scope.problems
    names = mentioned_in(semi.query) if is_plain else None
    others, inner = flattened(other.plan, [other], names, set(names_of(rows)))
    binder = ExpressionBinder(Scope(problems, inner, outer=scope), problems)
    on: list[Expr] = []
    temporal: list[Predicate] = []
    for term in own_terms(semi.query) if is_plain else ():
        ordinary, timed = split_by_clock(binder, term)
        on, temporal = [*on, *ordinary], [*temporal, *timed]
    if semi.needle is not None:
        needle = ExpressionBinder(scope, problems).bind(semi.needle)
        value = _value(semi, inner[0], binder, is_plain=is_plain)
        if needle.reads_clock or value.reads_clock:
            _clock_in_question(semi, problems)
        on.append(same_value(needle, value))

    def holds(pairs: Plan) -> Plan:
        return temporal_filter(pairs, all_of(temporal), place, problems) if temporal else pairs

    pairs = pairs_of(rows, others, all_terms(on), place, holds)
    rule = Rule.UNMATCHED if semi.negated else Rule.MATCHED
    return matched(rows, pairs, rule, place)


def _value(semi: SemiTerm, inner: Relation, binder: ExpressionBinder, *, is_plain: bool) -> Expr:
    """What the value of a row is to be found among."""
    item = semi.query.expressions[0] if is_plain else None
    if item is not None and not item.is_star:
        return binder.bind(unaliased(item))
    if not inner.columns:  # the clock is no column of rows
        return Expr(sql="", clock=Clock.WATERMARK)
    return reference(None, inner.columns[0])


def _clock_in_question(semi: SemiTerm, problems: Problems) -> None:
    problems.add(
        "TVF506",
        "the clock has no value in what IN compares",
        span_of(semi.term),
        "reads the clock",
        advice="compare the clock with a column of the subquery, in its WHERE",
    )


def all_terms(terms: list[Expr]) -> Expr | None:
    """Several conditions as one."""
    return conjunction(tuple(terms)) if terms else None
