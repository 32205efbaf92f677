"""A MATCH_RECOGNIZE in a line of text."""

from __future__ import annotations

from compiler.plan.nodes import Match
from compiler.plan.patterns import (
    shown,
    term_text,
)
from compiler.sql.lengths import interval_sql


def match_label(node: Match) -> str:
    """What is looked for, and when it is known."""
    keys = f" of each {', '.join(node.partition)}" if node.partition else ""
    conditions = ", ".join(f"{name} as {term_text(term)}" for name, term in node.defines)
    define = f" where {conditions}" if conditions else ""
    within = f" within {interval_sql(node.within)}" if node.within is not None else ""
    word = "after" if node.closes_after else "at"
    return (
        f"Match {shown(node.pattern)}{within}{keys} by {', '.join(node.order)}{define}, "
        f"complete {word} {node.closes.sql}"
    )
