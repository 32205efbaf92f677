"""Streams that do not move the clock of their query, beside those that do.

An operator has the clock of what it reads, and above a source without a watermark there would be
none; so such sources are marked, and the job hands the clock on with their rows. Comes after
`join_outputs`, which says what one query is.

Before   UnionAll: Totals of Scan notes; Scan orders, which has a watermark
After    UnionAll: Totals of Scan notes beside_clock; Scan orders
"""

from __future__ import annotations

from dataclasses import replace

from compiler.diagnostics.problems import Problems
from compiler.memo import remembered
from compiler.passes.each import for_each_output, with_plan
from compiler.plan.nodes import (
    Bad,
    Output,
    Plan,
    Program,
    Scan,
    TableRows,
    Watermarked,
    children,
    with_children,
)


def mark_beside_clock(program: Program, _problems: Problems) -> Program:
    """Streams that do not move the clock of their query are marked, if others do."""
    has_clock = {_query(each) for each in program.outputs if _moves_clock(each.plan)}

    def marked(output: Output) -> Output:
        return with_plan(output, _marked(output.plan)) if _query(output) in has_clock else output

    return for_each_output(program, marked)


def _query(output: Output) -> str:
    return output.beside or output.sink.name


@remembered
def _moves_clock(node: Plan) -> bool:
    """Whether rows below a node move the clock; bad records and tables do not."""
    match node:
        case Scan(source=source, ticks=ticks):
            return ticks or source.watermark is not None
        case Watermarked():
            return True
        case Bad() | TableRows():
            return False
        case _:
            return any(map(_moves_clock, children(node)))


@remembered
def _marked(node: Plan) -> Plan:
    """A plan whose query has a clock, with the streams marked that do not move it."""
    match node:
        case Scan(source=source):
            return node if source.static or _moves_clock(node) else replace(node, beside_clock=True)
        case Watermarked():
            return node
        case Bad() | TableRows():
            return replace(node, beside_clock=True)
        case _:
            return with_children(node, _marked)
