"""Queries over static tables only: checked no further than to know their columns."""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from compiler.bind.names.scope import OutColumn, Relation
from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import Plan, StaticQuery
from compiler.sql.exprs import flat_text
from compiler.sql.names import quoted_name, refuse_ours
from compiler.sqltypes import Kind, SqlType, kind_of
from compiler.syntax import span_of


def bind_static(node: exp.Expression, names: dict[str, Relation], problems: Problems) -> Relation:
    """A query that Spark can run as it is, and the columns that it offers."""
    sql = flat_text(problems.source, span_of(node))
    named = _named_in(node, names)
    selects = _selects(node, named, problems)
    written = _as_written(node, named)
    columns = tuple(_column(each, written, problems) for each in selects)
    for each in columns:
        if not any(relation.column(each.name) for relation in named.values()):
            refuse_ours(each.name, span_of(node), problems)
    if any(_is_unnamed(each, written) for each in selects):
        listed = ", ".join(quoted_name(each.name) for each in columns)
        sql = f"SELECT * FROM ({sql}) AS t ({listed})"
    return Relation(
        plan=StaticQuery(sql=sql, reads=static_reads(node, names)),
        columns=columns,
        span=span_of(node),
    )


def static_reads(node: exp.Expression, names: dict[str, Relation]) -> tuple[Plan, ...]:
    """The declared tables, views and CTEs that a query over tables names."""
    return tuple(each.plan for each in _named_in(node, names).values())


def _named_in(node: exp.Expression, names: dict[str, Relation]) -> dict[str, Relation]:
    """The relations that a query names: a script may have many more."""
    tables = dict.fromkeys(each.name.lower() for each in node.find_all(exp.Table))
    return {name: names[name] for name in tables if name in names}


def _selects(
    node: exp.Expression, names: dict[str, Relation], problems: Problems
) -> list[exp.Expr]:
    """The columns of a query, each with its type."""
    schema = MappingSchema(dialect="spark")
    for name, relation in names.items():
        columns = {each.name: each.type.ddl or "STRING" for each in relation.columns}
        if relation.is_static and columns:
            schema.add_table(_identified(name), columns, dialect="spark")
    try:
        tree = qualify(node.copy(), schema=schema, dialect="spark", identify=False)
        typed = annotate_types(tree, schema=schema, dialect="spark")
    except SqlglotError as error:
        problems.add(
            "TVF202",
            f"names in this query over tables do not resolve: {str(error).splitlines()[0]}",
            span_of(node),
            "in this query",
            advice="write a column of the relations in FROM, with the name of its relation where "
            "several have it",
        )
        return []
    return list(typed.selects) if isinstance(typed, exp.Query) else []


def _identified(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def _is_unnamed(node: exp.Expr, written: dict[str, str]) -> bool:
    """Whether an item has the name that sqlglot gives to expressions."""
    return node.alias not in written and re.fullmatch(r"_col_\d+", node.alias) is not None


def _as_written(node: exp.Expression, names: dict[str, Relation]) -> dict[str, str]:
    """Names as the query or a declaration has them, by what sqlglot makes of them."""
    tables = (each for each in names.values() if each.is_static)
    found = [column.name for each in tables for column in each.columns]
    if isinstance(node, exp.Query):
        found += [each.alias_or_name for each in node.selects]
    return {name.lower(): name for name in found}


def _column(node: exp.Expr, written: dict[str, str], problems: Problems) -> OutColumn:
    name = written.get(node.alias_or_name, node.alias_or_name)
    if _is_unnamed(node, written) and isinstance(node.this, exp.Expression):
        name = flat_text(problems.source, span_of(node.this))
    kind = kind_of(node.type)
    if kind is Kind.UNKNOWN or node.type is None:
        return OutColumn(name=name)
    return OutColumn(name=name, type=SqlType(kind, node.type.sql("spark")))
