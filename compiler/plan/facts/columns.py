"""What the columns of a node are called, as far as that is known."""

from __future__ import annotations

from typing import assert_never

from compiler.memo import remembered
from compiler.plan.nodes import (
    Aggregate,
    Alias,
    Bad,
    Changed,
    Counted,
    Filled,
    Filter,
    Item,
    Join,
    Late,
    Match,
    Named,
    Over,
    OverChanges,
    Paired,
    Plan,
    Project,
    Scan,
    StaticQuery,
    TableRows,
    TemporalFilter,
    Top,
    Totals,
    UnionAll,
    Watermarked,
    Windows,
)
from compiler.sql.names import own_name

Names = tuple[str, ...]


@remembered
def names_of(node: Plan) -> Names | None:  # noqa: C901  a line for each kind of node
    """The columns of a node, in order; None where Spark alone knows them."""
    match node:
        case StaticQuery():
            return None
        case Scan(source=source):
            return tuple(each.name for each in source.columns)
        case Bad():
            return ("record", "reason", "file")
        case Alias() | Named() | Filter() | TemporalFilter() | Filled():
            return names_of(node.input)
        case Watermarked() | Changed() | TableRows():
            return names_of(node.input)
        case Project(items=items) | Aggregate(items=items):
            return tuple(map(_called, items))
        case UnionAll(inputs=inputs) | Counted(inputs=inputs):
            return names_of(inputs[0]) if inputs else ()
        case Join(left=left, right=right, kind=kind) | Paired(left=left, right=right, kind=kind):
            using = node.using if isinstance(node, Join) else ()
            return names_of(left) if kind in _OF_LEFT else _beside(left, right, using)
        case Late(input=below):
            return _with(below, "_watermark")
        case Windows(input=below):
            return _with(below, "window_start", "window_end")
        case Totals(keys=keys, calls=calls):
            return (*map(own_name, keys), *(each.name for each in calls))
        case Top(input=below, number=number):
            return _with(below, *([number] if number else []))
        case Over(input=below, columns=columns) | OverChanges(input=below, columns=columns):
            return _with(below, *(each.name for each in columns))
        case Match(output=output, measures=measures):
            return (*map(own_name, output), *(each.name for each in measures))
        case _:
            assert_never(node)


_OF_LEFT = ("leftsemi", "leftanti", "left_semi", "left_anti")


def _called(item: Item) -> str:
    return item.name or own_name(item.expr.sql)


def _with(below: Plan, *more: str) -> Names | None:
    names = names_of(below)
    return None if names is None else (*names, *more)


def _beside(left: Plan, right: Plan, using: Names) -> Names | None:
    one, other = names_of(left), names_of(right)
    if one is None or other is None:
        return None
    once = {each.lower() for each in using}
    return (*one, *(each for each in other if each.lower() not in once))
