"""`WATERMARK(rel, column, strategy)` and Spark's `rel WATERMARK column DELAY OF interval`.

A source with a watermark is a scan of it, as if the source had declared it; any other relation
gets a node of its own. A watermark further below is replaced.

Before   WATERMARK(Project(Scan of a source WATERMARK FOR a), b, b)
After    Watermarked b (Project(Scan of the source without one))
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from sqlglot import exp

from compiler.bind.names.columns import reference
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import OutColumn, Relation, Scope
from compiler.bind.relations.arrivals import with_arrivals
from compiler.bind.sources.declare import as_timestamp, is_time_column, strategy_of
from compiler.diagnostics.problems import Problems
from compiler.plan.closings.closing import Closing
from compiler.plan.nodes import (
    Aggregate,
    Alias,
    Bad,
    Counted,
    Filter,
    Item,
    Join,
    Late,
    Named,
    Plan,
    Project,
    Scan,
    StaticQuery,
    TemporalFilter,
    UnionAll,
    Watermark,
    Watermarked,
    Windows,
    children,
    walk,
    with_children,
)
from compiler.source import Span
from compiler.sql.exprs import Binding, Expr, binding_of, flat_text
from compiler.sql.names import PROC_TIME_COLUMN, own_name, parts_of, quoted_name, refuse_ours, same
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of
from compiler.syntax.nodes import ProcTime, StreamRelation, WatermarkRelation

SILENCE = timedelta(seconds=1)
"""Once no row has come for so long, the wall clock closes windows of arrivals."""

TIMESTAMP = SqlType(Kind.TIMESTAMP, "TIMESTAMP")


def watermarked(relation: Relation, node: WatermarkRelation, problems: Problems) -> Relation:
    """A relation with a watermark of its own; faults are reported."""
    span = span_of(node)
    if not _may_have_one(relation, span, problems):
        return replace(relation, is_open=True)
    if node.expression.find(ProcTime):
        relation = with_arrivals(relation)
    column = _bound_column(relation, node, problems)
    strategy = strategy_of(node.expression, column.type, relation, problems)
    mark = Watermark(
        column=column.sql,
        time=as_timestamp(column.sql, column.type),
        strategy=strategy.sql,
        span=span,
    )
    return _marked(relation, mark, (*column.reads, *strategy.reads), problems)


def arriving(relation: Relation, column: exp.Expression, problems: Problems) -> Relation:
    """A relation with a watermark on the arrival of its rows, which the wall clock moves as well.

    It is that of its sources, whatever the relation makes of their rows. Where it cannot have one,
    that is reported.
    """
    span = span_of(column)
    if not _may_have_one(relation, span, problems):
        return replace(relation, is_open=True)
    mark = Watermark(
        column=PROC_TIME_COLUMN,
        time=PROC_TIME_COLUMN,
        strategy=PROC_TIME_COLUMN,
        idle_after=SILENCE,
        span=span,
    )
    timed = with_arrivals(relation)
    plan = _on_sources(without_watermarks(timed.plan), mark)
    columns = tuple(replace(each, closing=None) for each in relation.columns)
    return replace(timed, plan=plan, columns=columns, watermarks=relation.streams)


def _on_sources(node: Plan, mark: Watermark) -> Plan:
    if isinstance(node, Scan):
        is_static = node.source.static
        return node if is_static else replace(node, source=replace(node.source, watermark=mark))
    return with_children(node, lambda each: _on_sources(each, mark))


def arrival_of(plan: Plan) -> OutColumn:
    """The time at which rows arrive as a column, of which a watermark may be."""
    column = OutColumn(name=PROC_TIME_COLUMN, type=TIMESTAMP, sql=PROC_TIME_COLUMN)
    marks = (_mark_of(node) for _, node in _reads(plan))
    found = (closing_by(column, mark) for mark in marks if mark is not None)
    return replace(column, closing=next(found, None))


def delayed(relation: Relation, node: StreamRelation, problems: Problems) -> Relation:
    """A relation with Spark's watermark: so far behind a column, or behind an expression AS one."""
    span = span_of(node)
    if not _may_have_one(relation, span, problems):
        return replace(relation, is_open=True)
    expr = _binder(relation, problems).bind(node.args["watermark"])
    name = node.args.get("watermark_alias")
    if name is not None:
        refuse_ours(name.name, span_of(name), problems)
        own = OutColumn(name=name.name, type=expr.type)
        items = tuple(Item(expr=reference(None, each), name=each.name) for each in relation.columns)
        plan = Project(
            input=_aliased(relation, expr.reads), items=(*items, Item(expr=expr, name=name.name))
        )
        relation = replace(
            relation, plan=plan, columns=(*relation.columns, own), has_proc_time=False
        )
        expr = reference(None, own)
    elif not expr.reads or expr.sql != expr.reads[0]:
        problems.add(
            "TVF324",
            "a watermark on an expression needs a name for it",
            span_of(node.args["watermark"]),
            "not a column",
            advice=f"write `WATERMARK {expr.sql} AS event_time DELAY OF …`",
        )
        return replace(relation, is_open=True)
    _check_type(expr, span_of(node.args["watermark"]), problems)
    time = as_timestamp(expr.sql, expr.type)
    delay = flat_text(problems.source, span_of(node.args["delay"]))
    if binding_of(node.args["delay"]) is not Binding.ATOM:
        delay = f"({delay})"
    mark = Watermark(column=expr.sql, time=time, strategy=f"{time} - {delay}", span=span)
    return _marked(relation, mark, expr.reads, problems)


