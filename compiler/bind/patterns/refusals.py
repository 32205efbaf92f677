"""What MATCH_RECOGNIZE does not take, each with a way out."""

from __future__ import annotations

from sqlglot import exp

from compiler.bind.sources.options import refuse_parameter
from compiler.diagnostics.problems import Problems
from compiler.source import Span
from compiler.sql.exprs import flat_text
from compiler.sql.signatures import signatures
from compiler.syntax import span_of
from compiler.syntax.nodes import WRITTEN, MzNow, ProcTime, WatermarkTs

CODE = "TVF510"

KNOWN = frozenset({"COUNT", "SUM", "AVG", "MIN", "MAX", "FIRST", "LAST"})
"""Aggregates of Spark that have a meaning in a match."""


def unsupported(node: exp.Expr, what: str, problems: Problems) -> None:
    """Something that has a name."""
    problems.add(
        CODE,
        f"{what} is not supported in MATCH_RECOGNIZE",
        span_of(node),
        "not supported",
        advice="compute it in a query around this one, or in a subquery below it",
    )


def refuse_parts(node: exp.Expression, problems: Problems) -> bool:
    """Report what no clause may have in it; whether there was any."""
    found = False
    for each in node.walk():
        what = _what(each)
        if what is not None:
            unsupported(each, what, problems)
            found = True
        if isinstance(each, exp.Placeholder | exp.Parameter):
            refuse_parameter(span_of(each), flat_text(problems.source, span_of(each)), problems)
            found = True
        if isinstance(each, WatermarkTs | MzNow):
            clock(each, problems)
            found = True
    return found


def _what(node: exp.Expr) -> str | None:
    match node:
        case exp.Query():
            return None if isinstance(node.parent, exp.Query) else "a subquery"
        case exp.Window() | exp.Filter() | exp.WithinGroup() | exp.IgnoreNulls():
            return "a clause behind a function"
        case exp.RespectNulls():
            return "a clause behind a function"
        case exp.Rand() | exp.Randn() | exp.Uuid():
            return "a value by chance"
        case ProcTime():
            return "PROC_TIME()"
        case _:
            pass
    written = node.meta.get(WRITTEN)
    if written is None or written.name.upper() in KNOWN:
        return None
    signature = signatures().get(written.name.lower())
    is_aggregate = signature is not None and signature.kind in ("aggregate", "window")
    return f"the aggregate {written.name}()" if is_aggregate else None


def clock(node: exp.Expr, problems: Problems) -> None:
    """A clock in a condition or measure."""
    problems.add(
        "TVF506",
        "the clock has no value inside MATCH_RECOGNIZE",
        span_of(node),
        "reads the clock",
        advice="use a time of the rows; select the clock in the query around",
    )


def not_computed(node: exp.Expression, problems: Problems) -> None:
    """An operator or function over values of several rows."""
    problems.add(
        CODE,
        "a condition of DEFINE computes this of several rows, which is not supported",
        span_of(node),
        "reads several rows",
        notes=[
            "of values of several rows there are comparisons, + - * /, AND, OR, NOT, IS NULL, "
            "BETWEEN, IN, CASE with ELSE, COALESCE and ABS; what reads one row may be anything"
        ],
        advice="apply the function to each row by itself, `upper(a.x) = upper(b.x)`, or put it "
        "into a column of a subquery below",
    )


def too_deep(node: exp.Expression, problems: Problems) -> None:
    """A condition nested deeper than is reasonable."""
    unsupported(node, "a condition over several rows that is nested so deep", problems)


def without_parentheses(node: exp.Expression, problems: Problems) -> None:
    """A comparison inside another one."""
    problems.add(
        CODE,
        "a comparison inside another operator needs parentheses",
        span_of(node),
        "of what is this a part?",
        advice="put it in parentheses",
    )


def kinds(node: exp.Expression, names: list[str], problems: Problems) -> None:
    """A comparison of values of different kinds."""
    problems.add(
        "TVF206",
        f"{' and '.join(names)} of different rows are not compared",
        span_of(node),
        "of two kinds",
        advice="CAST one of them to the type of the other",
    )


