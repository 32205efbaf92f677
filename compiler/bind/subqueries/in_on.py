"""Subqueries over streams in ON of an inner join, which may as well stand in WHERE.

Before   FROM a JOIN b ON a.k = b.k AND b.v > (SELECT avg(v) FROM u)
After    FROM a JOIN b ON a.k = b.k WHERE b.v > (SELECT avg(v) FROM u)
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from compiler.bind.clock.conditions import conjuncts
from compiler.bind.joins.kinds import join_kind
from compiler.bind.joins.order import INNER
from compiler.bind.names.shapes import subqueries


def with_conditions_in_where(
    node: exp.Select, is_static: Callable[[exp.Expression], bool]
) -> exp.Select:
    """A SELECT whose inner joins have no subqueries over streams in ON.

    Those before a join that keeps rows of its own right side stay, as WHERE would refuse these.

    Args:
        node: the SELECT; it is not changed.
        is_static: whether a subquery reads tables alone.
    """
    kinds = [join_kind(each) for each in node.args.get("joins") or ()]
    keeping = [place for place, kind in enumerate(kinds) if kind in ("right", "full")]
    first = max(keeping, default=-1) + 1
    moved = [
        (place, term)
        for place, join in enumerate(node.args.get("joins") or ())
        if place >= first and kinds[place] in INNER and join.args.get("on") is not None
        for term in conjuncts(join.args["on"])
        if any(not is_static(each) for each in subqueries(term))
    ]
    if not moved:
        return node
    made = node.copy()
    made.parent = node.parent
    for place in {place for place, _ in moved}:
        terms = {id(term) for where, term in moved if where == place}
        rest = [
            each
            for each in conjuncts(node.args["joins"][place].args["on"])
            if id(each) not in terms
        ]
        made.args["joins"][place].set("on", exp.and_(*rest) if rest else None)
    where = node.args.get("where")
    asked = [*(conjuncts(where.this) if where is not None else ()), *(term for _, term in moved)]
    made.set("where", exp.Where(this=exp.and_(*asked)))
    return made
