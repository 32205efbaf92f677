"""Queries that read the wall clock run on it: watermarks do nothing in them.

Before   Join until … of Source a watermark ts; Source b watermark ts
After    Join of Source a, with ticks; Source b, with ticks

Ticks of the wall clock come with the rows of any source of a query: queries that are one streaming
query share them, whichever source each of them reads first.
"""

from __future__ import annotations

from dataclasses import replace

from compiler.diagnostics.problems import Problems
from compiler.passes.each import for_each_output, with_plan
from compiler.plan.nodes import Join, Output, Plan, Program, Scan, Watermarked, rebuilt, walk
from compiler.source import Span
from compiler.sql.exprs import Clock


def run_on_wall_clock(program: Program, problems: Problems) -> Program:
    """Queries on the wall clock have its ticks, and no watermarks."""

    def moved(output: Output) -> Output:
        if output.clock is not Clock.WALL:
            return output
        _warn_of_watermarks(output.plan, problems)
        return with_plan(output, rebuilt(output.plan, _moved))

    return for_each_output(program, moved)


def _moved(node: Plan) -> Plan:
    match node:
        case Scan(source=source):
            return replace(node, source=replace(source, watermark=None), ticks=not source.static)
        case Watermarked(input=inner):
            return inner
        case Join():  # the wall clock says nothing of when partners come
            return replace(node, left_until=(), right_until=())
        case _:
            return node


def _warn_of_watermarks(plan: Plan, problems: Problems) -> None:
    for node in walk(plan):
        if isinstance(node, Scan) and node.source.watermark is not None:
            _warn(node.source.name, node.source.watermark.span, problems)
        elif isinstance(node, Watermarked):
            _warn(node.source, node.watermark.span, problems)


def _warn(source: str, span: Span, problems: Problems) -> None:
    problems.add(
        "TVFW402",
        f"the watermark of `{source}` does nothing in a query on the wall clock",
        span,
        "refuses no row there",
        notes=["mz_now() is the clock of the query, and no row is late by it"],
        advice="leave the watermark out, or compare with WATERMARK_TS()",
    )
