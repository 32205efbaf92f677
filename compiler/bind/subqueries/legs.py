"""EXISTS and IN of a UNION that names columns of the rows around: of each of its queries apart.

Before   EXISTS (SELECT 1 FROM b WHERE b.k = a.k UNION ALL SELECT 1 FROM c WHERE c.k = a.k)
After    EXISTS (SELECT 1 FROM b WHERE b.k = a.k) OR EXISTS (SELECT 1 FROM c WHERE c.k = a.k)
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from compiler.bind.joins.exists import bare_query
from compiler.bind.names.binder import Binder
from compiler.bind.names.shapes import free_columns
from compiler.bind.subqueries.asked import Asked

_CHOOSING = ("with_", "limit", "offset", "emit")
"""Clauses of a UNION that leave out rows of it, or name what its queries read."""


def is_of_legs(query: exp.Expression, binder: Binder) -> bool:
    """Whether a subquery is asked for by asking each query of a UNION."""
    bare = bare_query(query)
    return (
        isinstance(bare, exp.Union)
        and not any(bare.args.get(each) for each in _CHOOSING)
        and bool(free_columns(bare, binder.names))
        and not any(binder.is_static(each) for each in _queries_of(bare))
    )


def legs_of(asked: Asked, binder: Binder) -> list[Asked]:
    """What is asked for in the place of EXISTS or IN: that itself, or the same of each query."""
    if not isinstance(asked.node, exp.Exists | exp.In) or not is_of_legs(asked.query, binder):
        return [asked]
    return [_of_leg(asked, each) for each in _queries_of(bare_query(asked.query))]


def _of_leg(asked: Asked, query: exp.Expression) -> Asked:
    node = asked.node.copy()
    node.parent = asked.node.parent
    leg = query.copy()
    node.set("this" if isinstance(node, exp.Exists) else "query", leg)
    return Asked(node, leg, asked.is_negated)


def _queries_of(query: exp.Expression) -> Iterator[exp.Expression]:
    bare = bare_query(query)
    if isinstance(bare, exp.Union) and not any(bare.args.get(each) for each in _CHOOSING):
        yield from _queries_of(bare.this)
        yield from _queries_of(bare.expression)
    else:
        yield bare
