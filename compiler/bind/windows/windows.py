"""TUMBLE, HOP, CUMULATE and SESSION in FROM; window() and session_window() in GROUP BY."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from sqlglot import exp

from compiler.bind.closings.expressions import closing_of
from compiler.bind.closings.held import held_bounds, held_of
from compiler.bind.closings.refusals import no_watermark, refuse_join
from compiler.bind.joins.pairs import flattened, mentioned_in
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import Held, OutColumn, Relation, Scope, streams_of, watermarks_of
from compiler.bind.names.shapes import own_parts
from compiler.bind.relations.arrivals import with_arrivals
from compiler.bind.relations.watermarks import arrival_of
from compiler.bind.sources.declare import as_timestamp
from compiler.diagnostics.problems import Problems
from compiler.plan.closings.closing import Closing, grids_of, struct_of, until, window_time
from compiler.plan.nodes import Plan, Windows
from compiler.sql.exprs import Expr, renamed
from compiler.sql.lengths import interval_sql, length_of
from compiler.sql.names import parts_of, qualified, quoted_name
from compiler.sql.structs import field_type, is_window, time_in, window_type
from compiler.sql.texts import text_of
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of
from compiler.syntax.nodes import (
    CumulateRelation,
    HopRelation,
    ProcTime,
    SessionRelation,
    TumbleRelation,
)

WINDOW_RELATIONS = (TumbleRelation, HopRelation, CumulateRelation, SessionRelation)

_KINDS: dict[type[exp.Expression], tuple[str, tuple[str, ...]]] = {
    TumbleRelation: ("tumble", ("size", "offset")),
    HopRelation: ("hop", ("slide", "size", "offset")),
    CumulateRelation: ("cumulate", ("step", "size")),
    SessionRelation: ("session", ("gap",)),
}
_TIMES = frozenset({Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ, Kind.DATE, Kind.NUMBER, Kind.UNKNOWN})
_TOO_NARROW = frozenset({"INT", "INTEGER", "SMALLINT", "SHORT", "TINYINT", "BYTE"})
"""Whole numbers too small for epoch milliseconds."""


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
    column = arrival_of(inner) if is_arrival else column
    lengths = {name: _length(node, name, problems) for name in names if node.args.get(name)}
    _check_time(node, column, inner, problems)
    _check_lengths(node, kind, lengths, problems)
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
        ),
        columns=(*(_with_session(each, kind) for each in kept), *bounds),
        has_proc_time=inner.has_proc_time and kind != "session",
        alias=node.alias or inner.alias,
        span=span_of(node),
    )


def _lateness(column: OutColumn) -> timedelta:
    """How much later than their time rows may come."""
    closing = column.closing or Closing()
    return max(closing.reach + closing.later, timedelta(0))


def _with_session(column: OutColumn, kind: str) -> OutColumn:
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


def _check_time(
    node: exp.Expression, column: OutColumn, inner: Relation, problems: Problems
) -> None:
    place = span_of(node.args["column"])
    is_narrow = column.type.kind is Kind.NUMBER and column.type.ddl.upper() in _TOO_NARROW
    if column.type.kind not in _TIMES or is_narrow:
        name = quoted_name(column.name)
        numbers = f"; seconds become one by `timestamp_seconds({name})` in a subquery"
        problems.add(
            "TVF206",
            f"windows need a time column; `{column.name}` is {column.type.ddl}",
            place,
            "not a time",
            advice="name a TIMESTAMP, a DATE, or a BIGINT column of epoch milliseconds"
            + (numbers if is_narrow else ""),
        )
    closing = column.closing
    is_timed = closing is not None and not closing.has_calendar
    if not isinstance(node, SessionRelation) or is_timed or inner.is_open:
        return
    if problems.has_names_at_fault:
        return
    if not inner.watermarks:
        no_watermark(inner, problems, "SESSION", place)
        return
    if refuse_join(inner.plan, place, problems):
        return
    timed = (each for each in inner.columns if each.closing and not each.closing.has_calendar)
    marked = next((each.name for each in timed), None)
    problems.add(
        "TVF302",
        f"SESSION needs the column with the watermark; `{column.name}` "
        + ("is no fixed time before it" if closing else "has none"),
        place,
        "no watermark closes its sessions",
        advice=(f"write `{quoted_name(marked)}` in its place, or " if marked else "")
        + f"declare the watermark for it: `WATERMARK FOR {quoted_name(column.name)} AS …`",
    )


def _length(window: exp.Expression, name: str, problems: Problems) -> timedelta:
    node = window.args[name]
    found = length_of(node)
    if found is not None and (found > timedelta(0) or name == "offset"):
        return found
    size = window.args.get("size")
    if size is not None and span_of(size) == span_of(node):
        name = "size"  # Spark's window() without a slide has one length for both.
    if not problems.has("TVF206", within=span_of(node)):
        problems.add(
            "TVF206",
            f"the {name} of a window is a fixed length of time above zero",
            span_of(node),
            "not a length",
            notes=["months and years have no fixed length"] if found is None else [],
            advice="write it as an interval, such as INTERVAL 10 SECONDS",
        )
    return timedelta(seconds=1)


def _check_lengths(
    node: exp.Expression, kind: str, lengths: dict[str, timedelta], problems: Problems
) -> None:
    smaller = {"hop": "slide", "cumulate": "step"}.get(kind)
    if smaller and lengths[smaller] > lengths["size"]:
        problems.add(
            "TVF206",
            f"the {smaller} of a window is longer than its size",
            span_of(node.args[smaller]),
            f"longer than {interval_sql(lengths['size'])}",
            notes=[f"{kind.upper()}(relation, column, {smaller}, size)"],
            advice="exchange the two if they are in the wrong order",
        )


def _without_bounds(
    inner: Relation, node: exp.Expression, problems: Problems
) -> tuple[OutColumn, ...]:
    for name in _BOUNDS:
        if inner.column(name) is not None:
            problems.add(
                "TVF204",
                f"the rows have a column `{name}` already",
                span_of(node),
                f"would add another `{name}`",
                advice=f"give the first one another name in a subquery: `{name} AS …`",
            )
    return tuple(each for each in inner.columns if each.name.lower() not in _BOUNDS)


KEY_FUNCTIONS = frozenset({"window", "session_window"})


@dataclass(frozen=True)
class WindowKey:
    """window() or session_window() of GROUP BY: its bounds as columns."""

    bounds: Expr
    closing: Closing | None
    struct: Closing | None
    held: Held | None


def window_keys(
    keys: list[exp.Expression], plan: Plan, scope: Scope, problems: Problems
) -> tuple[Plan, ExpressionBinder, dict[str, WindowKey]]:
    """Rows with the windows that keys of GROUP BY ask for, and what stands for those keys."""
    binder = ExpressionBinder(scope, problems)
    calls = [each for each in keys if _is_window(each)]
    if keys and keys[0].parent_select is not None:
        refuse_lone_windows(keys[0].parent_select, calls, problems, grouped=True)
    if not calls or not scope.relations:
        return plan, binder, {}
    call = calls[0]
    for each in calls[1:]:
        if text_of(each) != text_of(call):
            _one_window(each, problems)
    others = [each for each in keys if each is not call]
    relation = _as_relation(call, others, problems)
    if relation is None:
        return plan, binder, {}
    around = call.parent_select or exp.Select()
    if len(scope.relations) == 1:
        inner = replace(scope.relations[0], plan=plan)
        bound = bind_windows(relation, inner, problems)
        scope.relations[0] = replace(bound, alias=inner.alias)
    else:
        bound = _bind_over_joined(relation, plan, scope, around)
    name = call.name.lower()
    for each in around.find_all(exp.Anonymous, exp.Column, exp.Dot):
        instead = _instead(each, call, name)
        if instead is not None:
            binder.stands_for[span_of(each)] = instead
    start, end = bound.columns[-2:]
    if end.closing is None and end.held is None:
        return bound.plan, binder, {}
    closing = end.closing
    key = WindowKey(
        Expr(sql=", ".join(_BOUNDS), reads=_BOUNDS, span=span_of(call)),
        replace(closing, value=closing.value.replace("{}", end.name)) if closing else None,
        struct_of(start.closing, closing) if closing else None,
        end.held,
    )
    return bound.plan, binder, {text_of(call): key}


def refuse_lone_windows(
    node: exp.Select, keys: Sequence[exp.Expression], problems: Problems, *, grouped: bool
) -> None:
    """Calls that are no key of GROUP BY where Spark makes something else of them.

    Of session_window() it makes a session of each row. One of window() with a slide multiplies the
    rows each time that it is computed: in a SELECT list that is once, in a condition or beside
    a group it is again.

    Args:
        node: the SELECT.
        keys: its keys that are calls as a whole.
        problems: takes the faults.
        grouped: whether it has groups.
    """
    known = {text_of(each) for each in keys}
    for call in own_parts(node, exp.Anonymous):
        name = call.name.lower()
        if name not in KEY_FUNCTIONS or text_of(call) in known:
            continue
        if name == "window" and len(call.expressions) < _WITH_SLIDE:
            continue
        if name == "window" and not grouped and _is_item(call):
            continue
        what, advice = _ONLY_AS_KEYS[name]
        problems.add("TVF501", what, span_of(call), "is no key as a whole", advice=advice)


_ONLY_AS_KEYS = {
    "session_window": (
        "session_window() makes sessions as a key of GROUP BY alone",
        "write `SELECT session_window.start, … GROUP BY session_window(ts, '5 minutes')`",
    ),
    "window": (
        "window() with a slide is a key of GROUP BY as a whole, or selected",
        "write `SELECT window.end, … GROUP BY window(ts, '10 minutes', '5 minutes')`; or select it "
        "in a subquery, and use it in the query around that",
    ),
}

_WITH_SLIDE = 3
"""The arguments of window() that slides: a time, a size, and from one start to the next."""


def _is_item(call: exp.Expression) -> bool:
    """Whether a call is computed in a SELECT list, and in no window function there."""
    around = call.find_ancestor(exp.Window, exp.Where, exp.Qualify, exp.Join, exp.Select)
    return isinstance(around, exp.Select)


def _bind_over_joined(
    relation: exp.Expression, plan: Plan, scope: Scope, around: exp.Expression
) -> Relation:
    """Windows of joined rows, which become a relation of the scope beside those that are joined."""
    names = mentioned_in(around)
    rows, parts = flattened(plan, scope.relations, names, set(_BOUNDS), closes=True)
    columns = tuple(column for each in parts for column in each.columns)
    inner = Relation(
        plan=rows,
        columns=columns,
        streams=streams_of(parts),
        watermarks=watermarks_of(parts),
        is_open=any(each.is_open for each in parts),
    )
    scope.relations[:] = parts
    bound = bind_windows(relation, inner, scope.problems, scope)
    if isinstance(relation, SessionRelation):
        parts = [_in_sessions(each) for each in parts]
    scope.relations[:] = [*parts, replace(bound, columns=bound.columns[-2:], is_open=False)]
    return bound


def _in_sessions(relation: Relation) -> Relation:
    columns = (_with_session(each, "session") for each in relation.columns)
    return replace(relation, columns=tuple(columns))


def _is_window(node: exp.Expression) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() in KEY_FUNCTIONS


def _instead(node: exp.Expr, call: exp.Expression, name: str) -> Expr | None:
    """What stands for a window in an expression: its struct, or one of its bounds."""
    if node == call:
        return WHOLE
    if isinstance(node, exp.Dot) and node.this == call:
        return _field_of(node.expression.name) or WHOLE
    if isinstance(node, exp.Column) and node.parts[0].name.lower() == name:
        return (_field_of(node.name) if len(node.parts) == 2 else None) or WHOLE
    return None


def _field_of(name: str) -> Expr | None:
    bound = {"start": START, "end": END}.get(name.lower())
    kind = SqlType(Kind.TIMESTAMP, "TIMESTAMP")
    return Expr(sql=bound, type=kind, reads=(bound,)) if bound else None


START, END = "window_start", "window_end"
_BOUNDS = (START, END)
WHOLE = Expr(
    sql="named_struct('start', window_start, 'end', window_end)",
    type=window_type(SqlType(Kind.TIMESTAMP, "TIMESTAMP")),
    reads=_BOUNDS,
)


def _as_relation(
    call: exp.Expression, others: list[exp.Expression], problems: Problems
) -> exp.Expression | None:
    """A call as the relation that has the same windows; None: it is at fault."""
    time, *lengths = call.expressions or [exp.Null()]
    limit = 1 if call.name.lower() == "session_window" else 3
    if not lengths or len(lengths) > limit or isinstance(time, exp.Literal):
        problems.add(
            "TVF206",
            f"{call.name}() takes a time and lengths of time",
            span_of(call),
            "not understood",
            advice=f"write {call.name}(ts, '10 seconds')",
        )
        return None
    if call.name.lower() == "session_window":
        keys = [each.copy() for each in others]
        return SessionRelation(column=time.copy(), keys=keys, gap=lengths[0].copy())
    size, slide = lengths[0], lengths[1] if len(lengths) > 1 else lengths[0]
    offset = lengths[2] if len(lengths) > 2 else None
    return HopRelation(
        column=time.copy(),
        slide=slide.copy(),
        size=size.copy(),
        offset=offset.copy() if offset else None,
    )


def _one_window(node: exp.Expression, problems: Problems) -> None:
    problems.add(
        "TVF501",
        "a second window in one GROUP BY is not supported yet",
        span_of(node),
        "windows of windows",
        advice="group by the first one in a subquery, and by the second one around it",
    )
