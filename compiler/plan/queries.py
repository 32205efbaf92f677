"""Queries -> plans: FROM, WHERE, SELECT, UNION ALL, CTEs and subqueries."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from compiler.plan.clock_names import NamedClock, check_clocks
from compiler.plan.conditions import conjuncts, split_by_clock
from compiler.plan.delays import held_by_clock
from compiler.plan.expressions import ExpressionBinder
from compiler.plan.exprs import Expr, conjunction
from compiler.plan.grouping import bind_groups, is_grouped, own_aggregates
from compiler.plan.join_closings import closings_of_join
from compiler.plan.joins import closes, events_of, join_kind, refuse_join, without_partner
from compiler.plan.late import late_rows
from compiler.plan.nodes import (
    Alias,
    Filter,
    Join,
    Named,
    Plan,
    Project,
    StaticQuery,
    TemporalFilter,
    UnionAll,
)
from compiler.plan.over import bind_over, own_windows
from compiler.plan.over_groups import bind_over_groups
from compiler.plan.predicates import Predicate, all_of
from compiler.plan.problems import Problems
from compiler.plan.query_shapes import (
    is_qualified,
    names_own_cte,
    operands,
    subqueries,
    unwrapped,
)
from compiler.plan.refusals import (
    refuse_clauses,
    refuse_functions,
    refuse_query,
    refuse_relation,
    refuse_windows,
)
from compiler.plan.relations import (
    closed_rows,
    columns_of_all,
    rename,
    unclosed,
    unknown,
    what_changes,
)
from compiler.plan.scope import Emit, Relation, Scope, counted, did_you_mean, listed
from compiler.plan.select_list import bind_items
from compiler.plan.static import bind_static, static_reads
from compiler.plan.time_bounds import time_bounds
from compiler.plan.warnings import warn_of_now
from compiler.plan.watermarks import delayed, watermarked
from compiler.plan.windows import WINDOW_RELATIONS, bind_windows
from compiler.source import Span
from compiler.syntax import span_of
from compiler.syntax.nodes import (
    RELATION_NODES,
    LateRelation,
    SessionRelation,
    StreamRelation,
    WatermarkRelation,
    WatermarkTs,
)

Names = dict[str, Relation]
"""Relations by casefolded name: sources, tables, views, and the CTEs around a query."""


class QueryBinder:
    """Binds queries against the relations that are declared so far."""

    def __init__(
        self,
        names: Names,
        problems: Problems,
        clocks: list[NamedClock] | None = None,
        emit: Emit = Emit.NOW,
    ) -> None:
        self._names = names
        self._problems = problems
        self._emit = emit
        self.clocks = [] if clocks is None else clocks

    def emitting(self, emit: Emit, names: Names | None = None) -> QueryBinder:
        """A binder of the same place whose queries emit otherwise, or see other names."""
        known = self._names if names is None else names
        return QueryBinder(known, self._problems, self.clocks, emit)

    def bind(self, node: exp.Expression) -> Relation:
        """A query, with or without WITH and parentheses."""
        if self._is_static(node):
            return bind_static(node, self._names, self._problems)
        if node.args.get("emit") and self._emit is Emit.NOW:
            return self.emitting(Emit.ROWS).bind(node)
        clause = node.args.get("with_")
        if clause is None:
            return self.body(node)
        names = dict(self._names)
        for cte in clause.expressions:
            binder = self.emitting(self._emit, dict(names))
            names[cte.alias.lower()] = binder.named(
                cte.alias, cte.this, cte.args.get("alias"), span_of(cte)
            )
        return self.emitting(self._emit, names).body(node)

    def named(
        self, name: str, node: exp.Expression, columns: exp.Expression | None, span: Span
    ) -> Relation:
        """A view or CTE; a query that emits otherwise binds it again."""

        def bind_for(emit: Emit) -> Relation:
            inner = rename(self.emitting(emit).bind(node), columns, self._problems)
            plan = Named(name=name, input=inner.plan)
            return replace(inner, plan=plan, again=bind_for, span=span)

        return bind_for(self._emit)

    def body(self, node: exp.Expression) -> Relation:
        """A query over streams, its WITH clause aside."""
        refuse_clauses(node, self._problems)
        if isinstance(node, exp.Subquery):
            return self.bind(node.this)
        if isinstance(node, exp.SetOperation):
            return self._union(node)
        if isinstance(node, exp.Select):
            return self._select(node)
        refuse_query(node, self._problems)
        return unknown(node)

    def _is_static(self, node: exp.Expression) -> bool:
        """Whether a query reads tables only, so that Spark may run it whole."""
        tables = [each for each in node.find_all(exp.Table) if not names_own_cte(each, node)]
        known = [self._names.get(each.name.lower()) for each in tables]
        if node.find(WatermarkTs, *RELATION_NODES):
            return False
        return all(each is not None and each.is_static for each in known)

    def _union(self, node: exp.SetOperation) -> Relation:
        if node.args.get("distinct"):
            return self._distinct(node)
        nodes = operands(node)
        sides = [self.bind(each) for each in nodes]
        first = sides[0]
        for side, operand in zip(sides, nodes, strict=True):
            wrong = len(side.columns) != len(first.columns)
            if wrong and not side.is_open and not first.is_open:
                self._uneven(nodes[0], len(first.columns), operand, len(side.columns))
            if side.is_static and not (side.is_open or any(each.is_open for each in sides)):
                self._table_in_union(operand)
            for column in side.columns:
                if column.is_clock:
                    self._clock_inside(operand, column.name)
        return Relation(
            plan=UnionAll(inputs=tuple(each.plan for each in sides)),
            columns=columns_of_all(sides),
            streams=frozenset().union(*(each.streams for each in sides)),
            watermarks=frozenset().union(*(each.watermarks for each in sides)),
            changes=what_changes(sides),
            span=span_of(node),
        )

    def _distinct(self, node: exp.SetOperation) -> Relation:
        """UNION is SELECT DISTINCT of UNION ALL."""
        every = node.copy()
        every.set("distinct", None)
        every.set("emit", None)
        inner = exp.Subquery(this=every)
        outer = exp.Select(expressions=[exp.Star()], distinct=exp.Distinct())
        outer.set("from_", exp.From(this=inner))
        for each in (inner, outer, *outer.expressions):
            each.meta["span"] = span_of(node)
        return self._select(outer)

    def _uneven(
        self, first: exp.Expression, wanted: int, other: exp.Expression, found: int
    ) -> None:
        self._problems.add(
            "TVF205",
            f"the sides of UNION ALL have {counted(wanted, 'column')} and {found}",
            span_of(other),
            counted(found, "column"),
            more=[(span_of(first), counted(wanted, "column"))],
            advice="select as many columns on both sides",
        )

    def _table_in_union(self, node: exp.Expression) -> None:
        self._problems.add(
            "TVF501",
            "UNION ALL of a stream and a table is not supported",
            span_of(node),
            "reads no stream",
            notes=["the rows of a table arrive at no time; they would come out in every batch"],
            advice="join the table, or declare it with CREATE SOURCE",
        )

    def _clock_inside(self, node: exp.Expression, name: str) -> None:
        self._problems.add(
            "TVF506",
            f"column `{name}` is the clock, inside a UNION",
            span_of(node),
            "reads the clock",
            advice="select WATERMARK_TS() in the outermost SELECT, around the UNION",
        )

    def _select(self, node: exp.Select) -> Relation:
        grouped = is_grouped(node)
        below = Emit.GROUPS if grouped and self._emit is Emit.ROWS else self._emit
        has_windows = self._emit is not Emit.NOW and bool(own_windows(node))
        windows = has_windows and not grouped
        over_groups = has_windows and bool(node.args.get("group")) and not node.args.get("distinct")
        if windows:
            below = Emit.ROWS
        scope = Scope(self._problems)
        plan = self.emitting(below)._from(node, scope)  # noqa: SLF001
        binder = ExpressionBinder(scope, self._problems)
        if not windows and not over_groups:
            refuse_windows(node, self._problems)
        refuse_functions(node, self._problems)
        self.clocks.extend(check_clocks(node, scope))
        where = node.args.get("where")
        if where is not None:
            warn_of_now(where.this, self._problems)
            plan = self._filtered(plan, where.this, binder)
        if grouped and over_groups:
            return bind_over_groups(node, plan, scope, self._subquery_reads(node), self._problems)
        if grouped:
            return self._grouped(node, plan, scope)
        over = bind_over(node, plan, binder) if windows else None
        plan = over.plan if over else plan
        found = bind_items(node, binder)
        found = over.finished(found) if over else found
        reads = self._subquery_reads(node)
        if found:
            plan = Project(input=plan, items=tuple(item for item, _ in found), reads=reads)
        return Relation(
            plan=plan,
            columns=tuple(column for _, column in found),
            streams=frozenset().union(*(each.streams for each in scope.relations)),
            watermarks=frozenset().union(*(each.watermarks for each in scope.relations)),
            changes=what_changes(scope.relations),
            span=span_of(node),
        )

    def _grouped(self, node: exp.Select, plan: Plan, scope: Scope) -> Relation:
        """A SELECT with groups: final ones, or ones that change."""
        reads = self._subquery_reads(node)
        if self._emit is Emit.NOW:
            place = next(own_aggregates(node), None) or node.args.get("group")
            changes = span_of(place or node.args.get("having") or node)
            opened = replace(unknown(node), alias=None, changes=changes)
            return replace(
                opened, streams=frozenset().union(*(each.streams for each in scope.relations))
            )
        return bind_groups(node, plan, scope, reads, self._problems)

    def _subquery_reads(self, node: exp.Select) -> tuple[Plan, ...]:
        """The tables that subqueries in expressions read; a stream there is refused."""
        found: list[Plan] = []
        for clause in (*node.expressions, node.args.get("where"), node.args.get("having")):
            for query in subqueries(clause):
                if self._is_static(query):
                    found.extend(static_reads(query, self._names))
                    continue
                self._problems.add(
                    "TVF501",
                    "a subquery over a stream in an expression is not supported yet",
                    span_of(query),
                    "reads a stream",
                    advice="join the stream in FROM, or read a table here",
                )
        return tuple(found)

    def _filtered(self, plan: Plan, node: exp.Expression, binder: ExpressionBinder) -> Plan:
        ordinary, temporal = split_by_clock(binder, node)
        for term in ordinary:
            plan = Filter(input=plan, predicate=term)
        if temporal:
            predicate = all_of(temporal)
            plan = TemporalFilter(input=plan, predicate=predicate, span=span_of(node))
            relations = binder.scope.relations
            relations[:] = held_by_clock(relations, all_of(temporal))
        return plan

    # FROM

    def _from(self, node: exp.Select, scope: Scope) -> Plan:
        clause = node.args.get("from_")
        if clause is None:
            return StaticQuery(sql="SELECT 1", reads=())
        first = self._relation(clause.this)
        scope.add(first)
        plan = first.plan
        joins = [*(clause.this.args.get("joins") or ()), *(node.args.get("joins") or ())]
        if joins or (first.alias and is_qualified(node, first.alias)):
            plan = Alias(name=first.alias or "side_1", input=plan)
        for join in joins:
            plan = self._join(plan, join, scope)
        return plan

    def _relation(self, node: exp.Expression) -> Relation:
        if isinstance(node, StreamRelation) and not node.args.get("delay"):
            node = unwrapped(node)
        if isinstance(node, exp.Subquery):
            inner = rename(self.bind(node.this), node.args.get("alias"), self._problems)
            return replace(inner, alias=node.alias or None, span=span_of(node))
        if isinstance(node, LateRelation | StreamRelation | WatermarkRelation):
            return self._by_watermark(node)
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
            if isinstance(node, WINDOW_RELATIONS):
                return self._windows(node)
            refuse_relation(node, self._problems)
            return unknown(node)
        found = self._names.get(node.name.lower())
        if found is None or node.args.get("db"):
            self._unknown_relation(node)
            return unknown(node)
        refuse_clauses(node, self._problems)
        if found.again is not None and not found.is_static:
            found = found.again(self._emit)
        elif self._emit is Emit.ROWS and not found.is_static:
            found = closed_rows(found, span_of(node), self._problems)
        renamed = rename(found, node.args.get("alias"), self._problems)
        return replace(renamed, alias=node.alias or node.name, span=span_of(node))

    def _windows(self, node: exp.Expression) -> Relation:
        """TUMBLE and its kin; sessions are closed whatever reads them."""
        is_session = isinstance(node, SessionRelation)
        if is_session and self._emit is Emit.NOW:
            self._problems.add(
                "TVF302",
                "SESSION needs EMIT ON WINDOW CLOSE",
                span_of(node),
                "an open session may still grow and merge",
                advice="end the query with EMIT ON WINDOW CLOSE",
            )
        below = Emit.GROUPS if is_session and self._emit is Emit.ROWS else self._emit
        inner = self.emitting(below)._relation(node.this)  # noqa: SLF001
        if inner.is_open:
            return unknown(node)
        found = bind_windows(node, inner, self._problems)
        renamed = rename(found, node.args.get("alias"), self._problems)
        return replace(
            renamed, alias=node.args["alias"].name if node.args.get("alias") else found.alias
        )

    def _by_watermark(self, node: LateRelation | StreamRelation | WatermarkRelation) -> Relation:
        refuse_clauses(node, self._problems)
        below = Emit.GROUPS if self._emit is Emit.ROWS else self._emit
        inner = replace(self.emitting(below)._relation(node.this), again=None)  # noqa: SLF001
        if isinstance(node, LateRelation):
            found = late_rows(unclosed(inner), span_of(node), self._problems)
        elif isinstance(node, StreamRelation):
            found = delayed(inner, node, self._problems)
        else:
            found = watermarked(inner, node, self._problems)
        if self._emit is Emit.ROWS and not isinstance(node, LateRelation):
            found = closed_rows(found, span_of(node), self._problems)
        renamed = rename(found, node.args.get("alias"), self._problems)
        return replace(renamed, alias=node.alias or inner.alias, span=span_of(node))

    def _unknown_relation(self, node: exp.Table) -> None:
        names = list(self._names)
        self._problems.add(
            "TVF201",
            f"there is no source, table or view `{node.sql('spark')}`",
            span_of(node),
            "not declared before this place",
            notes=[f"declared are {listed(names)}"] if names else [],
            advice=did_you_mean(node.name, names)
            or f"declare it: `CREATE SOURCE {node.name} (id BIGINT, ts TIMESTAMP) USING …`",
        )

    def _join(self, left: Plan, node: exp.Join, scope: Scope) -> Plan:
        right = self._relation(node.this)
        kind = join_kind(node)
        lefts = list(scope.relations)
        on = node.args.get("on")
        bounds = time_bounds(conjuncts(on) if on is not None else [], kind, lefts, right)
        is_final = self._emit is not Emit.NOW or kind == "leftsemi"
        is_closed = is_final and closes(kind, bounds)
        refuse_join(node, kind, lefts, right, self._problems, is_closed=is_closed)
        scope.add(right)
        plan = Alias(name=right.alias or f"side_{len(scope.relations)}", input=right.plan)
        using = tuple(each.name for each in node.args.get("using") or ())
        scope.merged |= {name.lower() for name in using}
        binder = ExpressionBinder(scope, self._problems)
        ordinary: list[Expr] = []
        temporal: list[Predicate] = []
        if on is not None:
            ordinary, temporal = split_by_clock(binder, on)
        if on is not None and temporal and kind != "inner":
            self._problems.add(
                "TVF503",
                "the clock cannot stand in ON of an outer join",
                span_of(on),
                "reads the clock",
                advice="move the condition to WHERE, or filter the side in a subquery",
            )
        is_alone = kind == "leftanti" and bool(bounds)
        joined: Plan = Join(
            left=left,
            right=plan,
            kind="cross"
            if kind == "inner" and not ordinary and not using
            else ("left" if is_alone else kind),
            on=_all(ordinary),
            using=using,
            events=events_of(bounds),
            bounds=tuple(each.sql for each in bounds),
            span=span_of(node),
        )
        if on is not None and temporal:
            predicate = all_of(temporal)
            joined = TemporalFilter(input=joined, predicate=predicate, span=span_of(on))
        if right.streams and any(each.streams for each in lefts):
            scope.relations[:] = closings_of_join(lefts, right, kind, bounds)
        if temporal:
            scope.relations[:] = held_by_clock(scope.relations, all_of(temporal))
        if kind in ("leftsemi", "leftanti"):
            scope.relations.pop()
        if is_alone:
            joined = without_partner(joined, scope.relations[0], plan.name)
            scope.relations[0] = replace(scope.relations[0], has_proc_time=False)
        return joined


def _all(terms: list[Expr]) -> Expr | None:
    return conjunction(tuple(terms)) if terms else None
