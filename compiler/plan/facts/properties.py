"""Facts about the rows of a plan node: what of the clock it knows, and what state it costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

from compiler.memo import remembered
from compiler.plan.facts.state import state_of
from compiler.plan.nodes import (
    Aggregate,
    Alias,
    Bad,
    Changed,
    Counted,
    Filled,
    Filter,
    Join,
    Late,
    Match,
    Named,
    Over,
    OverChanges,
    Paired,
    Plan,
    Project,
    Rule,
    Scan,
    StaticQuery,
    TableRows,
    TemporalFilter,
    Top,
    Totals,
    UnionAll,
    Watermarked,
    Windows,
    children,
)


def is_of_streams(join: Join) -> bool:
    """Whether both sides of a join are streams, so that Spark keeps rows for it."""
    return all(properties_of(each).streams for each in (join.left, join.right))


@dataclass(frozen=True, slots=True, kw_only=True)
class Properties:
    """Facts that follow from a node alone.

    Attributes:
        streams: the sources whose rows it carries.
        watermarks: (source, column) of those that move the clock.
        append_only: whether rows, once in the result, stay.
        state: what Spark has to remember for it and for what is below; empty: nothing.
    """

    streams: frozenset[str]
    watermarks: frozenset[tuple[str, str]]
    append_only: bool = True
    state: tuple[str, ...] = ()

    def with_state(self, *more: str) -> Properties:
        """The same and some state."""
        return replace(self, state=tuple(dict.fromkeys((*self.state, *more))))


NOTHING = Properties(streams=frozenset(), watermarks=frozenset())


@remembered
def properties_of(node: Plan) -> Properties:
    """The properties of a node, derived from those of its inputs."""
    match node:
        case Scan() | Watermarked() | StaticQuery() | TableRows():
            return _of_input(node)
        case Named() | Alias() | Filter() | Project() | Late():
            return properties_of(node.input)
        case Bad():
            return replace(properties_of(node.input), watermarks=frozenset())
        case (
            TemporalFilter()
            | Windows()
            | Aggregate()
            | Over()
            | Totals()
            | Top()
            | OverChanges()
            | Match()
            | Filled()
            | Changed()
        ):
            below = properties_of(node.input).with_state(*own_state(node))
            return replace(below, append_only=below.append_only and _keeps_rows(node))
        case Counted(inputs=inputs):
            below = _together(*(properties_of(each) for each in inputs))
            grows = below.append_only and node.rule in GROWING
            return replace(below.with_state(*own_state(node)), append_only=grows)
        case Join(left=left, right=right) | Paired(left=left, right=right):
            both = _together(properties_of(left), properties_of(right))
            grows = isinstance(node, Join) or node.kind in ("inner", "leftsemi")
            return replace(
                both.with_state(*own_state(node)), append_only=both.append_only and grows
            )
        case UnionAll(inputs=inputs):
            return _together(*(properties_of(each) for each in inputs))
        case _:
            assert_never(node)


@remembered
def own_state(node: Plan) -> tuple[str, ...]:
    """What is remembered for a node, and not for its inputs."""
    below = [properties_of(each) for each in children(node)]
    grows = all(each.append_only for each in below)
    return tuple(state_of(node, grows=grows, of_streams=all(each.streams for each in below)))


GROWING = frozenset({Rule.DISTINCT, Rule.INTERSECT, Rule.INTERSECT_ALL, Rule.MATCHED})
"""Rules by which more rows in the inputs make more rows, and no fewer, in the result."""


def _of_input(node: Scan | Watermarked | StaticQuery | TableRows) -> Properties:
    match node:
        case Scan(source=source):
            if source.static:
                return NOTHING
            marks = {(source.name, source.watermark.column)} if source.watermark else set()
            return Properties(streams=frozenset({source.name}), watermarks=frozenset(marks))
        case Watermarked(input=inner, watermark=mark, source=name):
            return replace(properties_of(inner), watermarks=frozenset({(name, mark.column)}))
        case StaticQuery():
            return NOTHING
        case TableRows(table=table):
            kept = Properties(streams=frozenset({table}), watermarks=frozenset(), append_only=False)
            return kept.with_state(*own_state(node))


def _keeps_rows(
    node: Changed
    | TemporalFilter
    | Windows
    | Aggregate
    | Over
    | Match
    | Filled
    | Totals
    | Top
    | OverChanges,
) -> bool:
    """Whether rows that a node has given stay."""
    match node:
        case TemporalFilter(branches=branches):
            return not any(branch.uppers for branch in branches)
        case Changed() | Totals() | Top() | OverChanges():
            return False
        case Windows() | Aggregate() | Over() | Match() | Filled():
            return True


def _together(*parts: Properties) -> Properties:
    return Properties(
        streams=frozenset().union(*(each.streams for each in parts)),
        watermarks=frozenset().union(*(each.watermarks for each in parts)),
        append_only=all(each.append_only for each in parts),
        state=tuple(dict.fromkeys(line for each in parts for line in each.state)),
    )
