"""When the clock closes the values of an expression: no more rows with such a value can come."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import timedelta

from sqlglot import exp
from sqlglot.dialects.spark import Spark

from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import Relation, Scope
from compiler.plan.closings.closing import (
    SESSION,
    Closing,
    grids_of,
    last_days,
    local,
    struct_of,
    universal,
    until,
    window_time,
    without_zone,
)
from compiler.plan.closings.grids import ZERO, Grid
from compiler.sql.exprs import Expr
from compiler.sql.lengths import length_of
from compiler.sql.names import parts_of, same

_FIXED = {
    "MICROSECOND": Grid(step=timedelta(microseconds=1)),
    "MILLISECOND": Grid(step=timedelta(milliseconds=1)),
    "SECOND": Grid(step=timedelta(seconds=1)),
    "MINUTE": Grid(step=timedelta(minutes=1)),
    "HOUR": Grid(unit="HOUR", step=timedelta(hours=1)),
}
_BY_CALENDAR = frozenset({"DAY", "WEEK", "MONTH", "QUARTER", "YEAR"})
_UNITS = {"DD": "DAY", "MM": "MONTH", "MON": "MONTH", "YYYY": "YEAR", "YY": "YEAR"}
_AS_DATE = "CAST({} AS TIMESTAMP)"


def closing_of(node: exp.Expression, scope: Scope) -> Closing | None:
    """When the clock closes a value of an expression that grows with a column that it closes."""
    if isinstance(node, exp.Paren):
        return closing_of(node.this, scope)
    if isinstance(node, exp.Column):
        return _named_closing(node, scope)
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        return of_path(closing_of(node.this, scope), [node.expression.name])
    if isinstance(node, exp.Anonymous):
        call = _CALLS.get(node.name.lower())
        return call(node.expressions, scope) if call and node.expressions else None
    if isinstance(node, exp.Add | exp.Sub):
        return _shifted(node, scope)
    if isinstance(node, exp.ConvertTimezone):
        return _converted(node, scope)
    function = _FUNCTIONS.get(type(node))
    inner = closing_of(node.this, scope) if function else None
    if function is None or inner is None or inner.window is not None:
        return None
    return function(node, inner)


def _trunc(node: exp.Expression, inner: Closing) -> Closing | None:
    unit = node.text("unit").upper()
    value = _AS_DATE if isinstance(node, exp.DateTrunc) else "{}"
    return truncated(inner, _UNITS.get(unit, unit), value)


def _cast(node: exp.Expression, inner: Closing) -> Closing | None:
    to = node.args["to"].this
    if to == exp.DType.DATE:
        return truncated(inner, "DAY", _AS_DATE)
    if to == exp.DType.TIMESTAMPNTZ:
        return without_zone(inner)
    return replace(inner, value="{}") if to in _TIMESTAMPS else None


def _to_date(node: exp.Expression, inner: Closing) -> Closing | None:
    return None if node.args.get("format") else truncated(inner, "DAY", _AS_DATE)


def _last_day(node: exp.Expression, inner: Closing) -> Closing | None:
    """Of the last day of a month, with which the month ends."""
    return last_days(inner) if not node.args.get("unit") else None


def _from_utc(node: exp.Expression, inner: Closing) -> Closing | None:
    zone = zone_of(node.args["zone"])
    return local(inner, zone) if zone else None


def _to_utc(node: exp.Expression, inner: Closing) -> Closing | None:
    zone = zone_of(node.args["zone"])
    return universal(inner, zone) if zone else None


def _converted(node: exp.ConvertTimezone, scope: Scope) -> Closing | None:
    """Of convert_timezone(), which takes and gives times without a zone."""
    found = closing_of(node.args["timestamp"], scope)
    source, target = node.args.get("source_tz"), zone_of(node.args["target_tz"])
    if found is None or found.window is not None or target is None:
        return None
    if source is not None:
        zone = zone_of(source)
        if zone is None:
            return None
        found = universal(local(found, SESSION), zone)
    return replace(universal(local(found, target), SESSION), value=_AS_DATE)


def _formatted(node: exp.Expression, inner: Closing) -> Closing | None:
    """Of date_format() with all units from the year down to some, in any order."""
    pattern = Spark().generator().format_time(node) or ""
    unit = unit_of(pattern[1:-1].replace("''", "'"))
    if unit is None:
        return None
    value = f"to_timestamp({{}}, {pattern})"
    if unit in _BY_CALENDAR:
        return truncated(inner, unit, value)
    # The hour that comes twice when the clocks of the session go back has one text.
    there = f"from_utc_timestamp({value}, {SESSION})"
    return truncated(local(inner, SESSION), unit, there)


_FUNCTIONS: dict[type[exp.Expr], Callable[[exp.Expression, Closing], Closing | None]] = {
    exp.TimestampTrunc: _trunc,
    exp.DateTrunc: _trunc,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.TsOrDsToDate: _to_date,
    exp.TimeStrToTime: lambda _, inner: replace(inner, value="{}"),
    exp.LastDay: _last_day,
    exp.AtTimeZone: _from_utc,
    exp.FromTimeZone: _to_utc,
    exp.TimeToStr: _formatted,
}

_TIMESTAMPS = (exp.DType.TIMESTAMP, exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMPLTZ)


def _of_millis(arguments: list[exp.Expression], scope: Scope) -> Closing | None:
    number = arguments[0]
    if isinstance(number, exp.Cast) and number.to.this == exp.DType.BIGINT:
        number = number.this
    inner = closing_of(number, scope)
    return replace(inner, value="{}") if inner else None


def _of_bucket(arguments: list[exp.Expression], scope: Scope) -> Closing | None:
    """Of time_bucket(width, time, origin), which has days and months as the session does."""
    width, *others = arguments
    inner = closing_of(others[0], scope) if others else None
    if inner is None or inner.window is not None or not isinstance(width, exp.Interval):
        return None
    shown = width.sql("spark")
    origin = "".join(f", {each.sql('spark')}" for each in others[1:])
    length = length_of(width)
    floor = f"time_bucket({shown}, {{}}{origin})"
    grid = Grid(step=length or ZERO, floor=floor, length=shown)
    is_fixed = length is not None and length < timedelta(days=1)
    return until(inner, grid, grid, length if is_fixed and length else shown)


def _of_date(arguments: list[exp.Expression], scope: Scope) -> Closing | None:
    """Of make_date(year(t), month(t), 1), or with day(t)."""
    if len(arguments) != 3 or not isinstance(arguments[0], exp.Year):
        return None
    year, month, day = arguments
    times = {each.this for each in arguments if isinstance(each, exp.Year | exp.Month | _Day)}
    if len(times) > 1 or not isinstance(month, exp.Month):
        return None
    unit = "DAY" if isinstance(day, _Day) else "MONTH" if day.sql() == "1" else None
    days = closing_of(year.this, scope)
    return truncated(days, unit, _AS_DATE) if days and unit else None


_Day = exp.Day | exp.DayOfMonth


def _of_window(arguments: list[exp.Expression], scope: Scope) -> Closing | None:
    """Of Spark's window(), which is a struct."""
    inner = closing_of(arguments[0], scope)
    if inner is not None and inner.window is not None:
        inner = window_time(inner)
    found = [length_of(each) for each in arguments[1:4]]
    lengths = [each for each in found if each is not None and each >= ZERO]
    is_known = len(lengths) == len(found) and all(lengths[:2])
    if inner is None or not lengths or not is_known:
        return None
    sizes = dict(zip(("size", "slide", "offset"), lengths, strict=False))
    starts, ends = grids_of("hop", sizes)
    value = "{}" if inner.value == "{}" else "CAST({} AS TIMESTAMP)"
    end = until(inner, ends, ends, ZERO, value)
    return struct_of(until(inner, ends, starts, lengths[0], value), end)


