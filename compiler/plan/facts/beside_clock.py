"""Streams that do not move the clock of their query, beside those that do.

An operator has the clock of what it reads, and above a source without a watermark there would be
none; so such sources are marked, and the job hands the clock on with their rows.

Before   UnionAll: Totals of Scan notes; Scan orders, which has a watermark
After    UnionAll: Totals of Scan notes beside_clock; Scan orders
"""

from __future__ import annotations

from dataclasses import replace

from compiler.memo import remembered
from compiler.plan.nodes import Bad, Plan, Scan, Watermarked, children, with_children


@remembered
def moves_clock(node: Plan) -> bool:
    """Whether rows below a node move the clock; bad records do not, whatever their source."""
    match node:
        case Scan(source=source, ticks=ticks):
            return ticks or source.watermark is not None
        case Watermarked():
            return True
        case Bad():
            return False
        case _:
            return any(map(moves_clock, children(node)))


@remembered
def beside_clock(node: Plan) -> Plan:
    """A plan whose query has a clock, with the streams marked that do not move it."""
    match node:
        case Scan(source=source):
            return node if source.static or moves_clock(node) else replace(node, beside_clock=True)
        case Watermarked():
            return node
        case Bad():
            return replace(node, beside_clock=True)
        case _:
            return with_children(node, beside_clock)
