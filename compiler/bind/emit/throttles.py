"""`EMIT CHANGES EVERY INTERVAL …`: changes at some times, net of what is between."""

from __future__ import annotations

from datetime import timedelta

from sqlglot import exp

from compiler.bind.clock.choose import clock_of
from compiler.diagnostics.problems import Problems
from compiler.plan.facts.properties import properties_of
from compiler.plan.nodes import Plan
from compiler.source import Span
from compiler.sql.exprs import Clock
from compiler.sql.lengths import length_of
from compiler.syntax import span_of
from compiler.syntax.nodes import EmitChanges

MILLISECOND = timedelta(milliseconds=1)


def throttle_of(
    node: exp.Expression, plan: Plan, changes: Span | None, problems: Problems
) -> timedelta | None:
    """How far apart in time the changes of an output are told; None: each when it happens.

    Args:
        node: the query of the output.
        plan: its rows.
        changes: what makes them change; None: nothing does.
        problems: takes what is at fault.
    """
    emit = node.args.get("emit")
    every = emit.args.get("every") if isinstance(emit, EmitChanges) else None
    if every is None or emit is None:
        return None
    length = length_of(every)
    if length is None or length < MILLISECOND or length % MILLISECOND:
        problems.add(
            "TVF206",
            "EMIT CHANGES EVERY takes a fixed length of time of whole milliseconds",
            span_of(every),
            "not such a length",
            notes=["months and years have no fixed length"] if length is None else [],
            advice="write it as an interval, such as EVERY INTERVAL 10 SECONDS",
        )
    elif changes is None:
        problems.add(
            "TVF310",
            "EMIT CHANGES EVERY of a result that does not change",
            span_of(emit),
            "each of its rows comes once, and stays",
            advice="leave it out; to have rows at certain times, wait for the clock: "
            "`WHERE date_trunc('MINUTE', WATERMARK_TS()) >= ts`",
        )
    elif not _has_clock(plan, problems):
        problems.add(
            "TVF301",
            "EMIT CHANGES EVERY needs a clock, and the query has none",
            span_of(emit),
            "by which clock?",
            notes=["changes are told when the watermark, or the wall clock, passes a multiple"],
            advice="declare a watermark, `WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE`; or read the "
            "wall clock in a condition, `WHERE ts <= mz_now()`",
        )
    return length


def _has_clock(plan: Plan, problems: Problems) -> bool:
    return bool(properties_of(plan).watermarks) or clock_of(plan, problems) is Clock.WALL


def refuse_inner_throttles(node: exp.Expression, problems: Problems) -> None:
    """EVERY in a subquery, common table or view, of which others read all changes.

    Args:
        node: the query of an output, or CREATE VIEW.
        problems: takes what is at fault.
    """
    own = node.args.get("emit")
    for each in node.find_all(EmitChanges):
        if each is not own and each.args.get("every") is not None:
            problems.add(
                "TVF501",
                "EMIT CHANGES EVERY inside of a query is not supported",
                span_of(each),
                "others read each change",
                advice="write it at the end of the outermost query, whose sink is told the changes",
            )