def _of_window_time(arguments: list[exp.Expression], scope: Scope) -> Closing | None:
    window = closing_of(arguments[0], scope)
    return window_time(window) if window else None


_CALLS: dict[str, Callable[[list[exp.Expression], Scope], Closing | None]] = {
    "timestamp_millis": _of_millis,
    "time_bucket": _of_bucket,
    "make_date": _of_date,
    "window": _of_window,
    "window_time": _of_window_time,
}


def closing_in(node: exp.Expression, binder: ExpressionBinder) -> Closing | None:
    """The same of an expression that may stand for a column, such as `window.start`."""
    return closing_as(node, binder.bind(node).sql, binder.scope)


def closing_as(node: exp.Expression, sql: str, scope: Scope) -> Closing | None:
    """The same of an expression whose SQL may be the name of a column that it stands for."""
    found = closing_of(node, scope)
    if found is not None or _is_column(node, scope):
        return found
    return closing_by_name(sql, scope.relations)


def _is_column(node: exp.Expression, scope: Scope) -> bool:
    """Whether a node is a column of a relation, and not what another one is called by now."""
    if not isinstance(node, exp.Column):
        return False
    first, *others = (each.name for each in node.parts)
    names = others[:1] or [first]
    owners = [each for each in scope.relations if not others or same(each.alias or "", first)]
    return any(each.column(names[0]) is not None for each in owners)


