"""The bad rows of a source come from the very scan that its rows come from, where there is one.

Before   an output of Source a watermark ts; another one of Bad (Source a)
After    the same, with Bad (Source a watermark ts)

By which watermark a source is read decides nothing about its bad rows.
"""

from __future__ import annotations

from dataclasses import replace

from compiler.diagnostics.problems import Problems
from compiler.passes.each import for_each_output, with_plan
from compiler.plan.nodes import Bad, Output, Plan, Program, Scan, rebuilt, walk


def share_scans(program: Program, _problems: Problems) -> Program:
    """BAD(source) reads the source as its own query does, or as the first of the others."""
    plans = tuple(each.plan for each in program.outputs)

    def shared(output: Output) -> Output:
        return with_plan(output, _as_read_in(output.plan, (output.plan, *plans)))

    return for_each_output(program, shared)


def _as_read_in(plan: Plan, plans: tuple[Plan, ...]) -> Plan:
    """A plan with the bad rows of sources as the first of some plans reads these for their rows."""
    if not any(isinstance(each, Bad) for each in walk(plan)):
        return plan
    scans: dict[str, Scan] = {}
    for scan in (each for other in plans for each in _scans(other)):
        scans.setdefault(scan.source.name, scan)

    def change(node: Plan) -> Plan:
        if not isinstance(node, Bad):
            return node
        return replace(node, input=scans.get(node.input.source.name, node.input))

    return rebuilt(plan, change)


def _scans(node: Plan) -> list[Scan]:
    """The sources that a plan reads for their rows."""
    under_bad = {id(each.input) for each in walk(node) if isinstance(each, Bad)}
    return [each for each in walk(node) if isinstance(each, Scan) and id(each) not in under_bad]
