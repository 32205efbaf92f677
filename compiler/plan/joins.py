"""Which joins are possible between streams and tables."""

from __future__ import annotations

from sqlglot import exp

from compiler.plan.nodes import Counted, Plan, TemporalFilter, Top, Totals, held_by
from compiler.plan.problems import Problems
from compiler.plan.scope import Relation
from compiler.plan.time_bounds import TimeBound
from compiler.syntax import span_of

ASKS_FOR_PARTNER = frozenset({"left", "right", "full", "leftsemi", "leftanti"})
"""Joins whose rows depend on whether others have a partner."""

KEEPS_LEFT = frozenset({"left", "leftsemi", "leftanti"})


def join_kind(node: exp.Join) -> str:
    """A join's kind in the words of DataFrame.join()."""
    side, kind = (node.side or "").lower(), (node.kind or "").lower()
    if (node.args.get("method") or "").lower() == "natural":
        return "natural"
    if kind in ("semi", "anti"):
        return f"left{kind}"
    if kind == "cross":
        return "cross"
    return side or "inner"


def partners_come_and_go(kind: str, left: Plan, lefts: list[Relation], right: Relation) -> bool:
    """Whether rows of a stream look for a partner in a table that the clock filters."""
    if kind == "right":
        stream, table, partners = bool(right.streams), not any(each.streams for each in lefts), left
    else:
        stream, table = any(each.streams for each in lefts), not right.streams
        partners = right.plan
    is_kept = kind in KEEPS_LEFT or kind == "right"
    filtered = any(isinstance(each, TemporalFilter) for each in held_by(partners))
    return is_kept and stream and table and filtered


def closes(kind: str, bounds: tuple[TimeBound, ...]) -> bool:
    """Whether the clock tells which rows of an outer join stay without a partner."""
    if kind == "left":
        return any(each.ends_left for each in bounds)
    return kind == "right" and any(each.ends_right for each in bounds)


def events_of(bounds: tuple[TimeBound, ...]) -> tuple[tuple[str, str], ...]:
    """(alias, moment in SQL) of each side that a bound compares, once."""
    pairs = [
        pair
        for each in bounds
        for pair in ((each.left, each.left_event), (each.right, each.right_event))
    ]
    return tuple(dict.fromkeys(pairs))


def refuse_clock_in_on(on: exp.Expression, problems: Problems) -> None:
    """An outer join decides by ON who has a partner."""
    problems.add(
        "TVF503",
        "the clock cannot stand in ON of an outer join",
        span_of(on),
        "reads the clock",
        advice="move the condition to WHERE, or filter the side in a subquery",
    )


def refuse_updates(node: exp.Expression, left: Plan, right: Relation, problems: Problems) -> None:
    """Rows that come and go cannot be taken out of the state of a join."""
    for side in (left, right.plan):
        if any(isinstance(each, Totals | Counted | Top) for each in held_by(side)):
            problems.add(
                "TVF502",
                "a join of a stream with groups or first rows that change",
                span_of(node),
                "joins rows that come and go",
                notes=["the join would have to keep every version of every group"],
                advice="join first, and group above the join; or make the groups final with a "
                "window and EMIT ON WINDOW CLOSE",
            )
            return


def refuse_changing_table(found: Relation, node: exp.Expression, problems: Problems) -> None:
    """Table rows that the clock filters are there in every batch: nothing can add them up."""
    changing = any(isinstance(each, Totals | Counted | Top) for each in held_by(found.plan))
    if changing and found.is_static and not found.is_open:
        problems.add(
            "TVF502",
            "groups, first rows or set operations of a table under a condition on the clock",
            span_of(node),
            "reads no stream",
            advice="join the table to the stream first, and group above the join",
        )


def refuse_join(
    node: exp.Join,
    kind: str,
    left: list[Relation],
    right: Relation,
    problems: Problems,
    *,
    is_closed: bool,
) -> None:
    """Report a join that has no meaning, or none yet, over streams.

    `is_closed` tells that the clock says when a row has no partner.
    """
    left_streams, right_streams = any(each.streams for each in left), bool(right.streams)
    if any(each.is_open for each in (*left, right)):
        return
    if kind == "natural":
        message, advice = "NATURAL JOIN is not supported over streams", "write JOIN … USING (…)"
    elif kind in ("inner", "cross"):
        return
    elif left_streams and right_streams:
        if is_closed:
            return
        message = "this join of two streams has no time at which a row is without a partner"
        advice = (
            "compare the watermarked times in ON, `b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR`, "
            "and end the query with EMIT ON WINDOW CLOSE; or use an inner join"
        )
    elif (kind in KEEPS_LEFT and left_streams) or (kind == "right" and right_streams):
        return
    else:
        message = "this join would have to keep rows of a table that no stream has asked for"
        advice = "put the stream on the side that the join keeps: `stream LEFT JOIN table`"
    problems.add("TVF502", message, span_of(node), "not supported", advice=advice)
