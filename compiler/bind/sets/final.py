"""INTERSECT and EXCEPT under EMIT ON WINDOW CLOSE: groups of all rows, by the side they are of.

Before   SELECT k, ts FROM a EXCEPT ALL SELECT k, ts FROM b
After    Project k, ts, explode(array_repeat(1, __copies)) AS __copy
           Aggregate k, ts, how many more of side 1 than of side 2 AS __copies, once both are closed
             UnionAll (k, ts, 1 AS __side of a) (k, ts, 2 AS __side of b)
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from compiler.bind.closings.expressions import is_of
from compiler.bind.closings.refusals import no_time_in_both, refuse_final_of_changing
from compiler.bind.groups.final import names_of
from compiler.bind.names.collations import refuse_collated_columns
from compiler.bind.names.columns import column_named, reference
from compiler.bind.names.scope import OutColumn, Relation
from compiler.bind.relations.derived import with_names
from compiler.bind.select.items import refuse_twins
from compiler.bind.sets.operations import RULES, union_of
from compiler.bind.where.temporal import what_comes_and_goes
from compiler.diagnostics.problems import Problems
from compiler.plan.closings.closing import Closing
from compiler.plan.nodes import Aggregate, Item, Plan, Project, Rule
from compiler.sql.exprs import Expr
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of

SIDE, COPIES, COPY = "__side", "__copies", "__copy"
_LEFT, _RIGHT = f"count_if({SIDE} = 1)", f"count_if({SIDE} = 2)"
_IS_IN = {
    Rule.INTERSECT: f"{_LEFT} > 0 AND {_RIGHT} > 0",
    Rule.INTERSECT_ALL: f"{_LEFT} > 0 AND {_RIGHT} > 0",
    Rule.EXCEPT: f"{_RIGHT} = 0",
    Rule.EXCEPT_ALL: f"{_LEFT} > {_RIGHT}",
}
_COPIES = {
    Rule.INTERSECT_ALL: f"CAST(least({_LEFT}, {_RIGHT}) AS INT)",
    Rule.EXCEPT_ALL: f"CAST({_LEFT} - {_RIGHT} AS INT)",
}


def closed_set(
    sides: list[Relation],
    nodes: list[exp.Expression],
    node: exp.Intersect | exp.Except,
    problems: Problems,
) -> Relation:
    """The final rows of INTERSECT or EXCEPT, once the clock has closed them on both sides.

    Args:
        sides: the two queries, whose rows come at once or as groups that are final.
        nodes: their ASTs.
        node: the set operation.
        problems: takes the faults.
    """
    for side in sides:
        changes = side.changes or what_comes_and_goes(side.plan)
        if changes is not None:
            refuse_final_of_changing(node, changes, problems)
    marked = [_with_side(side, number) for number, side in enumerate(sides, 1)]
    both = union_of(marked, nodes, node, problems)
    columns = tuple(replace(each, held=None, sql=None) for each in both.columns[:-1])
    refuse_twins(replace(both, columns=columns), span_of(node), problems)
    refuse_collated_columns(type(node).__name__.upper(), columns, span_of(node), problems)
    final = closed_column(columns)
    if final is None:
        no_time_in_both(node, sides, both.plan, problems)
        final = OutColumn(name="NULL", sql="NULL"), Closing()
    rule = RULES[type(node), bool(node.args.get("distinct"))]
    return replace(
        both,
        plan=_rows(both.plan, columns, rule, *final),
        columns=tuple(still_closing(each, final[0]) for each in columns),
        has_proc_time=False,
    )


def _with_side(relation: Relation, number: int) -> Relation:
    """Rows that tell of which side they are."""
    items = [Item(expr=reference(None, each), name=each.name) for each in relation.columns]
    side = OutColumn(name=SIDE, type=SqlType(Kind.NUMBER, "INT"))
    plan = Project(
        input=with_names(relation).plan, items=(*items, Item(expr=Expr(sql=str(number)), name=SIDE))
    )
    return replace(relation, plan=plan, columns=(*relation.columns, side))


def closed_column(columns: tuple[OutColumn, ...]) -> tuple[OutColumn, Closing] | None:
    """The column that tells when a row is final: the simplest one of those that close."""
    closing = [(each, each.closing) for each in columns if each.closing is not None]
    return min(closing, key=lambda each: each[1].rank, default=None)


def _rows(
    both: Plan, columns: tuple[OutColumn, ...], rule: Rule, time: OutColumn, closing: Closing
) -> Plan:
    """The rows of both sides as groups, each as often as the rule says."""
    kept = tuple(column_named(each.name) for each in columns)
    copies = _COPIES.get(rule)
    last = reference(None, time)
    groups = Aggregate(
        input=both,
        alias=None,
        group=tuple(each.expr for each in kept),
        items=kept if copies is None else (*kept, Item(expr=Expr(sql=copies), name=COPIES)),
        having=Expr(sql=_IS_IN[rule]),
        closes=replace(last, sql=closing.at(last.sql)),
        closes_after=closing.after,
    )
    if copies is None:
        return groups
    each_copy = Item(expr=Expr(sql=f"explode(array_repeat(1, {COPIES}))"), name=COPY)
    return Project(input=Project(input=groups, items=(*kept, each_copy)), items=kept)


def still_closing(column: OutColumn, final: OutColumn) -> OutColumn:
    """Rows come when one of their columns closes, the others may have closed long before."""
    expr = reference(None, column)
    return (
        column if is_of(expr, names_of(reference(None, final))) else replace(column, closing=None)
    )
