"""Warnings about state that grows without bound, and what bounds it.

Changes nothing. Comes last, when the plan says what is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from compiler.bind.asof.matches import LAST
from compiler.bind.joins.kinds import has_one_row
from compiler.diagnostics import Diagnostic, Label
from compiler.diagnostics.problems import Problems
from compiler.plan.facts.properties import is_of_streams, properties_of
from compiler.plan.facts.state import both_end
from compiler.plan.nodes import (
    Counted,
    Filled,
    Join,
    Match,
    Named,
    Over,
    OverChanges,
    Paired,
    Plan,
    Program,
    Project,
    Top,
    has_updates,
    walk,
)
from compiler.plan.patterns import most_rows
from compiler.plan.written_names import as_written, names_of_ours
from compiler.source import Span
from compiler.sql.exprs import Clock


def warn_of_costs(program: Program, problems: Problems) -> Program:
    """Warns of what a plan will cost; changes nothing."""
    if not problems.errors:
        problems.warnings += _costs(program)
    return program


def _costs(program: Program) -> list[Diagnostic]:  # noqa: C901  a line for each cost
    found: dict[Diagnostic, None] = {}
    for output in program.outputs:
        asked = {each.span for each in walk(output.plan) if isinstance(each, Counted)}
        clock = _clock(output.plan)
        for node in walk(output.plan):
            if isinstance(node, Join) and _is_unbounded(node):
                found[_unbounded_join(node, clock, asks=node.span in asked)] = None
            if isinstance(node, Join) and (side := _side_without_end(node)):
                found[_endless_side(node, side)] = None
            if isinstance(node, Paired) and (keys := _never_leaving(node)):
                found[_unbounded_pairs(node, keys, clock)] = None
            if isinstance(node, Paired) and _compares_all(node):
                found[_without_key(node)] = None
            if isinstance(node, Over) and any(each.before is None for each in node.frames):
                found[_unbounded_frame(node)] = None
            if isinstance(node, Match) and node.within is None and most_rows(node.pattern) is None:
                found[_unbounded_match(node)] = None
            if isinstance(node, Filled) and node.keys and node.silence is None:
                found[_endless_keys(node)] = None
            if isinstance(node, Top | OverChanges) and properties_of(node.input).append_only:
                found[_unbounded_top(node, clock)] = None
        names = names_of_ours(output.plan)
        found = dict.fromkeys(_as_written(each, names) for each in found)
    causes = [each for each in found if not _is_told_inside(each, found)]
    return sorted(causes, key=lambda each: each.labels[0].span.start)


def _as_written(warning: Diagnostic, names: dict[str, str]) -> Diagnostic:
    """A warning without names of ours."""
    label, *others = warning.labels
    return replace(warning, labels=(replace(label, text=as_written(label.text, names)), *others))


def _is_told_inside(warning: Diagnostic, all_of_them: Iterable[Diagnostic]) -> bool:
    """Whether another one is of the same subquery, which has several joins of ours."""
    span = warning.labels[0].span
    inner = Span(span.start + 1, span.end - 1)
    return any(each.code == warning.code and each.labels[0].span == inner for each in all_of_them)


def _clock(plan: Plan) -> Clock:
    """The clock that a query runs on, or may: without watermarks, only the wall clock."""
    return Clock.WATERMARK if properties_of(plan).watermarks else Clock.WALL


def _is_unbounded(node: Join) -> bool:
    return not (node.has_range or both_end(node)) and is_of_streams(node)


def _side_without_end(node: Join) -> str | None:
    """The side of a join with a time range whose rows may find partners at any later time."""
    if not is_of_streams(node) or bool(node.left_until) == bool(node.right_until):
        return None
    return "right" if node.left_until else "left"


def _growing(node: Join | Paired, kept: str, advice: str, *notes: str) -> Diagnostic:
    """A join whose state never stops growing: what it keeps, and what to write instead."""
    return Diagnostic(
        "TVFW302",
        "the state of this join grows without bound",
        (Label(node.span, f"keeps every row of {kept}"),),
        notes=notes,
        help=advice,
    )


def _endless_side(node: Join, side: str) -> Diagnostic:
    return _growing(
        node,
        f"the {side} side",
        "give the time range in ON both of its ends, `b.ts BETWEEN a.ts AND a.ts + INTERVAL "
        "1 HOUR`",
        "a partner of such a row may come at any later time",
    )


def _unbounded_join(node: Join, clock: Clock, *, asks: bool) -> Diagnostic:
    """Of a join by Spark itself; or if it `asks`, of the pairs that tell who has a partner."""
    names = _own_names(node)
    reads = node.on.reads if node.on else node.using
    on = ", ".join(f"`{names.get(each, each)}`" for each in reads)
    by_clock = (
        "let the rows of both sides end by the clock: filter each in a subquery in FROM, "
        f"`(SELECT * FROM a WHERE {clock.value} < ts + INTERVAL 1 HOUR) AS a`, and name the "
        "columns in ON"
    )
    by_range = (
        "say in ON how far apart in time the partners are, `b.ts BETWEEN a.ts AND a.ts + INTERVAL "
        "1 HOUR`, of the columns with the watermarks"
    )
    is_final = "take final rows alone: LEFT, LEFT SEMI or LEFT ANTI JOIN and EMIT ON WINDOW CLOSE"
    ways = [by_clock]
    if clock is Clock.WATERMARK:
        ways = [by_clock, f"{is_final}, and {by_range}"] if asks else [by_range, by_clock]
    note = "a partner may come at any time; a time range alone does not end that here"
    kept = f"both streams, by {on or 'nothing'}"
    return _growing(node, kept, "; or ".join(ways), *((note,) if asks else ()))


def _never_leaving(node: Paired) -> list[str]:
    """By what a join keeps rows that never leave, a text for each side; empty: by no key."""
    return [
        ", ".join(f"`{key[place]}`" for key in node.keys) or ""
        for place, side in enumerate((node.left, node.right))
        if not has_updates(side) and properties_of(side).append_only
    ]


def _unbounded_pairs(node: Paired, keys: list[str], clock: Clock) -> Diagnostic:
    by = " and ".join(dict.fromkeys(filter(None, keys)))
    return _growing(
        node,
        f"a stream{by and f', by {by}'}",
        "let the rows of the stream end by the clock: filter it in a subquery in FROM, "
        f"`(SELECT * FROM a WHERE {clock.value} < ts + INTERVAL 1 HOUR) AS a`",
    )


def _compares_all(node: Paired) -> bool:
    return not node.keys and not (has_one_row(node.left) or has_one_row(node.right))


def _without_key(node: Paired) -> Diagnostic:
    return Diagnostic(
        "TVFW304",
        "this join compares every row with every other",
        (Label(node.span, "no column is equal on both sides"),),
        notes=("all its rows are kept and compared in one place, however many cores there are",),
        help="add a column that is equal, such as `a.id = b.id`, in ON or in WHERE",
    )


def _own_names(node: Join) -> dict[str, str]:
    """The columns of sides that were put under names of their own, as the query names them."""
    return {
        item.name: item.expr.sql if "." in item.expr.sql else f"{side.name}.{item.expr.sql}"
        for side in (node.left, node.right)
        if isinstance(side, Named) and side.is_made and isinstance(side.input, Project)
        for item in side.input.items
        if item.name is not None
    }


def _unbounded_frame(node: Over) -> Diagnostic:
    frame = next(each for each in node.frames if each.before is None)
    return Diagnostic(
        "TVFW302",
        "the state of this window function grows without bound",
        (Label(node.span, f"keeps every row, by {_keys(frame.partition)}"),),
        notes=("its frame begins with the first row of all",),
        help="give it a beginning, such as ROWS BETWEEN 100 PRECEDING AND CURRENT ROW, or add a "
        "window to PARTITION BY",
    )


def _unbounded_match(node: Match) -> Diagnostic:
    return Diagnostic(
        "TVFW302",
        "the state of this MATCH_RECOGNIZE grows without bound",
        (
            Label(
                node.span,
                f"keeps rows for as long as a match may go on, by {_keys(node.partition)}",
            ),
        ),
        help="say how long a match may take, `PATTERN (…) WITHIN INTERVAL 1 HOUR`",
    )


def _endless_keys(node: Filled) -> Diagnostic:
    return Diagnostic(
        "TVFW302",
        "the state of FILL grows without bound",
        (Label(node.span, f"fills windows of each {_keys(node.keys)} for ever"),),
        notes=("a row comes for each key and window, also of keys that are gone for good",),
        help="say after how long a silence a key ends: `FILL (…) FOR INTERVAL 1 DAY`",
    )


def _unbounded_top(node: Top | OverChanges, clock: Clock) -> Diagnostic:
    what = "these first rows"
    if isinstance(node, OverChanges):
        is_asof = any(each.name == LAST for each in node.columns)
        what = "this ASOF JOIN" if is_asof else "this window function"
    return Diagnostic(
        "TVFW302",
        f"the state of {what} grows without bound",
        (Label(node.span, f"keeps every row, by {_keys(node.partition)}"),),
        help=f"let rows end by the clock, `WHERE {clock.value} < ts + INTERVAL 1 DAY`; or take the "
        "first rows of each window, with EMIT ON WINDOW CLOSE",
    )


def _keys(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{each}`" for each in names) or "nothing"
