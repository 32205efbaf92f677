"""Groups without EMIT ON WINDOW CLOSE: their rows change with every row that comes or goes.

Before   SELECT carrier, count(*) + 1 FROM … GROUP BY carrier HAVING max(delay) > 5
After    Project carrier, count_1 + 1
           Filter max_2 > 5
             Totals count_1 = count(), max_2 = max(delay) by carrier
               Project carrier, delay
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from sqlglot import exp

from compiler.bind.clock.conditions import bind_predicate, split_by_clock
from compiler.bind.groups.aggregates import (
    OF_NUMBERS,
    aggregates_over,
    arguments_of,
    behind,
    compared_arguments,
    function_of,
    is_aggregate,
    own_aggregates,
    refuse_nested,
    whole_of,
)
from compiler.bind.groups.final import clock_in_group, groupings_of, key_meant, refuse_clock_in
from compiler.bind.groups.grouping_sets import Groupings, number_of_sets, sets_of
from compiler.bind.joins.pairs import fresh
from compiler.bind.names.collations import refuse_collated_columns, refuse_collations
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.maps import refuse_maps_of_call
from compiler.bind.names.scope import Relation, Scope, streams_of, watermarks_of
from compiler.bind.over.changing import over_totals
from compiler.bind.over.final import own_windows
from compiler.bind.relations.derived import what_changes
from compiler.bind.select.items import bind_items, stand_for_items
from compiler.bind.totals.expanded import MOST_SETS, Expansion, expanded
from compiler.bind.totals.forms import Form, form_of
from compiler.bind.totals.refusals import (
    checked_limit,
    refuse_in_where,
    refuse_not_kept_up,
    refuse_sum_of_intervals,
)
from compiler.bind.where.filters import filtered
from compiler.bind.where.temporal import admitted_by, temporal_filter, what_comes_and_goes
from compiler.bind.windows.windows import END, START, WHOLE, window_keys
from compiler.diagnostics.problems import Problems
from compiler.plan.conditions.predicates import Predicate, all_of
from compiler.plan.facts.properties import properties_of
from compiler.plan.nodes import (
    Call,
    Counted,
    Filter,
    Item,
    Plan,
    Project,
    Rule,
    Totals,
    UnionAll,
)
from compiler.source import Span
from compiler.sql.exprs import Binding, Expr
from compiler.sql.inference import infer
from compiler.sql.names import own_name, quoted_name
from compiler.sql.structs import field_in
from compiler.sql.texts import Texts, sizes_in, text_of
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of
from compiler.syntax.nodes import ProcTime

TRUE, FALSE = Expr(sql="TRUE"), Expr(sql="FALSE")


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
        _check_columns(node, binder, problems)
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


@dataclass
class _Columns:
    """The projection below the groups: expressions under names, each once."""

    items: list[Item] = field(default_factory=list)
    _names: dict[tuple[str, str], str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    def name_of(self, expr: Expr, otherwise: str) -> str:
        """The name of a key or argument; a column keeps its own."""
        return self._known(expr, otherwise)

    def condition(self, expr: Expr) -> str:
        """The name of a condition, which is no key and no argument: legs may set it to FALSE."""
        return self._known(expr, "where", "condition")

    def key(self, expr: Expr) -> str:
        """The name of a key that is no argument: it is NULL in some of several groupings."""
        return self._known(expr, "key", "key")

    def _known(self, expr: Expr, otherwise: str, use: str = "") -> str:
        known = use, expr.sql
        if known not in self._names:
            own = own_name(expr.sql)
            is_column = expr.reads == (expr.sql,)
            name = self.fresh(own if is_column else f"{otherwise}_{len(self.items) + 1}")
            self._names[known] = name
            self.items.append(Item(expr=expr, name=name))
        return self._names[known]

    def fresh(self, wanted: str) -> str:
        """A name that nothing else in the groups has."""
        return fresh(wanted, self._taken)


def _totals(
    node: exp.Select, plan: Plan, scope: Scope, problems: Problems
) -> tuple[Totals, ExpressionBinder]:
    """The groups, and a binder to which keys and aggregates are columns of them."""
    groups = groupings_of(node, scope)
    sets = _sets(groups, node, problems)
    meant_keys = [key_meant(each, node, scope) if sets else each for each in groups.keys]
    plan, below, _ = window_keys(meant_keys, plan, scope, problems)
    _refuse_sessions(meant_keys, problems)
    columns = _Columns()
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
        _stand_for(meant, node, _column(name, expr.type), above)
        if expr.sql == WHOLE.sql:
            above.stands_for.update(_parts_of_window(_column(name, expr.type), below))
    calls: list[Call] = []
    known: dict[Call, Call] = {}
    filters: dict[str, Predicate] = {}
    by = _expansion(groups, keys, sets, columns) if sets else None
    for each in (*own_aggregates(node), *aggregates_over(own_windows(node))):
        if isinstance(each, exp.Grouping | exp.GroupingId):
            above.stands_for[span_of(each)] = _grouping(each, groups, by, problems)
            continue
        if each.find_ancestor(exp.Where, exp.Select) is node.args.get("where"):
            refuse_in_where(each, problems)
        call, temporal = _call(each, len(calls) + 1, below, columns, problems)
        form = replace(call, name="")
        same_call = known.get(form) if temporal is None else None
        if same_call is None:
            same_call = replace(call, name=columns.fresh(call.name))
            calls.append(same_call)
        if temporal is None:
            known[form] = same_call
        else:
            filters[same_call.name] = temporal
        above.stands_for[span_of(whole_of(each))] = _column(same_call.name, _type_of(each, below))
    rows, calls_of_rows = _with_filters(plan, columns, calls, filters, span_of(node), problems)
    unique = tuple(dict.fromkeys(keys))
    if by is not None:
        rows, unique = expanded(rows, _names_in(rows), by), (*unique, by.column)
    return Totals(input=rows, keys=unique, calls=calls_of_rows), above


def _sets(groups: Groupings, node: exp.Select, problems: Problems) -> list[frozenset[str]]:
    """The groupings of a SELECT that has several, each as the names of its keys."""
    if not groups.are_several or (not groups.keys and number_of_sets(groups) == 1):
        return []
    if number_of_sets(groups) > MOST_SETS:
        problems.add(
            "TVF501",
            f"more than {MOST_SETS:,} groupings of rows that change are not supported",
            span_of(node.args["group"]),
            "each row is in so many groups",
            advice="group by fewer keys at once",
        )
        return [frozenset(map(text_of, groups.keys))]
    return sets_of(groups)


def _expansion(
    groups: Groupings, keys: list[str], sets: list[frozenset[str]], columns: _Columns
) -> Expansion:
    names = [text_of(each) for each in groups.keys]
    places = tuple(frozenset(n for n, name in enumerate(names) if name in each) for each in sets)
    return Expansion(columns.fresh("grouping"), tuple(keys), places)


def _grouping(
    call: exp.Expression, groups: Groupings, by: Expansion | None, problems: Problems
) -> Expr:
    """grouping(key), which keys a group has not, and grouping_id(), all of it in one number."""
    names = [text_of(each) for each in groups.keys]
    asked = [text_of(each) for each in call.expressions]
    if by is not None and isinstance(call, exp.Grouping) and asked and asked[0] in names:
        return by.grouping(names.index(asked[0]))
    if by is not None and isinstance(call, exp.GroupingId) and asked in ([], names):
        return by.grouping_id()
    problems.add(
        "TVF209",
        f"{'grouping' if isinstance(call, exp.Grouping) else 'grouping_id'}() is of the keys of "
        "ROLLUP, CUBE or GROUPING SETS",
        span_of(call),
        "not all of these keys" if by is not None else "one grouping alone",
        advice="write `grouping(key)` with one of the keys, or `grouping_id()`",
    )
    return Expr(sql="0")


def _names_in(rows: Plan) -> list[str]:
    """The columns of what _with_filters() gives."""
    first = rows.inputs[0] if isinstance(rows, UnionAll) else rows
    assert isinstance(first, Project)
    return [each.name or each.expr.sql for each in first.items]


def _column(name: str, kind: SqlType) -> Expr:
    quoted = quoted_name(name)
    return Expr(sql=quoted, type=kind, reads=(quoted,))


def _type_of(node: exp.Expression, binder: ExpressionBinder) -> SqlType:
    types: dict[Span, SqlType] = {}
    for leaf in binder.leaves(node):
        stands = binder.stands_for.get(span_of(leaf))
        if stands is not None:
            types[span_of(leaf)] = stands.type
        elif isinstance(leaf, exp.Column):
            types[span_of(leaf)] = binder.scope.resolve(leaf).type
    return infer(node, types)


def _stand_for(
    key: exp.Expression, node: exp.Select, column: Expr, above: ExpressionBinder
) -> None:
    """The key is its column wherever it is named outside of aggregates."""
    having, order = node.args.get("having"), node.args.get("order")
    known = Texts([key])
    for clause in (*node.expressions, having, order):
        sizes = sizes_in(clause) if isinstance(clause, exp.Expression) else {}
        for place in _outside_aggregates(clause):
            if isinstance(place, exp.Column) and isinstance(key, exp.Column):
                fields = _fields_of(place, key, above.scope)
                if fields is not None:
                    above.stands_for[span_of(place)] = field_in(column, fields)
            elif type(place) is type(key) and known.hold(place, sizes[id(place)]):
                above.stands_for[span_of(place)] = column


def _parts_of_window(window: Expr, below: ExpressionBinder) -> dict[Span, Expr]:
    """What stands for a window and its bounds above its groups, of which it is a key."""
    parts = {
        WHOLE.sql: window,
        START: field_in(window, ("start",)),
        END: field_in(window, ("end",)),
    }
    return {place: parts[expr.sql] for place, expr in below.stands_for.items() if expr.sql in parts}


def _fields_of(one: exp.Column, key: exp.Column, scope: Scope) -> tuple[str, ...] | None:
    """The names by which a column is a field of the key, none if it is the key; None: neither."""
    (alias, path), (key_alias, key_path) = scope.path(one), scope.path(key)
    is_of = path[: len(key_path)] == key_path and (alias == key_alias or None in (alias, key_alias))
    behind_key = len(path) - len(key_path)
    return tuple(each.name for each in one.parts[len(one.parts) - behind_key :]) if is_of else None


def _outside_aggregates(node: exp.Expr | None) -> Iterator[exp.Expression]:
    stack = [node]
    while stack:
        each = stack.pop()
        if isinstance(each, exp.Expression) and not is_aggregate(each):
            yield each
            stack.extend(each.iter_expressions(reverse=True))


def _call(
    node: exp.Expression,
    number: int,
    binder: ExpressionBinder,
    columns: _Columns,
    problems: Problems,
) -> tuple[Call, Predicate | None]:
    """An aggregate, and the condition of its FILTER if that reads the clock."""
    form = form_of(node, problems) or _plain_form(node)
    if form is None:
        refuse_not_kept_up(node, problems)
        return Call(name=f"unknown_{number}", function="count"), None
    function, values, is_distinct = form.function, form.values, form.distinct
    limit = checked_limit(node, problems)
    bound = [binder.bind(each) for each in values]
    refuse_maps_of_call(node, lambda each: _type_of(each, binder), problems)
    compared = compared_arguments(function, values, is_distinct=is_distinct)
    refuse_collations("an aggregate", compared, binder)
    for each in bound:
        if each.reads_clock:
            clock_in_group(each.span, problems)
    if function in OF_NUMBERS and bound and bound[0].type.kind is Kind.INTERVAL:
        refuse_sum_of_intervals(node, problems)
    if function == "count" and not any(each.reads for each in bound):
        bound = [each for each in bound if each.sql.upper() == "NULL"]
    where, temporal = _filter_of(node, binder)
    admitted = where or (admitted_by(temporal) if temporal is not None else None)
    arguments = [_computed_where(admitted, each) for each in bound] if admitted else bound
    call = Call(
        name=f"{function}_{number}",
        function=function,
        arguments=tuple(columns.name_of(each, "value") for each in arguments),
        # The one value of the greatest is the same of all rows and of the different ones.
        distinct=is_distinct and (limit is not None or function not in ("max_by", "min_by")),
        limit=limit,
        where=columns.condition(where) if where else None,
        constants=form.constants,
        descending=form.descending,
    )
    return call, temporal


def _plain_form(node: exp.Expression) -> Form | None:
    """An aggregate that is called with values alone; None: it is not kept up."""
    function = function_of(node)
    if function is None:
        return None
    values, is_distinct = arguments_of(node)
    return Form(function, tuple(values), is_distinct)


def _filter_of(
    node: exp.Expression, binder: ExpressionBinder
) -> tuple[Expr | None, Predicate | None]:
    """The condition of the FILTER of an aggregate, as the one of these that it is."""
    filtered = behind(node, exp.Filter)
    if filtered is None:
        return None, None
    condition = filtered.expression.this
    if binder.reads_clock(condition):
        return None, bind_predicate(binder, condition)
    return binder.bind(condition), None


def _computed_where(admitted: Expr, argument: Expr) -> Expr:
    """An argument that is computed for the rows alone that a FILTER takes: it may fail for others.

    Before   sum(10 DIV v) FILTER (WHERE v <> 0)
    After    the sum of `CASE WHEN v <> 0 THEN 10 DIV v END`
    """
    if not argument.reads or argument.reads == (argument.sql,):
        return argument
    return replace(
        argument,
        sql=f"CASE WHEN {admitted.sql} THEN {argument.sql} END",
        binding=Binding.ATOM,
        reads=tuple(dict.fromkeys((*admitted.reads, *argument.reads))),
    )


def _with_filters(
    plan: Plan,
    columns: _Columns,
    calls: list[Call],
    filters: dict[str, Predicate],
    span: Span,
    problems: Problems,
) -> tuple[Plan, tuple[Call, ...]]:
    """The rows to be grouped; those that a FILTER counts at some times only, once more for it.

    Every function then has a FILTER: its own condition or, above the rows that all have, `counts`.
    """
    if not filters:
        return Project(input=plan, items=tuple(columns.items) or (_one(),)), tuple(calls)
    named = {each.name: columns.fresh(f"in_{each.name}") for each in calls if each.name in filters}
    in_all = columns.fresh("counts")

    def leg(rows: Plan, own: str | None) -> Plan:
        marks = [Item(expr=TRUE if name == own else FALSE, name=name) for name in named.values()]
        counts = Item(expr=TRUE if own is None else FALSE, name=in_all)
        kept = [each if own is None else _unless_condition(each, calls) for each in columns.items]
        return Project(input=rows, items=(*kept, counts, *marks))

    legs = [leg(plan, None)]
    for name, predicate in filters.items():
        rows = temporal_filter(plan, predicate, span, problems)
        legs.append(leg(rows, named[name]))
    marked = tuple(
        replace(call, where=named.get(call.name) or call.where or in_all) for call in calls
    )
    return UnionAll(inputs=tuple(legs)), marked


def _unless_condition(item: Item, calls: list[Call]) -> Item:
    """Rows that are there for one FILTER satisfy no other."""
    is_condition = any(call.where == item.name for call in calls)
    return replace(item, expr=FALSE) if is_condition else item


def _one() -> Item:
    """Rows that are only counted need some column."""
    return Item(expr=Expr(sql="1"), name="one")


def _having(node: exp.Select, plan: Plan, binder: ExpressionBinder) -> Plan:
    having = node.args.get("having")
    if having is None:
        return plan
    stand_for_items(
        node, having.this, binder, unless=lambda column: span_of(column) in binder.stands_for
    )
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
    stand_for_items(
        node, qualify, binder, unless=lambda column: span_of(column) in binder.stands_for
    )
    return filtered(plan, qualify.this, binder)


def _check_columns(node: exp.Select, binder: ExpressionBinder, problems: Problems) -> None:
    """Every column is a key or inside an aggregate."""
    having = node.args.get("having")
    aliases = {each.alias.lower() for each in node.expressions if each.alias}
    for clause in (*node.expressions, *([having.this] if having else [])):
        for leaf in binder.leaves(clause):
            is_alias = leaf.name.lower() in aliases and not leaf.args.get("table")
            is_value = isinstance(leaf, exp.Column | ProcTime)
            if not is_value or span_of(leaf) in binder.stands_for or is_alias:
                continue
            shown = "PROC_TIME()" if isinstance(leaf, ProcTime) else leaf.sql("spark")
            problems.add(
                "TVF209",
                f"`{shown}` is neither grouped nor aggregated",
                span_of(leaf),
                "which of the group's values?",
                advice=f"add it to GROUP BY, or write an aggregate such as max({shown})",
            )


def _refuse_sessions(keys: list[exp.Expression], problems: Problems) -> None:
    for key in keys:
        if isinstance(key, exp.Anonymous) and key.name.lower() == "session_window":
            problems.add(
                "TVF302",
                "session_window() needs EMIT ON WINDOW CLOSE",
                span_of(key),
                "an open session may still grow and merge",
                advice="end the query with EMIT ON WINDOW CLOSE",
            )
