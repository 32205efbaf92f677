"""Which outputs of a script one streaming query writes: those that have one clock.

A row is late, or due, by the clock of a query. Queries on the same watermarks that ran each for
themselves would cut their input into other batches, and decide otherwise; `LATE(rel)` would have
rows that the result has as well, or miss some that it misses. So such outputs are one query.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compiler.plan.nodes import Late, Output, Plan, Scan, UnionAll, Watermarked, walk
from compiler.plan.problems import Problems
from compiler.plan.watermarks import refuse_two_watermarks


def put_together(outputs: list[Output], problems: Problems) -> tuple[Output, ...]:
    """The outputs, each with the one whose query writes it; conflicting watermarks are reported.

    Together are outputs that read the same watermarked relations; that read the late rows of a
    relation, and that relation; and, where there is no watermark, that share a stream.
    """
    leaders: list[int] = []
    for number, output in enumerate(outputs):
        known = {leaders[n] for n in range(number) if _belong(outputs[n], output)}
        leader = min(known, default=number)
        leaders = [leader if each in known else each for each in leaders] + [leader]
    for leader in sorted(set(leaders)):
        plans = [o.plan for o, own in zip(outputs, leaders, strict=True) if own == leader]
        refuse_two_watermarks(UnionAll(inputs=tuple(plans)), problems)
    return tuple(
        output if leader == number else replace(output, beside=outputs[leader].sink.name)
        for number, (output, leader) in enumerate(zip(outputs, leaders, strict=True))
    )


def _belong(one: Output, other: Output) -> bool:
    marks, more = set(_marked(one.plan)), set(_marked(other.plan))
    if not marks and not more:
        return bool(_streams(one.plan) & _streams(other.plan))
    late = {node.input for output in (one, other) for node in _late(output.plan)}
    return marks == more or bool(late & marks & more)


def _marked(node: Plan) -> Iterator[Scan | Watermarked]:
    """What moves the clock of a plan."""
    for each in walk(node):
        if isinstance(each, Watermarked) or (isinstance(each, Scan) and each.source.watermark):
            yield each


def _late(node: Plan) -> Iterator[Late]:
    return (each for each in walk(node) if isinstance(each, Late))


def _streams(node: Plan) -> set[str]:
    return {
        each.source.name for each in walk(node) if isinstance(each, Scan) and not each.source.static
    }
