"""Subqueries over tables for which Spark would first gather the rows that ask, as it cannot.

A column of the query around a subquery becomes a term of a join where nothing stands between: rows
that are grouped, numbered or cut, an outer join, a set operation. Where such a thing does, Spark
knows the column by an equality with one of the subquery's own, and else takes all of its values,
each once: a DISTINCT, which over a stream has no end.

Joined     EXISTS (SELECT 1 FROM t WHERE t.y > a.y)
By t.x     EXISTS (SELECT 1 FROM t WHERE t.x = a.x GROUP BY t.y HAVING count(*) > a.z)
Gathered   EXISTS (SELECT 1 FROM t WHERE t.y > a.y LIMIT 1)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from sqlglot import exp

from compiler.bind.groups.final import is_grouped
from compiler.bind.joins.exists import bare_query, own_terms
from compiler.bind.joins.kinds import join_kind
from compiler.bind.joins.terms import unwrapped
from compiler.bind.over.final import own_windows


def gathered_column(query: exp.Expression, free: Iterable[exp.Column]) -> exp.Column | None:
    """A column of the query around a subquery whose values Spark would gather, if there is one.

    Args:
        query: the subquery, below EXISTS or IN.
        free: its columns that it does not read itself.
    """
    return next(_gathered(query, {id(each) for each in free}, is_cut=False, is_one=False), None)


def _gathered(
    query: exp.Expression, free: Set[int], *, is_cut: bool, is_one: bool
) -> Iterator[exp.Column]:
    """Such columns.

    Args:
        query: a query.
        free: its columns that it does not read itself, by identity.
        is_cut: whether something above it groups, numbers or cuts its rows.
        is_one: whether something above it makes one row of all.
    """
    query = bare_query(query)
    if not isinstance(query, exp.Select):
        yield from _free_in(query, free)
        return
    grouped = is_grouped(query)
    is_one = is_one or (grouped and not (query.args.get("group") or query.args.get("distinct")))
    cuts = (query.args.get("limit"), query.args.get("offset"), query.args.get("qualify"))
    is_cut = is_cut or grouped or bool(own_windows(query)) or any(cuts)
    terms = own_terms(query)
    sides = [equal_outside(term, free) for term in terms]
    equal = {_key(each) for each in sides if isinstance(each, exp.Column)}
    for term, side in zip(terms, sides, strict=True):
        is_outside = all(id(each) in free for each in term.find_all(exp.Column))
        if is_one or (is_cut and not is_outside and side is None):
            yield from _free_in(term, free)
    for place in (*query.expressions, *query.args.get("laterals", ())):
        yield from (each for each in _free_in(place, free) if _key(each) not in equal)
    for join in query.args.get("joins") or ():
        if join_kind(join) not in ("inner", "cross"):
            yield from _free_in(join.args.get("on"), free)
    for source in (query.args.get("from_"), *(query.args.get("joins") or ())):
        inner = source.this if source is not None else None
        if isinstance(inner, exp.Subquery):
            yield from _gathered(inner, free, is_cut=is_cut, is_one=is_one)


def equal_outside(term: exp.Expression, free: Set[int]) -> exp.Expression | None:
    """What a term says a column of a subquery to be equal to, if the query around has all of it.

    Args:
        term: of the WHERE of the subquery.
        free: the columns that the subquery does not read itself, by identity.
    """
    term = unwrapped(term)
    if not isinstance(term, exp.EQ):
        return None
    for own, side in ((term.this, term.expression), (term.expression, term.this)):
        columns = {id(each) for each in side.find_all(exp.Column)}
        own = unwrapped(own)
        if columns and columns <= free and isinstance(own, exp.Column) and id(own) not in free:
            return unwrapped(side)
    return None


def _free_in(node: exp.Expression | None, free: Set[int]) -> Iterator[exp.Column]:
    if node is not None:
        yield from (each for each in node.find_all(exp.Column) if id(each) in free)


def _key(column: exp.Column) -> tuple[str, ...]:
    return tuple(each.name.lower() for each in column.parts)
