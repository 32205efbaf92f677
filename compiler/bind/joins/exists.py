"""EXISTS and IN over streams, as terms of a WHERE: whether a row has a partner."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from compiler.bind.clock.conditions import conjuncts
from compiler.bind.names.shapes import is_generator


@dataclass(frozen=True)
class SemiTerm:
    """`[NOT] EXISTS (query)`, or `needle IN (query)`."""

    term: exp.Expression
    query: exp.Expression
    negated: bool
    needle: exp.Expression | None = None


def semi_terms(condition: exp.Expression) -> list[SemiTerm]:
    """The terms of a conjunction that ask for a partner."""
    found = (_semi_term(each) for each in conjuncts(condition))
    return [each for each in found if each is not None]


def _semi_term(term: exp.Expression) -> SemiTerm | None:
    inner, negated = term, False
    while isinstance(inner, exp.Paren | exp.Not):
        negated ^= isinstance(inner, exp.Not)
        inner = inner.this
    if isinstance(inner, exp.Exists):
        return SemiTerm(term, _without_limit(bare_query(inner.this)), negated)
    query = inner.args.get("query") if isinstance(inner, exp.In) else None
    # NOT IN is NULL, not true, as soon as there is a NULL; NOT EXISTS is what is meant.
    if query is None or negated:
        return None
    return SemiTerm(term, _as_set(bare_query(query)), negated, inner.this)


def _without_limit(query: exp.Expression) -> exp.Expression:
    """What EXISTS asks: whether there are rows, of which `LIMIT 1` and DISTINCT leave one."""
    limit = query.args.get("limit")
    number = limit.expression if isinstance(limit, exp.Limit) else None
    is_idle = isinstance(number, exp.Literal) and number.is_int and int(number.name) > 0
    if is_idle and not query.args.get("offset"):
        found = query.copy()
        found.parent = query.parent
        found.set("limit", None)
        return _as_set(found)
    return _as_set(query)


def _as_set(query: exp.Expression) -> exp.Expression:
    """A query whose rows may be there several times: who asks for one does not see it."""
    distinct = query.args.get("distinct")
    if not isinstance(query, exp.Select) or distinct is None or distinct.args.get("on"):
        return query
    if any(query.args.get(each) for each in ("group", "having", "qualify", "limit", "offset")):
        return query
    found = query.copy()
    found.parent = query.parent
    found.set("distinct", None)
    return found


def bare_query(query: exp.Expression) -> exp.Expression:
    """A query without the parentheses around it."""
    while isinstance(query, exp.Subquery):
        query = query.this
    return query


def is_plain(query: exp.Expression) -> bool:
    """Whether a query selects rows of its FROM, and no more: none is grouped, cut off or made."""
    if not isinstance(query, exp.Select) or query.args.get("from_") is None:
        return False
    calls = (each.parent_select for each in query.find_all(exp.AggFunc, exp.Window))
    if any(query.args.get(each) for each in _MAKING) or any(each is query for each in calls):
        return False
    return not any(item.find(exp.Query) or _makes_rows(item) for item in query.expressions)


def _makes_rows(item: exp.Expression) -> bool:
    """Whether an item has a function that makes several rows of one, or none."""
    return any(is_generator(each) for each in item.find_all(exp.Func))


_MAKING = (
    *("with_", "distinct", "group", "having", "qualify", "limit", "offset", "laterals", "emit"),
)
"""Clauses that make other rows than those of FROM, or leave some out."""


def own_terms(query: exp.Expression) -> list[exp.Expression]:
    """The terms of the WHERE of a plain SELECT."""
    where = query.args.get("where")
    return conjuncts(where.this) if where else []
