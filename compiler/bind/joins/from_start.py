"""Tables whose rows count from the start, whether or not a stream asks for them.

A stream that is joined with a table asks it, row by row, and Spark reads the table in each batch.
Where the table is asked for the rows that no stream has, as the devices that are silent, its rows
are those of a stream that has brought all of them at the start.

Before   Join left: Alias d (Table devices); Alias s (Source signals)
After    Join left: Alias d (TableRows devices: id, name of Table devices); Alias s (Source signals)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from compiler.bind.joins.pairs import flattened, mentioned_in
from compiler.bind.names.columns import column_named
from compiler.bind.names.scope import Relation
from compiler.bind.where.temporal import is_timed
from compiler.plan.facts.columns import names_of
from compiler.plan.nodes import (
    Alias,
    Filter,
    Named,
    Plan,
    Project,
    Scan,
    StaticQuery,
    TableRows,
    TemporalFilter,
    walk,
)
from compiler.source import Span
from compiler.syntax import span_of


def are_tables(relations: Sequence[Relation]) -> bool:
    """Whether there are relations, none of which reads a stream."""
    return bool(relations) and not any(each.streams or each.is_open for each in relations)


def from_start(
    plan: Plan, relations: Sequence[Relation], node: exp.Expression, place: Span
) -> tuple[Plan, list[Relation]]:
    """Rows of tables as they come and go, and the relations that know their columns.

    Args:
        plan: the rows.
        relations: those that are joined in it.
        node: the query around, which names the columns that are needed.
        place: what asks for rows of the tables.
    """
    names, found = mentioned_in(node), list(relations)
    if len(relations) == 1:
        rows = _above(plan, relations[0], names)
    elif is_timed(plan):
        return plan, found
    else:
        whole, found = flattened(plan, relations, names, set())
        rows = _rows_of(whole)
    streams = frozenset(each.table for each in walk(rows) if isinstance(each, TableRows))
    return rows, [replace(each, plan=rows, streams=streams, changes=place) for each in found]


def beside_streams(sides: Sequence[Relation], nodes: Sequence[exp.Expression]) -> list[Relation]:
    """The queries of a set operation, of which those over tables come and go if others do."""
    if any(each.is_open for each in sides) or not any(each.streams for each in sides):
        return list(sides)
    return [
        _from_start_whole(each, span_of(node)) if each.is_static else each
        for each, node in zip(sides, nodes, strict=True)
    ]


def with_tables_from_start(
    names: Mapping[str, Relation], query: exp.Expression
) -> dict[str, Relation]:
    """The relations that a query sees, where the tables that it reads are there from the start."""
    found = dict(names)
    for table in query.find_all(exp.Table):
        key = table.name.lower()
        if key in found and found[key].is_static:
            whole = _from_start_whole(found[key], span_of(table))
            found[key] = replace(whole, again=None)
    return found


def _from_start_whole(side: Relation, place: Span) -> Relation:
    plan = side.plan if is_timed(side.plan) else _rows_of(_with_names(side.plan, side))
    streams = frozenset(each.table for each in walk(plan) if isinstance(each, TableRows))
    return replace(side, plan=plan, streams=streams, changes=place)


def _above(plan: Plan, relation: Relation, names: frozenset[str] | None) -> Plan:
    """The same rows where conditions and names of one relation stand above those of its tables."""
    match plan:
        case Filter() | TemporalFilter() | Alias():
            return replace(plan, input=_above(plan.input, relation, names))
        case Named() | Project() if is_timed(plan):
            return replace(plan, input=_above(plan.input, relation, None))
        case _:
            known = _needed(plan, relation, names)
            return plan if is_timed(plan) else _rows_of(_with_names(known, relation))


def _needed(plan: Plan, relation: Relation, names: frozenset[str] | None) -> Plan:
    """A table without the columns that nobody names."""
    columns = [each.name for each in relation.columns]
    known = {each.lower() for each in columns}
    named = [each for each in columns if names is None or each.lower() in names]
    if names is None or len(known) < len(columns) or not 0 < len(named) < len(columns):
        return plan
    return Project(input=plan, items=tuple(map(column_named, named)))


def _with_names(plan: Plan, relation: Relation) -> Plan:
    """A query over tables whose columns Spark alone would know."""
    if names_of(plan) is not None or not relation.columns:
        return plan
    items = tuple(column_named(each.name) for each in relation.columns)
    return Project(input=plan, items=items)


def _rows_of(plan: Plan) -> TableRows:
    return TableRows(input=plan, table="_".join(dict.fromkeys(_tables(plan))) or "tables")


def _tables(plan: Plan) -> Iterator[str]:
    """The names of the tables that a plan reads."""
    for each in walk(plan):
        if isinstance(each, Scan):
            yield each.source.name
        if isinstance(each, StaticQuery):
            for read in each.reads:
                yield from _tables(read)
