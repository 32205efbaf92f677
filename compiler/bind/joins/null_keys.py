"""Equalities of joins of streams, for which NULL must not be equal to NULL.

Spark's join of streams looks partners up by the values of an equality, and finds NULL by NULL. It
relies on filters that its optimizer makes of the columns: in a computed value, and in a field of a
struct, NULL may come from a column that is not NULL.

Before   ON nullif(a.k, '') = nullif(b.k, '')
After    ON nullif(a.k, '') = nullif(b.k, '') AND nullif(b.k, '') IS NOT NULL
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from compiler.bind.joins.terms import Owners, ties, unwrapped
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import Relation, Scope
from compiler.sql.exprs import Binding, Expr


def keys_not_null(
    terms: Sequence[exp.Expression],
    relations: Sequence[Relation],
    binder: ExpressionBinder,
    kind: str,
) -> list[Expr]:
    """What must not be NULL for the equalities among the terms of ON to hold.

    Args:
        terms: of the condition of a join of two streams.
        relations: the joined ones; the last one is the right side.
        binder: for their columns.
        kind: of the join. Where rows of the right side come out without a partner, it is the left
            value that must be there, so that the condition decides of no row that is kept. Of a
            full join all rows are, and Spark filters none by a column either.
    """
    owners, place = Owners(tuple(relations)), len(relations) - 1
    right = frozenset((place,))
    found: list[Expr] = []
    for term in map(unwrapped, terms):
        if not isinstance(term, exp.EQ) or not ties(term, owners, frozenset(range(place)), place):
            continue
        if binder.reads_clock(term):  # says when the pair counts, and is no key
            continue
        for side in map(unwrapped, (term.this, term.expression)):
            value, is_right = binder.bind(side), owners.of(side) == right
            is_filtered = kind != "full" and _is_column(side, value, binder.scope)
            if is_right is not (kind == "right") and not is_filtered:
                found.append(not_null(value))
    return found


def not_null(value: Expr) -> Expr:
    """The condition that a value is there."""
    sql = f"{value.inside(Binding.COMPARISON)} IS NOT NULL"
    return Expr(sql=sql, binding=Binding.COMPARISON, reads=value.reads)


def _is_column(node: exp.Expression, value: Expr, scope: Scope) -> bool:
    """Whether a value is a column as it is: no field of one, nor what USING has made of two."""
    if not isinstance(node, exp.Column) or value.sql not in value.reads:
        return False
    return len(scope.path(node)[1]) == 1
