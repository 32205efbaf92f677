"""How long the state of a join must keep a row that leaves its result again.

A pair is in the result while both of its rows are. So a row that has left for good finds no more
partners: it need not be kept beyond its end, compared with when rows of the other side arrive.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compiler.plan.names import qualified
from compiler.plan.nodes import Join, Plan, TemporalFilter
from compiler.plan.properties import properties_of
from compiler.release.nodes import Input, JoinWith

Joins = tuple[JoinWith, ...]


def with_lifetimes(
    node: Join, first: Input, joins: Joins, other: JoinWith
) -> tuple[Input, Joins, JoinWith]:
    """The sides of an inner join of streams, bounded by the ends of their rows."""
    sides = [first, *(join.input for join in joins)]
    streams = [
        side
        for side, below in zip(sides, _sides(node.left), strict=True)
        if properties_of(below).streams
    ]
    is_inner = other.kind in ("inner", "cross") and not other.using
    if not is_inner or not properties_of(node.right).streams or not streams:
        return first, joins, other
    late = _named(other.input)
    bounds = [
        f"{qualified(one.alias or '', '__until')} >= {qualified(two.alias or '', '__arrived')}"
        for early in map(_named, streams)
        for one, two in ((early, late), (late, early))
        if one.carries.has_validity
    ]
    if not bounds:
        return first, joins, other

    def bounded(side: Input) -> Input:
        return replace(_named(side), ends=True) if side in streams else side

    return (
        bounded(first),
        tuple(replace(join, input=bounded(join.input)) for join in joins),
        replace(other, input=replace(late, ends=True), bounds=tuple(bounds)),
    )


def _sides(node: Plan) -> Iterator[Plan]:
    """The inputs of a chain of joins, left to right."""
    match node:
        case TemporalFilter(input=inner):
            yield from _sides(inner)
        case Join(left=left, right=right):
            yield from _sides(left)
            yield right
        case _:
            yield node


def _named(side: Input) -> Input:
    return side if side.alias else replace(side, alias=side.step)
