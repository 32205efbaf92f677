"""Facts about the rows of a plan node: what of the clock it knows, and what state it costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

from compiler.diagnostics import Diagnostic, Label
from compiler.plan.branches import Branch
from compiler.plan.nodes import (
    Aggregate,
    Alias,
    Counted,
    Filter,
    Frame,
    Join,
    Late,
    Named,
    Over,
    Paired,
    Plan,
    Program,
    Project,
    Rule,
    Scan,
    StaticQuery,
    TemporalFilter,
    Top,
    Totals,
    UnionAll,
    Watermarked,
    Windows,
    has_updates,
    held_by,
    walk,
)


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


def properties_of(node: Plan) -> Properties:
    """The properties of a node, derived from those of its inputs."""
    match node:
        case Scan() | Watermarked() | StaticQuery():
            return _of_input(node)
        case Named() | Alias() | Filter() | Project() | Late():
            return properties_of(node.input)
        case TemporalFilter() | Windows() | Aggregate() | Over() | Totals() | Top():
            below = properties_of(node.input).with_state(*_own_state(node))
            return replace(below, append_only=below.append_only and _keeps_rows(node))
        case Counted(inputs=inputs):
            below = _together(*(properties_of(each) for each in inputs))
            grows = below.append_only and node.rule in GROWING
            return replace(below.with_state("rows that are in an input"), append_only=grows)
        case Paired(left=left, right=right):
            below = _together(properties_of(left), properties_of(right))
            return below.with_state("rows of both sides of a join, as they stand")
        case Join(left=left, right=right):
            return _joined(node, properties_of(left), properties_of(right))
        case UnionAll(inputs=inputs):
            return _together(*(properties_of(each) for each in inputs))
        case _:
            assert_never(node)


GROWING = frozenset({Rule.DISTINCT, Rule.INTERSECT, Rule.INTERSECT_ALL, Rule.MATCHED})
"""Rules by which more rows in the inputs make more rows, and no fewer, in the result."""


def _of_input(node: Scan | Watermarked | StaticQuery) -> Properties:
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


def _keeps_rows(node: Plan) -> bool:
    """Whether rows that a node has given stay."""
    if isinstance(node, TemporalFilter):
        return not any(branch.uppers for branch in node.branches)
    return not isinstance(node, Totals | Top)


def _own_state(node: TemporalFilter | Windows | Aggregate | Over | Totals | Top) -> list[str]:
    match node:
        case Totals() | Top():
            return _changing_state(node)
        case TemporalFilter(branches=branches):
            return [_kept_until(branches)]
        case Windows(kind=kind):
            return ["sessions until they close"] if kind == "session" else []
        case Aggregate(closes=closes):
            return [f"groups until {closes.sql}"]
        case Over(frames=frames):
            return [_looked_at(each) for each in frames]


def _changing_state(node: Totals | Top) -> list[str]:
    keys = ", ".join(node.keys if isinstance(node, Totals) else node.partition)
    if isinstance(node, Top):
        return [f"all rows of each {keys}" if keys else "all rows, in order"]
    return [f"a row for each {keys}" if keys else "one row of totals"]


def _kept_until(branches: tuple[Branch, ...]) -> str:
    """How long a row is kept for a condition on the clock."""
    if not any(branch.uppers for branch in branches):
        return "rows until they are due"
    last = [bound.bound for branch in branches for bound in (branch.uppers or branch.lowers)[:1]]
    return f"each row until {' or '.join(dict.fromkeys(last))}"


def _looked_at(frame: Frame) -> str:
    """What a window specification keeps."""
    keys = f" of each {', '.join(frame.partition)}" if frame.partition else ""
    if frame.before is None:
        return f"unbounded: all rows{keys}, for a frame without a beginning"
    if frame.until is not None:
        return f"rows{keys} until {frame.until.sql}"
    return f"the last {max(frame.before, 1) + frame.after} rows{keys}"


def _joined(node: Join, left: Properties, right: Properties) -> Properties:
    both = _together(left, right)
    if node.events:
        return both.with_state("rows of both sides of a join until they find no more partners")
    if left.streams and right.streams and _both_end(node):
        return both.with_state("rows of both sides of a join until they have left for good")
    if left.streams and right.streams:
        return both.with_state("unbounded: all rows of both sides of a join")
    return both


def _together(*parts: Properties) -> Properties:
    return Properties(
        streams=frozenset().union(*(each.streams for each in parts)),
        watermarks=frozenset().union(*(each.watermarks for each in parts)),
        append_only=all(each.append_only for each in parts),
        state=tuple(dict.fromkeys(line for each in parts for line in each.state)),
    )


def check_properties(program: Program) -> tuple[Diagnostic, ...]:
    """Warnings about what a plan will cost."""
    found: dict[Diagnostic, None] = {}
    for output in program.outputs:
        for node in walk(output.plan):
            if isinstance(node, Join) and _is_unbounded(node):
                found[_unbounded_join(node)] = None
            if isinstance(node, Paired) and (grows := _growing(node)):
                found[_unbounded_pairs(node, grows)] = None
            if isinstance(node, Over) and any(each.before is None for each in node.frames):
                found[_unbounded_frame(node)] = None
    return tuple(sorted(found, key=lambda each: each.labels[0].span.start))


def _is_unbounded(node: Join) -> bool:
    return not (node.events or _both_end(node)) and bool(
        properties_of(node.left).streams and properties_of(node.right).streams
    )


def _both_end(node: Join) -> bool:
    """Whether the rows of both sides leave their results, so that the join can forget them."""
    return not node.using and all(
        any(
            isinstance(each, TemporalFilter) and all(branch.uppers for branch in each.branches)
            for each in held_by(side)
        )
        for side in (node.left, node.right)
    )


def _unbounded_join(node: Join) -> Diagnostic:
    on = ", ".join(f"`{name}`" for name in (node.on.reads if node.on else node.using))
    return Diagnostic(
        "TVFW302",
        "the state of this join grows without bound",
        (Label(node.span, f"keeps every row of both streams, by {on or 'nothing'}"),),
        help="join with a table where one side changes rarely",
    )


def _growing(node: Paired) -> list[str]:
    """The keys by which a join keeps rows that never leave."""
    return [
        ", ".join(f"`{key[place]}`" for key in node.keys) or "nothing"
        for place, side in enumerate((node.left, node.right))
        if not has_updates(side) and properties_of(side).append_only
    ]


def _unbounded_pairs(node: Paired, keys: list[str]) -> Diagnostic:
    return Diagnostic(
        "TVFW302",
        "the state of this join grows without bound",
        (Label(node.span, f"keeps every row of a stream, by {' and '.join(keys)}"),),
        help="let its rows leave: `AND mz_now() < ts + INTERVAL 1 DAY`",
    )


def _unbounded_frame(node: Over) -> Diagnostic:
    frame = next(each for each in node.frames if each.before is None)
    keys = ", ".join(f"`{key}`" for key in frame.partition)
    return Diagnostic(
        "TVFW302",
        "the state of this window function grows without bound",
        (Label(node.span, f"keeps every row, by {keys or 'nothing'}"),),
        notes=("its frame begins with the first row of all",),
        help="give it a beginning, such as ROWS BETWEEN 100 PRECEDING AND CURRENT ROW, or add a "
        "window to PARTITION BY",
    )
