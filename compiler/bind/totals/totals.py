"""Groups without EMIT ON WINDOW CLOSE: their rows change with every row that comes or goes.

Before   SELECT carrier, count(*) + 1 FROM … GROUP BY carrier HAVING max(delay) > 5
After    Project carrier, count_1 + 1
           Filter max_2 > 5
             Totals count_1 = count(), max_2 = max(delay) by carrier
               Project carrier, delay
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from compiler.bind.clock.conditions import split_by_clock
from compiler.bind.groups.above import key_column, parts_of_window, stand_for
from compiler.bind.groups.aggregates import (
    aggregates_over,
    own_aggregates,
    refuse_nested,
    whole_of,
)
from compiler.bind.groups.columns import Columns
from compiler.bind.groups.final import clock_in_group, groupings_of, key_meant, refuse_clock_in
from compiler.bind.names.collations import refuse_collated_columns, refuse_collations
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import Relation, Scope, streams_of, watermarks_of
from compiler.bind.over.changing import over_totals
from compiler.bind.over.final import own_windows
from compiler.bind.relations.derived import what_changes
from compiler.bind.select.items import bind_items, stand_for_items
from compiler.bind.totals.calls import bound_call, type_of, with_filters
from compiler.bind.totals.expanded import expanded
from compiler.bind.totals.keys import (
    expansion_of,
    grouping_of,
    named_sets,
)
from compiler.bind.totals.refusals import (
    check_columns,
    refuse_in_where,
    refuse_sessions,
)
from compiler.bind.where.filters import filtered
from compiler.bind.where.temporal import temporal_filter, what_comes_and_goes
from compiler.bind.windows.keys import WHOLE, window_keys
from compiler.diagnostics.problems import Problems
from compiler.plan.conditions.predicates import Predicate, all_of
from compiler.plan.facts.properties import properties_of
from compiler.plan.nodes import (
    Call,
    Counted,
    Filter,
    Plan,
    Project,
    Rule,
    Totals,
    UnionAll,
)
from compiler.syntax import span_of


def bind_totals(
    node: exp.Select,
    plan: Plan,
    scope: Scope,
    reads: tuple[Plan, ...],
    with_asked: Callable[[Totals, ExpressionBinder], Plan],
) -> Relation:
    """A SELECT with groups or DISTINCT over rows that are joined and filtered.

    Args:
        node: the SELECT.
        plan: the rows.
        scope: has their relations.
        reads: the tables that subqueries in expressions read.
        with_asked: the groups with the values of subqueries over streams.
    """
    problems = scope.problems
    place = next(own_aggregates(node), None) or node.args.get("group")
    rows = plan
    binder = ExpressionBinder(scope, problems)
    if place is not None or node.args.get("having"):
        totals, binder = _totals(node, plan, scope, problems)
        plan = _having(node, with_asked(totals, binder), binder)
        check_columns(node, binder, problems)
        if windows := own_windows(node):
            plan = _qualified(node, over_totals(windows, plan, totals, node, binder), binder)
    found = bind_items(node, binder)
    if place is not None or node.args.get("having"):
        refuse_nested(node, problems)
    if found:
        is_netted = bool(scope.asked or own_windows(node))
        items = tuple(item for item, _ in found)
        plan = Project(input=plan, items=items, reads=reads, netted=is_netted)
    if node.args.get("distinct"):
        refuse_clock_in([item.expr for item, _ in found], node, problems)
        refuse_collated_columns("DISTINCT", (each for _, each in found), span_of(node), problems)
        plan = Counted(inputs=(plan,), rule=Rule.DISTINCT)
    return Relation(
        plan=plan,
        columns=tuple(replace(column, closing=None) for _, column in found),
        streams=streams_of(scope.relations),
        watermarks=watermarks_of(scope.relations),
        changes=what_changes(scope.relations)
        or what_comes_and_goes(rows)
        or (None if properties_of(rows).append_only else span_of(node))
        if place is None and not node.args.get("having")
        else span_of(place or node),
        span=span_of(node),
    )


def _totals(
    node: exp.Select, plan: Plan, scope: Scope, problems: Problems
) -> tuple[Totals, ExpressionBinder]:
    """The groups, and a binder to which keys and aggregates are columns of them."""
    groups = groupings_of(node, scope)
    sets = named_sets(groups, node, problems)
    meant_keys = [key_meant(each, node, scope) if sets else each for each in groups.keys]
    plan, below, _ = window_keys(meant_keys, plan, scope, problems)
    refuse_sessions(meant_keys, problems)
    columns = Columns()
    above = ExpressionBinder(scope, problems)
    above.stands_for.update(below.stands_for)
    above.is_of_groups = True
    keys: list[str] = []
    for meant in meant_keys:
        expr = below.bind(meant)
        if expr.reads_clock:
            clock_in_group(span_of(meant), problems)
        refuse_collations("GROUP BY", [meant], below)
        name = columns.key(expr) if sets else columns.name_of(expr, "key")
        keys.append(name)
        stand_for(meant, node, key_column(name, expr.type), above)
        if expr.sql == WHOLE.sql:
            above.stands_for.update(parts_of_window(key_column(name, expr.type), below))
    calls: list[Call] = []
    known: dict[Call, Call] = {}
    filters: dict[str, Predicate] = {}
    by = expansion_of(groups, keys, sets, columns) if sets else None
    for each in (*own_aggregates(node), *aggregates_over(own_windows(node))):
        if isinstance(each, exp.Grouping | exp.GroupingId):
            above.stands_for[span_of(each)] = grouping_of(each, groups, by, problems)
            continue
        if each.find_ancestor(exp.Where, exp.Select) is node.args.get("where"):
            refuse_in_where(each, problems)
        call, temporal = bound_call(each, len(calls) + 1, below, columns, problems)
        form = replace(call, name="")
        same_call = known.get(form) if temporal is None else None
        if same_call is None:
            same_call = replace(call, name=columns.fresh(call.name))
            calls.append(same_call)
        if temporal is None:
            known[form] = same_call
        else:
            filters[same_call.name] = temporal
        above.stands_for[span_of(whole_of(each))] = key_column(same_call.name, type_of(each, below))
    rows, calls_of_rows = with_filters(plan, columns, calls, filters, span_of(node), problems)
    unique = tuple(dict.fromkeys(keys))
    if by is not None:
        rows, unique = expanded(rows, _names_in(rows), by), (*unique, by.column)
    return Totals(input=rows, keys=unique, calls=calls_of_rows), above


def _names_in(rows: Plan) -> list[str]:
    """The columns of what with_filters() gives."""
    first = rows.inputs[0] if isinstance(rows, UnionAll) else rows
    assert isinstance(first, Project)
    return [each.name or each.expr.sql for each in first.items]


def _having(node: exp.Select, plan: Plan, binder: ExpressionBinder) -> Plan:
    having = node.args.get("having")
    if having is None:
        return plan
    stand_for_items(node, having.this, binder, unless=binder.has_stand_in)
    ordinary, temporal = split_by_clock(binder, having.this)
    for term in ordinary:
        plan = Filter(input=plan, predicate=term)
    if temporal:
        plan = temporal_filter(plan, all_of(temporal), span_of(having.this), binder.problems)
    return plan


def _qualified(node: exp.Select, plan: Plan, binder: ExpressionBinder) -> Plan:
    """Groups with window functions, those of them that QUALIFY keeps."""
    qualify = node.args.get("qualify")
    if qualify is None:
        return plan
    stand_for_items(node, qualify, binder, unless=binder.has_stand_in)
    return filtered(plan, qualify.this, binder)
