"""Which clock a query runs on: the least watermark of its sources, or the wall clock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from compiler.diagnostics.problems import Problems
from compiler.plan.conditions.predicates import clock_atoms
from compiler.plan.nodes import (
    Aggregate,
    Alias,
    Bad,
    Changed,
    Counted,
    Filled,
    Filter,
    Join,
    Late,
    Match,
    Named,
    Over,
    OverChanges,
    Paired,
    Plan,
    Project,
    Scan,
    StaticQuery,
    TableRows,
    TemporalFilter,
    Top,
    Totals,
    UnionAll,
    Watermarked,
    Windows,
    walk,
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
        case Late(input=inner):
            mark = inner.source if isinstance(inner, Scan) else inner.watermark
            yield Clock.WATERMARK, mark.span
        case Scan() | Changed() | Watermarked() | Bad() | StaticQuery() | Named() | Alias():
            return
        case TableRows() | Join() | Filter() | UnionAll() | Windows() | Filled():
            return
        case Totals() | Counted() | Paired() | Top() | OverChanges():
            return
        case _:
            assert_never(node)


def _in_items(exprs: list[Expr]) -> Iterator[tuple[Clock, Span]]:
    for each in exprs:
        if each.clock is not None:
            yield each.clock, each.span
