"""Queries over static tables only: checked no further than to know their columns."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from compiler.plan.exprs import flat_text
from compiler.plan.nodes import Plan, StaticQuery
from compiler.plan.problems import Problems
from compiler.plan.scope import OutColumn, Relation
from compiler.sqltypes import Kind, SqlType, kind_of
from compiler.syntax import span_of


def bind_static(node: exp.Expression, names: dict[str, Relation], problems: Problems) -> Relation:
    """A query that Spark can run as it is, and the columns that it offers."""
    return Relation(
        plan=StaticQuery(
            sql=flat_text(problems.source, span_of(node)), reads=static_reads(node, names)
        ),
        columns=_columns(node, names, problems),
        span=span_of(node),
    )


def static_reads(node: exp.Expression, names: dict[str, Relation]) -> tuple[Plan, ...]:
    """The declared tables, views and CTEs that a query over tables names."""
    found: dict[str, Plan] = {}
    for table in node.find_all(exp.Table):
        relation = names.get(table.name.lower())
        if relation is not None:
            found[table.name.lower()] = relation.plan
    return tuple(found.values())


def _columns(
    node: exp.Expression, names: dict[str, Relation], problems: Problems
) -> tuple[OutColumn, ...]:
    schema = MappingSchema(dialect="spark")
    for name, relation in names.items():
        columns = {each.name: each.type.ddl or "STRING" for each in relation.columns}
        if relation.is_static and columns:
            schema.add_table(name, columns, dialect="spark")
    try:
        tree = qualify(node.copy(), schema=schema, dialect="spark", identify=False)
        typed = annotate_types(tree, schema=schema, dialect="spark")
        selects = typed.selects if isinstance(typed, exp.Query) else []
    except SqlglotError as error:
        problems.add(
            "TVF202",
            f"names in this query over tables do not resolve: {str(error).splitlines()[0]}",
            span_of(node),
            "in this query",
            advice="write a column of the relations in FROM, with the name of its relation where "
            "several have it",
        )
        return ()
    return tuple(_column(each) for each in selects)


def _column(node: exp.Expr) -> OutColumn:
    kind = kind_of(node.type)
    if kind is Kind.UNKNOWN or node.type is None:
        return OutColumn(name=node.alias_or_name)
    return OutColumn(name=node.alias_or_name, type=SqlType(kind, node.type.sql("spark")))
