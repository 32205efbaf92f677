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
from datetime import timedelta

from compiler.diagnostics import CompileError, Diagnostic, Label
from compiler.passes.carry_time import with_time
from compiler.plan import nodes as plan
from compiler.plan.conditions.absorption import needed_by
from compiler.plan.facts.first_partners import with_first_partners
from compiler.plan.facts.sessions import sessions_of
from compiler.plan.facts.sources import is_changing
from compiler.release.lowering.emitted import clock_in_changing, given_name, split_emitted
from compiler.release.lowering.lifetimes import with_lifetimes
from compiler.release.lowering.sessions import sessions_step
from compiler.release.lowering.step_names import (
    comes_and_goes,
    for_input,
    for_leg,
    for_output,
    stem,
)
from compiler.release.lowering.wholly_read import is_out_of_state, side_to_read
from compiler.release.nodes import (
    CONSOLE,
    Bad,
    Branch,
    Carries,
    ChangedRows,
    CountedRows,
    Field,
    FilledRows,
    Framed,
    Grouped,
    Input,
    Item,
    JoinWith,
    Late,
    Lower,
    MatchRows,
    Output,
    OverChanged,
    OverItem,
    OverRows,
    PairedRows,
    Read,
    ReleaseJob,
    Select,
    Static,
    Step,
    TopRows,
    Totaled,
    Union,
    UntilPartnered,
    Watermarked,
    Windowed,
)
from compiler.release.passes.timings import with_timings
from compiler.source import SourceText
from compiler.sql.exprs import Expr
from compiler.sql.names import quoted_name
from compiler.sqltypes import Kind


def plan_release(program: plan.Program, source: SourceText) -> ReleaseJob:
    """The release plan of a program.

    Raises:
        CompileError: a clock is read where it has no value.
    """
    planner = _Planner(source)
    outputs = tuple(planner.output(each) for each in program.outputs)
    return with_timings(
        ReleaseJob(steps=tuple(planner.steps), outputs=outputs, functions=program.functions)
    )


