"""What is known of the rows of each plan node, as a table: when they close, their order, state."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.plan.clock_columns import closes_sql, columns_of, order_of, own_state
from compiler.plan.nodes import Alias, Named, Plan, children
from compiler.plan.properties import properties_of

HEADER = ("node", "rows", "clock closes", "in order of", "state")


def table_of_nodes(plan: Plan) -> list[str]:
    """A line for each node that reads a stream; inputs are below their users, indented."""
    rows = list(_rows(plan, 0))
    if len(rows) < 2:
        return []
    cells = [HEADER, *rows]
    widths = [max(len(row[place]) for row in cells) for place in range(len(HEADER))]
    return [
        (
            "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


def _rows(node: Plan, depth: int) -> Iterator[tuple[str, ...]]:
    facts = properties_of(node)
    if not facts.streams:
        return
    if isinstance(node, Alias):
        yield from _rows(node.input, depth)
        return
    name = node.name if isinstance(node, Named) else ""
    closes = [closes_sql(each) for each in columns_of(node) if each.closing is not None]
    yield (
        f"{'  ' * depth}{type(node).__name__} {name}".rstrip(),
        "append-only" if facts.append_only else "changing",
        ", ".join(closes) or "-",
        order_of(node) or "-",
        "; ".join(own_state(node)) or "-",
    )
    for child in children(node):
        yield from _rows(child, depth + 1)
