"""What the clock closes in the rows of a plan node, and in which order they come, from its inputs.

The binder knows the same of the relations that it binds; this follows from the plan alone, so that
each node can tell.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from sqlglot import exp

from compiler.bind.clock.conditions import conjuncts
from compiler.bind.closings.delays import held_by_clock
from compiler.bind.closings.expressions import closing_by_name, closing_of, is_of
from compiler.bind.closings.joins import BOUNDS, closings_of_join
from compiler.bind.filling.times import filled_columns
from compiler.bind.joins.terms import bounds_between
from compiler.bind.names.scope import OutColumn, Relation, Scope
from compiler.bind.relations import bad
from compiler.bind.relations.derived import columns_of_all
from compiler.bind.relations.watermarks import arrival_of, closing_by
from compiler.bind.sources.declare import scan
from compiler.bind.windows.keys import WHOLE
from compiler.bind.windows.windows import bounds_of
from compiler.diagnostics.problems import Problems
from compiler.memo import remembered
from compiler.plan.closings.closing import Closing, struct_of
from compiler.plan.conditions.predicates import ClockAtom, Op
from compiler.plan.facts.properties import is_of_streams
from compiler.plan.nodes import (
    Aggregate,
    Alias,
    Bad,
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
    Project,
    Scan,
    StaticQuery,
    TableRows,
    TemporalFilter,
    Top,
    Totals,
    UnionAll,
    Watermarked,
    Windows,
)
from compiler.source import SourceText
from compiler.sql.names import PROC_TIME_COLUMN, own_name
from compiler.sql.texts import parsed
from compiler.sqltypes import Kind, SqlType


@remembered
def columns_of(node: Plan) -> tuple[OutColumn, ...]:
    """The columns of a node that are known, with their closings."""
    return tuple(column for relation in relations_of(node) for column in relation.columns)


@remembered
def relations_of(node: Plan) -> list[Relation]:
    """The columns of a node by the names that qualify them."""
    match node:
        case Alias(name=name):
            return [replace(_relation(node.input), alias=name)]
        case Filter():
            return relations_of(node.input)
        case TemporalFilter(predicate=predicate):
            return held_by_clock(relations_of(node.input), predicate)
        case Join():
            return _joined(node)
        case _:
            return [Relation(plan=node, columns=_own_columns(node))]


def _relation(node: Plan) -> Relation:
    return Relation(plan=node, columns=columns_of(node))


def _own_columns(node: Plan) -> tuple[OutColumn, ...]:  # noqa: C901  a line for each kind
    match node:
        case Scan(source=source):
            return scan(source).columns
        case Changed() | TableRows():
            return columns_of(node.input)
        case Watermarked(watermark=mark):
            inner = columns_of(node.input)
            return tuple(replace(each, closing=closing_by(each, mark)) for each in inner)
        case Late():
            return tuple(replace(each, closing=None) for each in columns_of(node.input))
        case Bad():
            return bad.COLUMNS
        case Named():
            return columns_of(node.input)
        case Project(items=items):
            scope = _scope(relations_of(node.input))
            return tuple(_item(each, scope) for each in items)
        case UnionAll(inputs=inputs):
            return columns_of_all([_relation(each) for each in inputs]) if inputs else ()
        case Windows():
            return _windows(node)
        case Aggregate():
            return _groups(node)
        case Over():
            return _over(node)
        case Match(output=output, measures=measures):
            return tuple(OutColumn(name=e) for e in (*output, *(m.name for m in measures)))
        case Filled():
            return filled_columns(columns_of(node.input), node)
        case Totals() | Counted() | Paired() | Top() | OverChanges() | StaticQuery():
            return ()
        case Alias() | Filter() | TemporalFilter() | Join():
            return tuple(column for each in relations_of(node) for column in each.columns)
        case _:
            assert_never(node)


def _scope(relations: list[Relation]) -> Scope:
    return Scope(Problems(SourceText("", "")), list(relations))


def _item(item: Item, scope: Scope) -> OutColumn:
    sql = item.expr.sql
    name = item.name or own_name(sql)
    closing = _closing(sql, scope) if item.expr.reads else None
    if sql == WHOLE.sql:
        start, end = (closing_by_name(each, scope.relations) for each in WHOLE.reads)
        closing = struct_of(start, end) if end else None
    return OutColumn(name=name, type=item.expr.type, closing=closing)


def _closing(sql: str, scope: Scope) -> Closing | None:
    node = parsed(sql)
    return None if node is None else closing_of(node, scope)


def _joined(node: Join) -> list[Relation]:
    lefts, right = relations_of(node.left), relations_of(node.right)
    if not is_of_streams(node):
        return [*lefts, *right] if node.kind not in ("leftsemi", "leftanti") else lefts
    terms = _terms(node.on.sql) if node.on else []
    bounds = bounds_between(terms, lefts, right[0])
    found = closings_of_join(lefts, right[0], node.kind, bounds)
    return found[:-1] if node.kind in ("leftsemi", "leftanti") else found


def _terms(sql: str) -> list[exp.Expression]:
    """The terms of a conjunction."""
    node = parsed(sql)
    return [] if node is None else conjuncts(node)


def _windows(node: Windows) -> tuple[OutColumn, ...]:
    inner = columns_of(node.input)
    kind = Kind.TIMESTAMP_NTZ if node.without_zone else Kind.TIMESTAMP
    closing = _closing(node.time, _scope(relations_of(node.input)))
    if own_name(node.time) == PROC_TIME_COLUMN:
        closing = arrival_of(node.input).closing
    time = OutColumn(name=node.time, type=SqlType(kind, kind.name), closing=closing)
    if node.kind == "session":
        inner = tuple(replace(each, closing=None) for each in inner)
    return (*inner, *bounds_of(node.kind, time, dict(node.sizes)))


def _groups(node: Aggregate) -> tuple[OutColumn, ...]:
    scope = _scope(relations_of(node.input))
    closes = {each.sql: _closing(each.sql, scope) for each in node.group}
    last = min(
        ((closing.rank, sql) for sql, closing in closes.items() if closing is not None),
        default=(None, node.closes.sql),
    )[1]
    names = {last} | (BOUNDS if BOUNDS & set(node.closes.reads) else set())
    found = [_item(each, scope) for each in node.items]
    return tuple(
        column if is_of(item.expr, names) else replace(column, closing=None)
        for item, column in zip(node.items, found, strict=True)
    )


def _over(node: Over) -> tuple[OutColumn, ...]:
    inner = [_above(each, node) for each in columns_of(node.input)]
    return (*inner, *(OutColumn(name=each.name) for each in node.columns))


def _above(column: OutColumn, node: Over) -> OutColumn:
    closing = column.closing
    if closing is None or node.kept is None or column.name in node.kept:
        return column
    if node.later is None:
        return replace(column, closing=None)
    return replace(column, closing=replace(closing, later=closing.later + node.later))


@remembered
def order_of(node: Plan) -> str | None:
    """By what the rows of a node come in order, in SQL; None: in any order."""
    match node:
        case Aggregate(closes=closes) | Over(closes=closes):
            return closes.sql
        case Windows(kind="session"):
            return "window_end"
        case TemporalFilter(predicate=ClockAtom(op=Op.GE | Op.GT, bound=bound)):
            return bound.sql
        case Filter() | Project() | Named() | Alias() | Windows():
            return order_of(node.input)
        case _:
            return None


def closes_sql(column: OutColumn) -> str:
    """When the clock closes a value of a column, in SQL."""
    closing = column.closing or Closing()
    moment = closing.at(column.name)
    return f"after {moment}" if closing.after else moment
