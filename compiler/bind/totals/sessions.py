"""Sessions of which a few numbers are kept, and not their rows: what these are.

Before   SELECT k, window_end, sum(v) / 2 AS half FROM SESSION(…) GROUP BY k, window_end
           HAVING count(*) > 1
After    sum_1 = sum(v), count_2 = count(*) of each session, and of these
           k, window_end, sum_1 / 2 AS half where count_2 > 1
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlglot import exp

from compiler.bind.groups.above import key_column, stand_for
from compiler.bind.groups.aggregates import own_aggregates, whole_of
from compiler.bind.groups.columns import Columns
from compiler.bind.groups.parts import KNOWN_FROM_PARTS, Key
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.select.items import bind_items, stand_for_items
from compiler.bind.totals.calls import bound_call, type_of
from compiler.bind.windows.windows import BOUNDS
from compiler.diagnostics.problems import Problems
from compiler.plan.facts.sessions import is_bound
from compiler.plan.nodes import Call, SessionTotals, Windows
from compiler.sql.exprs import Expr
from compiler.sql.names import own_name, parts_of, quoted_name
from compiler.syntax import span_of


def session_totals(
    node: exp.Select, keys: Sequence[Key], sessions: Windows, binder: ExpressionBinder
) -> SessionTotals | None:
    """What is kept of sessions; None: all of their rows, or what Spark makes of them.

    Args:
        node: the SELECT, of one relation.
        keys: those of GROUP BY, as they are written and as they are bound.
        sessions: what the groups are.
        binder: that of the SELECT; has what stands for session_window().
    """
    # What is no fault of the query may be one of its totals: then there are none.
    problems = Problems(binder.problems.source)
    scope = replace(binder.scope, problems=problems, items={})
    below, above = ExpressionBinder(scope, problems), ExpressionBinder(scope, problems)
    above.stands_for.update(binder.stands_for)
    above.is_of_groups = True
    columns = Columns()
    bounds = [columns.fresh(each) for each in BOUNDS]
    names = [_key(each, node, columns, above) for each in keys]
    calls = _calls(node, below, above, columns, problems)
    if calls is None:
        return None
    items = tuple(item for item, _ in bind_items(node, above))
    having = _having(node, above)
    time = _of_row(columns, sessions.time, "time")
    gap = None if sessions.gap is None else columns.name_of(sessions.gap, "gap")
    own = tuple(dict.fromkeys(name for name in names if name is not None))
    known = {quoted_name(each) for each in (*own, *bounds, *(each.name for each in calls))}
    terms = [*(item.expr for item in items), *having]
    if problems.errors or not known.issuperset(_reads(terms)):
        return None
    return SessionTotals(
        rows=tuple(columns.items),
        time=time,
        keys=own,
        calls=calls,
        items=items,
        having=having,
        gap=gap,
    )


def _reads(terms: Iterable[Expr]) -> set[str]:
    return {name for term in terms for name in term.reads}


def _of_row(columns: Columns, sql: str, otherwise: str) -> str:
    """The name of a column that is given as SQL; a number that is no time is none."""
    if sql.startswith("timestamp_millis("):
        sql = f"try_add({sql}, INTERVAL 0 SECONDS)"
    return columns.name_of(Expr(sql=sql, reads=(sql,) if parts_of(sql) else ()), otherwise)


def _key(key: Key, node: exp.Select, columns: Columns, above: ExpressionBinder) -> str | None:
    """The column of a key; a bound of the session is none of the rows."""
    place, expr = key
    if expr.reads and all(is_bound(each) for each in expr.reads):
        if len(expr.reads) == 1:
            stand_for(place, node, key_column(own_name(expr.sql).lower(), expr.type), above)
        return None
    name = columns.name_of(expr, "key")
    stand_for(place, node, key_column(name, expr.type), above)
    return name


def _calls(
    node: exp.Select,
    below: ExpressionBinder,
    above: ExpressionBinder,
    columns: Columns,
    problems: Problems,
) -> tuple[Call, ...] | None:
    """The aggregates, each once; None: one of them is not kept as a number."""
    calls: dict[Call, Call] = {}
    for each in own_aggregates(node):
        call, temporal = bound_call(each, len(calls) + 1, below, columns, problems)
        is_kept = call.function in KNOWN_FROM_PARTS and not call.distinct and temporal is None
        if not is_kept or problems.errors:
            return None
        form = replace(call, name="")
        if form not in calls:
            calls[form] = replace(call, name=columns.fresh(call.name))
        column = key_column(calls[form].name, type_of(each, below))
        above.stands_for[span_of(whole_of(each))] = column
    return tuple(calls.values())


def _having(node: exp.Select, above: ExpressionBinder) -> tuple[Expr, ...]:
    having = node.args.get("having")
    if having is None:
        return ()
    stand_for_items(node, having.this, above, unless=above.has_stand_in)
    return (above.bind(having.this),)
