"""Subqueries without the columns of the rows around them: by what those are compared with.

Before   SELECT max(w) FROM b WHERE b.k = a.k AND b.w > 3
After    SELECT b.k AS key, max(w) AS value FROM b WHERE b.w > 3, and that key = a.k
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from compiler.bind.groups.aggregates import outside_aggregates, own_aggregates
from compiler.bind.joins.exists import own_terms
from compiler.bind.joins.pairs import fresh, mentioned_in
from compiler.bind.names.binder import Binder
from compiler.bind.names.scope import Relation
from compiler.bind.names.shapes import unaliased
from compiler.bind.relations.derived import with_names
from compiler.bind.subqueries.asked import equality, is_of_one_row
from compiler.plan.nodes import Top
from compiler.syntax import span_of
from compiler.syntax.nodes.spans import set_span


def correlated(
    query: exp.Select, free: Sequence[exp.Column], item: exp.Expression | None
) -> list[tuple[exp.Expression, exp.Expression]] | None:
    """What is equal inside and outside of a subquery, whose WHERE keeps the other terms.

    None: a column of the rows that ask stands anywhere else; then nothing is changed.

    Args:
        query: the subquery; its WHERE is changed.
        free: its columns that it does not read itself.
        item: what it selects, in which they may stand outside of aggregates.
    """
    outside = {id(each) for each in free}
    terms = own_terms(query)
    pairs = [(term, equality(term, outside)) for term in terms]
    keys = [pair for _, pair in pairs if pair is not None]
    known = {id(each) for _, outer in keys for each in outer.find_all(exp.Column)}
    known |= {id(each) for each in outside_aggregates(item)} if item is not None else set()
    if not outside <= known:
        return None
    rest = [term for term, pair in pairs if pair is None]
    query.set("where", exp.Where(this=exp.and_(*rest)) if rest else None)
    return keys


def with_name(query: exp.Expression) -> exp.Expression:
    """A query whose one column is called `value`, unless it has a name, and several all differ."""
    items = query.expressions if isinstance(query, exp.Select) else []
    if len(items) == 1 and not items[0].is_star and not items[0].alias_or_name:
        item = exp.Alias(this=items[0].copy(), alias=exp.to_identifier("value"))
        set_span(item, span_of(items[0]))
        query.set("expressions", [item])
    names = [each.alias_or_name.lower() for each in items]
    if len(items) > 1 and len(set(names)) < len(names) and not query.args.get("order"):
        query.set("expressions", [_called(each, n) for n, each in enumerate(items, 1)])
    return query


def _called(item: exp.Expression, number: int) -> exp.Expression:
    """An item under a name that others have not; a star has names of its own."""
    if item.is_star:
        return item
    found = exp.Alias(this=unaliased(item).copy(), alias=exp.to_identifier(f"value_{number}"))
    set_span(found, span_of(item))
    return found


def lone_aggregates(query: exp.Expression) -> list[exp.Expression]:
    """The aggregates of a SELECT that has one row of them, and nothing that leaves it out."""
    if not isinstance(query, exp.Select) or len(query.expressions) != 1:
        return []
    if any(query.args.get(each) for each in _CHOOSING) or has_windows(query):
        return []
    return list(own_aggregates(query))


def has_windows(query: exp.Expression) -> bool:
    """Whether a query has window functions, which see rows of those who do not ask for them."""
    return any(each.parent_select is query for each in query.find_all(exp.Window))


def is_first_row(query: exp.Expression) -> bool:
    """Whether a query is the first row of those in its FROM, by `LIMIT 1`."""
    if not isinstance(query, exp.Select) or query.args.get("distinct") or has_windows(query):
        return False
    others = (each for each in _CHOOSING if each != "limit")
    if any(query.args.get(each) for each in others) or list(own_aggregates(query)):
        return False
    return is_of_one_row(query)


_CHOOSING = ("with_", "group", "having", "qualify", "limit", "offset", "laterals", "windows")
"""Clauses that make other rows than one, or none."""


def first_of_each(
    binder: Binder,
    query: exp.Select,
    keys: Sequence[exp.Expression],
    values: Sequence[exp.Expression],
    *,
    as_written: bool = False,
) -> Relation:
    """The first rows of a query with LIMIT for each of its own keys, bound: keys, then values.

    Before   SELECT x FROM b ORDER BY ts DESC LIMIT 1
    After    Top 1 by ts DESC of each key: SELECT k AS key, x AS value FROM b
    """
    order, limit = query.args.get("order"), query.args["limit"]
    items = list(query.expressions)
    made = selected(query, keys, values, as_written=as_written)
    made.set("order", _by_items(order, items) if order is not None else None)
    made.set("limit", limit)
    bound = with_names(binder.bind(made))
    if not isinstance(bound.plan, Top):
        return bound  # It is at fault.
    names = tuple(each.name for each in bound.columns[: len(keys)])
    return replace(bound, plan=replace(bound.plan, partition=names))


def _by_items(order: exp.Expression, items: Sequence[exp.Expression]) -> exp.Expression:
    """An ORDER BY that names no item of the SELECT list by its number or its alias."""
    found = order.copy()
    aliases = {each.alias.lower(): each.this for each in items if isinstance(each, exp.Alias)}
    for key in found.expressions:
        value = key.this
        if isinstance(value, exp.Literal) and value.is_int and int(value.name) <= len(items):
            key.set("this", unaliased(items[int(value.name) - 1]).copy())
        elif isinstance(value, exp.Column) and not value.table and value.name.lower() in aliases:
            key.set("this", aliases[value.name.lower()].copy())
    return found


def selected(
    query: exp.Select,
    keys: Sequence[exp.Expression],
    values: Sequence[exp.Expression],
    *,
    as_written: bool = False,
) -> exp.Select:
    """A query with another SELECT list: its own keys, then values, `as_written` by their names."""
    names = mentioned_in(query)
    taken = set(names or ())
    items: list[exp.Expression] = []
    # A star may have a column of any name that is not one of ours.
    of_key = "key" if names is not None else "__key"
    for like, nodes in ((of_key, keys), ("value", [] if as_written else values)):
        for node in nodes:
            item = exp.Alias(this=node.copy(), alias=exp.to_identifier(fresh(like, taken)))
            item.meta["span"] = span_of(node)
            items.append(item)
    items += [each.copy() for each in values] if as_written else []
    for clause in ("distinct", "order", "limit"):
        query.set(clause, None)
    if items:
        query.set("expressions", items)
    return query
