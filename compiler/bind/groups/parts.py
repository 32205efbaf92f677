"""How a group of a window is put together from parts: which of the aggregates allow it.

Before   SELECT zone, window_end, avg(fare) + 1 AS f … GROUP BY zone, window_end
After    calls avg_1 = avg(fare) by zone; items zone, window_end, avg_1 + 1 AS f

What is said here of an aggregate holds of its parts: that of a window is known from those of the
pieces that the window is cut into.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlglot import exp

from compiler.bind.groups.above import key_column, stand_for
from compiler.bind.groups.aggregates import (
    arguments_of,
    behind,
    function_of,
    own_aggregates,
    whole_of,
)
from compiler.bind.groups.columns import Columns
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.select.items import bind_items, stand_for_items
from compiler.bind.windows.windows import BOUNDS, END, START
from compiler.plan.facts.panes import windows_below
from compiler.plan.facts.sessions import is_bound
from compiler.plan.nodes import Call, Parts, Plan
from compiler.sql.exprs import Expr
from compiler.sql.lengths import interval_apart, length_of
from compiler.sql.names import own_name, parts_of, quoted_name
from compiler.sql.texts import parsed
from compiler.sqltypes import SqlType
from compiler.syntax import span_of

Key = tuple[exp.Expression, Expr]
"""A key of GROUP BY: its node, and what it is bound to."""

WHOLE_NUMBERS = ("TINYINT", "BYTE", "SMALLINT", "SHORT", "INT", "INTEGER", "BIGINT", "LONG")
REALS = ("FLOAT", "REAL", "DOUBLE")
IN_ORDER = (*WHOLE_NUMBERS, *REALS, "STRING", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "BOOLEAN")
TOLD_APART = (*WHOLE_NUMBERS, "STRING", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "BOOLEAN", "BINARY")
"""Types of keys of which Arrow says as Spark does whether two values are the same."""

_TAKES: dict[str, tuple[str, ...] | None] = {
    "count": None,
    "count_if": ("BOOLEAN",),
    "bool_and": ("BOOLEAN",),
    "bool_or": ("BOOLEAN",),
    "sum": (*WHOLE_NUMBERS, *REALS),
    "avg": (*WHOLE_NUMBERS, *REALS),
    "min": IN_ORDER,
    "max": IN_ORDER,
}
"""Aggregates that are put together, and of what; None: of anything."""

KNOWN_FROM_PARTS = frozenset(_TAKES)
"""Aggregates of rows together that follow from those of their parts; the runtime has these."""

_DECIMAL = re.compile(r"\d\.|\.\d|\d+BD\b|\bDEC", re.IGNORECASE)


@dataclass(frozen=True)
class Whole:
    """Why groups are not put together from parts; None: it goes without saying."""

    why: str | None = None


def parts_of_groups(
    node: exp.Select, plan: Plan, keys: Sequence[Key], closes: Expr, binder: ExpressionBinder
) -> Parts | Whole:
    """The parts of the groups of a SELECT.

    Args:
        node: the SELECT, with one relation in FROM and one grouping.
        plan: its rows.
        keys: what it groups by.
        closes: when a group is closed.
        binder: has bound it.
    """
    windows = windows_below(plan)
    later = None if windows is None else _later(closes, dict(windows.sizes)["size"])
    bounds = {own_name(each).lower() for _, key in keys for each in _bounds_in(key.reads)}
    needed = bounds & ({END} if windows is None or windows.kind == "cumulate" else set(BOUNDS))
    plain = [key for key in keys if not key[1].reads or not _are_bounds(key[1].reads)]
    if windows is None or later is None or not needed or not _are_whole(keys):
        return Whole()
    if any(_bounds_in(key.reads) for _, key in plain):
        return Whole()
    columns = Columns()
    above = ExpressionBinder(binder.scope, binder.problems)
    above.stands_for.update(binder.stands_for)
    names = []
    for meant, key in plain:
        if not _is_one_of(key.type, TOLD_APART):
            return Whole(f"`{key.sql}` is no key that panes have")
        names.append(columns.name_of(key, "key"))
        stand_for(meant, node, key_column(names[-1], key.type), above)
    calls: dict[Call, str] = {}
    for each in own_aggregates(node):
        call = _call(each, binder, columns)
        if call is None:
            return Whole(f"{_shown(each, binder)} is not known from parts of a window")
        name = calls.setdefault(call, columns.fresh(f"{call.function}_{len(calls) + 1}"))
        above.stands_for[span_of(whole_of(each))] = key_column(name, binder.bind(each).type)
    found = [item for item, _ in bind_items(node, above)]
    having = node.args.get("having")
    if having is not None:
        stand_for_items(node, having.this, above, unless=above.has_stand_in)
    return Parts(
        time=_time_of(windows.time, columns),
        rows=tuple(columns.items),
        keys=tuple(dict.fromkeys(names)),
        calls=tuple(_named(call, name) for call, name in calls.items()),
        items=tuple(found),
        having=None if having is None else above.bind(having.this),
        later=later,
    )


def _named(call: Call, name: str) -> Call:
    return Call(name=name, function=call.function, arguments=call.arguments, where=call.where)


def _shown(node: exp.Expression, binder: ExpressionBinder) -> str:
    return binder.problems.source.slice(span_of(whole_of(node)))


_OF_NUMBER = re.compile(r"timestamp_millis\((.*)\)")


def _time_of(sql: str, columns: Columns) -> str:
    """The time of windows over `columns`; a number stays one, since it may be no time at all."""
    number = _OF_NUMBER.fullmatch(sql)
    if number is not None and parts_of(number[1]):
        name = columns.name_of(Expr(sql=number[1], reads=(number[1],)), "time")
        return f"timestamp_millis({quoted_name(name)})"
    is_column = bool(parts_of(sql))
    return quoted_name(columns.name_of(Expr(sql=sql, reads=(sql,) if is_column else ()), "time"))


def _later(closes: Expr, size: timedelta) -> timedelta | None:
    """By how much later than its end a window closes; None: it closes by something else."""
    sql, total = closes.sql, timedelta(0)
    while (apart := interval_apart(sql)) is not None:
        sql, interval = apart
        node = parsed(interval)
        length = None if node is None else length_of(node)
        if length is None:
            return None
        total += length
    bound = own_name(sql).lower() if parts_of(sql) else ""
    if bound == START:
        total -= size
    return total if bound in BOUNDS and total >= timedelta(0) else None


def _bounds_in(reads: Sequence[str]) -> list[str]:
    return [each for each in reads if is_bound(each)]


def _are_bounds(reads: Sequence[str]) -> bool:
    return len(_bounds_in(reads)) == len(reads)


def _are_whole(keys: Sequence[Key]) -> bool:
    """Whether windows are keys by their bounds: an expression over these may say less."""
    of_windows = [key for _, key in keys if key.reads and _are_bounds(key.reads)]
    return all(key.sql == ", ".join(key.reads) for key in of_windows)


def _is_one_of(kind: SqlType, names: Sequence[str]) -> bool:
    return kind.ddl.upper() in names


def _call(node: exp.Expression, binder: ExpressionBinder, columns: Columns) -> Call | None:
    """An aggregate without a name; None: what it is of a window does not follow from parts."""
    function = function_of(node)
    if function not in _TAKES or behind(node, exp.IgnoreNulls) or behind(node, exp.RespectNulls):
        return None
    values, is_distinct = arguments_of(node)
    bound = [binder.bind(each) for each in values]
    takes = _TAKES[function]
    is_many = is_distinct and function not in ("min", "max", "bool_and", "bool_or")
    if is_many or any(each.reads_clock for each in bound):
        return None
    if takes is not None and not (len(bound) == 1 and _is_sure(bound[0], takes)):
        return None
    if function == "count" and not any(each.reads for each in bound):
        # Of a constant all rows or, if that is NULL, none.
        if any(each.sql.upper() == "NULL" for each in bound):
            return None
        bound = []
    filtered = behind(node, exp.Filter)
    where = None if filtered is None else binder.bind(filtered.expression.this)
    arguments = [each if where is None else _computed_where(where, each) for each in bound]
    return Call(
        name="",
        function=function,
        arguments=tuple(columns.name_of(each, "value") for each in arguments),
        where=None if where is None else columns.condition(where),
    )


def _is_sure(value: Expr, takes: Sequence[str]) -> bool:
    """Whether a value has one of some types for Spark as well: decimals are easily mistaken."""
    is_column = value.reads == (value.sql,)
    return _is_one_of(value.type, takes) and (is_column or not _DECIMAL.search(value.sql))


def _computed_where(admitted: Expr, argument: Expr) -> Expr:
    """An argument is computed for the rows alone that a FILTER takes: it may fail for others."""
    if not argument.reads or argument.reads == (argument.sql,):
        return argument
    return Expr(
        sql=f"CASE WHEN {admitted.sql} THEN {argument.sql} END",
        type=argument.type,
        reads=tuple(dict.fromkeys((*admitted.reads, *argument.reads))),
    )
