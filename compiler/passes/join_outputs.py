"""Which outputs of a script one streaming query writes: those that have one clock.

A row is late, or due, by the clock of a query. Queries on the same watermarks that ran each for
themselves would cut their input into other batches, and decide otherwise; `LATE(rel)` would have
rows that the result has as well, or miss some that it misses. So such outputs are one query.

Before   outputs one and two of Source a watermark ts
After    the same, with two written by the query of one
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from compiler.bind.relations.watermarks import refuse_two_watermarks
from compiler.bind.sources.places import refuse_shared_files_that_go
from compiler.diagnostics.problems import Problems
from compiler.memo import remembered
from compiler.plan.nodes import Bad, Late, Output, Plan, Program, Scan, UnionAll, Watermarked, walk

Node = TypeVar("Node", Bad, Late)


def join_outputs(program: Program, problems: Problems) -> Program:
    """Each output with the one whose query writes it; what one query cannot read is reported.

    Together are outputs that read the same watermarked relations; that read the late rows of a
    relation, and that relation, or the bad rows of a source, and that source; and, where there is
    no watermark, that share a stream.
    """
    outputs = program.outputs
    leaders: dict[int, int] = {}
    for query in _queries(outputs):
        plans = tuple(outputs[number].plan for number in query.numbers)
        refuse_two_watermarks(UnionAll(inputs=plans), problems)
        leaders |= dict.fromkeys(query.numbers[1:], query.numbers[0])
    joined = tuple(
        replace(output, beside=outputs[leaders[number]].sink.name) if number in leaders else output
        for number, output in enumerate(outputs)
    )
    refuse_shared_files_that_go(joined, problems)
    return replace(program, outputs=joined) if leaders else program


def _queries(outputs: Sequence[Output]) -> list[_Query]:
    queries: list[_Query] = []
    for number, output in enumerate(outputs):
        own = _Query([number], _scans(output.plan))
        for query in list(queries):
            # Outputs that belong together read a source together.
            if own.shares_with(query) and any(_belong(outputs[n], output) for n in query.numbers):
                queries.remove(query)
                own = query.with_those_of(own)
        queries.append(own)
    return queries


@dataclass(frozen=True)
class _Query:
    """Outputs of one query: their numbers, and the streams that they scan, by name."""

    numbers: list[int]
    scans: dict[str, Scan]

    def shares_with(self, other: _Query) -> bool:
        """Whether one query can serve both that read the same: it reads a source in one way."""
        common = self.scans.keys() & other.scans.keys()
        return bool(common) and all(self.scans[name] == other.scans[name] for name in common)

    def with_those_of(self, other: _Query) -> _Query:
        """The query of all outputs of both."""
        return _Query(sorted(self.numbers + other.numbers), self.scans | other.scans)


def _belong(one: Output, other: Output) -> bool:
    marks, more = set(_marked(one.plan)), set(_marked(other.plan))
    bad = {each.input for node in (one, other) for each in _of_kind(Bad, node.plan)}
    if bad.intersection(_scans(one.plan).values()).intersection(_scans(other.plan).values()):
        return True
    if not marks and not more:
        return bool(_scans(one.plan).keys() & _scans(other.plan).keys())
    late = {each.input for node in (one, other) for each in _of_kind(Late, node.plan)}
    return marks == more or bool(late & marks & more)


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
