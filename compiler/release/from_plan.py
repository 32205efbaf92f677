"""Plan -> release plan: conditions on the clock become branches, lifted above everything else.

Before   Project(TemporalFilter(Filter(Scan)))
After    a Select step that computes when its rows are due, and an output that delays them

Requires append-only inputs, so that a row's due time never changes once it is known.
Ensures  that no step but the output reads the clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import assert_never

from compiler.diagnostics import CompileError, Diagnostic, Label
from compiler.plan import nodes as plan
from compiler.plan.conditions.absorption import needed_by
from compiler.plan.facts.first_partners import with_first_partners
from compiler.plan.facts.panes import without_windows
from compiler.plan.facts.sessions import sessions_of
from compiler.plan.facts.sources import is_changing
from compiler.release.lowering.changing import over_changes, top
from compiler.release.lowering.final import filled, grouped, matched, over
from compiler.release.lowering.inputs import read, watermarked
from compiler.release.lowering.items import clock_in_changing, given_name
from compiler.release.lowering.panes import of_panes, paned
from compiler.release.lowering.sessions import sessions_step, totaled_sessions_step
from compiler.release.lowering.step_names import (
    for_input,
    for_leg,
    for_output,
    stem,
)
from compiler.release.nodes import (
    CONSOLE,
    Bad,
    Branch,
    Carries,
    ChangedRows,
    CountedRows,
    Input,
    Item,
    JoinWith,
    Late,
    Output,
    PairedRows,
    ReleaseJob,
    Select,
    Static,
    Step,
    TableRows,
    Totaled,
    Union,
    UntilPartnered,
    Windowed,
)
from compiler.release.reading import carried_by
from compiler.source import SourceText


def plan_release(program: plan.Program, source: SourceText) -> ReleaseJob:
    """The release plan of a program.

    Raises:
        CompileError: a clock is read where it has no value.
    """
    planner = _Planner(source)
    outputs = tuple(planner.output(each) for each in program.outputs)
    return ReleaseJob(steps=tuple(planner.steps), outputs=outputs, functions=program.functions)


@dataclass
class _Planner:
    """Steps so far; a plan node that is met twice (a view, a source) is one step."""

    source: SourceText
    steps: list[Step] = field(default_factory=list)
    _known: dict[str, list[tuple[plan.Plan, Input]]] = field(default_factory=dict)
    _names: dict[str, int] = field(default_factory=dict)

    def output(self, node: plan.Output) -> Output:
        is_last = not node.emitted and not plan.comes_and_goes(node.plan)
        rows = self.rows(node.plan, for_output(node.sink.name, is_last=is_last))
        if node.emitted and rows.carries.changes:
            raise CompileError([clock_in_changing(node)], self.source)
        sink = node.sink
        return Output(
            name=sink.name,
            step=rows.step,
            carries=rows.carries,
            changes=node.changes is not None,
            emitted=tuple(Item(sql=each.expr.sql, name=each.name) for each in node.emitted),
            format=sink.format or CONSOLE,
            options=sink.options,
            in_order=node.in_order and rows.carries is Carries.DUE,
            key=sink.key,
            beside=node.beside,
            order=node.order,
            hidden=node.hidden,
            every=node.every,
            revised=node.revised,
            record=sink.record,
            clocks=tuple(dict.fromkeys(e.expr.clock for e in node.emitted if e.expr.clock)),
        )

    def rows(self, node: plan.Plan, name: str) -> Input:  # noqa: C901  a line for each kind
        """The step for a node; `name` is what to call it if it has no name of its own."""
        match node:
            case plan.Scan() | plan.Watermarked() | plan.Late() | plan.Bad():
                return self._source(node)
            case plan.TableRows():
                return self._once(f"rows of {node.table}", node, lambda: self._kept_table(node))
            case plan.Changed():
                name = node.input.source.name
                return self._once(f"changes {name}", node, lambda: self._changes(node))
            case plan.Named(name=own, input=inner):
                return self._once(f"view {own}", node, lambda: self._view(own, inner))
            case plan.StaticQuery(sql=sql, reads=reads):
                tables = tuple(self.rows(each, "table").step for each in reads)
                step = Static(name=self._name(name), view=name, sql=sql, tables=tables)
                return self._add(step)
            case plan.UnionAll(inputs=inputs):
                sides = tuple(self.rows(each, f"{name}_{n}") for n, each in enumerate(inputs, 1))
                union = Union(name=self._name(name), inputs=sides)
                return self._add(union)
            case plan.Windows():
                return self._windowed(node, name)
            case plan.Aggregate():
                return self._grouped(node, name)
            case plan.Over():
                below = self._input(node.input, f"{name}_closed")
                return self._add(over(node, below, self._name(f"{name}_over")))
            case plan.Match():
                below = self._input(node.input, f"{stem(name)}_closed")
                return self._add(matched(node, below, self._name(f"{stem(name)}_matches")))
            case plan.Filled():
                below = self._input(node.input, f"{name}_groups")
                return self._add(filled(node, below, self._name(f"{name}_filled")))
            case plan.Totals() | plan.Counted() | plan.Paired() | plan.Top() | plan.OverChanges():
                return self._changing(node, name)
            case (
                plan.Alias() | plan.Join() | plan.Filter() | plan.TemporalFilter() | plan.Project()
            ):
                return self._select(node, name)
            case _:
                assert_never(node)

    def _view(self, name: str, inner: plan.Plan) -> Input:
        """The step of a view or subquery, which may be called as the source that it reads."""
        reads = {
            each.source.name.lower() for each in plan.walk(inner) if isinstance(each, plan.Scan)
        }
        return self.rows(inner, f"{name}_rows" if name.lower() in reads else name)

    def _source(self, node: plan.Scan | plan.Watermarked | plan.Late | plan.Bad) -> Input:
        match node:
            case plan.Scan(source=source):
                return self._once(f"source {source.name}", node, lambda: self._read(node))
            case plan.Watermarked(source=name):
                return self._once(f"watermark {name}", node, lambda: self._watermarked(node))
            case plan.Late(input=inner, source=name):
                return self._once(f"late {name}", node, lambda: self._late(inner, name))
            case plan.Bad(input=inner):
                return self._once(f"bad {inner.source.name}", node, lambda: self._bad(node))

    def _changes(self, node: plan.Changed) -> Input:
        records = self._input(node.input)
        step = ChangedRows(name=self._name(node.input.source.name), input=records, key=node.key)
        return self._add(step)

    def _kept_table(self, node: plan.TableRows) -> Input:
        below = self._input(node.input, f"{node.table}_now")
        name = self._name(f"{node.table}_from_start")
        return self._add(
            TableRows(name=name, input=below, table=name, beside_clock=node.beside_clock)
        )

    def _windowed(self, node: plan.Windows, name: str) -> Input:
        step = Windowed(
            input=self._input(node.input),
            name=self._name(f"{name}_windows"),
            kind=node.kind,
            time=node.time,
            sizes=node.sizes,
            keys=tuple(each.sql for each in node.keys),
            later=node.later,
            gap=node.gap.sql if node.gap else None,
        )
        return self._add(step)

    def _grouped(self, node: plan.Aggregate, name: str) -> Input:
        tables = tuple(dict.fromkeys(self.rows(each, "table").step for each in node.reads))
        sessions = sessions_of(node.input) if node.whole_sessions else None
        if sessions is not None:
            below = replace(self._input(sessions.input, f"{name}_input"), alias=node.alias)
            if node.totals is not None:
                step = totaled_sessions_step(node.totals, sessions, below, self._name(name))
                return self._add(step)
            return self._add(sessions_step(node, sessions, below, self._name(name), tables))
        if node.pane is not None and node.parts is not None:
            rows = plan.Project(input=without_windows(node.input), items=node.parts.rows)
            below = self._input(rows, f"{name}_input")
            panes = self._add(paned(node, node.parts, below, self._name(f"{name}_windows")))
            return self._add(of_panes(node, node.parts, panes, self._name(name)))
        below = self._input(node.input, f"{name}_input")
        return self._add(grouped(node, below, self._name(name), tables))

    def _changing(
        self,
        node: plan.Totals | plan.Counted | plan.Paired | plan.Top | plan.OverChanges,
        name: str,
    ) -> Input:
        step: Step
        match node:
            case plan.Totals():
                step = Totaled(
                    input=self._input(node.input, f"{stem(name)}_input"),
                    name=self._name(f"{stem(name)}_totals"),
                    keys=node.keys,
                    calls=node.calls,
                )
            case plan.Counted(inputs=inputs) if (found := with_first_partners(node)) is not None:
                rows = self._input(inputs[0], f"{stem(name)}_1")
                gone = self._input(found, f"{stem(name)}_matched")
                until = UntilPartnered(name=self._name(name), inputs=(rows, gone))
                return self._add(until)
            case plan.Counted(inputs=inputs, rule=rule):
                legs = [
                    self._input(each, for_leg(rule, number, name))
                    for number, each in enumerate(inputs, 1)
                ]
                step = CountedRows(name=self._name(name), inputs=tuple(legs), rule=rule)
            case plan.Paired(left=left, right=right, kind=kind, keys=keys):
                both = self._input(left, f"{stem(name)}_1"), self._input(right, f"{stem(name)}_2")
                step = PairedRows(name=self._name(name), inputs=both, kind=kind, keys=keys)
            case plan.Top():
                below = self._input(node.input, f"{stem(name)}_candidates")
                step = top(node, below, self._name(f"{stem(name)}_top"))
            case plan.OverChanges():
                below = self._input(node.input, f"{stem(name)}_candidates")
                step = over_changes(node, below, self._name(f"{stem(name)}_over"))
        return self._add(step)

    def _once(self, key: str, node: plan.Plan, build: Callable[[], Input]) -> Input:
        """The step of a view or source, built when it is met first; names may be shadowed."""
        for known, step in self._known.get(key, ()):
            if known == node:
                return step
        built = build()
        self._known.setdefault(key, []).append((node, built))
        return built

    def _add(self, step: Step) -> Input:
        self.steps.append(step)
        return Input(step=step.name, alias=None, carries=carried_by(step))

    def _name(self, wanted: str) -> str:
        """A name for a step that no other has."""
        base = re.sub(r"\W", "_", wanted.lower()) or "rows"
        name = base
        while name in self._names:
            self._names[base] += 1
            name = f"{base}_{self._names[base]}"
        self._names[name] = 1
        return name

    def _read(self, node: plan.Scan) -> Input:
        source = node.source
        name = f"{source.name}_records" if is_changing(source) else source.name
        return self._add(read(node, self._name(name)))

    def _watermarked(self, node: plan.Watermarked) -> Input:
        below = self._input(node.input)
        return self._add(watermarked(node, below, self._name(f"{node.source}_on_time")))

    def _late(self, node: plan.Plan, source: str) -> Input:
        of = self.rows(node, source)
        step = Late(name=self._name(f"late_{source}"), of=of.step, source=source)
        return self._add(step)

    def _bad(self, node: plan.Bad) -> Input:
        name = node.input.source.name
        of = self.rows(node.input, name)
        step = Bad(
            name=self._name(f"bad_{name}"), of=of.step, source=name, beside_clock=node.beside_clock
        )
        return self._add(step)

    def _select(self, node: plan.Plan, name: str) -> Input:
        items: tuple[plan.Item, ...] = ()
        tables: list[str] = []
        netted = isinstance(node, plan.Project) and node.netted
        if isinstance(node, plan.Project):
            items = tuple(each for each in node.items if not self._is_clock(each))
            tables += [self.rows(each, "table").step for each in node.reads]
            node = node.input
        where: list[str] = []
        releases: list[tuple[Branch, ...]] = []
        while isinstance(node, plan.Filter | plan.TemporalFilter):
            if isinstance(node, plan.Filter):
                where.append(node.predicate.sql)
            else:
                releases.append(node.branches)
                where += _needed(node.branches)
            node = node.input
        first, joins, joined_releases = self._from(node, for_input(node, name))
        step = Select(
            name=self._name(name),
            input=first,
            joins=joins,
            where=tuple(reversed(where)),
            releases=(*joined_releases, *reversed(releases)),
            items=tuple(Item(sql=each.expr.sql, name=given_name(each)) for each in items),
            tables=tuple(dict.fromkeys(tables)),
        )
        step = replace(step, netted=netted and step.carries is Carries.UPDATES)
        return self._add(step)

    def _is_clock(self, item: plan.Item) -> bool:
        """Whether an inner item is the clock; it has a value only when rows are emitted."""
        clock = item.expr.clock
        if clock is not None and item.expr.sql != clock.column:
            fault = Diagnostic(
                "TVF506",
                "the clock has no value inside a subquery",
                (Label(item.expr.span, "computed from WATERMARK_TS()"),),
                notes=("WATERMARK_TS() in a SELECT list is read when a row is emitted",),
                help="compute it in the outermost SELECT",
            )
            raise CompileError([fault], self.source)
        return item.expr.reads_clock

    def _from(
        self, node: plan.Plan, name: str, *, in_join: bool = False
    ) -> tuple[Input, tuple[JoinWith, ...], tuple[tuple[Branch, ...], ...]]:
        """The inputs of a FROM clause, left to right; a single one may be called `name`."""
        match node:
            case plan.TemporalFilter(input=inner):
                first, joins, releases = self._from(inner, name, in_join=in_join)
                return first, joins, (*releases, node.branches)
            case plan.Join(left=left, right=right, kind=kind, on=on):
                first, joins, releases = self._from(left, name, in_join=True)
                other = JoinWith(
                    input=self._joined(right),
                    kind=kind,
                    on=on.sql if on else None,
                    left_only_if=node.left_only_if.sql if node.left_only_if else None,
                    right_only_if=node.right_only_if.sql if node.right_only_if else None,
                    using=node.using,
                    left_until=node.left_until,
                    right_until=node.right_until,
                )
                return first, (*joins, other), releases
            case _:
                return self._joined(node) if in_join else self._input(node, name), (), ()

    def _input(self, node: plan.Plan, name: str = "rows") -> Input:
        alias = None
        if isinstance(node, plan.Alias):
            alias, node = node.name, node.input
        found = self.rows(node, alias or name)
        return replace(found, alias=alias)

    def _joined(self, node: plan.Plan) -> Input:
        """One side of a join; its due time, if it has one, must have a name of its own."""
        found = self._input(node)
        carries = found.carries is not Carries.NOTHING
        return replace(found, alias=found.step) if carries and found.alias is None else found


def _needed(branches: tuple[Branch, ...]) -> list[str]:
    """What a row that comes and goes has to satisfy in any case, as a condition beside the plan.

    So that nothing is computed for rows that are never there, which may be why they are not.
    Rows that only wait need none: those that are never due are filtered out as such.

    Before   10 DIV v of all rows, when `v > 0` until a moment, when `v < 0` until another
    After    the same WHERE v > 0 OR v < 0
    """
    if not any(each.uppers for each in branches):
        return []
    needed = needed_by(branches)
    return [] if needed is None else [needed]
