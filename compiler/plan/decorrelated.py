"""Subqueries without the columns of the rows around them: by what those are compared with.

Before   SELECT max(w) FROM b WHERE b.k = a.k AND b.w > 3
After    SELECT b.k AS key, max(w) AS value FROM b WHERE b.w > 3, and that key = a.k
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from compiler.plan.aggregates import is_aggregate, own_aggregates, whole_of
from compiler.plan.asking import equality
from compiler.plan.binder import Binder
from compiler.plan.matching import fresh, mentioned_in
from compiler.plan.semi import own_terms
from compiler.plan.subquery_refusals import refuse_lone_column, refuse_unequal_stream
from compiler.syntax import span_of
from compiler.syntax.spans import set_span


def correlated(
    binder: Binder,
    query: exp.Select,
    free: Sequence[exp.Column],
    item: exp.Expression | None,
) -> list[tuple[exp.Expression, exp.Expression]] | None:
    """What is equal inside and outside of a subquery, whose WHERE keeps the other terms.

    None: a column of the rows that ask stands anywhere else, which is reported.

    Args:
        binder: binds queries.
        query: the subquery; its WHERE is changed.
        free: its columns that it does not read itself.
        item: what it selects, in which they may stand outside of aggregates.
    """
    outside = {id(each) for each in free}
    terms = own_terms(query)
    pairs = [(term, equality(term, outside)) for term in terms]
    keys = [pair for _, pair in pairs if pair is not None]
    known = {id(each) for _, outer in keys for each in outer.find_all(exp.Column)}
    for column in _outside_aggregates(item) if item is not None else ():
        if id(column) not in outside:
            refuse_lone_column(column, binder.problems)
            return None
        known.add(id(column))
    for column in free:
        if id(column) not in known:
            refuse_unequal_stream(column, binder.problems)
            return None
    rest = [term for term, pair in pairs if pair is None]
    query.set("where", exp.Where(this=exp.and_(*rest)) if rest else None)
    return keys


def _outside_aggregates(item: exp.Expression) -> list[exp.Column]:
    """The columns of an item that are in no aggregate."""
    wholes = {id(whole_of(e)) for e in item.find_all(exp.Expression) if is_aggregate(e)}
    found: list[exp.Column] = []
    stack: list[exp.Expr] = [item]
    while stack:
        each = stack.pop()
        if isinstance(each, exp.Column):
            found.append(each)
        elif id(each) not in wholes:
            stack.extend(each.iter_expressions())
    return found


def with_name(query: exp.Expression) -> exp.Expression:
    """A query whose one column is called `value`, unless it has a name."""
    items = query.expressions if isinstance(query, exp.Select) else []
    if len(items) == 1 and not items[0].is_star and not items[0].alias_or_name:
        item = exp.Alias(this=items[0].copy(), alias=exp.to_identifier("value"))
        set_span(item, span_of(items[0]))
        query.set("expressions", [item])
    return query


def lone_aggregates(query: exp.Expression) -> list[exp.Expression]:
    """The aggregates of a SELECT that has one row of them, and nothing that leaves it out."""
    if not isinstance(query, exp.Select) or len(query.expressions) != 1:
        return []
    if any(query.args.get(each) for each in _CHOOSING):
        return []
    return list(own_aggregates(query))


_CHOOSING = ("with_", "group", "having", "qualify", "limit", "offset", "laterals", "windows")
"""Clauses that make other rows than one, or none."""


def selected(
    query: exp.Select, keys: Sequence[exp.Expression], values: Sequence[exp.Expression]
) -> exp.Select:
    """A query with another SELECT list: its own keys, then values."""
    taken = set(mentioned_in(query) or ())
    items: list[exp.Expression] = []
    for like, nodes in (("key", keys), ("value", values)):
        for node in nodes:
            item = exp.Alias(this=node.copy(), alias=exp.to_identifier(fresh(like, taken)))
            set_span(item, span_of(node))
            items.append(item)
    query.set("distinct", None)
    query.set("order", None)
    if items:
        query.set("expressions", items)
    return query
