"""Which outputs of a script one streaming query writes: those that have one clock.

A row is late, or due, by the clock of a query. Queries on the same watermarks that ran each for
themselves would cut their input into other batches, and decide otherwise; `LATE(rel)` would have
rows that the result has as well, or miss some that it misses. So such outputs are one query.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compiler.plan.memo import remembered
from compiler.plan.nodes import (
    Late,
    Output,
    Plan,
    Scan,
    UnionAll,
    Watermarked,
    walk,
)
from compiler.plan.problems import Problems
from compiler.plan.watermarks import refuse_two_watermarks


def put_together(outputs: list[Output], problems: Problems) -> tuple[Output, ...]:
    """The outputs, each with the one whose query writes it; conflicting watermarks are reported.

    Together are outputs that read the same watermarked relations; that read the late rows of a
    relation, and that relation; and, where there is no watermark, that share a stream.
    """
    queries: list[list[int]] = []
    for number, output in enumerate(outputs):
        own = [number]
        for query in list(queries):
            known = [outputs[n] for n in query]
            if any(_belong(other, output) for other in known) and all(
                _get_along(other, outputs[n]) for other in known for n in own
            ):
                queries.remove(query)
                own = query + own
        queries.append(sorted(own))
    leaders = {number: query[0] for query in queries for number in query}
    for query in queries:
        plans = tuple(outputs[number].plan for number in query)
        refuse_two_watermarks(UnionAll(inputs=plans), problems)
    return tuple(
        replace(output, beside=outputs[leader].sink.name)
        if (leader := leaders[number]) != number
        else output
        for number, output in enumerate(outputs)
    )


def _belong(one: Output, other: Output) -> bool:
    marks, more = set(_marked(one.plan)), set(_marked(other.plan))
    if not marks and not more:
        return bool(_scans(one.plan).keys() & _scans(other.plan).keys())
    late = {node.input for output in (one, other) for node in _late(output.plan)}
    return marks == more or bool(late & marks & more)


def _get_along(one: Output, other: Output) -> bool:
    """Whether one query serves both: it reads a source in one way."""
    scans, others = _scans(one.plan), _scans(other.plan)
    return all(scans[name] == others[name] for name in scans.keys() & others.keys())


def _marked(node: Plan) -> Iterator[Scan | Watermarked]:
    """What moves the clock of a plan."""
    for each in walk(node):
        if isinstance(each, Watermarked) or (isinstance(each, Scan) and each.source.watermark):
            yield each


def _late(node: Plan) -> Iterator[Late]:
    return (each for each in walk(node) if isinstance(each, Late))


@remembered
def _scans(node: Plan) -> dict[str, Scan]:
    """The streams of a plan by name."""
    scans = (each for each in walk(node) if isinstance(each, Scan))
    return {each.source.name: each for each in scans if not each.source.static}
