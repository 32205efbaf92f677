"""What is not a time, not a length, or no key where it has to be one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sqlglot import exp

from compiler.bind.closings.refusals import no_watermark, refuse_join
from compiler.bind.names.scope import OutColumn, Relation
from compiler.bind.names.shapes import own_parts
from compiler.diagnostics.problems import Problems
from compiler.sql.lengths import interval_sql, length_of
from compiler.sql.names import quoted_name
from compiler.sql.texts import text_of
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of
from compiler.syntax.nodes import (
    SessionRelation,
)


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


def check_time(
    node: exp.Expression, column: OutColumn, inner: Relation, problems: Problems
) -> None:
    """Report a time by which no windows can be, or which closes no session."""
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


def checked_length(window: exp.Expression, name: str, problems: Problems) -> timedelta:
    """A length that a window takes by its name; one that is none is reported."""
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


def refuse_gap(gap: exp.Expression, kind: SqlType, problems: Problems) -> None:
    """Report a gap of rows that is no length of time."""
    problems.add(
        "TVF206",
        f"the gap of a session is a length of time; this is {kind.kind.value}",
        span_of(gap),
        "not a length",
        advice="write an interval, such as `make_dt_interval(0, 0, 0, seconds)`, or text that is "
        "one, such as `concat(seconds, ' seconds')`",
    )


def check_lengths(
    node: exp.Expression, kind: str, lengths: dict[str, timedelta], problems: Problems
) -> None:
    """Report a slide or step that is longer than its window."""
    smaller = {"hop": "slide", "cumulate": "step"}.get(kind)
    if problems.has("TVF206", within=span_of(node)):
        return  # One of them is no length, so that there is nothing to compare.
    if smaller and lengths[smaller] > lengths["size"]:
        problems.add(
            "TVF206",
            f"the {smaller} of a window is longer than its size",
            span_of(node.args[smaller]),
            f"longer than {interval_sql(lengths['size'])}",
            notes=[f"{kind.upper()}(relation, column, {smaller}, size)"],
            advice="exchange the two if they are in the wrong order",
        )


_TIMES = frozenset({Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ, Kind.DATE, Kind.NUMBER, Kind.UNKNOWN})


_TOO_NARROW = frozenset({"INT", "INTEGER", "SMALLINT", "SHORT", "TINYINT", "BYTE"})
"""Whole numbers too small for epoch milliseconds."""


KEY_FUNCTIONS = frozenset({"window", "session_window"})
