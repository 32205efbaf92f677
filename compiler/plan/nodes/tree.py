"""A plan as a tree: which nodes there are, their inputs, walks, and plans with other nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias, assert_never

from compiler.diagnostics import InternalError
from compiler.memo import remembered
from compiler.plan.nodes.changing import Counted, OverChanges, Paired, Top, Totals
from compiler.plan.nodes.final import Aggregate, Filled, Match, Over, Windows
from compiler.plan.nodes.inputs import (
    Bad,
    Changed,
    Late,
    Scan,
    StaticQuery,
    TableRows,
    Watermarked,
)
from compiler.plan.nodes.rows import Alias, Filter, Join, Named, Project, TemporalFilter, UnionAll

Plan: TypeAlias = (
    Scan
    | Changed
    | Watermarked
    | Late
    | Bad
    | StaticQuery
    | TableRows
    | Named
    | Alias
    | Join
    | Filter
    | TemporalFilter
    | Project
    | UnionAll
    | Windows
    | Aggregate
    | Over
    | Filled
    | Totals
    | Counted
    | Paired
    | Top
    | OverChanges
    | Match
)


def children(node: Plan) -> tuple[Plan, ...]:
    """The inputs of a node, left to right."""
    match node:
        case Scan() | StaticQuery():
            return ()
        case (
            Named()
            | Alias()
            | Filter()
            | TemporalFilter()
            | Project()
            | Windows()
            | Aggregate()
            | Over()
            | Filled()
            | Totals()
            | Top()
            | OverChanges()
            | Match()
            | Watermarked()
            | Late()
            | Bad()
            | Changed()
            | TableRows()
        ):
            return (node.input,)
        case Join(left=left, right=right) | Paired(left=left, right=right):
            return (left, right)
        case UnionAll(inputs=inputs) | Counted(inputs=inputs):
            return inputs
        case _:
            assert_never(node)


def with_children(node: Plan, change: Callable[[Plan], Plan]) -> Plan:
    """A node with other inputs; the same node where none of them is another."""
    inputs = children(node)
    changed = tuple(change(each) for each in inputs)
    if all(one is other for one, other in zip(inputs, changed, strict=True)):
        return node
    return _with_inputs(node, changed)


def _with_inputs(node: Plan, inputs: tuple[Plan, ...]) -> Plan:
    match node:
        case Scan() | StaticQuery():
            return node
        case Join() | Paired():
            return replace(node, left=inputs[0], right=inputs[1])
        case UnionAll() | Counted():
            return replace(node, inputs=inputs)
        case Late():
            if not isinstance(inputs[0], Scan | Watermarked):
                raise InternalError("late rows of what has no watermark")
            return replace(node, input=inputs[0])
        case Bad() | Changed():
            if not isinstance(inputs[0], Scan):
                raise InternalError("records of what is no source")
            return replace(node, input=inputs[0])
        case (
            Named()
            | Alias()
            | Filter()
            | TemporalFilter()
            | Project()
            | Windows()
            | Aggregate()
            | Over()
            | Filled()
            | Totals()
            | Top()
            | OverChanges()
            | Match()
            | Watermarked()
            | TableRows()
        ):
            return replace(node, input=inputs[0])
        case _:
            assert_never(node)


def rebuilt(plan: Plan, change: Callable[[Plan], Plan]) -> Plan:
    """A plan with each node changed, once its inputs are; one that several read is changed once."""
    known: dict[int, tuple[Plan, Plan]] = {}

    def of(node: Plan) -> Plan:
        if id(node) not in known:
            known[id(node)] = (node, change(with_children(node, of)))
        return known[id(node)][1]

    return of(plan)


def walk(node: Plan) -> Iterator[Plan]:
    """A node and all below it, inputs after a user of theirs; what several read comes once."""
    return _each_once(node, children)


def held_by(node: Plan) -> Iterator[Plan]:
    """A node and those below it that hold rows of it; some nodes give rows of their own."""
    return _each_once(node, lambda each: () if gives_own_rows(each) else children(each))


def gives_own_rows(node: Plan) -> bool:
    """Whether rows of a node are not those of its inputs, but made of what it knows of them."""
    match node:
        case (
            Aggregate()
            | Over()
            | Filled()
            | Match()
            | Totals()
            | Counted()
            | Paired()
            | Top()
            | OverChanges()
        ):
            return True
        case (
            Scan()
            | Changed()
            | TableRows()
            | Watermarked()
            | Late()
            | Bad()
            | StaticQuery()
            | Named()
            | Alias()
            | Join()
            | Filter()
            | TemporalFilter()
            | Project()
            | UnionAll()
            | Windows()
        ):
            return False
        case _:
            assert_never(node)


def _each_once(node: Plan, below: Callable[[Plan], tuple[Plan, ...]]) -> Iterator[Plan]:
    seen: set[int] = set()
    stack = [node]
    while stack:
        each = stack.pop()
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            stack.extend(reversed(below(each)))


@remembered
def tree_size(node: Plan) -> int:
    """The number of nodes below a node and itself, each as often as it is read."""
    return 1 + sum(map(tree_size, children(node)))


@remembered
def has_updates(node: Plan) -> bool:
    """Whether rows of a node come and go by what others do, not by times of their own."""
    match node:
        case Changed() | TableRows():
            return True
        case Totals() | Counted() | Paired() | Top() | OverChanges():
            return True
        case Aggregate() | Over() | Filled() | Match() | Scan() | Late() | Bad() | StaticQuery():
            return False
        case (
            Watermarked()
            | Named()
            | Alias()
            | Join()
            | Filter()
            | TemporalFilter()
            | Project()
            | UnionAll()
            | Windows()
        ):
            return any(map(has_updates, children(node)))
        case _:
            assert_never(node)


def comes_and_goes(node: Plan) -> bool:
    """Whether rows of a node wait for the clock, or may leave the result again."""
    waits = any(isinstance(each, TemporalFilter) for each in held_by(node))
    return waits or has_updates(node)
