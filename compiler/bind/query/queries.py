"""Queries -> plans: WHERE, SELECT, UNION ALL, CTEs and subqueries; FROM is in from_clause.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from sqlglot import exp

from compiler.bind.clock.conditions import conjuncts
from compiler.bind.clock.names import NamedClock, check_clocks
from compiler.bind.closings.refusals import refuse_final_of_changing
from compiler.bind.emit.revisions import bind_revised, revision_of
from compiler.bind.filling.groups import bind_filled, filling_of
from compiler.bind.groups.final import bind_groups, groupings_of, is_grouped, key_meant
from compiler.bind.joins.exists import SemiTerm
from compiler.bind.joins.from_start import are_tables, beside_streams, from_start
from compiler.bind.joins.kinds import (
    refuse_changing_table,
)
from compiler.bind.laterals.generators import with_lateral_views
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import Emit, Relation, Scope, streams_of, watermarks_of
from compiler.bind.names.shapes import (
    names_own_cte,
    operands,
    reads_time,
    tables_in,
)
from compiler.bind.names.stars import spread_stars
from compiler.bind.over.beside_groups import bind_over_groups
from compiler.bind.over.changing import over_rows
from compiler.bind.over.final import bind_over, own_windows
from compiler.bind.over.refusals import refuse_all, refuse_clock
from compiler.bind.query.from_clause import bind_from, relation_of
from compiler.bind.query.refusals import (
    refuse_clauses,
    refuse_final_limit,
    refuse_groups_of_nothing,
    refuse_lone_qualify,
    refuse_query,
    refuse_windows,
)
from compiler.bind.query.warnings import warn_of_now, warn_of_order
from compiler.bind.relations.derived import (
    rename,
    unknown,
    what_changes,
    with_names,
)
from compiler.bind.relations.static import bind_static
from compiler.bind.select.assignments import one_after_the_other
from compiler.bind.select.items import bind_items, stand_for_items
from compiler.bind.sets.final import closed_set
from compiler.bind.sets.operations import as_distinct, counted_of, union_of
from compiler.bind.subqueries.asked import (
    Asked,
    asked_of,
    has_groups,
    has_node,
    is_key_again,
    is_of_groups,
)
from compiler.bind.subqueries.final import with_asked_joins
from compiler.bind.subqueries.in_conditions import semis_of, subquery_reads, with_partners
from compiler.bind.subqueries.in_on import with_conditions_in_where
from compiler.bind.subqueries.values import values_of_groups, values_of_rows
from compiler.bind.top.first_rows import first_rows, is_limited, ordered
from compiler.bind.top.numbers import bind_ranks, ranks_only
from compiler.bind.totals.sessions import session_totals
from compiler.bind.totals.totals import bind_totals
from compiler.bind.where.filters import filtered
from compiler.bind.where.temporal import is_timed, what_comes_and_goes
from compiler.bind.windows.refusals import refuse_lone_windows
from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import (
    Named,
    Plan,
    Project,
    tree_size,
)
from compiler.source import Span
from compiler.syntax import span_of
from compiler.syntax.nodes import (
    EmitChanges,
    is_final,
)

Names = dict[str, Relation]
"""Relations by casefolded name: sources, tables, views, and the CTEs around a query."""


MOST_NODES = 50_000
"""Spark makes a tree of a plan, in which what several nodes read stands at each of them."""


def _refuse_too_large(plan: Named, span: Span, problems: Problems) -> None:
    """Relations that are read twice by each of many that stand on one another.

    Raises:
        CompileError: it is such a one; whatever looked at the tree above would take for ever.
    """
    if tree_size(plan) > MOST_NODES:
        problems.add(
            "TVF501",
            f"`{plan.name}` is too large: it has more than {MOST_NODES:,} steps",
            span,
            "reads relations many times that read others many times",
            advice="read each relation once where that will do, or write a result in between to a "
            "sink and read it from there",
        )
        problems.stop_if_any()


class QueryBinder:
    """Binds queries against the relations that are declared so far."""

    def __init__(
        self,
        names: Names,
        problems: Problems,
        clocks: list[NamedClock] | None = None,
        emit: Emit = Emit.NOW,
    ) -> None:
        self.names = names
        self.problems = problems
        self.emit = emit
        self.is_final = emit is not Emit.NOW
        self.clocks = [] if clocks is None else clocks

    def emitting(self, emit: Emit, names: Names | None = None) -> QueryBinder:
        """A binder of the same place whose queries emit otherwise, or see other names."""
        known = self.names if names is None else names
        return QueryBinder(known, self.problems, self.clocks, emit)

    def seeing(self, names: Mapping[str, Relation]) -> QueryBinder:
        """A binder of the same place whose queries see other relations."""
        return self.emitting(self.emit, dict(names))

    def bind(self, node: exp.Expression) -> Relation:
        """A query, with or without WITH and parentheses."""
        if self.is_static(node):
            return bind_static(node, self.names, self.problems)
        if is_final(node) and self.emit is Emit.NOW:
            return self.emitting(Emit.ROWS).bind(node)
        if self.is_final and isinstance(emit := node.args.get("emit"), EmitChanges):
            refuse_final_of_changing(node, span_of(emit), self.problems)
        clause = node.args.get("with_")
        if clause is None:
            return self.body(node)
        names = dict(self.names)
        for cte in clause.expressions:
            binder = self.emitting(self.emit, dict(names))
            names[cte.alias.lower()] = binder.named(
                cte.alias, cte.this, cte.args.get("alias"), span_of(cte)
            )
        return self.emitting(self.emit, names).body(node)

    def named(
        self, name: str, node: exp.Expression, columns: exp.Expression | None, span: Span
    ) -> Relation:
        """A view or CTE; a query that emits otherwise binds it again."""
        known: dict[Emit, Relation] = {}

        def bind_for(emit: Emit) -> Relation:
            if emit not in known:
                bound = with_names(self.emitting(emit).bind(node))
                inner = rename(bound, columns, self.problems)
                plan = Named(name=name, input=inner.plan)
                _refuse_too_large(plan, span, self.problems)
                known[emit] = replace(inner, plan=plan, again=bind_for, span=span)
            return known[emit]

        return bind_for(self.emit)

    def body(self, node: exp.Expression) -> Relation:
        """A query over streams, its WITH clause aside."""
        found = self._body(node)
        refuse_changing_table(found, node, self.problems)
        return found

    def _body(self, node: exp.Expression) -> Relation:
        if is_limited(node) and self.emit is Emit.NOW:
            found = ordered(node, self.problems)
            return first_rows(self.body(found.query), found, node, self.problems)
        if is_limited(node):
            refuse_final_limit(node, self.problems)
            return unknown(node)
        refuse_clauses(node, self.problems, without_order=False)
        if order := node.args.get("order"):
            warn_of_order(order, self.problems)
        if isinstance(node, exp.Subquery):
            return self.bind(node.this)
        if isinstance(node, exp.Intersect | exp.Except):
            return self._counted(node)
        if isinstance(node, exp.SetOperation):
            return self._union(node)
        if isinstance(node, exp.Select):
            node = one_after_the_other(node)
            node = node if is_grouped(node) else with_lateral_views(node)
            node = with_conditions_in_where(node, self.is_static)
            if self.is_final:
                node = with_asked_joins(node, self.is_static, partial(relation_of, self))
            return self._select(node)
        refuse_query(node, self.problems)
        return unknown(node)

    def is_static(self, node: exp.Expression) -> bool:
        """Whether a query reads tables only, so that Spark may run it whole."""
        if reads_time(node):
            return False
        return all(
            self._is_table(each) for each in tables_in(node) if not names_own_cte(each, node)
        )

    def _is_table(self, node: exp.Expression) -> bool:
        """Whether a name is that of something that is no stream."""
        found = self.names.get(node.name.lower())
        return found is not None and found.is_static and not is_timed(found.plan)

    def _union(self, node: exp.SetOperation) -> Relation:
        if node.args.get("distinct"):
            return self._select(as_distinct(node))
        nodes = operands(node)
        return union_of(self._sides(nodes), nodes, node, self.problems)

    def _sides(self, nodes: list[exp.Expression]) -> list[Relation]:
        """The queries of a set operation."""
        sides = [self.bind(each) for each in nodes]
        return beside_streams(sides, nodes) if self.emit is Emit.NOW else sides

    def _counted(self, node: exp.Intersect | exp.Except) -> Relation:
        nodes = [node.this, node.expression]
        if self.is_final:
            below = self.emitting(Emit.GROUPS)
            return closed_set([below.bind(each) for each in nodes], nodes, node, self.problems)
        both = union_of(self._sides(nodes), nodes, node, self.problems)
        return counted_of(both, node, self.problems)

    def _select(self, node: exp.Select) -> Relation:
        grouped = is_grouped(node)
        below = Emit.GROUPS if grouped and self.emit is Emit.ROWS else self.emit
        closes_rows = self.emit is not Emit.NOW
        own = own_windows(node)
        refuse_lone_qualify(node, own, self.problems)
        windows = [] if grouped else own
        ranks = windows if not closes_rows and ranks_only(windows) else []
        over_groups = closes_rows and bool(own and node.args.get("group"))
        over_groups = over_groups and not node.args.get("distinct")
        if windows and closes_rows:
            below = Emit.ROWS
        scope = Scope(self.problems)
        plan = self.emitting(below).bind_from(node, scope)
        spread_stars(node, scope, grouped=grouped and has_groups(node))
        binder = ExpressionBinder(scope, self.problems)
        changing = [] if closes_rows or ranks else own
        if not (ranks or over_groups or (windows and closes_rows) or changing):
            refuse_windows(node, self.problems)
        specified = [*own, *(node.args.get("windows") or () if own else ())]
        refuse_all(specified, self.problems)
        refuse_clock(specified, binder)
        self.clocks.extend(check_clocks(node, scope))
        where = node.args.get("where")
        semis = semis_of(self, where.this) if where is not None else []
        asked = [] if closes_rows or ranks else asked_of(node, self.is_static, semis)
        scope.asked += [each.query for each in asked]
        keys = groupings_of(node, scope).keys if asked else ()
        keys = tuple(key_meant(each, node, scope) for each in keys)
        of_rows = [each for each in asked if not is_of_groups(each, node, keys)]
        of_groups = [
            each
            for each in asked
            if is_of_groups(each, node, keys) and not is_key_again(each, node, keys)
        ]
        plan = self._kept(node, plan, binder, semis, of_rows)
        changes = what_changes(scope.relations) or what_comes_and_goes(plan)
        changes = span_of(asked[0].node) if asked else changes
        if closes_rows and changes is not None:
            refuse_final_of_changing(node, changes, self.problems)
        if grouped and (filling := filling_of(node)) is not None:
            return bind_filled(node, filling, plan, scope, subquery_reads(self, node, scope))
        if grouped and over_groups:
            return bind_over_groups(
                node, plan, scope, subquery_reads(self, node, scope), self.problems
            )
        if changing and not has_groups(node):
            plan = self._qualified(node, over_rows(changing, plan, node, binder), binder)
            changes = span_of(changing[0])
        if grouped:
            return self._grouped(node, plan, scope, of_groups)
        refuse_lone_windows(node, (), self.problems, grouped=False)
        if ranks:
            plan = self._numbered(node, ranks, plan, scope, binder)
        over = bind_over(node, plan, binder) if windows and closes_rows else None
        plan = over.plan if over else plan
        found = bind_items(node, binder)
        found = over.finished(found) if over else found
        reads = subquery_reads(self, node, scope)
        if found:
            items = tuple(item for item, _ in found)
            is_netted = bool(asked or changing)
            plan = Project(input=plan, items=items, reads=reads, netted=is_netted)
        return Relation(
            plan=plan,
            columns=tuple(column for _, column in found),
            streams=streams_of(scope.relations),
            watermarks=watermarks_of(scope.relations),
            changes=span_of(ranks[0]) if ranks else changes,
            span=span_of(node),
        )

    def _numbered(
        self,
        node: exp.Select,
        ranks: list[exp.Window],
        plan: Plan,
        scope: Scope,
        binder: ExpressionBinder,
    ) -> Plan:
        """Rows with their number, and those of them that QUALIFY keeps."""
        return self._qualified(node, bind_ranks(ranks, plan, scope, binder), binder)

    def _qualified(self, node: exp.Select, plan: Plan, binder: ExpressionBinder) -> Plan:
        """Rows with window functions, those of them that QUALIFY keeps."""
        qualify = node.args.get("qualify")
        if qualify is None:
            return plan
        stand_for_items(node, qualify, binder, unless=binder.scope.begins_with_column)
        return filtered(plan, qualify.this, binder)

    def _kept(
        self,
        node: exp.Select,
        plan: Plan,
        binder: ExpressionBinder,
        semis: list[SemiTerm],
        asked: list[Asked],
    ) -> Plan:
        """The rows that WHERE keeps, with the values of the subqueries that they ask for."""
        scope, where = binder.scope, node.args.get("where")
        terms = conjuncts(where.this) if where is not None else []
        later = [term for term in terms if any(has_node(term, each.node) for each in asked)]
        if where is not None:
            warn_of_now(where.this, self.problems)
            others = [*scope.answered, *(semi.term for semi in semis), *later]
            plan = filtered(plan, where.this, binder, others)
        if are_tables(scope.relations) and (semis or asked):
            place = span_of(semis[0].term if semis else asked[0].node)
            plan, scope.relations[:] = from_start(plan, scope.relations, node, place)
        if semis:
            plan = with_partners(self, plan, semis, node, scope)
        if asked:
            plan = values_of_rows(self, plan, asked, node, binder)
        if later and where is not None:
            before = [each for each in terms if not any(each is one for one in later)]
            plan = filtered(plan, where.this, binder, before)
        return plan

    def _grouped(self, node: exp.Select, plan: Plan, scope: Scope, asked: list[Asked]) -> Relation:
        """A SELECT with groups: final ones, or ones that change."""
        if not scope.relations:
            refuse_groups_of_nothing(node, self.problems)
            return unknown(node)
        reads = subquery_reads(self, node, scope)
        if self.emit is Emit.NOW:
            with_asked = partial(values_of_groups, self, asked)
            revision = revision_of(node)
            if revision is not None:
                return bind_revised(node, revision, plan, scope, reads, with_asked)
            return bind_totals(node, plan, scope, reads, with_asked)
        return bind_groups(node, plan, scope, reads, self.problems, session_totals)

    def bind_from(self, node: exp.Select, scope: Scope) -> Plan:
        """The FROM clause of a query, whose relations the scope takes, with its LATERAL VIEWs."""
        return bind_from(self, node, scope)
