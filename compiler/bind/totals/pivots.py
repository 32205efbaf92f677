"""PIVOT: a group of rows as one row, with columns for some values of another column.

As in Spark, rows are grouped by the columns that PIVOT does not name.

Before   FROM a PIVOT (sum(v) AS s, count(*) AS n FOR k IN ('x', 'y' AS why))
After    SELECT id, sum(v) FILTER (WHERE k <=> 'x') AS x_s, … AS x_n, … AS why_s, … AS why_n
         FROM a GROUP BY id
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from compiler.bind.groups.aggregates import (
    OF_NO_ROWS,
    aggregates_below,
    behind,
    function_of,
    outside_aggregates,
    whole_of,
)
from compiler.bind.groups.columns import Columns
from compiler.bind.names.collations import refuse_collated_columns
from compiler.bind.names.columns import column_named, reference
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import OutColumn, Relation, Scope
from compiler.bind.names.shapes import unaliased
from compiler.bind.sets.final import closed_column, still_closing
from compiler.bind.totals.calls import bound_call, type_of
from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import Aggregate, Alias, Call, Item, Plan, Project, Totals
from compiler.sql.exprs import Binding, Expr, flat_text
from compiler.sqltypes import Kind
from compiler.syntax import span_of


@dataclass(frozen=True, slots=True)
class _Value:
    """A value that becomes columns: its name, and the condition that a row has it."""

    name: str
    condition: Expr


@dataclass(frozen=True, slots=True)
class _Computed:
    """What is computed of a group for each value.

    Attributes:
        node: the expression.
        name: what it is called; none where it is the only one.
        or_null: whether it is NULL of a value that no row has, though its functions are not.
    """

    node: exp.Expression
    name: str
    or_null: bool


@dataclass(frozen=True, slots=True)
class _Pivot:
    """A PIVOT of a relation.

    Attributes:
        keys: the columns by which rows are grouped.
        values: what becomes columns.
        computed: what is computed for each of them.
    """

    keys: tuple[OutColumn, ...]
    values: tuple[_Value, ...]
    computed: tuple[_Computed, ...]


def pivoted(relation: Relation, node: exp.Pivot, problems: Problems, *, is_final: bool) -> Relation:
    """The groups of a relation that PIVOT makes; with `is_final`, once they are final."""
    scope = Scope(problems, [relation])
    below = ExpressionBinder(scope, problems)
    found = _bound(relation, node, below)
    if found is None:
        return replace(relation, is_open=True, again=None)
    rows: Plan = relation.plan
    if relation.alias:
        rows = Alias(name=relation.alias, input=rows)
    refuse_collated_columns("PIVOT", found.keys, span_of(node), problems)
    if is_final:
        return _final(relation, rows, found, node, below)
    return _changing(relation, rows, found, node, below)


def _changing(
    relation: Relation, rows: Plan, found: _Pivot, node: exp.Pivot, below: ExpressionBinder
) -> Relation:
    problems, columns = below.problems, Columns()
    keys = [columns.name_of(reference(None, each), "key") for each in found.keys]
    calls: list[Call] = []
    items = [
        replace(column_named(name), name=each.name)
        for name, each in zip(keys, found.keys, strict=True)
    ]
    made: list[OutColumn] = []
    for value in found.values:
        where = columns.condition(value.condition)
        number = Call(name=columns.fresh("number"), function="count", where=where)
        for each in found.computed:
            above = ExpressionBinder(below.scope, problems)
            above.is_of_groups = True
            for call in aggregates_below(each.node):
                bound, _ = bound_call(call, len(calls) + 1, below, columns, problems)
                calls.append(replace(bound, name=columns.fresh(bound.name), where=where))
                expr = column_named(calls[-1].name).expr
                above.stands_for[span_of(whole_of(call))] = replace(expr, type=type_of(call, below))
            expr = above.bind(each.node)
            if each.or_null:
                calls += [] if number in calls else [number]
                expr = _or_null(expr, f"{column_named(number.name).expr.sql} > 0")
            name = _name(value, each)
            items.append(Item(expr=expr, name=name))
            made.append(OutColumn(name=name, type=expr.type))
    totals = Totals(
        input=Project(input=rows, items=tuple(columns.items)), keys=tuple(keys), calls=tuple(calls)
    )
    kept = tuple(replace(each, closing=None, held=None, sql=None) for each in found.keys)
    return replace(
        relation,
        plan=Project(input=totals, items=tuple(items)),
        columns=(*kept, *made),
        changes=span_of(node),
        has_proc_time=False,
        again=None,
    )


def _final(
    relation: Relation, rows: Plan, found: _Pivot, node: exp.Pivot, below: ExpressionBinder
) -> Relation:
    final = closed_column(found.keys)
    if final is None:
        below.problems.add(
            "TVF302",
            "PIVOT under EMIT ON WINDOW CLOSE needs a time among the columns that it groups by",
            span_of(node),
            "rows of its groups may come at any time",
            notes=["it groups by all columns that it does not name"],
            advice="select the end of a window below it, `FROM (SELECT window_end, k, v FROM "
            "TUMBLE(…)) PIVOT (sum(v) FOR k IN (…))`",
        )
        return replace(relation, is_open=True, again=None)
    time, closing = final
    items = [Item(expr=reference(None, each), name=each.name) for each in found.keys]
    made: list[OutColumn] = []
    for value in found.values:
        for each in found.computed:
            above = ExpressionBinder(below.scope, below.problems)
            for call in aggregates_below(each.node):
                above.stands_for[span_of(whole_of(call))] = _filtered(call, value, below)
            expr = above.bind(each.node)
            if each.or_null:
                counted = f"count(*) FILTER (WHERE {value.condition.sql})"
                expr = _or_null(expr, f"{counted} > 0")
            name = _name(value, each)
            items.append(Item(expr=replace(expr, reads=()), name=name))
            made.append(OutColumn(name=name, type=expr.type))
    last = reference(None, time)
    groups = Aggregate(
        input=rows,
        alias=relation.alias,
        group=tuple(reference(None, each) for each in found.keys),
        items=tuple(items),
        having=None,
        closes=replace(last, sql=closing.at(last.sql)),
        closes_after=closing.after,
    )
    kept = tuple(replace(still_closing(each, time), held=None, sql=None) for each in found.keys)
    return replace(relation, plan=groups, columns=(*kept, *made), has_proc_time=False, again=None)


def _or_null(expr: Expr, condition: str) -> Expr:
    sql = f"CASE WHEN {condition} THEN {expr.sql} END"
    return replace(expr, sql=sql, binding=Binding.ATOM)


def _filtered(call: exp.Expression, value: _Value, below: ExpressionBinder) -> Expr:
    """An aggregate of the rows that have a value."""
    bound = below.bind(whole_of(call))
    sql = f"{bound.sql} FILTER (WHERE {value.condition.sql})"
    return replace(bound, sql=sql, binding=Binding.ATOM)


def _name(value: _Value, computed: _Computed) -> str:
    return f"{value.name}_{computed.name}" if computed.name else value.name


def _bound(relation: Relation, node: exp.Pivot, below: ExpressionBinder) -> _Pivot | None:
    """What a PIVOT says; None: it is at fault, which is reported."""
    (field,) = node.args["fields"]
    places = field.this.expressions if isinstance(field.this, exp.Tuple) else [field.this]
    columns = [exp.column(each) if isinstance(each, exp.Identifier) else each for each in places]
    sides = [below.bind(each) for each in columns]
    computed = _computed(node, below)
    values = [_value(each, sides, below) for each in field.expressions]
    if computed is None or any(each is None for each in values):
        return None
    read = (*columns, *(c for each in computed for c in each.node.find_all(exp.Column)))
    named = {below.scope.path(each)[1][0] for each in read if isinstance(each, exp.Column)}
    keys = tuple(each for each in relation.columns if each.name.lower() not in named)
    if any(each.is_clock for each in keys):
        _refuse(node, "the clock among the columns that PIVOT groups by", below.problems)
        return None
    return _Pivot(keys, tuple(each for each in values if each is not None), tuple(computed))


def _computed(node: exp.Pivot, below: ExpressionBinder) -> list[_Computed] | None:
    problems, is_single = below.problems, len(node.expressions) == 1
    kinds = [type_of(unaliased(each), below) for each in node.expressions]
    has_first = all(each.kind in (Kind.NUMBER, Kind.BOOLEAN) for each in kinds)
    is_known = all(each.kind is not Kind.UNKNOWN for each in kinds)
    found: list[_Computed] = []
    for each in node.expressions:
        inner = unaliased(each)
        calls = list(aggregates_below(inner))
        if inner.find(exp.Window, exp.Query) or any(
            behind(call, kind) for call in calls for kind in _BEHIND
        ):
            _refuse(inner, "FILTER, OVER, IGNORE NULLS or a subquery in PIVOT", problems)
            return None
        if not calls or outside_aggregates(inner):
            problems.add(
                "TVF209",
                "what PIVOT computes is made of aggregates",
                span_of(inner),
                "no aggregate" if not calls else "reads a column outside of its aggregates",
                advice="write an aggregate, such as `sum(v)` or `max(v)`",
            )
            return None
        name = each.alias if isinstance(each, exp.Alias) else _shown(inner, problems)
        if not is_single and not name:
            _refuse(
                inner,
                "one of several expressions of PIVOT without a name",
                problems,
                "write `sum(v) AS total`",
            )
            return None
        # Of a value that no row has, Spark's first way gives NULL, and the other what the function
        # is of no rows; it takes that where a type is none of numbers and booleans.
        is_of_nothing = any(call is inner and function_of(call) not in OF_NO_ROWS for call in calls)
        if not is_of_nothing and not is_known:
            _refuse(
                inner,
                "a count in PIVOT beside values whose types are not known",
                problems,
                "give these a type, as in `max(CAST(v AS STRING))`",
            )
            return None
        or_null = not is_of_nothing and has_first
        found.append(_Computed(inner, "" if is_single else name, or_null))
    return found


_BEHIND = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls)


def _shown(node: exp.Expression, problems: Problems) -> str:
    """What Spark calls an aggregate of a column; empty: something that is less plain."""
    inner = node.this if isinstance(node.this, exp.Column | exp.Star) else None
    if inner is None or not isinstance(node, exp.AggFunc) or len(list(node.iter_expressions())) > 1:
        return ""
    argument = "1" if isinstance(inner, exp.Star) else inner.name
    function, _, _ = flat_text(problems.source, span_of(node)).partition("(")
    return f"{function.strip().lower()}({argument})"


def _value(node: exp.Expression, sides: Sequence[Expr], below: ExpressionBinder) -> _Value | None:
    inner = node.this if isinstance(node, exp.PivotAlias) else unaliased(node)
    alias = node.args.get("alias") if isinstance(node, exp.PivotAlias | exp.Alias) else None
    parts = list(inner.expressions) if isinstance(inner, exp.Tuple) else [inner]
    if len(parts) != len(sides) or inner.find(exp.Column, exp.Query):
        _refuse(
            node,
            "a value of PIVOT that is no literal, or not one for each column,",
            below.problems,
            "write the values out: `FOR k IN ('x', 'y')`, `FOR (k, n) IN (('x', 1) AS x)`",
        )
        return None
    name = alias.name if alias is not None else _called(inner)
    if name is None:
        _refuse(node, "this value of PIVOT without a name", below.problems, "write `… AS name`")
        return None
    terms = [_is_value(side, below.bind(part)) for side, part in zip(sides, parts, strict=True)]
    reads = tuple(dict.fromkeys(each for side in sides for each in side.reads))
    binding = Binding.COMPARISON if len(terms) == 1 else Binding.AND
    return _Value(name, Expr(sql=" AND ".join(terms), binding=binding, reads=reads))


def _is_value(side: Expr, value: Expr) -> str:
    """That a row has a value, which Spark takes for one of the column's type."""
    ddl = side.type.ddl
    is_same = side.type.kind is value.type.kind and side.type.kind is not Kind.UNKNOWN
    sought = value.sql if is_same or not ddl else f"CAST({value.sql} AS {ddl})"
    if sought is value.sql:
        sought = value.inside(Binding.COMPARISON)
    return f"{side.inside(Binding.COMPARISON)} <=> {sought}"


def _called(node: exp.Expression) -> str | None:
    """The text of a literal, by which its columns are called."""
    if isinstance(node, exp.Literal):
        return str(node.name) if node.is_string or node.is_int else None
    if isinstance(node, exp.Boolean):
        return str(node.this).lower()
    return "null" if isinstance(node, exp.Null) else None


def _refuse(
    node: exp.Expression,
    what: str,
    problems: Problems,
    advice: str = "write the query with GROUP BY and FILTER: `SELECT id, sum(v) FILTER (WHERE k = "
    "'x') AS x FROM … GROUP BY id`",
) -> None:
    problems.add(
        "TVF501",
        f"{what} is not supported over a stream",
        span_of(node),
        "not supported",
        advice=advice,
    )
