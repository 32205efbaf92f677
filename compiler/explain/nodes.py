"""What is known of the rows of each plan node, as a table: when they close, their order, state."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.escapes import visible
from compiler.passes.closed_columns import closes_sql, columns_of, order_of
from compiler.plan.facts.properties import own_state, properties_of
from compiler.plan.nodes import (
    Alias,
    Changed,
    Counted,
    Join,
    Named,
    Plan,
    Scan,
    TableRows,
    Windows,
    children,
    tree_size,
)
from compiler.plan.written_names import as_written

LARGE = 1_000
"""Nodes."""

HEADER = ("node", "rows", "clock closes", "in order of", "state")


def table_of_nodes(plan: Plan, names: dict[str, str]) -> list[str]:
    """A line for each node that reads a stream; inputs are below their users, indented."""
    found = _rows(plan)
    rows = [tuple(visible(as_written(cell, names)) for cell in row) for row in found]
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


def is_large(plan: Plan) -> bool:
    """Whether a plan would be too long with what several nodes read at each of them."""
    return tree_size(plan) > LARGE


def _rows(plan: Plan) -> Iterator[tuple[str, ...]]:
    seen: set[int] = set()
    stack = [(plan, 0)]
    while stack:
        node, depth = stack.pop()
        if not properties_of(node).streams or (id(node) in seen and is_large(plan)):
            continue
        seen.add(id(node))
        if isinstance(node, Alias):
            stack.append((node.input, depth))
            continue
        yield _row(node, depth)
        stack.extend((each, depth + 1) for each in reversed(children(node)))


def _row(node: Plan, depth: int) -> tuple[str, ...]:
    closes = [closes_sql(each) for each in columns_of(node) if each.closing is not None]
    return (
        f"{'  ' * depth}{_title(node)}",
        "append-only" if properties_of(node).append_only else "changing",
        ", ".join(closes) or "-",
        order_of(node) or "-",
        "; ".join(own_state(node)) or "-",
    )


def _title(node: Plan) -> str:
    """What a node is called in the table."""
    match node:
        case Scan(source=source):
            return f"Source {source.name}"
        case Named(name=name, is_made=is_made):
            return f"{'Rows' if is_made else 'View'} {name}"
        case Changed():
            return "Changes"
        case TableRows(table=table):
            return f"Rows of {table}"
        case Counted(rule=rule):
            return rule.value.replace("_", " ").capitalize()
        case Join(kind=kind):
            return f"Join {kind}"
        case Windows(kind=kind):
            return f"Windows {kind}"
        case _:
            return type(node).__name__
