"""Warnings: legal SQL that does not do what its author will expect of a stream."""

from __future__ import annotations

from sqlglot import exp

from compiler.plan.problems import Problems
from compiler.syntax import span_of


def warn_of_now(condition: exp.Expression, problems: Problems) -> None:
    """`ts > now()` is decided once, on arrival."""
    for node in condition.find_all(exp.CurrentTimestamp, exp.CurrentDate, exp.Anonymous):
        if isinstance(node, exp.Anonymous) and node.name.lower() != "now":
            continue
        comparison = node.find_ancestor(exp.Predicate)
        if comparison is None or comparison.find(exp.Column) is None:
            continue
        problems.add(
            "TVFW401",
            "the current time is read once, when a row arrives",
            span_of(node),
            "does not move with the clock",
            advice="compare with WATERMARK_TS() for event time or mz_now() for the wall clock, "
            "if the row is to appear or disappear later",
        )
