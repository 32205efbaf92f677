"""What cannot be final of window functions under EMIT ON WINDOW CLOSE, or is not supported yet."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from compiler.bind.closings.expressions import closing_in
from compiler.bind.closings.held import held_of
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import Scope
from compiler.bind.over.frames import Reach
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import did_you_mean, listed
from compiler.plan.closings.closing import Closing
from compiler.plan.facts.properties import properties_of
from compiler.plan.nodes import Aggregate, Join, Plan, held_by
from compiler.source import Span
from compiler.sql.names import quoted_name
from compiler.syntax import span_of


def refuse_inputs(node: exp.Select, plan: Plan, scope: Scope, problems: Problems) -> bool:
    """Rows that do not come in order of time."""
    if any(each.is_open for each in scope.relations):
        return True
    for each in held_by(plan):
        if (
            isinstance(each, Join)
            and _is_stream(each.left)
            and _is_stream(each.right)
            and not each.has_range
        ):
            _unsupported(node, "a window function over a join without a time range", problems)
            return True
    return False


def refuse_all(windows: Iterable[exp.Expression], problems: Problems) -> None:
    """ORDER BY ALL is of the rows of a query; a window has no list of its own."""
    for window in windows:
        order = window.args.get("order")
        for each in order.expressions if order else ():
            if isinstance(each.this, exp.Var):
                problems.add(
                    "TVF202",
                    f"there is no column `{each.this.name}`",
                    span_of(each),
                    "stands for all columns in the ORDER BY of a query alone",
                    advice="name the columns to order by",
                )


def refuse_clock(windows: list[exp.Expression], binder: ExpressionBinder) -> None:
    """The clock in what window functions compute, or in what they are over."""
    for leaf in (leaf for each in windows for leaf in binder.leaves(each)):
        if binder.is_clock(leaf):
            binder.problems.add(
                "TVF506",
                "the clock has no value inside a window function",
                span_of(leaf),
                "reads the clock",
                advice="use a time of the rows; select the clock beside the function, or in a "
                "query around this one",
            )


def _is_stream(plan: Plan) -> bool:
    return bool(properties_of(plan).streams)


def _unsupported(node: exp.Select, what: str, problems: Problems) -> None:
    window = node.find(exp.Window)
    problems.add(
        "TVF501",
        f"{what} is not supported yet",
        span_of(window if window is not None else node),
        "its input does not come in order of time",
        advice="use it over a source, a union of sources, or closed groups",
    )


def is_final(node: exp.Window, window: exp.Window, reach: Reach, binder: ExpressionBinder) -> bool:
    """Whether a function over rows in order of time ever has a value that stays."""
    order = window.args["order"].expressions if window.args.get("order") else []
    if reach.after is None:
        binder.problems.add(
            "TVF307",
            "the frame of this window function never ends",
            span_of(node),
            "waits for all rows that will ever come",
            advice="end the frame, such as ROWS BETWEEN 5 PRECEDING AND 1 FOLLOWING, or add "
            "window_start and window_end of TUMBLE(relation, time, size) to PARTITION BY",
        )
        return False
    first = order[0] if order else None
    if first is not None and closing_in(first.this, binder) is not None:
        if not first.args.get("desc"):
            return True
        _not_by_time(span_of(first), "the latest row is never known", binder)
        return False
    waiting = _held_key(window, binder)
    if waiting is not None:
        _above_rows_that_wait(waiting, binder)
        return False
    place = span_of(first) if first is not None else span_of(node)
    _not_by_time(place, "no watermark closes it", binder)
    return False


def _held_key(window: exp.Window, binder: ExpressionBinder) -> exp.Expression | None:
    """A time among the keys that rows have which wait for rows that follow them."""
    order = window.args["order"].expressions if window.args.get("order") else []
    keys = [*(window.args.get("partition_by") or ()), *(each.this for each in order)]
    return next((each for each in keys if held_of(each, binder.bind(each), binder.scope)), None)


def _above_rows_that_wait(key: exp.Expression, binder: ExpressionBinder) -> None:
    binder.problems.add(
        "TVF501",
        "a window function above one that waits for rows that follow, as LEAD, is not supported "
        "yet",
        span_of(key),
        "its rows wait for the row that follows each of them",
        advice="if both look at the same rows, compute both in one SELECT; otherwise write the "
        "inner result to a sink, and read that in a script of its own, with a watermark",
    )


def _not_by_time(place: Span, label: str, binder: ExpressionBinder) -> None:
    if binder.problems.has_names_at_fault or any(
        binder.problems.has("TVF301", within=relation.span) for relation in binder.scope.relations
    ):
        return
    times = [
        column.name
        for relation in binder.scope.relations
        for column in relation.columns
        if column.closing is not None
    ]
    advice = (
        f"write ORDER BY {quoted_name(times[0])} first, or add a window to PARTITION BY"
        if times
        else "declare a watermark for the time column, `WATERMARK FOR ts AS ts - INTERVAL 1 "
        "MINUTE`, and order by that"
    )
    binder.problems.add(
        "TVF306",
        "a window function needs ORDER BY the column with the watermark, ascending, first",
        place,
        label,
        notes=["later rows could change what it has given"],
        advice=advice,
    )


def refuse_order(node: exp.Window, plan: Plan, closing: Closing, problems: Problems) -> bool:
    """Groups of windows come when the windows close, not in order of another time."""
    groups = [each for each in held_by(plan) if isinstance(each, Aggregate)]
    wrong = closing.after and any(not each.closes_after for each in groups)
    if wrong:
        problems.add(
            "TVF501",
            "a window function over groups in another order than that of their windows is not "
            "supported yet",
            span_of(node),
            "the groups come with their windows",
            advice="order by window_start or window_end",
        )
    return wrong


def no_number(node: exp.Expression, problems: Problems) -> None:
    """LAG(x, n) and n PRECEDING with an n that is computed."""
    problems.add(
        "TVF501",
        "a computed number of rows in a window function is not supported yet",
        span_of(node),
        "how many rows?",
        advice="write a whole number",
    )


def distinct(node: exp.Window, problems: Problems) -> None:
    """Spark has no DISTINCT in window functions."""
    problems.add(
        "TVF501",
        "DISTINCT in a window function is not supported",
        span_of(node),
        "Spark has no such function",
        advice="write size(collect_set(x) OVER (…)) for count(DISTINCT x) OVER (…)",
    )


def without_order(node: exp.Window, problems: Problems) -> None:
    """A function that counts rows in an order, over a window that has none."""
    problems.add(
        "TVF211",
        "this function needs an order of the rows",
        span_of(node),
        "no ORDER BY",
        advice="write `OVER (PARTITION BY k ORDER BY ts)`",
    )


def unknown_window(node: exp.Window, name: str, known: list[str], problems: Problems) -> None:
    """OVER with a name that WINDOW does not define, or by another name alone."""
    if name.lower() in (each.lower() for each in known):
        problems.add(
            "TVF201",
            f"the window `{name}` is called as another one that is none itself",
            span_of(node),
            "leads to no PARTITION BY and ORDER BY",
            advice=f"write what it is: `WINDOW {name} AS (PARTITION BY … ORDER BY …)`",
        )
        return
    problems.add(
        "TVF201",
        f"there is no window `{name}`",
        span_of(node),
        "not in the WINDOW clause",
        notes=[f"there are {listed(known)}"] if known else [],
        advice=did_you_mean(name, known) or f"add `WINDOW {name} AS (PARTITION BY … ORDER BY …)`",
    )


def mixed(node: exp.Window, problems: Problems) -> None:
    """Functions over rows in order of time beside those of windows that overlap."""
    problems.add(
        "TVF501",
        "a window function by time beside one of windows that overlap is not supported yet",
        span_of(node),
        "its rows come window by window, not in order of time",
        advice="order by window_end, or use TUMBLE",
    )


def several_windows(node: exp.Window, problems: Problems) -> None:
    """Functions of different windows."""
    _beside(node, "window functions with different windows in PARTITION BY", problems)


def several_times(node: exp.Window, problems: Problems) -> None:
    """Functions in the order of different times."""
    _beside(node, "window functions in the order of different times", problems)


def _beside(node: exp.Window, what: str, problems: Problems) -> None:
    problems.add(
        "TVF501",
        f"{what} in one SELECT are not supported yet",
        span_of(node),
        "differs from another",
        advice="compute one of them in a subquery",
    )
