"""The origins of a query over tables, which Spark runs as it is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.lineage import Node, lineage
from sqlglot.optimizer.qualify import qualify

from compiler.lineage.expressions import CLAUSES, TracedColumn
from compiler.lineage.origins import NONE, How, Origins, Trace, all_origins, taken, together
from compiler.sql.texts import parsed

Tables = Mapping[str, tuple[TracedColumn, ...]]


def traced_static(sql: str, tables: Tables) -> tuple[tuple[TracedColumn, ...], Origins]:
    """The columns of a query, and what else its rows hang on: all columns that it names."""
    node: exp.Expr | None = parsed(sql)
    by_name = {name.lower(): columns for name, columns in tables.items()}
    everything = together(e.trace for columns in by_name.values() for e in columns)
    if not isinstance(node, exp.Query):
        return (), taken(everything.origins, How.FILTER)
    schema: dict[str, object] = {
        name: {each.name: "STRING" for each in columns} for name, columns in by_name.items()
    }
    node = _with_stars_expanded(node, schema)
    columns = tuple(
        TracedColumn(name, _traced(name, node, schema, by_name, everything))
        for name in node.named_selects
    )
    return columns, NONE.union(*_deciding(node, by_name))


def _with_stars_expanded(node: exp.Query, schema: dict[str, object]) -> exp.Query:
    try:
        return qualify(node.copy(), schema=schema, dialect="spark", quote_identifiers=False)
    except SqlglotError:
        return node


def _deciding(node: exp.Expr, tables: Tables) -> Iterator[Origins]:
    """The origins of what stands in WHERE, GROUP BY and the like."""
    for select in node.find_all(exp.Select):
        for place, how in CLAUSES.items():
            value = select.args.get(place)
            parts = value if isinstance(value, list) else [value]
            named = {e.name.lower() for part in parts if part for e in part.find_all(exp.Column)}
            used = (e.trace for own in tables.values() for e in own if e.name.lower() in named)
            yield taken(all_origins(used), how)


def _traced(
    name: str, node: exp.Query, schema: dict[str, object], tables: Tables, everything: Trace
) -> Trace:
    try:
        found = lineage(name, node, schema=schema, dialect="spark")
    except (SqlglotError, ValueError, KeyError):
        # Where it comes from is not understood: from anything, then.
        return Trace(everything.used(How.TRANSFORMATION).origins)
    return together(_leaves(found, tables))


def _leaves(found: Node, tables: Tables) -> list[Trace]:
    """The traces of the columns of tables that a column is made of."""
    is_plain = isinstance(found.expression, exp.Alias | exp.Column) and isinstance(
        found.expression.unalias(), exp.Column
    )
    adds_up = found.expression.find(exp.AggFunc) is not None
    how = How.AGGREGATION if adds_up else How.IDENTITY if is_plain else How.TRANSFORMATION
    if isinstance(found.source, exp.Table):
        column = found.name.rpartition(".")[2].strip('`"').lower()
        own = tables.get(found.source.name.lower(), ())
        return [each.trace for each in own if each.name.lower() == column]
    return [trace.used(how) for each in found.downstream for trace in _leaves(each, tables)]
