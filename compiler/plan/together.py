"""Which outputs of a script one streaming query writes: those that have one clock.

A row is late, or due, by the clock of a query. Queries on the same watermarks that ran each for
themselves would cut their input into other batches, and decide otherwise; `LATE(rel)` would have
rows that the result has as well, or miss some that it misses. So such outputs are one query.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from compiler.plan.bad import as_read_elsewhere
from compiler.plan.memo import remembered
from compiler.plan.nodes import (
    Aggregate,
    Bad,
    Counted,
    Join,
    Late,
    Output,
    Over,
    Paired,
    Plan,
    Scan,
    Top,
    Totals,
    UnionAll,
    Watermarked,
    Windows,
    children,
    walk,
)
from compiler.plan.problems import Problems
from compiler.plan.watermarks import refuse_two_watermarks

Node = TypeVar("Node", Bad, Late)


def put_together(outputs: list[Output], problems: Problems) -> tuple[Output, ...]:
    """The outputs, each with the one whose query writes it; conflicting watermarks are reported.

    Together are outputs that read the same watermarked relations; that read the late rows of a
    relation, and that relation, or the bad rows of a source, and that source; and, where there is
    no watermark, that share a stream.
    """
    plans = tuple(output.plan for output in outputs)
    outputs = [replace(each, plan=as_read_elsewhere(each.plan, plans)) for each in outputs]
    queries: list[_Query] = []
    for number, output in enumerate(outputs):
        own = _Query.of(number, output)
        for query in list(queries):
            # Outputs that belong together read a source together.
            shares = not query.scans.keys().isdisjoint(own.scans)
            if (
                shares
                and any(_belong(outputs[n], output) for n in query.numbers)
                and query.gets_along(own)
            ):
                queries.remove(query)
                own = query.with_those_of(own)
        queries.append(own)
    leaders = {number: query.numbers[0] for query in queries for number in query.numbers}
    for query in queries:
        plans = tuple(outputs[number].plan for number in query.numbers)
        refuse_two_watermarks(UnionAll(inputs=plans), problems)
    return tuple(
        replace(output, beside=outputs[leader].sink.name)
        if (leader := leaders[number]) != number
        else output
        for number, output in enumerate(outputs)
    )


@dataclass(frozen=True)
class _Query:
    """Outputs of one query: their numbers, what they scan, and of what kind any of them is.

    A query reads a source in one way. Of Spark's settings, operators on changing relations need
    the query's watermark at once, and closed rows of Spark's own state above state need operators
    that see it one after the other (tvfc_runtime, IN_TURN).
    """

    numbers: list[int]
    scans: dict[str, Scan]
    changes: bool
    has_state_above_state: bool

    @classmethod
    def of(cls, number: int, output: Output) -> _Query:
        """The query of one output."""
        plan = output.plan
        return cls([number], _scans(plan), _changes(plan), _is_state_above_state(plan))

    def gets_along(self, other: _Query) -> bool:
        """Whether one query serves all outputs of both."""
        common = self.scans.keys() & other.scans.keys()
        if any(self.scans[name] != other.scans[name] for name in common):
            return False
        return not (
            (self.changes and other.has_state_above_state)
            or (other.changes and self.has_state_above_state)
        )

    def with_those_of(self, other: _Query) -> _Query:
        """The query of all outputs of both."""
        return _Query(
            sorted(self.numbers + other.numbers),
            self.scans | other.scans,
            self.changes or other.changes,
            self.has_state_above_state or other.has_state_above_state,
        )


def _belong(one: Output, other: Output) -> bool:
    marks, more = set(_marked(one.plan)), set(_marked(other.plan))
    bad = {each.input for node in (one, other) for each in _of_kind(Bad, node.plan)}
    if bad.intersection(_scans(one.plan).values()).intersection(_scans(other.plan).values()):
        return True
    if not marks and not more:
        return bool(_scans(one.plan).keys() & _scans(other.plan).keys())
    late = {each.input for node in (one, other) for each in _of_kind(Late, node.plan)}
    return marks == more or bool(late & marks & more)


def _changes(node: Plan) -> bool:
    return any(isinstance(each, Totals | Counted | Paired | Top) for each in walk(node))


@remembered
def _is_state_above_state(node: Plan) -> bool:
    return any(
        _has_state(each) and any(_has_state(low) for down in children(each) for low in walk(down))
        for each in walk(node)
    )


def _has_state(node: Plan) -> bool:
    match node:
        case Aggregate() | Over():
            return True
        case Windows(kind=kind):
            return kind == "session"
        case Join(left=left, right=right):
            return bool(_scans(left) and _scans(right))
        case _:
            return False


def _marked(node: Plan) -> Iterator[Scan | Watermarked]:
    """What moves the clock of a plan."""
    for each in walk(node):
        if isinstance(each, Watermarked) or (isinstance(each, Scan) and each.source.watermark):
            yield each


def _of_kind(kind: type[Node], node: Plan) -> Iterator[Node]:
    return (each for each in walk(node) if isinstance(each, kind))


@remembered
def _scans(node: Plan) -> dict[str, Scan]:
    """The streams of a plan by name."""
    scans = (each for each in walk(node) if isinstance(each, Scan))
    return {each.source.name: each for each in scans if not each.source.static}
