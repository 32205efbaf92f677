"""The calls of aggregates: their arguments as columns of the rows below, and their FILTERs.

A FILTER that reads the clock has rows of its own, which come and go by it.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from compiler.bind.clock.conditions import bind_predicate
from compiler.bind.groups.aggregates import (
    OF_NUMBERS,
    arguments_of,
    behind,
    compared_arguments,
    function_of,
)
from compiler.bind.groups.columns import Columns
from compiler.bind.groups.final import clock_in_group
from compiler.bind.names.collations import refuse_collations
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.maps import refuse_maps_of_call
from compiler.bind.totals.forms import Form, form_of
from compiler.bind.totals.refusals import (
    checked_limit,
    refuse_not_kept_up,
    refuse_sum_of_intervals,
)
from compiler.bind.where.temporal import admitted_by, temporal_filter
from compiler.diagnostics.problems import Problems
from compiler.plan.conditions.predicates import Predicate
from compiler.plan.nodes import (
    Call,
    Item,
    Plan,
    Project,
    UnionAll,
)
from compiler.source import Span
from compiler.sql.exprs import Binding, Expr
from compiler.sql.inference import infer
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of

TRUE, FALSE = Expr(sql="TRUE"), Expr(sql="FALSE")


def bound_call(
    node: exp.Expression,
    number: int,
    binder: ExpressionBinder,
    columns: Columns,
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
    refuse_maps_of_call(node, lambda each: type_of(each, binder), problems)
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


def with_filters(
    plan: Plan,
    columns: Columns,
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


def type_of(node: exp.Expression, binder: ExpressionBinder) -> SqlType:
    """The type of an expression over what the binder knows."""
    types: dict[Span, SqlType] = {}
    for leaf in binder.leaves(node):
        stands = binder.stands_for.get(span_of(leaf))
        if stands is not None:
            types[span_of(leaf)] = stands.type
        elif isinstance(leaf, exp.Column):
            types[span_of(leaf)] = binder.scope.resolve(leaf).type
    return infer(node, types)