def closing_by_name(sql: str, relations: list[Relation]) -> Closing | None:
    """When the clock closes a column, if that is what an expression has become."""
    first, *path = parts_of(sql) or ("",)
    named = (each.column(first) for each in relations)
    return next((of_path(each.closing, path) for each in named if each is not None), None)


def _shifted(node: exp.Add | exp.Sub, scope: Scope) -> Closing | None:
    inner, by = closing_of(node.this, scope), node.expression
    if inner is None or inner.window is not None:
        return None
    # To a time of whole milliseconds, such are added.
    of_number = inner.value.startswith("timestamp_millis(")
    length = _milliseconds(by) if of_number else length_of(by)
    if length is None:
        return None
    return inner.shifted(length if isinstance(node, exp.Add) else -length)


def _milliseconds(node: exp.Expression) -> timedelta | None:
    is_known = isinstance(node, exp.Literal) and node.is_int and len(node.name) < 15
    return timedelta(milliseconds=int(node.name)) if is_known else None


def truncated(inner: Closing, unit: str, value: str) -> Closing | None:
    """A truncated time closes when the last one does that gives the same."""
    fixed = _FIXED.get(unit)
    if fixed is not None:
        return until(inner, fixed, fixed, fixed.step, value)
    if unit not in _BY_CALENDAR:
        return None
    grid = Grid(unit=unit)
    return until(inner, grid, grid, f"INTERVAL 1 {unit}", value)


def zone_of(node: exp.Expression) -> str | None:
    """The name of a time zone, in SQL; None: it may be another one for each row."""
    return str(node.sql("spark")) if isinstance(node, exp.Literal) and node.is_string else None


_PATTERN = re.compile(r"'[^']*'|([A-Za-z])\1*")
_LETTERS = ("y", "M", "d", "H", "m", "s")
_OF_LETTER = dict(zip(_LETTERS, ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"), strict=True))


def unit_of(pattern: str) -> str | None:
    """The unit of time that a pattern of date_format() tells; None: not all of those above it."""
    found = [each[0] for each in _PATTERN.finditer(pattern) if each[1]]
    letters = "".join(sorted({each[0] for each in found}, key="yMdHms".find))
    is_whole = len(found) == len(letters) and "yMdHms".startswith(letters)
    is_read = all(len(each) == (4 if each[0] == "y" else len(each)) <= 4 for each in found)
    return _OF_LETTER[letters[-1]] if letters and is_whole and is_read else None


def _named_closing(node: exp.Column, scope: Scope) -> Closing | None:
    """When the clock closes a column, or a field of one."""
    first, *others = [each.name for each in node.parts]
    for relation in scope.relations:
        path = [first, *others]
        if others and same(relation.alias or "", first):
            path = others
        column = relation.column(path[0])
        if column is not None:
            return of_path(column.closing, path[1:])
    return None


def is_of(expr: Expr, keys: Collection[str]) -> bool:
    """Whether an expression has one value for each value of some columns or expressions."""
    if expr.reads and all(any(_is_in(key, name) for key in keys) for name in expr.reads):
        return True
    rest = expr.sql
    for key in keys:
        rest = rest.replace(key, " ")
    words = {each.lower() for each in re.findall(r"\w+", rest)}
    named = {part.lower() for name in expr.reads for part in parts_of(name)}
    return rest != expr.sql and not named & words


def _is_in(key: str, name: str) -> bool:
    """Whether a name is a column, or a field of it, each qualified or not."""
    column, read = ([part.lower() for part in parts_of(each)] for each in (key, name))
    count = len(column)
    if not count:
        return False
    return column in (read[:count], read[1 : count + 1]) or column[1:] == read[: count - 1] != []


def of_path(closing: Closing | None, path: list[str]) -> Closing | None:
    """When the clock closes a field of a struct, or the value itself if there is no path."""
    for name in path:
        closing = closing.of_field(name) if closing else None
    return closing