def refuse_two_watermarks(plan: Plan, problems: Problems) -> None:
    """A source may be read under one watermark in a query."""
    found: dict[str, Plan] = {}
    for source, node in _reads(plan):
        known = found.setdefault(source, node)
        if known == node:
            continue
        marks = [mark for mark in map(_mark_of, (node, known)) if mark is not None]
        problems.add(
            "TVF325",
            f"source `{source}` has two watermarks in one query"
            if len(marks) > 1
            else f"source `{source}` is read with a watermark and without one in one query",
            marks[0].span,
            "one of them" if len(marks) > 1 else "the watermark",
            more=[(each.span, "another one") for each in marks[1:]],
            notes=["which of its rows are late must not depend on where they are read"],
            advice="give it one watermark in a view, and read the view in both places",
        )


def without_watermarks(node: Plan) -> Plan:
    """The same rows with nothing refused."""
    match node:
        case Scan(source=source):
            return replace(node, source=replace(source, watermark=None))
        case Watermarked(input=inner):
            return without_watermarks(inner)
        case Join(left=left, right=right):
            left, right = without_watermarks(left), without_watermarks(right)
            return replace(node, left=left, right=right, left_until=(), right_until=())
        case UnionAll(inputs=inputs):
            return UnionAll(inputs=tuple(without_watermarks(each) for each in inputs))
        case Named() | Alias() | Filter() | Project() | Windows() | Counted():
            return with_children(node, without_watermarks)
        case _:
            return node


def _may_have_one(relation: Relation, span: Span, problems: Problems) -> bool:
    if relation.is_open:
        return False
    if relation.is_static or isinstance(relation.plan, StaticQuery):
        problems.add(
            "TVF303",
            "a table has no watermark",
            span,
            "tables do not move in time",
            advice="read a source here, declared with CREATE SOURCE",
        )
        return False
    if relation.changes is not None:
        problems.add(
            "TVF323",
            "a watermark over rows that come and go",
            span,
            "follows them",
            more=[(relation.changes, "takes rows back")],
            notes=["what takes a row back would be late, and the row would stay"],
            advice="give the source a watermark, and group its rows above that",
        )
        return False
    if any(
        isinstance(each, TemporalFilter | Late | Bad | Aggregate) for each in walk(relation.plan)
    ):
        problems.add(
            "TVF323",
            "a watermark over rows that a watermark holds or refuses",
            span,
            "its rows come when the clock says so",
            notes=["a query has one clock; these rows would move it and wait for it"],
            advice="give the source a watermark, and filter by WATERMARK_TS() above it",
        )
        return False
    return True


