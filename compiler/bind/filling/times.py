"""When the clock closes columns of groups of which windows without rows are filled."""

from __future__ import annotations

from dataclasses import replace

from compiler.bind.names.scope import OutColumn
from compiler.plan.nodes import Filled, Filling


def filled_columns(columns: tuple[OutColumn, ...], node: Filled) -> tuple[OutColumn, ...]:
    """The columns above FILL, from those below it.

    LINEAR waits for the next window with rows: as long as a key may be silent, or for ever.
    """
    if node.how is not Filling.LINEAR:
        return columns
    return tuple(_later(each, node) for each in columns)


def _later(column: OutColumn, node: Filled) -> OutColumn:
    closing = column.closing
    if closing is None or node.silence is None:
        return replace(column, closing=None)
    return replace(column, closing=replace(closing, later=closing.later + node.silence))
