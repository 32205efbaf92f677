"""The origins of the columns of a plan node, and of what decides which rows it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import assert_never

from compiler.lineage.expressions import (
    Scope,
    TracedColumn,
    texts_of_keys,
    trace_of,
    trace_of_sql,
)
from compiler.lineage.origins import NONE, How, Origin, Trace, all_origins, taken, together
from compiler.lineage.over import as_of, first_rows, matches_of, with_functions
from compiler.lineage.rows import Traced, by_names, with_tables
from compiler.lineage.static import traced_static
from compiler.memo import remembered, remembering
from compiler.plan.conditions.predicates import expressions_in
from compiler.plan.nodes import (
    Aggregate,
    Alias,
    Bad,
    Call,
    Changed,
    Counted,
    Filled,
    Filter,
    Item,
    Join,
    Late,
    Match,
    Named,
    Over,
    OverChanges,
    Paired,
    Plan,
    Program,
    Project,
    Rule,
    Scan,
    StaticQuery,
    TableRows,
    TemporalFilter,
    Top,
    Totals,
    UnionAll,
    Watermark,
    Watermarked,
    Windows,
    walk,
)
from compiler.sql.names import ASOF_ROW, own_name

_ONE_SIDE = ("leftsemi", "leftanti")


@contextmanager
def tracing(program: Program) -> Iterator[None]:
    """While this lasts, the tables and views of a script are known to the subqueries in it."""
    with remembering():
        reads = [each for output in program.outputs for each in relations_read(output.plan)]
        named = {each.name.lower(): traced(each).columns for each in map(_named, reads) if each}
    # What was remembered without the tables is not what they give.
    with with_tables(named), remembering():
        yield


def relations_read(node: Plan) -> Iterator[Plan]:
    """The static relations that expressions of a plan read, and those below them."""
    for each in walk(node):
        for read in each.reads if isinstance(each, Project | Aggregate | StaticQuery) else ():
            yield from walk(read)
            yield from relations_read(read)


@remembered
def traced(node: Plan) -> Traced:  # noqa: C901  a line for each kind
    """The origins of a node."""
    match node:
        case Scan() | Watermarked() | Late() | Bad() | Changed():
            return _of_source(node)
        case StaticQuery(sql=sql, reads=reads):
            tables = {each.name: traced(each).columns for each in map(_named, reads) if each}
            return Traced(*traced_static(sql, tables))
        case TableRows():
            return traced(node.input)
        case Named(name=name) | Alias(name=name):
            below = traced(node.input)
            return replace(
                below, columns=tuple(each._replace(qualifier=name) for each in below.columns)
            )
        case Join():
            return _join(node)
        case Paired():
            return _paired(node)
        case Filter(predicate=predicate):
            below = traced(node.input)
            return below.deciding(How.FILTER, trace_of(predicate, below.scope()))
        case TemporalFilter(predicate=condition):
            below = traced(node.input)
            traces = (trace_of(each, below.scope()) for each in expressions_in(condition))
            return below.deciding(How.FILTER, *traces)
        case Project(items=items):
            below = traced(node.input)
            return replace(below, columns=_items(items, below.scope()))
        case UnionAll(inputs=inputs):
            return _union([traced(each) for each in inputs])
        case Counted():
            return _counted(node)
        case Windows():
            return _windows(node)
        case Aggregate():
            return _groups(node)
        case Totals():
            return _totals(node)
        case Top():
            return first_rows(node, traced(node.input))
        case Over() | OverChanges():
            return _over(node)
        case Match():
            return matches_of(node, traced(node.input))
        case Filled():
            return traced(node.input)
        case _:
            assert_never(node)


def _named(node: Plan) -> Named | Alias | None:
    """A relation that a subquery may name; a source is named as it is declared."""
    if isinstance(node, Scan):
        return Alias(name=node.source.name, input=node)
    return node if isinstance(node, Named | Alias) else None


def _of_source(node: Scan | Watermarked | Late | Bad | Changed) -> Traced:
    match node:
        case Scan(source=source):
            columns = tuple(
                TracedColumn(
                    each.name,
                    Trace(frozenset({Origin(source.name, each.name, How.IDENTITY)})),
                    source.name,
                    each.type,
                )
                for each in source.columns
            )
            return _refused(Traced(columns), source.watermark)
        case Watermarked(watermark=watermark):
            return _refused(traced(node.input), watermark)
        case Late(input=inner):
            below = traced(inner)
            marked = inner if isinstance(inner, Watermarked) else inner.source
            sql = marked.watermark.strategy if marked.watermark else "NULL"
            by = trace_of_sql(sql, below.scope())
            own = TracedColumn("_watermark", Trace(by.used(How.AGGREGATION).origins))
            return replace(below, columns=(*below.columns, own))
        case Bad(input=inner):
            whole = together(each.trace for each in traced(inner).columns)
            of_all = Trace(whole.used(How.TRANSFORMATION).origins)
            return Traced((TracedColumn("record", of_all), TracedColumn("reason", of_all), _FILE))
        case Changed(key=key):
            below = traced(node.input)
            return below.deciding(How.GROUP_BY, *by_names(key, below))


_FILE = TracedColumn("file", Trace())
"""Of a record that does not fit: no column of a source says where it stands."""


def _refused(below: Traced, watermark: Watermark | None) -> Traced:
    """Without the rows that a watermark refuses."""
    if watermark is None:
        return below
    scope = below.scope()
    by = (trace_of_sql(each, scope) for each in (watermark.time, watermark.strategy))
    return below.deciding(How.FILTER, *by)


def _items(items: Iterable[Item], scope: Scope) -> tuple[TracedColumn, ...]:
    """The columns of a SELECT list, of which each may name those before it."""
    found: list[TracedColumn] = []
    for item in items:
        trace = trace_of(item.expr, replace(scope, around=Scope(tuple(found))))
        found.append(TracedColumn(item.name or own_name(item.expr.sql), trace, type=item.expr.type))
    return tuple(found)


def _join(node: Join) -> Traced:
    left, right = traced(node.left), traced(node.right)
    both = Scope((*left.columns, *right.columns))
    kept = left.columns if node.kind in _ONE_SIDE else (*_merged(node, left, right), *both.columns)
    conditions = (node.on, node.left_only_if, node.right_only_if)
    terms = [trace_of(each, both) for each in conditions if each is not None]
    keys = [trace for side in (left, right) for trace in by_names(node.using, side)]
    return Traced(kept, left.rows | right.rows).deciding(How.JOIN, *terms, *keys)


def _merged(node: Join, left: Traced, right: Traced) -> Iterable[TracedColumn]:
    """The columns of USING, which are there once, from the side whose rows are all kept."""
    sides = {"full": (left, right), "right": (right,)}.get(node.kind, (left,))
    for name in node.using:
        yield TracedColumn(name, together(t for side in sides for t in by_names([name], side)))


def _paired(node: Paired) -> Traced:
    left, right = traced(node.left), traced(node.right)
    keys = [
        trace_of_sql(sql, side.scope())
        for pair in node.keys
        for sql, side in zip(pair, (left, right), strict=True)
    ]
    kept = left.columns if node.kind in _ONE_SIDE else (*left.columns, *right.columns)
    return Traced(kept, left.rows | right.rows).deciding(How.JOIN, *keys)


def _union(sides: list[Traced]) -> Traced:
    columns = tuple(
        TracedColumn(same[0].name, together(each.trace for each in same), type=same[0].type)
        for same in zip(*(side.columns for side in sides), strict=False)
    )
    return Traced(columns, NONE.union(*(side.rows for side in sides)))


_OF_FIRST = {
    Rule.INTERSECT: How.FILTER,
    Rule.INTERSECT_ALL: How.FILTER,
    Rule.EXCEPT: How.FILTER,
    Rule.EXCEPT_ALL: How.FILTER,
    Rule.MATCHED: How.JOIN,
    Rule.UNMATCHED: How.JOIN,
}
"""Rules by which rows are those of the first input, and how all columns take part."""


def _counted(node: Counted) -> Traced:
    sides = [traced(each) for each in node.inputs]
    all_of_them = [each.trace for side in sides for each in side.columns]
    if node.rule not in _OF_FIRST:
        return _union(sides).deciding(How.GROUP_BY, *all_of_them)
    rows = NONE.union(*(side.rows for side in sides))
    return Traced(sides[0].columns, rows).deciding(_OF_FIRST[node.rule], *all_of_them)


def _windows(node: Windows) -> Traced:
    below = traced(node.input)
    scope = below.scope()
    time = trace_of_sql(node.time, scope).used(How.TRANSFORMATION)
    if node.kind == "session":
        # A row belongs to the session that others of its key have made.
        keys = together(trace_of(each, scope) for each in node.keys).used(How.WINDOW)
        gap = [trace_of(node.gap, scope).used(How.WINDOW)] if node.gap else []
        time = together([time.used(How.AGGREGATION), keys, *gap])
    bounds = (TracedColumn(name, Trace(time.origins)) for name in ("window_start", "window_end"))
    return replace(below, columns=(*below.columns, *bounds))


def _groups(node: Aggregate) -> Traced:
    below = traced(node.input)
    if by_names([COPIES_OF], below) and isinstance(node.input, UnionAll):
        below = _of_first(node.input, below)
    scope = below.scope(node.alias)
    grouped = replace(scope, keys=texts_of_keys(node.group))
    having = [] if node.having is None else [trace_of(node.having, grouped)]
    return (
        Traced(_items(node.items, grouped), below.rows)
        .deciding(How.GROUP_BY, *(trace_of(each, scope) for each in node.group))
        .deciding(How.FILTER, *having)
    )


COPIES_OF = "__side"
"""Of rows of INTERSECT and EXCEPT in final groups: which input a row is of; see bind/sets/."""


def _of_first(union: UnionAll, below: Traced) -> Traced:
    """The rows of both inputs of a set operation: those of the first are the result."""
    first = traced(union.inputs[0])
    return replace(below, columns=first.columns).deciding(
        How.FILTER, *(each.trace for each in below.columns)
    )


def _totals(node: Totals) -> Traced:
    below = traced(node.input)
    keys = tuple(each for name in node.keys for each in below.columns if each.name == name)
    calls = tuple(TracedColumn(each.name, _call(each, below)) for each in node.calls)
    found = Traced((*keys, *calls), below.rows)
    return found.deciding(How.GROUP_BY, *(each.trace for each in keys))


def _call(call: Call, below: Traced) -> Trace:
    arguments = together(by_names(call.arguments, below)).used(How.AGGREGATION)
    where = [] if call.where is None else by_names([call.where], below)
    return Trace(arguments.origins | taken(all_origins(where), How.CONDITIONAL), arguments.fields)


def _over(node: Over | OverChanges) -> Traced:
    below = traced(node.input)
    union = node.input.input if isinstance(node.input, Named) else node.input
    if by_names([ASOF_ROW], below) and isinstance(union, UnionAll):
        return as_of(node, *map(traced, union.inputs))
    return with_functions(node, below)
