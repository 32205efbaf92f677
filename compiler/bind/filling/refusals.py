"""What FILL does not take, each with a way out."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from compiler.bind.closings.expressions import closing_of
from compiler.bind.groups.grouping_sets import Groupings
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import OutColumn, Relation, Scope
from compiler.bind.over.final import own_windows
from compiler.bind.windows.windows import END, START
from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import Filling
from compiler.sql.lengths import interval_sql, length_of
from compiler.sql.names import own_name
from compiler.sqltypes import Kind
from compiler.syntax import span_of
from compiler.syntax.nodes import CumulateRelation, Fill, HopRelation, TumbleRelation

FilledWindows = TumbleRelation | HopRelation | CumulateRelation
"""The windows that may be filled: those that follow each other at one distance."""


def refuse_filling(node: exp.Expression, problems: Problems, *, is_final: bool) -> None:
    """FILL where there are no groups that are final, each of a window.

    Args:
        node: TUMBLE, or one of its kin.
        problems: takes the fault.
        is_final: whether the query around it emits final rows alone.
    """
    fill = node.args.get("fill")
    if fill is None:
        return
    if not is_final:
        problems.add(
            "TVF302",
            "FILL needs EMIT ON WINDOW CLOSE",
            span_of(fill),
            "a window without rows may still get some",
            advice="end the query with EMIT ON WINDOW CLOSE",
        )
        return
    what, advice = _misplaced(node)
    if what:
        problems.add(
            "TVF501",
            f"FILL {what} is not supported",
            span_of(fill),
            "fills windows of a GROUP BY",
            advice=advice,
        )


def _misplaced(node: exp.Expression) -> tuple[str, str]:
    """What stands around FILL that does not go with it, and what to write; both may be empty."""
    in_subquery = "group it by window_start and window_end in a subquery, and go on around that"
    place: exp.Expr | None = node.parent
    while isinstance(place, exp.Subquery | exp.Paren):
        place = place.parent
    select = place.parent if isinstance(place, exp.From) else None
    if not isinstance(select, exp.Select):
        return "inside of another relation", in_subquery
    if select.args.get("joins") or select.args.get("laterals"):
        return "of joined rows", in_subquery
    if own_windows(select):
        return "beside a window function", in_subquery
    if select.args.get("distinct"):
        return "beside DISTINCT", in_subquery
    if not select.args.get("group"):
        return "without GROUP BY", "add `GROUP BY window_start, window_end`"
    return "", ""


def refuse_keys(node: exp.Select, windows: FilledWindows, groups: Groupings, scope: Scope) -> None:
    """Keys that are no series of windows: none is a window, or one moves with the time."""
    problems = scope.problems
    if groups.are_several:
        problems.add(
            "TVF501",
            "FILL of several groupings is not supported",
            span_of(node.args["group"]),
            "ROLLUP, CUBE or GROUPING SETS",
            advice="write a query for each grouping, and put them together with UNION ALL",
        )
        return
    binder = ExpressionBinder(scope, problems)
    time = own_name(binder.bind(windows.args["column"]).sql).lower()
    bounds = [each for each in groups.keys if _is_bound(each)]
    for each in groups.keys:
        reads = {own_name(name).lower() for name in binder.bind(each).reads}
        if each in bounds or not (reads & {time, START, END} or closing_of(each, scope)):
            continue
        problems.add(
            "TVF501",
            "FILL of a key that is computed of the time is not supported",
            span_of(each),
            "has another value in another window",
            notes=["each key has a series of windows, of which those without rows are filled"],
            advice="group by window_start, window_end and what the series are of; compute it in a "
            "query around this one",
        )
    if isinstance(windows, CumulateRelation) and bounds and END not in map(_lower_name, bounds):
        problems.add(
            "TVF302",
            "FILL of CUMULATE needs window_end among the keys",
            span_of(node.args.get("group") or windows),
            "several windows begin at one time",
            advice="add `window_end` to GROUP BY",
        )
    if not bounds and not problems.has_names_at_fault:
        problems.add(
            "TVF302",
            "FILL needs window_start or window_end among the keys",
            span_of(node.args.get("group") or windows),
            "no windows to fill",
            advice="add `window_start, window_end` to GROUP BY",
        )


def _is_bound(node: exp.Expression) -> bool:
    return isinstance(node, exp.Column) and _lower_name(node) in (START, END)


def _lower_name(node: exp.Expression) -> str:
    return node.name.lower()


def refuse_lengths(windows: FilledWindows, problems: Problems) -> None:
    """Lengths of which windows do not follow each other, or in which none would be filled."""
    step = windows.args.get("step")
    if step is not None:
        _refuse_uneven(windows, step, problems)
    silence = windows.args["fill"].args.get("silence")
    if silence is None:
        return
    length, size = length_of(silence), length_of(windows.args["size"] if step is None else step)
    if length is not None and size is not None and length >= size:
        return
    problems.add(
        "TVF206",
        "FILL … FOR takes a fixed length of time, of a window at least",
        span_of(silence),
        "not a length" if length is None else "less than a window",
        notes=["months and years have no fixed length"] if length is None else [],
        advice=f"write `FOR {interval_sql(size * 10)}`" if size else "write `FOR INTERVAL 1 HOUR`",
    )


def _refuse_uneven(windows: FilledWindows, step: exp.Expression, problems: Problems) -> None:
    """A last step that is shorter than those before it."""
    each, size = length_of(step), length_of(windows.args["size"])
    if each and size and size % each:
        problems.add(
            "TVF501",
            "FILL of CUMULATE whose size is no multiple of its step is not supported",
            span_of(step),
            "the last step is shorter",
            advice=f"write a step of which there is a whole number in {interval_sql(size)}",
        )


def refuse_times(windows: FilledWindows, bound: OutColumn, problems: Problems) -> bool:
    """Report windows that do not close a fixed time after their end, or have no zone.

    Args:
        windows: the windows.
        bound: the start or the end of one.
        problems: takes the fault.
    """
    closing = bound.closing
    place = span_of(windows.args["column"])
    if bound.type.kind is Kind.TIMESTAMP_NTZ:
        problems.add(
            "TVF501",
            "FILL of windows of a TIMESTAMP_NTZ is not supported",
            place,
            "has no zone",
            advice="take the windows of a TIMESTAMP: `CAST(ts AS TIMESTAMP)` in a view, which has "
            "the watermark",
        )
        return True
    if closing is not None and not closing.has_calendar:
        return False
    if not problems.errors:
        problems.add(
            "TVF501",
            "FILL of windows that do not close a fixed time after their end is not supported",
            place,
            "closes by other rows or by the calendar",
            advice="take the windows of the column that has the watermark",
        )
    return True


def refuse_types(
    fill: Fill, aggregates: Mapping[str, exp.Expression], groups: Relation, problems: Problems
) -> None:
    """Aggregates that are no numbers, of which 0 or a value between two is asked for.

    Args:
        fill: what is asked for.
        aggregates: the aggregates by their names.
        groups: the groups that have them.
        problems: takes the faults.
    """
    if Filling(fill.this.name) not in (Filling.ZERO, Filling.LINEAR):
        return
    for name, each in aggregates.items():
        column = groups.column(name)
        if column is None or column.type.kind in (Kind.NUMBER, Kind.UNKNOWN):
            continue
        problems.add(
            "TVF206",
            f"FILL ({fill.this.name}) needs numbers; `{each.sql('spark')}` is {column.type.ddl}",
            span_of(each),
            "no number",
            more=[(span_of(fill), "asks for one")],
            advice="write FILL (NULL) or FILL (PREVIOUS)",
        )
