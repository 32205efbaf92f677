"""How long the state of a join must keep a row that leaves its result again.

A pair is in the result while both of its rows are. So a row that has left for good finds no more
partners: it need not be kept beyond its end, compared with when rows of the other side arrive.

Before   Select from a, joined with b; rows of both have clock values at which they count
After    the same, where rows of a find partners until they leave, and those of b likewise
"""

from __future__ import annotations

from dataclasses import replace

from compiler.release.nodes import Input, JoinWith, Leaves, ReleaseJob, Select, Step
from compiler.release.reading import streams_of


def end_joins(job: ReleaseJob) -> ReleaseJob:
    """Inner joins of streams, whose rows find partners until they leave."""
    streams = streams_of(job)

    def ended(step: Step) -> Step:
        return _ended(step, streams) if isinstance(step, Select) and step.joins else step

    return replace(job, steps=tuple(map(ended, job.steps)))


def _ended(step: Select, streams: frozenset[str]) -> Select:
    sides, joins = [step.input], list[JoinWith]()
    for join in step.joins:
        left = [each for each in sides if each.step in streams]
        sides.append(join.input)
        joins.append(join)
        if not _is_inner(join) or join.has_range or not left or join.input.step not in streams:
            continue
        left_until = tuple(map(_leaves, filter(_may_leave, left)))
        right_until = tuple(map(_leaves, filter(_may_leave, [join.input])))
        if left_until or right_until:
            sides = [replace(each, alias=_name(each)) for each in sides]
            joins[-1] = replace(join, left_until=left_until, right_until=right_until)
    joins = [replace(join, input=side) for join, side in zip(joins, sides[1:], strict=True)]
    return replace(step, input=sides[0], joins=tuple(joins))


def _is_inner(join: JoinWith) -> bool:
    return join.kind in ("inner", "cross") and not join.using


def _may_leave(side: Input) -> bool:
    return side.carries.has_validity


def _leaves(side: Input) -> Leaves:
    return Leaves(alias=_name(side))


def _name(side: Input) -> str:
    return side.alias or side.step
