"""How long the state of a join must keep a row that leaves its result again.

A pair is in the result while both of its rows are. So a row that has left for good finds no more
partners: it need not be kept beyond its end, compared with when rows of the other side arrive.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compiler.plan.facts.properties import properties_of
from compiler.plan.nodes import Join, Plan, TemporalFilter
from compiler.release.nodes import Input, JoinWith, Leaves

Joins = tuple[JoinWith, ...]


def with_lifetimes(
    node: Join, first: Input, joins: Joins, other: JoinWith
) -> tuple[Input, Joins, JoinWith]:
    """The sides of an inner join of streams, whose rows find partners until they leave."""
    sides = [first, *(join.input for join in joins)]
    streams = [
        side
        for side, below in zip(sides, _sides(node.left), strict=True)
        if properties_of(below).streams
    ]
    is_inner = other.kind in ("inner", "cross") and not other.using
    if not is_inner or not properties_of(node.right).streams or not streams:
        return first, joins, other
    left = tuple(Leaves(alias=_name(each)) for each in streams if each.carries.has_validity)
    right = (Leaves(alias=_name(other.input)),) if other.input.carries.has_validity else ()
    if not left and not right:
        return first, joins, other
    return (
        _named(first),
        tuple(replace(join, input=_named(join.input)) for join in joins),
        replace(other, input=_named(other.input), left_until=left, right_until=right),
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
    return replace(side, alias=_name(side))


def _name(side: Input) -> str:
    return side.alias or side.step
