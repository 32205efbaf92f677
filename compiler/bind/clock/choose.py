"""Which clock a query runs on: the least watermark of its sources, or the wall clock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compiler.diagnostics.problems import Problems
from compiler.plan.conditions.predicates import clock_atoms
from compiler.plan.nodes import (
    Aggregate,
    Join,
    Late,
    Match,
    Over,
    Plan,
    Project,
    Scan,
    TemporalFilter,
    Watermarked,
    walk,
    with_children,
)
from compiler.source import Span
from compiler.sql.exprs import Clock, Expr


def clock_of(plan: Plan, problems: Problems) -> Clock:
    """The clock of a query; one that needs both is reported."""
    found: dict[Clock, Span] = {}
    for node in walk(plan):
        for clock, span in _read_by(node):
            if not found.get(clock, Span(0, 0)).end:
                found[clock] = span
    if len(found) > 1:
        place = found[Clock.WATERMARK]
        problems.add(
            "TVF404",
            "the query needs two clocks",
            found[Clock.WALL],
            "reads the wall clock",
            more=[(place, "needs the watermark")] if place.end else [],
            notes=["a query has one clock, the least watermark of its sources or the wall clock"],
            advice="use WATERMARK_TS() throughout, or mz_now() throughout and no EMIT ON WINDOW "
            "CLOSE",
        )
    return Clock.WALL if Clock.WALL in found else Clock.WATERMARK


def _read_by(node: Plan) -> Iterator[tuple[Clock, Span]]:
    """The clocks that a node itself needs."""
    match node:
        case TemporalFilter(predicate=predicate):
            for atom in clock_atoms(predicate):
                yield atom.clock, atom.span
        case Project(items=items):
            yield from _in_items([each.expr for each in items])
        case Aggregate(closes=closes):
            yield Clock.WATERMARK, closes.span
        case Over(span=span) | Match(span=span):
            yield Clock.WATERMARK, span
        case Late(input=Scan(source=source)):
            yield Clock.WATERMARK, source.span
        case Late(input=Watermarked(watermark=mark)):
            yield Clock.WATERMARK, mark.span
        case _:
            return


def _in_items(exprs: list[Expr]) -> Iterator[tuple[Clock, Span]]:
    for each in exprs:
        if each.clock is not None:
            yield each.clock, each.span


def on_wall_clock(plan: Plan, problems: Problems) -> Plan:
    """The same query with the wall clock for a clock: watermarks do nothing in it.

    Its ticks come with the rows of any of its sources: queries that are one streaming query share
    them, whichever source each of them reads first.
    """

    def moved(node: Plan) -> Plan:
        match node:
            case Scan(source=source):
                if source.watermark is not None:
                    _idle_watermark(source.name, source.watermark.span, problems)
                unmarked = replace(source, watermark=None)
                return replace(node, source=unmarked, ticks=not source.static)
            case Watermarked(input=inner, source=name, watermark=mark):
                _idle_watermark(name, mark.span, problems)
                return moved(inner)
            case Join():  # the wall clock says nothing of when partners come
                unending = replace(node, left_until=(), right_until=())
                return with_children(unending, moved)
            case _:
                return with_children(node, moved)

    return moved(plan)


def _idle_watermark(source: str, span: Span, problems: Problems) -> None:
    problems.add(
        "TVFW402",
        f"the watermark of `{source}` does nothing in a query on the wall clock",
        span,
        "refuses no row there",
        notes=["mz_now() is the clock of the query, and no row is late by it"],
        advice="leave the watermark out, or compare with WATERMARK_TS()",
    )