def scope(node: exp.Expression, problems: Problems) -> None:
    """RUNNING and FINAL where they say nothing."""
    problems.add(
        CODE,
        "RUNNING and FINAL stand in MEASURES, before FIRST(), LAST() or an aggregate",
        span_of(node),
        "says nothing here",
        advice="leave it out",
    )


def nested(node: exp.Expression, problems: Problems) -> None:
    """A function of a match inside another one."""
    problems.add(
        CODE,
        "a function of a match inside another one is not supported",
        span_of(node),
        "only PREV() and NEXT() take FIRST() and LAST()",
        advice="write PREV(LAST(a.x), 1), or one of the functions alone",
    )


def several_variables(node: exp.Expression, problems: Problems) -> None:
    """PREV(a.x + b.x)."""
    problems.add(
        CODE,
        "the columns inside a function of a match are of one variable",
        span_of(node),
        "of which of its rows?",
        advice="write LAST(a.x) + LAST(b.x), or name a SUBSET of both",
    )


def arguments(node: exp.Expression, name: str, problems: Problems) -> None:
    """PREV() without a value."""
    problems.add(
        "TVF211",
        f"{name}() takes a value, and how many rows",
        span_of(node),
        "1 or 2 arguments",
        advice=f"write {name}(a.x) or {name}(a.x, 1)",
    )


def number(node: exp.Expression, problems: Problems) -> None:
    """PREV(x, n) with an n that is no number."""
    problems.add(
        CODE,
        "how many rows PREV(), NEXT(), FIRST() and LAST() count is a whole number up to 100,000",
        span_of(node),
        "how many rows?",
        advice="write a whole number",
    )


def not_by_time(place: Span, label: str, times: list[str], problems: Problems) -> None:
    """Rows that are in no order in which a match is ever final."""
    problems.add(
        "TVF306",
        "MATCH_RECOGNIZE needs ORDER BY the column with the watermark, ascending, first",
        place,
        label,
        notes=["later rows could change what has matched"],
        advice=f"write ORDER BY {times[0]} first"
        if times
        else "declare a watermark for the time column, `WATERMARK FOR ts AS ts - INTERVAL 1 "
        "MINUTE`, and order by that",
    )


def within(node: exp.Expression, problems: Problems) -> None:
    """WITHIN a time that has no fixed length."""
    problems.add(
        CODE,
        "WITHIN takes an interval of fixed length, longer than nothing",
        span_of(node),
        "no such length",
        advice="write WITHIN INTERVAL 1 HOUR; a month has no fixed length",
    )


def changes(node: exp.Expression, place: Span, problems: Problems) -> None:
    """Rows that may leave again."""
    problems.add(
        "TVF308",
        "MATCH_RECOGNIZE over rows that may leave again",
        place,
        "comes and goes",
        more=[(span_of(node), "gives matches for good")],
        advice="take final rows: end the subquery with EMIT ON WINDOW CLOSE",
    )


def without_columns(node: exp.Expression, problems: Problems) -> None:
    """Neither PARTITION BY nor MEASURES."""
    problems.add(
        "TVF119",
        "this MATCH_RECOGNIZE gives no columns",
        span_of(node),
        "neither PARTITION BY nor MEASURES",
        advice="add MEASURES, such as MEASURES match_number() AS n, or ALL ROWS PER MATCH",
    )


def single(node: exp.Expression, problems: Problems) -> None:
    """FLOAT, which Spark computes with as such."""
    problems.add(
        CODE,
        "FLOATs of several rows are not compared or computed with",
        span_of(node),
        "of type FLOAT",
        advice="CAST each to DOUBLE: `CAST(a.x AS DOUBLE)`",
    )


def repeated(node: exp.Expression, name: str, what: str, problems: Problems) -> None:
    """Two of a name."""
    problems.add(
        "TVF204",
        f"two {what} of MATCH_RECOGNIZE are called `{name}`",
        span_of(node),
        "the second one",
        advice="give it another name",
    )
