"""TUMBLE, HOP, CUMULATE and SESSION in FROM; window() and session_window() in GROUP BY."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from sqlglot import exp

from compiler.bind.closings.expressions import closing_of
from compiler.bind.closings.held import held_bounds, held_of
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import OutColumn, Relation, Scope
from compiler.bind.relations.arrivals import with_arrivals
from compiler.bind.relations.watermarks import arrival_of
from compiler.bind.sources.declare import as_timestamp
from compiler.bind.windows.refusals import (
    check_lengths,
    check_time,
    checked_length,
    refuse_gap,
)
from compiler.diagnostics.problems import Problems
from compiler.plan.closings.closing import Closing, grids_of, until, window_time
from compiler.plan.nodes import Windows
from compiler.sql.exprs import Expr, renamed
from compiler.sql.names import parts_of, qualified, quoted_name
from compiler.sql.structs import field_type, is_window, time_in
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of
from compiler.syntax.nodes import (
    CumulateRelation,
    HopRelation,
    ProcTime,
    SessionRelation,
    TumbleRelation,
)

START, END = "window_start", "window_end"
BOUNDS = (START, END)

WINDOW_RELATIONS = (TumbleRelation, HopRelation, CumulateRelation, SessionRelation)

_KINDS: dict[type[exp.Expression], tuple[str, tuple[str, ...]]] = {
    TumbleRelation: ("tumble", ("size", "offset")),
    HopRelation: ("hop", ("slide", "size", "offset")),
    CumulateRelation: ("cumulate", ("step", "size")),
    SessionRelation: ("session", ("gap",)),
}


def bind_windows(
    node: exp.Expression,
    inner: Relation,
    problems: Problems,
    scope: Scope | None = None,
) -> Relation:
    """Rows of a relation with the windows that hold them.

    Args:
        node: TUMBLE or one of its kin.
        inner: the relation.
        problems: takes the faults.
        scope: has the relations that are joined in it; None: it is one.
    """
    kind, names = _KINDS[type(node)]
    is_arrival = isinstance(node.args["column"], ProcTime)
    inner = with_arrivals(inner) if is_arrival else inner
    binder = ExpressionBinder(scope or Scope(problems, [inner]), problems)
    column = _time_of(node.args["column"], binder)
    column = arrival_of(inner.plan) if is_arrival else column
    gap = _gap_of_rows(node, binder)
    names = names if gap is None else ()
    lengths = {name: checked_length(node, name, problems) for name in names if node.args.get(name)}
    check_time(node, column, inner, problems)
    check_lengths(node, kind, lengths, problems)
    kept = _without_bounds(inner, node, problems)
    bounds = bounds_of(kind, column, lengths)
    if column.held is not None:
        below = replace(column, closing=column.held.closing)
        bounds = held_bounds(kind, column, lengths, bounds_of(kind, below, lengths))
    return replace(
        inner,
        plan=Windows(
            input=inner.plan,
            kind=kind,
            time=_time(column),
            sizes=tuple(
                (name, length) for name, length in lengths.items() if name != "offset" or length
            ),
            keys=tuple(binder.bind(each) for each in _keys(node)),
            without_zone=column.type.kind is Kind.TIMESTAMP_NTZ,
            later=_lateness(column) if kind == "session" else timedelta(0),
            gap=gap,
        ),
        columns=(*(with_session(each, kind) for each in kept), *bounds),
        has_proc_time=inner.has_proc_time and kind != "session",
        alias=node.alias or inner.alias,
        span=span_of(node),
    )


def _gap_of_rows(node: exp.Expression, binder: ExpressionBinder) -> Expr | None:
    """The gap of a session where it depends on the row: an interval, or text that is one."""
    gap = node.args.get("gap")
    if gap is None or gap.find(exp.Column) is None:
        return None
    expr = binder.bind(gap)
    if expr.type.kind not in (Kind.INTERVAL, Kind.STRING, Kind.UNKNOWN):
        refuse_gap(gap, expr.type, binder.problems)
    return unqualified(expr, binder.scope.relations[0].alias)


def _lateness(column: OutColumn) -> timedelta:
    """How much later than their time rows may come."""
    closing = column.closing or Closing()
    return max(closing.reach + closing.later, timedelta(0))


def with_session(column: OutColumn, kind: str) -> OutColumn:
    """A column of rows that come when their sessions close, in no order of their own times."""
    return replace(column, closing=None) if kind == "session" else column


def bounds_of(
    kind: str, column: OutColumn, lengths: dict[str, timedelta]
) -> tuple[OutColumn, OutColumn]:
    """`window_start` and `window_end`, and when the clock closes them."""
    is_ntz = column.type.kind is Kind.TIMESTAMP_NTZ
    of_time = column.type if is_ntz else SqlType(Kind.TIMESTAMP, "TIMESTAMP")
    value = as_timestamp("{}", of_time)
    start = end = None
    if column.closing is not None and kind == "session":
        # The rows of a session come when it closes, whenever they have come in.
        end = Closing(value=value, later=_lateness(column))
    elif column.closing is not None:
        starts, ends = grids_of(kind, lengths)
        end = until(column.closing, ends, ends, timedelta(0), value)
        start = until(column.closing, ends, starts, lengths["size"], value)
    if start is not None and kind == "cumulate":
        # Windows of one start have several ends.
        start = replace(start, event=f"{start.event} in steps")
    return (
        OutColumn(name="window_start", type=of_time, closing=start),
        OutColumn(name="window_end", type=of_time, closing=end),
    )


def _keys(node: exp.Expression) -> list[exp.Expression]:
    keys = node.args.get("keys") or []
    keys = keys if isinstance(keys, list) else [keys]
    flat: list[exp.Expression] = []
    for key in keys:
        flat.extend(key.expressions if isinstance(key, exp.Tuple) else [key])
    return flat


def _time_of(node: exp.Expression, binder: ExpressionBinder) -> OutColumn:
    """The time by which rows are in windows: a column, or what is computed; of a window, its end.

    Spark takes the last microsecond of a window for its time.
    """
    if isinstance(node, exp.Column) and len(node.parts) == 1:
        column = binder.scope.resolve(node)
    else:
        expr = unqualified(binder.bind(node), binder.scope.relations[0].alias)
        column = OutColumn(
            name=expr.sql,
            type=expr.type,
            closing=closing_of(node, binder.scope),
            sql=expr.sql,
            held=held_of(node, expr, binder.scope),
        )
    if not is_window(column.type):
        return column
    closing = closing_of(node, binder.scope)
    return OutColumn(
        name=column.name,
        type=field_type(column.type, "end"),
        closing=window_time(closing) if closing else None,
        sql=time_in(column.sql or quoted_name(column.name)),
    )


def unqualified(expr: Expr, alias: str | None) -> Expr:
    """An expression over rows of one relation that have no alias yet."""
    parts = {name: parts_of(name) for name in expr.reads}
    names = {
        name: qualified(*of[1:])
        for name, of in parts.items()
        if len(of) > 1 and of[0].lower() == (alias or "").lower()
    }
    reads = tuple(names.get(name, name) for name in expr.reads)
    return replace(expr, sql=renamed(expr.sql, names), reads=reads)


def _time(column: OutColumn) -> str:
    name = column.sql or quoted_name(column.name)
    keeps_type = column.type.kind in (Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ)
    return name if keeps_type else as_timestamp(name, column.type)


def _without_bounds(
    inner: Relation, node: exp.Expression, problems: Problems
) -> tuple[OutColumn, ...]:
    for name in BOUNDS:
        if inner.column(name) is not None:
            problems.add(
                "TVF204",
                f"the rows have a column `{name}` already",
                span_of(node),
                f"would add another `{name}`",
                advice=f"give the first one another name in a subquery: `{name} AS …`",
            )
    return tuple(each for each in inner.columns if each.name.lower() not in BOUNDS)
