"""Groups of joined rows: columns of several relations under names of one."""

from __future__ import annotations

from dataclasses import replace

from compiler.plan.nodes import Aggregate, Item, Project
from compiler.sql.exprs import Expr, renamed


def flattened(node: Aggregate) -> Aggregate:
    """Columns of several relations under names of one."""
    terms = [*node.group, *(item.expr for item in node.items), node.closes]
    terms += [each for _, each in node.types]
    terms += [node.having] if node.having else []
    reads = list(dict.fromkeys(name for term in terms for name in term.reads))
    names = {name: f"__c{place}" for place, name in enumerate(reads)}

    def flat(expr: Expr) -> Expr:
        return replace(
            expr, sql=renamed(expr.sql, names), reads=tuple(names[n] for n in expr.reads)
        )

    items = tuple(Item(expr=Expr(sql=name, reads=(name,)), name=names[name]) for name in reads)
    return replace(
        node,
        input=Project(input=node.input, items=items) if items else node.input,
        alias=None,
        group=tuple(flat(each) for each in node.group),
        items=tuple(Item(expr=flat(each.expr), name=each.name) for each in node.items),
        having=flat(node.having) if node.having else None,
        closes=flat(node.closes),
        types=tuple((name, flat(each)) for name, each in node.types),
    )