@dataclass
class _Planner:
    """Steps so far; a plan node that is met twice (a view, a source) is one step."""

    source: SourceText
    steps: list[Step] = field(default_factory=list)
    _known: dict[str, list[tuple[plan.Plan, Input]]] = field(default_factory=dict)
    _names: dict[str, int] = field(default_factory=dict)

    def output(self, node: plan.Output) -> Output:
        body, emitted = split_emitted(node.plan)
        is_last = not emitted and not comes_and_goes(body)
        if not is_last and node.in_order:
            body = with_time(body) or body
        rows = self.rows(body, for_output(node.sink.name, is_last=is_last))
        if emitted and rows.carries.changes:
            raise CompileError([clock_in_changing(node.plan)], self.source)
        sink = node.sink
        return Output(
            name=sink.name,
            step=rows.step,
            carries=rows.carries,
            changes=node.changes is not None,
            emitted=emitted,
            format=sink.format or CONSOLE,
            options=sink.options,
            in_order=node.in_order and rows.carries is Carries.DUE,
            key=sink.key,
            beside=node.beside,
            every=node.every,
            revised=node.revised,
            record=sink.record,
        )

    def rows(self, node: plan.Plan, name: str) -> Input:  # noqa: C901  a line for each kind
        """The step for a node; `name` is what to call it if it has no name of its own."""
        match node:
            case plan.Scan() | plan.Watermarked() | plan.Late() | plan.Bad():
                return self._source(node)
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
                return self._add(union, union.carries)
            case plan.Windows():
                return self._windowed(node, name)
            case plan.Aggregate():
                return self._grouped(node, name)
            case plan.Over():
                return self._over(node, name)
            case plan.Match():
                return self._matched(node, name)
            case plan.Filled():
                return self._filled(node, name)
            case plan.Totals() | plan.Counted() | plan.Paired() | plan.Top() | plan.OverChanges():
                return self._changing(node, name)
            case _:
                return self._select(node, name)

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
        return self._add(step, Carries.UPDATES)

    def _windowed(self, node: plan.Windows, name: str) -> Input:
        step = Windowed(
            input=self._input(node.input),
            name=self._name(f"{name}_windows"),
            kind=node.kind,
            time=node.time,
            sizes=node.sizes,
            keys=tuple(each.sql for each in node.keys),
            later=node.later,
        )
        return self._add(step, step.carries)

    def _grouped(self, node: plan.Aggregate, name: str) -> Input:
        tables = tuple(self.rows(each, "table").step for each in node.reads)
        sessions = sessions_of(node.input) if node.whole_sessions else None
        if sessions is not None:
            below = replace(self._input(sessions.input, f"{name}_input"), alias=node.alias)
            named, read = self._name(name), tuple(dict.fromkeys(tables))
            whole = sessions_step(node, sessions, below, named, read)
            return self._add(whole)
        below = self._input(node.input, f"{name}_input")
        step = Grouped(
            input=replace(below, alias=node.alias),
            name=self._name(name),
            items=tuple(Item(sql=each.expr.sql, name=given_name(each)) for each in node.items),
            group=tuple(each.sql for each in node.group),
            having=node.having.sql if node.having else None,
            types=tuple((name, each.sql) for name, each in node.types),
            closes=Lower(
                bound=node.closes.sql,
                strict=node.closes_after,
                is_timestamp=node.closes.type.kind is Kind.TIMESTAMP,
            ),
            tables=tuple(dict.fromkeys(tables)),
            held=node.held,
        )
        return self._add(step)

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
                return self._add(until, Carries.VALID_UPDATES)
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
                step = TopRows(
                    input=self._input(node.input, f"{stem(name)}_candidates"),
                    name=self._name(f"{stem(name)}_top"),
                    partition=node.partition,
                    order=node.order,
                    limit=node.limit or 0,
                    offset=node.offset,
                    kind=node.kind,
                    number=node.number,
                    hidden=node.hidden,
                )
            case plan.OverChanges():
                step = OverChanged(
                    input=self._input(node.input, f"{stem(name)}_candidates"),
                    name=self._name(f"{stem(name)}_over"),
                    partition=node.partition,
                    order=node.order,
                    columns=tuple(
                        OverItem(name=each.name, call=each.call, over=each.over)
                        for each in node.columns
                    ),
                )
        return self._add(step, Carries.UPDATES)

    def _over(self, node: plan.Over, name: str) -> Input:
        def at(moment: Expr) -> Lower:
            return _at(moment, strict=node.closes_after)

        below = self._input(node.input, f"{name}_closed")
        step = OverRows(
            input=replace(below, alias=node.alias),
            name=self._name(f"{name}_over"),
            columns=tuple(
                OverItem(name=each.name, call=each.call, over=each.over) for each in node.columns
            ),
            frames=tuple(
                Framed(
                    partition=each.partition,
                    order=each.order,
                    before=each.before,
                    after=each.after,
                    until=at(each.until) if each.until else None,
                    last=each.last,
                    where=each.where,
                )
                for each in node.frames
            ),
            closes=at(node.closes),
            complete=tuple(at(each) for each in node.complete),
            release=replace(at(node.release), strict=node.release_after) if node.release else None,
        )
        return self._add(step)

    def _matched(self, node: plan.Match, name: str) -> Input:
        step = MatchRows(
            input=self._input(node.input, f"{stem(name)}_closed"),
            name=self._name(f"{stem(name)}_matches"),
            partition=node.partition,
            order=node.order,
            pattern=node.pattern,
            defines=node.defines,
            measures=tuple((each.name, each.measure) for each in node.measures),
            output=node.output,
            all_rows=node.all_rows,
            omit_empty=node.omit_empty,
            skip=node.skip,
            skip_to=node.skip_to,
            within_us=None if node.within is None else node.within // timedelta(microseconds=1),
            time=node.time.sql,
            closes=_at(node.closes, strict=node.closes_after),
            ends=None if node.ends is None else _at(node.ends, strict=False),
        )
        return self._add(step)

    def _filled(self, node: plan.Filled, name: str) -> Input:
        step = FilledRows(
            input=self._input(node.input, f"{name}_groups"),
            name=self._name(f"{name}_filled"),
            keys=node.keys,
            starts=node.starts,
            ends=node.ends,
            values=node.values,
            how=node.how,
            size=node.size,
            later=node.later,
            silence=node.silence,
            slide=node.slide,
        )
        return self._add(step)

    def _once(self, key: str, node: plan.Plan, build: Callable[[], Input]) -> Input:
        """The step of a view or source, built when it is met first; names may be shadowed."""
        for known, step in self._known.get(key, ()):
            if known == node:
                return step
        built = build()
        self._known.setdefault(key, []).append((node, built))
        return built

    def _add(self, step: Step, carries: Carries = Carries.NOTHING) -> Input:
        self.steps.append(step)
        return Input(step=step.name, alias=None, carries=carries)

    def _name(self, wanted: str) -> str:
        """A name for a step that no other has."""
        base = re.sub(r"\W", "_", wanted.lower()) or "rows"
        name = base
        while name in self._names:
            self._names[base] += 1
            name = f"{base}_{self._names[base]}"
        self._names[name] = 1
        return name

    def _read(self, scan: plan.Scan) -> Input:
        source, mark = scan.source, scan.source.watermark
        step = Read(
            name=self._name(f"{source.name}_records" if is_changing(source) else source.name),
            source=source.name,
            fields=tuple(
                Field(name=each.name, type=each.type.ddl, required=each.required)
                for each in source.columns
            ),
            format=source.format,
            options=source.options,
            static=source.static,
            time=mark.time if mark else None,
            strategy=mark.strategy if mark else None,
            idle_after=mark.idle_after if mark else None,
            allowance=mark.allowance if mark else timedelta(0),
            ticks=scan.ticks,
            beside_clock=scan.beside_clock,
            record=source.record,
            included=source.included,
            key=source.key,
            per=mark.per if mark else None,
            epoch_ms=tuple(
                each.name
                for each in source.columns
                if mark and mark.column in (each.name, quoted_name(each.name))
                if each.type.kind is Kind.NUMBER
            ),
        )
        return self._add(step)

    def _watermarked(self, node: plan.Watermarked) -> Input:
        inner = self._input(node.input)
        mark = node.watermark
        step = Watermarked(
            name=self._name(f"{node.source}_on_time"),
            input=inner,
            source=node.source,
            time=mark.time,
            strategy=mark.strategy,
            epoch_ms=node.epoch_ms,
            allowance=mark.allowance,
        )
        return self._add(step)

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
            wholly_read=bool(where and tables) and is_out_of_state(node),
        )
        step = replace(step, netted=netted and step.carries is Carries.UPDATES)
        return self._add(step, step.carries)

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
                    read_first=side_to_read(node),
                )
                if not node.has_range:
                    first, joins, other = with_lifetimes(node, first, joins, other)
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


def _at(moment: Expr, *, strict: bool) -> Lower:
    """That the clock has reached a moment, or passed it."""
    is_timestamp = moment.type.kind is Kind.TIMESTAMP
    return Lower(bound=moment.sql, strict=strict, is_timestamp=is_timestamp)


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
