"""Aggregates that groups without EMIT ON WINDOW CLOSE do not have, each with a way out."""

from __future__ import annotations

from sqlglot import exp

from compiler.bind.groups.aggregates import (
    KEPT_UP,
    MOST_VALUES,
    behind,
    limit_of,
    whole_of,
)
from compiler.bind.names.expressions import ExpressionBinder
from compiler.diagnostics.problems import Problems
from compiler.syntax import span_of
from compiler.syntax.nodes import WRITTEN, ProcTime


def checked_limit(node: exp.Expression, problems: Problems) -> int | None:
    """How many values max_by() and min_by() give, if that is said; a fault is reported."""
    try:
        return limit_of(node)
    except ValueError as error:
        problems.add(
            "TVF211",
            f"the number of values is a constant from 1 to {MOST_VALUES}",
            span_of(error.args[0]),
            "how many?",
            advice="write a whole number, such as max_by(x, a, 3)",
        )
        return None


def refuse_in_where(node: exp.Expression, problems: Problems) -> None:
    """An aggregate where there are no groups yet."""
    problems.add(
        "TVF209",
        "an aggregate in WHERE",
        span_of(node),
        "there are no groups yet",
        advice="write HAVING, behind GROUP BY",
    )


def refuse_sum_of_intervals(node: exp.Expression, problems: Problems) -> None:
    """A sum of intervals, which the runtime does not know."""
    problems.add(
        "TVF509",
        "an aggregate of intervals as numbers cannot be kept up while rows come and go",
        span_of(node),
        "an aggregate of numbers",
        advice="aggregate their lengths, such as unix_micros(end) - unix_micros(start), and make "
        "an interval of the result: make_dt_interval(0, 0, 0, micros / 1e6)",
    )


def refuse_not_kept_up(node: exp.Expression, problems: Problems) -> None:
    """An aggregate that needs all rows of the group again."""
    written = node.meta.get(WRITTEN)
    name = written.name.upper() if written else node.sql("spark").split("(")[0]
    name += " with RESPECT NULLS" if behind(node, exp.RespectNulls) else ""
    problems.add(
        "TVF509",
        f"{name} cannot be kept up while rows come and go",
        span_of(whole_of(node)),
        "needs all rows of the group again",
        notes=[f"kept up are {KEPT_UP}"],
        advice="use one of these, or COLLECT_LIST the values; or make the groups final: group by a "
        "window and end the query with EMIT ON WINDOW CLOSE",
    )


def check_columns(node: exp.Select, binder: ExpressionBinder, problems: Problems) -> None:
    """Every column is a key or inside an aggregate."""
    having = node.args.get("having")
    aliases = {each.alias.lower() for each in node.expressions if each.alias}
    for clause in (*node.expressions, *([having.this] if having else [])):
        for leaf in binder.leaves(clause):
            is_alias = leaf.name.lower() in aliases and not leaf.args.get("table")
            is_value = isinstance(leaf, exp.Column | ProcTime)
            if not is_value or span_of(leaf) in binder.stands_for or is_alias:
                continue
            shown = "PROC_TIME()" if isinstance(leaf, ProcTime) else leaf.sql("spark")
            problems.add(
                "TVF209",
                f"`{shown}` is neither grouped nor aggregated",
                span_of(leaf),
                "which of the group's values?",
                advice=f"add it to GROUP BY, or write an aggregate such as max({shown})",
            )


def refuse_sessions(keys: list[exp.Expression], problems: Problems) -> None:
    """Sessions whose groups would change."""
    for key in keys:
        if isinstance(key, exp.Anonymous) and key.name.lower() == "session_window":
            problems.add(
                "TVF302",
                "session_window() needs EMIT ON WINDOW CLOSE",
                span_of(key),
                "an open session may still grow and merge",
                advice="end the query with EMIT ON WINDOW CLOSE",
            )
