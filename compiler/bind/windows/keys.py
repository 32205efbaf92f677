"""window() and session_window() as keys of GROUP BY, which are TUMBLE, HOP and SESSION in FROM.

Before   SELECT window.end, count(*) FROM orders GROUP BY window(ts, '10 minutes')
After    SELECT window_end, count(*) FROM TUMBLE(orders, ts, INTERVAL 10 MINUTES) GROUP BY
           window_start, window_end
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from compiler.bind.joins.pairs import flattened, mentioned_in
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import Held, Relation, Scope, streams_of, watermarks_of
from compiler.bind.windows.refusals import KEY_FUNCTIONS, refuse_lone_windows
from compiler.bind.windows.windows import BOUNDS, END, START, bind_windows, with_session
from compiler.diagnostics.problems import Problems
from compiler.plan.closings.closing import Closing, struct_of
from compiler.plan.nodes import Plan
from compiler.sql.exprs import Expr
from compiler.sql.structs import window_type
from compiler.sql.texts import text_of
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of
from compiler.syntax.nodes import (
    HopRelation,
    SessionRelation,
)

WHOLE = Expr(
    sql="named_struct('start', window_start, 'end', window_end)",
    type=window_type(SqlType(Kind.TIMESTAMP, "TIMESTAMP")),
    reads=BOUNDS,
)


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
        Expr(sql=", ".join(BOUNDS), reads=BOUNDS, span=span_of(call)),
        replace(closing, value=closing.value.replace("{}", end.name)) if closing else None,
        struct_of(start.closing, closing) if closing else None,
        end.held,
    )
    return bound.plan, binder, {text_of(call): key}


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


def _bind_over_joined(
    relation: exp.Expression, plan: Plan, scope: Scope, around: exp.Expression
) -> Relation:
    """Windows of joined rows, which become a relation of the scope beside those that are joined."""
    names = mentioned_in(around)
    rows, parts = flattened(plan, scope.relations, names, set(BOUNDS), closes=True)
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
    columns = (with_session(each, "session") for each in relation.columns)
    return replace(relation, columns=tuple(columns))


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
