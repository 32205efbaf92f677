"""UNION, INTERSECT and EXCEPT over streams."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from compiler.bind.names.collations import refuse_collated_columns
from compiler.bind.names.scope import Relation, streams_of, watermarks_of
from compiler.bind.relations.derived import columns_of_all, what_changes
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import counted
from compiler.plan.facts.properties import properties_of
from compiler.plan.nodes import Counted, Rule, UnionAll
from compiler.syntax import span_of


def union_of(
    sides: list[Relation], nodes: list[exp.Expression], node: exp.Expression, problems: Problems
) -> Relation:
    """All rows of bound queries, whose AST `nodes` are; sides that do not fit are reported."""
    first = sides[0]
    for side, operand in zip(sides, nodes, strict=True):
        wrong = len(side.columns) != len(first.columns)
        if wrong and not side.is_open and not first.is_open:
            _uneven(nodes[0], len(first.columns), operand, len(side.columns), problems)
        if side.is_static and not (side.is_open or any(each.is_open for each in sides)):
            _table_in_union(operand, problems)
        for column in side.columns:
            if column.is_clock:
                _clock_inside(operand, column.name, problems)
    return Relation(
        plan=UnionAll(inputs=tuple(each.plan for each in sides)),
        columns=columns_of_all(sides),
        streams=streams_of(sides),
        watermarks=watermarks_of(sides),
        changes=what_changes(sides),
        span=span_of(node),
    )


RULES = {
    (exp.Intersect, True): Rule.INTERSECT,
    (exp.Intersect, False): Rule.INTERSECT_ALL,
    (exp.Except, True): Rule.EXCEPT,
    (exp.Except, False): Rule.EXCEPT_ALL,
}


def counted_of(both: Relation, node: exp.Intersect | exp.Except, problems: Problems) -> Relation:
    """INTERSECT or EXCEPT of the two sides of a union: by how often a row stands in each."""
    if not isinstance(both.plan, UnionAll):
        return both
    rule = RULES[type(node), bool(node.args.get("distinct"))]
    refuse_collated_columns(type(node).__name__.upper(), both.columns, span_of(node), problems)
    found = Counted(inputs=both.plan.inputs, rule=rule, span=span_of(node))
    return replace(
        both,
        plan=found,
        columns=tuple(replace(each, closing=None) for each in both.columns),
        changes=None if properties_of(found).append_only else both.changes or span_of(node),
    )


def as_distinct(node: exp.SetOperation) -> exp.Select:
    """UNION as SELECT DISTINCT of UNION ALL; of a chain, all of it at once."""
    every = node.copy()
    every.set("emit", None)
    side: exp.Expr | None = every
    while isinstance(side, exp.Union) and (side is every or not _has_clauses(side)):
        side.set("distinct", None)
        side = side.this
    inner = exp.Subquery(this=every)
    outer = exp.Select(expressions=[exp.Star()], distinct=exp.Distinct())
    outer.set("from_", exp.From(this=inner))
    for each in (inner, outer, *outer.expressions):
        each.meta["span"] = span_of(node)
    return outer


def _has_clauses(node: exp.Expression) -> bool:
    """Whether a set operation is more than its two sides."""
    sides = ("this", "expression", "distinct")
    return any(value for key, value in node.args.items() if key not in sides)


def _uneven(
    first: exp.Expression, wanted: int, other: exp.Expression, found: int, problems: Problems
) -> None:
    problems.add(
        "TVF205",
        f"the sides of the set operation have {counted(wanted, 'column')} and {found}",
        span_of(other),
        counted(found, "column"),
        more=[(span_of(first), counted(wanted, "column"))],
        advice="select as many columns on both sides",
    )


def _table_in_union(node: exp.Expression, problems: Problems) -> None:
    problems.add(
        "TVF501",
        "a set operation of a stream and a table under EMIT ON WINDOW CLOSE is not supported",
        span_of(node),
        "reads no stream",
        notes=["the rows of a table arrive at no time, and are final at none"],
        advice="leave EMIT ON WINDOW CLOSE out, and rows of the table are there from the start",
    )


def _clock_inside(node: exp.Expression, name: str, problems: Problems) -> None:
    problems.add(
        "TVF506",
        f"column `{name}` is the clock, inside a set operation",
        span_of(node),
        "reads the clock",
        advice="select WATERMARK_TS() in the outermost SELECT, around the set operation",
    )
