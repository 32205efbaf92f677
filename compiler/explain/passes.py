"""What each pass of a compile has changed, as text: lines that are gone, and lines that came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from difflib import unified_diff
from typing import Protocol

from compiler.diagnostics.problems import Problems
from compiler.escapes import visible
from compiler.explain.plan import label
from compiler.plan.nodes import (
    Item,
    Join,
    Output,
    Plan,
    Program,
    Project,
    Scan,
    Watermarked,
    children,
)
from compiler.release.nodes import ReleaseJob
from compiler.sql.exprs import shown_clocks
from compiler.sql.lengths import interval_sql
from compiler.sql.names import own_name


class PlanPass(Protocol):
    """A pass over the plans of a program; `problems` takes what is at fault."""

    __name__: str

    def __call__(self, program: Program, problems: Problems, /) -> Program: ...  # noqa: D102


class ReleasePass(Protocol):
    """A pass over a release plan."""

    __name__: str

    def __call__(self, job: ReleaseJob, /) -> ReleaseJob: ...  # noqa: D102


@dataclass
class Passed:
    """The passes that a compile has gone through, with what was before and after each."""

    plans: list[tuple[PlanPass, Program, Program]] = field(default_factory=list)
    releases: list[tuple[ReleasePass, ReleaseJob, ReleaseJob]] = field(default_factory=list)


def explain_passes(passed: Passed) -> str:
    """A paragraph for each pass, in their order."""
    parts = [
        *(_told(each, _of_programs(before, after)) for each, before, after in passed.plans),
        *(_told(each, _of_jobs(before, after)) for each, before, after in passed.releases),
    ]
    return "\n\n".join(parts) + "\n"


def _told(of: PlanPass | ReleasePass, changes: Iterable[str]) -> str:
    what = (of.__doc__ or "").partition("\n")[0]
    lines = [*map(visible, changes)] or ["nothing changes"]
    return "\n".join([f"{of.__name__}: {what}", *(f"  {line}" for line in lines)])


def _of_programs(before: Program, after: Program) -> Iterator[str]:
    for one, other in zip(before.outputs, after.outputs, strict=True):
        if one is other:
            continue
        # Two lines of file names come first, and lines with places in between.
        told = [*unified_diff(_lines(one), _lines(other), n=0, lineterm="")][2:]
        found = [f"{each[0]} {each[1:]}" for each in told if each[0] in "-+"]
        yield from [f"plan of {other.sink.name}", *found] if found else []


def _lines(output: Output) -> Sequence[str]:
    found = [f"written by the query of {output.beside}"] if output.beside else []
    found += [f"emitted as {each.name}: {shown_clocks(each.expr.sql)}" for each in output.emitted]
    return [*found, *_tree(output.plan)]


def _tree(plan: Plan) -> Iterator[str]:
    """A line a node, inputs indented; what several read is shown where it is read first."""
    seen: set[int] = set()
    stack = [(plan, 0)]
    while stack:
        node, depth = stack.pop()
        is_again = id(node) in seen
        yield f"{'  ' * depth}{_line(node)}{', as above' if is_again else ''}"
        if not is_again:
            seen.add(id(node))
            stack.extend((each, depth + 1) for each in reversed(children(node)))


def _line(node: Plan) -> str:
    """A node with all that passes change, and with names of ours."""
    if isinstance(node, Project):
        return f"Project {', '.join(map(_item, node.items))}"
    return f"{label(node)}{_unshown(node)}"


def _item(item: Item) -> str:
    sql = item.expr.sql
    return sql if item.name in (None, own_name(sql)) else f"{sql} AS {item.name}"


def _unshown(node: Plan) -> str:
    """What the plan as it is shown to users does not have."""
    match node:
        case Scan(ticks=ticks, beside_clock=beside, source=source):
            late = source.watermark.allowance if source.watermark else None
            words = {"with ticks": ticks, "beside the clock": beside}
            found = [word for word, holds in words.items() if holds]
        case Watermarked(watermark=mark):
            found, late = [], mark.allowance
        case Join(left_until=left, right_until=right) if left or right:
            ends = [each.bound for each in (*left, *right)]
            found, late = [f"partners until {' and '.join(ends)}"], None
        case _:
            return ""
    found += [f"late rows for {interval_sql(late)}"] if late else []
    return "".join(f", {each}" for each in found)


def _of_jobs(before: ReleaseJob, after: ReleaseJob) -> Iterator[str]:
    names = [each.name for each in after.steps]
    yield from (f"- step {each.name}" for each in before.steps if each.name not in names)
    known = {each.name: each for each in before.steps}
    for step in after.steps:
        if step.name not in known:
            yield f"+ step {step.name}"
            continue
        for path, one, other in _differences(known[step.name], step):
            yield f"{step.name}{path}: {one} -> {other}"


def _differences(one: object, other: object, path: str = "") -> Iterator[tuple[str, str, str]]:
    """The parts of two values that differ, each with where it is."""
    if type(one) is type(other) and is_dataclass(one):
        for each in fields(one):
            left, right = getattr(one, each.name), getattr(other, each.name)
            yield from _differences(left, right, f"{path}.{each.name}")
    elif isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        for place, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _differences(left, right, f"{path}[{place}]")
    elif one != other:
        yield path, _value(one), _value(other)


def _value(value: object) -> str:
    return f"({', '.join(map(repr, value))})" if isinstance(value, tuple) else str(value)
