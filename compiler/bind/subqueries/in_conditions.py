"""Subqueries in expressions: EXISTS and IN over streams at any depth, and what reads tables alone.

Before   WHERE k IN (SELECT k FROM p WHERE EXISTS (SELECT 1 FROM l WHERE l.k = p.k))
After    rows that have a partner among the rows of p that have a partner in l
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from sqlglot import exp

from compiler.bind.joins.by_partner import Partners, with_partner
from compiler.bind.joins.exists import SemiTerm, bare_query, is_plain, own_terms, semi_terms
from compiler.bind.joins.kinds import reads_only, refuse_updates
from compiler.bind.joins.pairs import flattened, mentioned_in
from compiler.bind.names.binder import Binder
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import Relation, Scope
from compiler.bind.names.shapes import clauses, free_columns, subqueries
from compiler.bind.relations.static import static_reads
from compiler.bind.subqueries.asked import Asked, asked_of, has_node
from compiler.bind.subqueries.gathered import equal_outside, gathered_column
from compiler.bind.subqueries.legs import is_of_legs
from compiler.bind.subqueries.refusals import (
    refuse_correlated,
    refuse_far_column,
    refuse_gathered,
    refuse_in_on,
    refuse_renamed,
    refuse_subquery,
    refuse_table_around,
    refuse_unequal,
    refuse_value_of_pairs,
)
from compiler.bind.subqueries.values import values_of_rows
from compiler.plan.nodes import Counted, Named, Plan, Rule
from compiler.sql.names import quoted_name
from compiler.syntax import span_of


def semis_of(binder: Binder, where: exp.Expression) -> list[SemiTerm]:
    """The terms of a WHERE that ask for a partner in a stream, in one query of it."""
    if binder.is_final:
        return []
    found = (each for each in semi_terms(where) if not binder.is_static(each.query))
    return [each for each in found if not is_of_legs(each.query, binder)]


def with_partners(
    binder: Binder, plan: Plan, semis: list[SemiTerm], node: exp.Expression, scope: Scope
) -> Plan:
    """Rows for which all terms that ask for a partner hold; the scope is that of the result."""
    rows, scope.relations[:] = flattened(plan, scope.relations, mentioned_in(node), set())
    found = [_with_partner(binder, rows, semi, scope) for semi in semis]
    place = span_of(semis[0].term)
    return reduce(
        lambda one, other: Counted(inputs=(one, other), rule=Rule.INTERSECT_ALL, span=place),
        found,
    )


def _with_partner(binder: Binder, rows: Named, semi: SemiTerm, scope: Scope) -> Plan:
    inside = Scope(binder.problems, beyond=scope)
    terms: list[exp.Expression] = []
    if isinstance(semi.query, exp.Select) and is_plain(semi.query):
        plan = binder.bind_from(semi.query, inside)
        terms = [
            each
            for each in own_terms(semi.query)
            if not any(each is one for one in inside.answered)
        ]
        plan, terms = _nested(binder, plan, terms, semi.query, inside)
        asked = _values_in(binder, semi.query)
        if asked:
            place = ExpressionBinder(inside, binder.problems)
            plan = values_of_rows(binder, plan, asked, semi.query, place)
        _refuse_far_columns(binder, terms, inside.relations, asked)
    elif _is_correlated(semi.query, scope, binder):
        return rows
    else:
        other = replace(binder.bind(semi.query), alias="subquery")
        inside.add(other)
        plan = other.plan
    if any(each.is_open for each in inside.relations):
        return rows
    if not any(each.streams for each in inside.relations):
        relation = Relation(plan=plan, columns=())
        refuse_updates(semi.query, rows, relation, binder.problems)
    columns = is_plain(semi.query)
    partners = Partners(plan, inside, terms, binder.names, is_plain=columns)
    return with_partner(rows, partners, semi, scope)


def _values_in(binder: Binder, query: exp.Select) -> list[Asked]:
    """The subqueries whose values the rows of a subquery ask for."""
    where = query.args.get("where")
    semis = semis_of(binder, where.this) if where is not None else []
    return asked_of(query, binder.is_static, semis)


def _is_correlated(query: exp.Expression, scope: Scope, binder: Binder) -> bool:
    """Whether a subquery that is bound by itself names columns around it; that is reported."""
    free = free_columns(query, binder.names)
    outer = [each for each in free if scope.offers(each.parts[0].name)]
    for column in outer[:1]:
        refuse_correlated(column, binder.problems)
    return bool(outer)


def _nested(
    binder: Binder,
    plan: Plan,
    terms: list[exp.Expression],
    query: exp.Select,
    inside: Scope,
) -> tuple[Plan, list[exp.Expression]]:
    """What a subquery reads, without the rows that subqueries in its WHERE leave out."""
    asked = [each for each in terms if semis_of(binder, each)]
    semis = [semi for each in asked for semi in semis_of(binder, each)]
    if not semis:
        return plan, terms
    if not any(each.streams or each.is_open for each in inside.relations):
        refuse_table_around(semis[0].term, binder.problems)
        return plan, []
    plan = with_partners(binder, plan, semis, query, inside)
    return plan, [each for each in terms if not any(each is one for one in asked)]


def _refuse_far_columns(
    binder: Binder, terms: list[exp.Expression], inside: list[Relation], asked: list[Asked]
) -> None:
    """Of the terms that tell which rows are a pair, no subquery can name columns of those."""
    for term in terms:
        if reads_only(term, inside, binder.names):
            continue
        for each in asked:
            if has_node(term, each.node):
                refuse_value_of_pairs(each.node, binder.problems)
        for query in subqueries(term):
            for column in free_columns(query, binder.names)[:1]:
                refuse_far_column(column, binder.problems)


def subquery_reads(binder: Binder, node: exp.Select, scope: Scope) -> tuple[Plan, ...]:
    """The tables that subqueries in expressions read; a stream there is refused."""
    where = node.args.get("where")
    semis = semis_of(binder, where.this) if where is not None else []
    answered = [query for each in semis for query in subqueries(each.term)]
    found: list[Plan] = []
    for clause in clauses(node):
        for query in subqueries(clause):
            if binder.is_static(query):
                found.extend(static_reads(query, dict(binder.names)))
                _refuse_outer_columns(query, clause, binder, scope)
            elif not any(query is each for each in (*answered, *scope.asked)):
                refuse_subquery(query, binder.problems, is_final=binder.is_final)
    for each in semis:
        if isinstance(each.query, exp.Select) and is_plain(each.query):
            asked = [one.query for one in _values_in(binder, each.query)]
            found.extend(subquery_reads(binder, each.query, Scope(binder.problems, asked=asked)))
    return tuple(found)


def _refuse_outer_columns(
    query: exp.Expression, clause: exp.Expression, binder: Binder, scope: Scope
) -> None:
    """A subquery in ON names no columns of the joined rows; another one none that are renamed."""
    free = free_columns(query, binder.names)
    _refuse_unequal(query, free, binder)
    if isinstance(clause.parent, exp.Join):
        for column in free[:1]:
            refuse_in_on(column, binder.problems)
    elif not isinstance(clause, exp.Where):
        renamed = (each for each in free if _is_renamed(each, scope))
        for column in [*renamed][:1]:
            refuse_renamed(column, binder.problems)


def _refuse_unequal(query: exp.Expression, free: Sequence[exp.Column], binder: Binder) -> None:
    """A value for each row must be looked up by what is equal.

    For anything else Spark first gathers the rows of the stream that ask, which it cannot.
    """
    if not free:
        return
    if isinstance(query.parent, exp.Exists | exp.In):
        column = gathered_column(query, free)
        if column is not None:
            refuse_gathered(column, binder.problems)
        return
    query = bare_query(query)
    terms = own_terms(query) if isinstance(query, exp.Select) else []
    outer = {id(each) for each in free}
    sides = (equal_outside(each, outer) for each in terms)
    by_equality = {id(each) for side in sides if side for each in side.find_all(exp.Column)}
    for column in free:
        if id(column) not in by_equality:
            refuse_unequal(column, binder.problems)
            return


def _is_renamed(column: exp.Column, scope: Scope) -> bool:
    """Whether a column of joined rows has another name by now, or no qualifier."""
    first, *others = [each.name for each in column.parts]
    owner = scope.relation(first)
    name = others[0] if owner and others else first
    known = [each.column(name) for each in ([owner] if owner else scope.relations)]
    names = [each.sql for each in known if each is not None and each.sql is not None]
    return any(owner is not None or each != quoted_name(name) for each in names)
