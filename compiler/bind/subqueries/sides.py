"""What a subquery over a stream has for each value of what it is correlated by, flattened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from compiler.bind.groups.aggregates import (
    OF_NO_ROWS,
    function_of,
    outside_aggregates,
    own_aggregates,
    whole_of,
)
from compiler.bind.joins.pairs import flattened, names_of
from compiler.bind.names.binder import Binder
from compiler.bind.names.columns import reference
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import OutColumn, Relation
from compiler.bind.names.shapes import unaliased
from compiler.bind.relations.derived import with_names
from compiler.bind.subqueries.decorrelated import correlated, selected
from compiler.bind.subqueries.dependent import dependent
from compiler.bind.subqueries.refusals import refuse_correlated, refuse_lone_column
from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import Named
from compiler.sql.exprs import Expr
from compiler.syntax import span_of


@dataclass(frozen=True, slots=True)
class Side:
    """What a subquery has for each value of what it is correlated by.

    Attributes:
        rows: flattened.
        keys: what is equal: values of the rows that ask, and columns of these.
        values: the other columns.
        is_always: whether there is one row whatever happens, as of a total of everything.
        columns: what the query calls these values, if it is the query that has them.
    """

    rows: Named
    keys: tuple[tuple[Expr, Expr], ...]
    values: tuple[Expr, ...]
    is_always: bool = False
    columns: tuple[OutColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class By:
    """By what a subquery is correlated: its own values, what they are equal to; who binds it."""

    own: list[exp.Expression]
    outer: list[Expr]
    binder: Binder


def by_of(
    binder: Binder,
    rows: Named,
    query: exp.Select,
    free: Sequence[exp.Column],
    item: exp.Expression | None,
    place: ExpressionBinder,
) -> By | None:
    """By what is equal if that is all that it compares, else by what the rows ask about.

    None: a query in its FROM compares, which is reported.
    """
    for column in free:
        if _is_in_from(column, query):
            refuse_correlated(column, binder.problems)
            return None
    keys = correlated(query, free, item)
    if keys is not None:
        return By([own for own, _ in keys], [outer_value(each, place) for _, each in keys], binder)
    asked = [(each, outer_value(each, place)) for each in free]
    found = dependent(binder, rows, query, asked, span_of(query))
    return By([found.key], [found.outer], found.binder)


def side_of_totals(
    binder: Binder,
    rows: Named,
    query: exp.Select,
    free: Sequence[exp.Column],
    calls: Sequence[exp.Expression],
    place: ExpressionBinder,
    item: exp.Expression | None,
) -> tuple[Side, ExpressionBinder] | None:
    """The aggregates of a subquery by what it is correlated by, and a binder of what it selects.

    None: a fault is reported.

    Args:
        binder: binds queries.
        rows: the rows that ask.
        query: the subquery, which is changed.
        free: its columns that it does not read itself.
        calls: its aggregates.
        place: binds expressions of the rows.
        item: the one that it selects, in which columns of the rows may stand beside aggregates.
    """
    if _has_lone_column(query, free, binder.problems):
        return None
    by = by_of(binder, rows, query, free, item, place)
    if by is None:
        return None
    made = selected(query, by.own, [whole_of(each) for each in calls])
    made.set("group", exp.Group(expressions=[own.copy() for own in by.own]))
    side = flat_side(by.binder.bind(made), rows, by.outer)
    inside = ExpressionBinder(place.scope, binder.problems)
    inside.stands_for.update(place.stands_for)
    for call, value in zip(calls, side.values, strict=True):
        inside.stands_for[span_of(whole_of(call))] = _or_none(call, value)
    inside.is_of_groups = place.is_of_groups
    return side, inside


def _is_in_from(column: exp.Column, query: exp.Select) -> bool:
    """Whether a column of the rows around stands in a query in FROM, which sees none of them."""
    node: exp.Expr | None = column
    while node is not None and node is not query:
        if isinstance(node, exp.Subquery) and isinstance(node.parent, exp.From | exp.Join):
            return node.arg_key == "this"
        node = node.parent
    return False


def _has_lone_column(query: exp.Select, free: Sequence[exp.Column], problems: Problems) -> bool:
    """Whether a column stands where it has no meaning in a subquery of aggregates; reported.

    That is one of the subquery's own beside them, and one of the query around alone in one, which
    SQL takes for an aggregate of that query.
    """
    outside = {id(each) for each in free}
    for call in own_aggregates(query):
        columns = list(whole_of(call).find_all(exp.Column))
        if columns and all(id(each) in outside for each in columns):
            refuse_correlated(columns[0], problems)
            return True
    for item in query.expressions:
        for column in outside_aggregates(unaliased(item)):
            if id(column) not in outside:
                refuse_lone_column(column, problems)
                return True
    return False


def outer_value(node: exp.Expression, place: ExpressionBinder) -> Expr:
    """What a subquery is compared with; of groups that is a key."""
    for leaf in place.leaves(node) if place.is_of_groups else ():
        if isinstance(leaf, exp.Column) and span_of(leaf) not in place.stands_for:
            refuse_lone_column(leaf, place.problems)
    return place.bind(node)


def flat_side(
    bound: Relation, rows: Named, outer: Sequence[Expr], *, is_always: bool = False
) -> Side:
    """A bound query, whose first columns are what values of the rows are compared with."""
    bound = with_names(bound)
    columns = tuple(each for each in bound.columns if not each.is_clock)
    inner = replace(bound, columns=columns, alias="_".join((*sorted(bound.streams), "asked")))
    found, (relation,) = flattened(bound.plan, [inner], None, set(names_of(rows)))
    values = [reference(None, each) for each in relation.columns]
    keys = tuple(zip(outer, values, strict=False))
    count = len(outer)
    return Side(found, keys, tuple(values[count:]), is_always, relation.columns[count:])


def _or_none(call: exp.Expression, value: Expr) -> Expr:
    """An aggregate above the join, where a group without rows has no column of it."""
    none = OF_NO_ROWS.get(function_of(call) or "")
    return value if none is None else replace(value, sql=f"coalesce({value.sql}, {none})")
