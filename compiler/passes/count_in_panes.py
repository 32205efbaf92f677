"""Groups of windows that overlap are put together from panes, into each of which a row goes once.

A pane is as long as slide and size can both be cut into, or a step; a window is some panes. Where
few windows hold a row, Spark's own groups are as fast, and take less time for a batch of few rows.

Before   Aggregate device, window_end, avg(x) by device, window_end
           Windows hop ts, slide 2 seconds, size 10 seconds
After    the same, in panes of 2 seconds

Requires that all of the aggregates are known from parts; see bind/groups/parts.py.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from math import gcd

from compiler.diagnostics.problems import Problems
from compiler.passes.each import in_each_plan
from compiler.plan.facts.panes import windows_below
from compiler.plan.nodes import Aggregate, Plan, Program, Windows

FEW = 4
"""Where rows are in fewer windows, Spark's own groups are kept."""

MICROSECOND = timedelta(microseconds=1)


def count_in_panes(program: Program, _problems: Problems) -> Program:
    """Groups of windows that overlap are put together from those of panes, if they can be."""
    return in_each_plan(program, _in_panes)


def _in_panes(node: Plan) -> Plan:
    if not isinstance(node, Aggregate) or (node.parts is None and node.whole is None):
        return node
    windows = windows_below(node.input)
    if windows is None or _overlap(windows) < FEW:
        return replace(node, parts=None, whole=None)
    return node if node.parts is None else replace(node, pane=_pane(windows))


def _overlap(windows: Windows) -> int:
    """In how many windows a row is at most."""
    lengths = dict(windows.sizes)
    return -(-lengths["size"] // lengths["slide" if windows.kind == "hop" else "step"])


def _pane(windows: Windows) -> timedelta:
    lengths = dict(windows.sizes)
    if windows.kind == "cumulate":
        return lengths["step"]
    return gcd(*(lengths[name] // MICROSECOND for name in ("slide", "size"))) * MICROSECOND
