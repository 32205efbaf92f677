"""Rows that carry the time of their arrival above views and subqueries, too."""

from __future__ import annotations

from dataclasses import replace

from compiler.bind.names.scope import Relation
from compiler.plan.nodes import (
    Alias,
    Filter,
    Item,
    Named,
    Plan,
    Project,
    Scan,
    UnionAll,
    Watermarked,
)
from compiler.sql.exprs import Expr
from compiler.sql.names import PROC_TIME_COLUMN


def with_arrivals(relation: Relation) -> Relation:
    """A relation whose rows carry the time of their arrival, if they can."""
    if relation.has_proc_time or relation.changes is not None:
        return relation
    carried = _with_arrival(relation.plan)
    return relation if carried is None else replace(relation, plan=carried, has_proc_time=True)


def _with_arrival(node: Plan) -> Plan | None:
    """The same rows with the time of their arrival; None where two arrivals meet in one row."""
    match node:
        case Scan(source=source):
            return None if source.static else node
        case Named() | Alias() | Filter() | Watermarked():
            inner = _with_arrival(node.input)
            return None if inner is None else replace(node, input=inner)
        case Project(items=items):
            inner = _with_arrival(node.input)
            arrival = Item(expr=Expr(sql=PROC_TIME_COLUMN), name=PROC_TIME_COLUMN)
            return None if inner is None else replace(node, input=inner, items=(*items, arrival))
        case UnionAll(inputs=inputs):
            sides = tuple(each for each in map(_with_arrival, inputs) if each is not None)
            return UnionAll(inputs=sides) if len(sides) == len(inputs) else None
        case _:
            return None
