"""Groups without EMIT ON WINDOW CLOSE: their rows change with every row that comes or goes.

Before   SELECT carrier, count(*) + 1 FROM … GROUP BY carrier HAVING max(delay) > 5
After    Project carrier, count_1 + 1
           Filter max_2 > 5
             Totals count_1 = count(), max_2 = max(delay) by carrier
               Project carrier, delay
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from sqlglot import exp

from compiler.plan.aggregates import (
    OF_NUMBERS,
    arguments_of,
    behind,
    compared_arguments,
    function_of,
    is_aggregate,
    own_aggregates,
    refuse_nested,
    whole_of,
)
from compiler.plan.collations import refuse_collated_columns, refuse_collations
from compiler.plan.conditions import bind_predicate, split_by_clock
from compiler.plan.expressions import ExpressionBinder
from compiler.plan.exprs import Binding, Expr
from compiler.plan.grouping import (
    clock_in_group,
    group_nodes,
    key_meant,
    plain_items,
    refuse_clock_in,
)
from compiler.plan.inference import infer
from compiler.plan.maps import refuse_maps_of_call
from compiler.plan.matching import fresh
from compiler.plan.names import own_name, quoted_name
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
from compiler.plan.predicates import Predicate, all_of
from compiler.plan.problems import Problems
from compiler.plan.relations import what_changes
from compiler.plan.scope import Relation, Scope, streams_of, watermarks_of
from compiler.plan.select_list import bind_items, stand_for_items
from compiler.plan.structs import field_in
from compiler.plan.temporal import admitted_by, temporal_filter, what_comes_and_goes
from compiler.plan.texts import Texts, sizes_in
from compiler.plan.totals_refusals import (
    checked_limit,
    refuse_in_where,
    refuse_not_kept_up,
    refuse_sum_of_intervals,
)
from compiler.plan.windows import END, START, WHOLE, window_keys
from compiler.source import Span
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of
from compiler.syntax.nodes import ProcTime

TRUE, FALSE = Expr(sql="TRUE"), Expr(sql="FALSE")


def bind_totals(
    node: exp.Select, plan: Plan, scope: Scope, reads: tuple[Plan, ...], problems: Problems
) -> Relation:
    """A SELECT with groups or DISTINCT over rows that are joined and filtered."""
    place = next(own_aggregates(node), None) or node.args.get("group")
    rows = plan
    binder = ExpressionBinder(scope, problems)
    if place is not None or node.args.get("having"):
        plan, binder = _totals(node, plan, scope, problems)
        plan = _having(node, plan, binder)
    found = bind_items(node, binder)
    if (place is not None or node.args.get("having")) and not _groupings(node):
        _check_columns(node, binder, problems)
        refuse_nested(node, problems)
    if found:
        plan = Project(input=plan, items=tuple(item for item, _ in found), reads=reads)
    if node.args.get("distinct"):
        refuse_clock_in([item.expr for item, _ in found], node, problems)
        refuse_collated_columns("DISTINCT", (each for _, each in found), span_of(node), problems)
        plan = Counted(inputs=(plan,), rule=Rule.DISTINCT)
    return Relation(
        plan=plan,
        columns=tuple(replace(column, closing=None) for _, column in found),
        streams=streams_of(scope.relations),
        watermarks=watermarks_of(scope.relations),
        changes=what_changes(scope.relations) or what_comes_and_goes(rows)
        if place is None and not node.args.get("having")
        else span_of(place or node),
        span=span_of(node),
    )


@dataclass
class _Columns:
    """The projection below the groups: expressions under names, each once."""

    items: list[Item] = field(default_factory=list)
    _names: dict[tuple[bool, str], str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    def name_of(self, expr: Expr, otherwise: str) -> str:
        """The name of a key or argument; a column keeps its own."""
        return self._known(expr, otherwise, is_condition=False)

    def condition(self, expr: Expr) -> str:
        """The name of a condition, which is no key and no argument: legs may set it to FALSE."""
        return self._known(expr, "where", is_condition=True)

    def _known(self, expr: Expr, otherwise: str, *, is_condition: bool) -> str:
        known = is_condition, expr.sql
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
) -> tuple[Plan, ExpressionBinder]:
    """The groups, and a binder to which keys and aggregates are columns of them."""
    _refuse_groupings(node, problems)
    meant_keys = [key_meant(each, node, scope) for each in _key_nodes(node)]
    plan, below, _ = window_keys(meant_keys, plan, scope, problems)
    _refuse_sessions(meant_keys, problems)
    columns = _Columns()
    above = ExpressionBinder(scope, problems)
    above.stands_for.update(below.stands_for)
    keys: list[str] = []
    for meant in meant_keys:
        expr = below.bind(meant)
        if expr.reads_clock:
            clock_in_group(span_of(meant), problems)
        refuse_collations("GROUP BY", [meant], below)
        name = columns.name_of(expr, "key")
        keys.append(name)
        _stand_for(meant, node, _column(name, expr.type), above)
        if expr.sql == WHOLE.sql:
            above.stands_for.update(_parts_of_window(_column(name, expr.type), below))
    calls: list[Call] = []
    known: dict[Call, Call] = {}
    filters: dict[str, Predicate] = {}
    for each in own_aggregates(node):
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
    rows = _with_filters(plan, columns, calls, filters, span_of(node), problems)
    unique = tuple(dict.fromkeys(keys))
    return Totals(input=rows[0], keys=unique, calls=rows[1]), above


def _key_nodes(node: exp.Select) -> list[exp.Expression]:
    """What follows GROUP BY; of ALL, the items without aggregates."""
    group = node.args.get("group")
    return plain_items(node) if group and group.args.get("all") else group_nodes(node)


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
    function = function_of(node)
    if function is None:
        refuse_not_kept_up(node, problems)
        return Call(name=f"unknown_{number}", function="count"), None
    values, is_distinct = arguments_of(node)
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
    )
    return call, temporal


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


_GROUPINGS = ("rollup", "cube", "grouping_sets", "totals")
_NAMES: dict[type[exp.Expr], str] = {
    exp.Rollup: "rollup",
    exp.Cube: "cube",
    exp.GroupingSets: "grouping_sets",
}
"""Groupings that stand among the keys."""


def _groupings(node: exp.Select) -> list[tuple[str, exp.Expression]]:
    """Several groupings at once: what they are called, and where they stand."""
    group = node.args.get("group")
    found: list[tuple[str, exp.Expression]] = [
        (key, node) for key in _GROUPINGS if group and group.args.get(key)
    ]
    among_keys = [each for each in group_nodes(node) if type(each) in _NAMES]
    return [*found, *((_NAMES[type(each)], each) for each in among_keys)]


def _refuse_groupings(node: exp.Select, problems: Problems) -> None:
    for key, place in _groupings(node):
        problems.add(
            "TVF501",
            f"GROUP BY {key.replace('_', ' ').upper()} needs EMIT ON WINDOW CLOSE",
            span_of(place),
            "not supported",
            advice="list the keys, and put several groupings together with UNION ALL",
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
