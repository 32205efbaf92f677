"""EXISTS and IN over streams, as terms of a WHERE: whether a row has a partner."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from compiler.plan.conditions import conjuncts


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
        return SemiTerm(term, _unwrapped(inner.this), negated)
    query = inner.args.get("query") if isinstance(inner, exp.In) else None
    # NOT IN is NULL, not true, as soon as there is a NULL; NOT EXISTS is what is meant.
    if query is None or negated:
        return None
    return SemiTerm(term, _unwrapped(query), negated, inner.this)


def _unwrapped(query: exp.Expression) -> exp.Expression:
    while isinstance(query, exp.Subquery):
        query = query.this
    return query


def is_plain(query: exp.Expression) -> bool:
    """Whether a query selects rows of its FROM, and no more: none is grouped, cut off or made."""
    if not isinstance(query, exp.Select) or query.args.get("from_") is None:
        return False
    clauses = ("with_", "group", "having", "distinct", "limit", "qualify", "laterals", "emit")
    calls = (each.parent_select for each in query.find_all(exp.AggFunc, exp.Window))
    if any(query.args.get(each) for each in clauses) or any(each is query for each in calls):
        return False
    return not any(item.find(exp.Query) for item in query.expressions)


def own_terms(query: exp.Expression) -> list[exp.Expression]:
    """The terms of the WHERE of a plain SELECT."""
    where = query.args.get("where")
    return conjuncts(where.this) if where else []
