"""Rows by whether they have a partner: outer and semi joins, EXISTS and IN, bound to plans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from compiler.bind.clock.conditions import bind_predicate
from compiler.bind.joins.exists import SemiTerm
from compiler.bind.joins.kinds import reads_alone, reads_only, refuse_clock_in_on, terms_of_where
from compiler.bind.joins.order import Joining
from compiler.bind.joins.pairs import (
    Match,
    flattened,
    joined_by_keys,
    match_of,
    matched,
    mentioned_in,
    merged,
    names_of,
    on_same,
    outer_join,
    pairs_of,
    refuse_collated_keys,
    same_value,
)
from compiler.bind.joins.terms import unwrapped
from compiler.bind.names.collations import refuse_collate_in_keys
from compiler.bind.names.columns import reference
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.maps import has_map, refuse_map
from compiler.bind.names.scope import Relation, Scope
from compiler.bind.names.shapes import unaliased
from compiler.bind.where.temporal import pushed, temporal_filter
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import counted
from compiler.plan.conditions.predicates import Predicate, all_of
from compiler.plan.nodes import Alias, Filter, Named, Plan, Rule, has_updates
from compiler.source import Span
from compiler.sql.exprs import Clock, Expr
from compiler.syntax import span_of


def matching_join(left: Plan, joining: Joining, scope: Scope) -> Plan:
    """A join of streams that asks whether a row has a partner; the scope is that of its result."""
    right, kind, node = joining.right, joining.kind, joining.node
    using = [each.name for each in joining.using]
    names, taken = mentioned_in(node.parent_select or node, using), set[str]()
    is_inner = kind in ("inner", "cross")
    left, other = without_ended(left, right, node, scope) if is_inner else (left, right.plan)
    rows, lefts = flattened(left, scope.relations, names, taken)
    others, rights = flattened(other, [right], names, taken)
    scope.relations[:] = lefts
    scope.add(rights[0])
    binder = ExpressionBinder(scope, scope.problems)
    matches = [on_same(name, lefts, rights[0]) for name in using]
    more, temporal = matches_of(binder, list(joining.on), rows, others)
    matches += more
    refuse_collated_keys(rows, others, matches, span_of(node), scope.problems)
    if temporal and not is_inner:
        refuse_clock_in_on(node.args["on"], scope.problems)

    def holds(pairs: Plan) -> Plan:
        return _at(pairs, temporal if is_inner else [], span_of(node), scope.problems)

    pairs = pairs_of(rows, others, matches, span_of(node), holds)
    whole = pairs if is_inner else joined_by_keys(rows, others, kind, matches, span_of(node))
    if kind in ("leftsemi", "leftanti"):
        scope.relations.pop()
        rule = Rule.MATCHED if kind == "leftsemi" else Rule.UNMATCHED
        return whole or matched(rows, pairs, rule, span_of(node))
    if using:
        scope.relations[:] = merged(using, scope.relations, kind)
        scope.merge(using, scope.relations)
    return whole or outer_join(rows, others, pairs, kind, span_of(node))


def without_ended(left: Plan, right: Relation, node: exp.Join, scope: Scope) -> tuple[Plan, Plan]:
    """Both sides of an inner join, each without the rows that the WHERE around it says have ended.

    So the join need not keep them. What is asked here the scope notes as answered.
    """
    other: Plan = Alias(name=right.alias or "side_2", input=right.plan)
    relations = [*scope.relations, right]
    for term in terms_of_where(node):
        owners = [each for each in relations if reads_alone(term, each, relations)]
        binder = ExpressionBinder(Scope(scope.problems, owners), scope.problems)
        if len(owners) != 1 or not binder.reads_clock(term):
            continue
        predicate, name = bind_predicate(binder, term), owners[0].alias or ""
        for side in (left, other):
            ended = pushed(side, name, predicate, span_of(term), scope.problems)
            if ended is not None:
                left, other = (ended, other) if side is left else (left, ended)
                scope.answered.append(term)
                break
    return left, other


@dataclass(frozen=True, slots=True)
class Partners:
    """What a subquery reads, among which rows look for a partner.

    Attributes:
        plan: its rows.
        scope: has the relations whose columns they have.
        terms: the terms of its WHERE that tell who is a partner.
        names: the relations that subqueries of those may read, by casefolded name.
        is_plain: whether they are what is in its FROM, else they are its result.
    """

    plan: Plan
    scope: Scope
    terms: list[exp.Expression]
    names: Mapping[str, Relation]
    is_plain: bool


def with_partner(rows: Named, partners: Partners, semi: SemiTerm, scope: Scope) -> Plan:
    """Rows that have a partner in a subquery, or none.

    Args:
        rows: flattened rows.
        partners: what the subquery has.
        semi: the term that asks.
        scope: that of the rows.
    """
    place, problems = span_of(semi.term), scope.problems
    mentioned = mentioned_in(semi.query) if partners.is_plain else None
    plan, terms = filtered_by_own(partners, place, problems)
    others, inner = flattened(plan, partners.scope.relations, mentioned, set(names_of(rows)))
    binder = ExpressionBinder(Scope(problems, inner, outer=scope), problems)
    on, temporal = matches_of(binder, terms, rows, others)
    if semi.needle is not None:
        on += _among(semi, inner, ExpressionBinder(scope, problems), binder, partners)
    refuse_collated_keys(rows, others, on, place, problems)

    def holds(pairs: Plan) -> Plan:
        return _at(pairs, temporal, place, problems)

    kind = "leftanti" if semi.negated else "leftsemi"
    whole = None if temporal else joined_by_keys(rows, others, kind, on, place)
    if whole is not None:
        return whole
    pairs = pairs_of(rows, others, on, place, holds)
    rule = Rule.UNMATCHED if semi.negated else Rule.MATCHED
    return matched(rows, pairs, rule, place)


def matches_of(
    binder: ExpressionBinder, terms: list[exp.Expression], left: Named, right: Named
) -> tuple[list[Match], list[Predicate]]:
    """The terms that tell which rows are a pair, and those that read the clock."""
    timed = [each for each in terms if binder.reads_clock(each)]
    plain = [each for each in terms if not any(each is one for one in timed)]
    if not (has_updates(left) or has_updates(right)):
        refuse_collate_in_keys(plain, binder.problems)
    matches = [match_of(binder, each, left, right) for each in plain]
    return matches, [bind_predicate(binder, each) for each in timed]


def filtered_by_own(
    partners: Partners, place: Span, problems: Problems
) -> tuple[Plan, list[exp.Expression]]:
    """The rows that satisfy the terms on their own columns alone; the other terms."""
    plan, terms, relations = partners.plan, partners.terms, partners.scope.relations
    own = [each for each in terms if reads_only(each, relations, partners.names)]
    if not own:
        is_alias = isinstance(plan, Alias) and len(relations) == 1
        return (plan.input if isinstance(plan, Alias) and is_alias else plan), terms
    if len(relations) == 1 and not isinstance(plan, Alias):
        plan = Alias(name=relations[0].alias or "subquery", input=plan)
    inside = Scope(problems, relations, stands_for=partners.scope.stands_for)
    binder = ExpressionBinder(inside, problems)
    for term in own:
        if binder.reads_clock(term):
            plan = temporal_filter(plan, bind_predicate(binder, term), place, problems)
        else:
            plan = Filter(input=plan, predicate=binder.bind(term))
    return plan, [each for each in terms if not any(each is one for one in own)]


def _at(pairs: Plan, temporal: list[Predicate], place: Span, problems: Problems) -> Plan:
    """Pairs, at the clock values at which conditions hold."""
    return temporal_filter(pairs, all_of(temporal), place, problems) if temporal else pairs


def _among(
    semi: SemiTerm,
    inner: list[Relation],
    around: ExpressionBinder,
    binder: ExpressionBinder,
    partners: Partners,
) -> list[Match]:
    """What IN says: each value of a row is that of a column of the subquery."""
    needle = unwrapped(semi.needle) if semi.needle is not None else None
    needles = list(needle.expressions) if isinstance(needle, exp.Tuple) else [semi.needle]
    items = list(semi.query.expressions) if partners.is_plain else []
    if items and not any(each.is_star for each in items):
        values = [binder.bind(unaliased(each)) for each in items]
    else:
        columns = [column for relation in inner for column in relation.columns]
        # The clock is no column of rows.
        values = [reference(None, each) for each in columns] or [
            Expr(sql="", clock=Clock.WATERMARK)
        ]
    found = [around.bind(each) for each in needles if each is not None]
    if len(found) != len(values):
        binder.problems.add(
            "TVF205",
            f"IN compares {counted(len(found), 'value')} with {counted(len(values), 'column')}",
            span_of(semi.term),
            "must be as many",
            advice=f"select {counted(len(found), 'column')} in the subquery",
        )
    if any(each.reads_clock for each in (*found, *values)):
        _clock_in_question(semi, binder.problems)
    if any(has_map(each.type) for each in (*found, *values)):
        refuse_map(span_of(semi.term), binder.problems)
    return [same_value(one, other) for one, other in zip(found, values, strict=False)]


def _clock_in_question(semi: SemiTerm, problems: Problems) -> None:
    problems.add(
        "TVF506",
        "the clock has no value in what IN compares",
        span_of(semi.term),
        "reads the clock",
        advice="compare the clock with a column of the subquery, in its WHERE",
    )
