"""LATE(rel) beside results that are revised has the rows that are too late for those.

Before   an output that takes rows of s late by 1 h; another one of Late s
After    the same, with Late s of the rows that are later than by 1 h

Other queries that read the same sources would take the rows for late that these do not.
"""

from __future__ import annotations

from datetime import timedelta

from compiler.diagnostics.problems import Problems
from compiler.passes.each import in_each_plan
from compiler.plan.allowances import marks_of, with_allowance
from compiler.plan.nodes import Late, Output, Plan, Program


def take_late_rows(program: Program, problems: Problems) -> Program:
    """Rows of a source are late by one rule, in all outputs that read it."""
    found: dict[str, tuple[timedelta, Output]] = {}
    for output in program.outputs:
        for name, mark in marks_of(output.plan):
            if mark.allowance:
                found.setdefault(name, (mark.allowance, output))
    if not found:
        return program
    lengths = {name: length for name, (length, _) in found.items()}

    def late(node: Plan) -> Plan:
        return with_allowance(node, lengths) if isinstance(node, Late) else node

    changed = in_each_plan(program, late)
    for output in changed.outputs:
        _refuse_two_rules(output, found, problems)
    return changed


def _refuse_two_rules(
    output: Output, found: dict[str, tuple[timedelta, Output]], problems: Problems
) -> None:
    for name, mark in marks_of(output.plan):
        length, first = found.get(name, (mark.allowance, output))
        if mark.allowance != length and first.changes is not None:
            problems.add(
                "TVF325",
                f"rows of `{name}` are late by two rules",
                output.changes or mark.span,
                "reads it with other late rows",
                more=[(first.changes, "takes late rows, for a while")],
                advice="end all queries that read it with the same THEN REVISE FOR …, or read "
                "it from a second source",
            )