def _bound_column(relation: Relation, node: WatermarkRelation, problems: Problems) -> Expr:
    column = _binder(relation, problems).bind(node.args["column"])
    _check_type(column, span_of(node.args["column"]), problems)
    return column


def _check_type(column: Expr, span: Span, problems: Problems) -> None:
    if column.type.kind is not Kind.UNKNOWN:
        is_time_column(column.sql, column.type, span, problems)


def _binder(relation: Relation, problems: Problems) -> ExpressionBinder:
    return ExpressionBinder(Scope(problems, [relation]), problems)


def _marked(
    relation: Relation, mark: Watermark, reads: tuple[str, ...], problems: Problems
) -> Relation:
    _warn_of_replaced(relation.plan, mark, problems)
    mark = replace(mark, column=quoted_name(own_name(mark.column)))
    plan = without_watermarks(_aliased(relation, reads))
    if isinstance(plan, Scan):
        plan = replace(plan, source=replace(plan.source, watermark=mark))
    else:
        timed = [each for each in relation.columns if quoted_name(each.name) == mark.column]
        plan = Watermarked(
            input=plan,
            source=_counted_as(relation),
            watermark=mark,
            epoch_ms=next((each.name for each in timed if each.type.kind is Kind.NUMBER), None),
        )
    columns = tuple(replace(each, closing=closing_by(each, mark)) for each in relation.columns)
    return replace(relation, plan=plan, columns=columns, watermarks=relation.streams)


def _warn_of_replaced(plan: Plan, mark: Watermark, problems: Problems) -> None:
    """The clauses of a watermark further below that have no say any more."""
    for source, node in _reads(plan):
        below = _mark_of(node)
        if below is None or below.column == PROC_TIME_COLUMN:
            continue
        clauses = {"IDLE AFTER": below.idle_after, "PER": below.per}
        lost = " and ".join(name for name, value in clauses.items() if value is not None)
        if lost:
            problems.add(
                "TVFW306",
                f"this watermark replaces that of source `{source}`, which has {lost}",
                mark.span,
                "replaces it",
                more=[(below.span, "without effect")],
                advice="write that watermark in CREATE SOURCE with its clauses, and read the "
                "source or a view of it here",
            )


def closing_by(column: OutColumn, mark: Watermark) -> Closing | None:
    """When a watermark closes a value of a column; None: it is not that of the watermark."""
    if not same(quoted_name(column.name), mark.column):
        return None
    value = as_timestamp("{}", column.type)
    return Closing(value=value, after=True, event=mark.column, is_event=True)


def _aliased(relation: Relation, reads: tuple[str, ...]) -> Plan:
    """The rows under their alias if a column is qualified by it."""
    alias = relation.alias
    if alias is None:
        return relation.plan
    qualifiers = {parts[0].lower() for parts in map(parts_of, reads) if len(parts) > 1}
    is_qualified = alias.lower() in qualifiers and relation.column(alias) is None
    return Alias(name=alias, input=relation.plan) if is_qualified else relation.plan


def _counted_as(relation: Relation) -> str:
    """Late rows are counted under the source; of several, under the relation's own name."""
    if len(relation.streams) == 1:
        return next(iter(relation.streams))
    return relation.alias or "_".join(sorted(relation.streams))


def _mark_of(node: Plan) -> Watermark | None:
    match node:
        case Scan(source=source):
            return source.watermark
        case Watermarked(watermark=mark):
            return mark
        case _:
            return None


def _reads(node: Plan) -> Iterator[tuple[str, Plan]]:
    """The sources that a plan reads, each with the node that says by which watermark."""
    if isinstance(node, Scan) and not node.source.static:
        yield node.source.name, node
    elif isinstance(node, Bad):
        return
    elif isinstance(node, Watermarked):
        yield from ((source, node) for source, _ in _reads(node.input))
    else:
        for child in children(node):
            yield from _reads(child)
