"""Subqueries over streams as values in expressions: joins, whose columns stand for them.

Before   SELECT id FROM a WHERE v > 2 * (SELECT avg(w) FROM b WHERE b.k = a.k)
After    SELECT id FROM a LEFT JOIN (SELECT b.k AS key, avg(w) AS value FROM b GROUP BY b.k)
           AS asked ON asked.key = a.k
         WHERE v > 2 * asked.value

What a subquery says to be equal to columns of the rows that ask, its own rows are grouped by, so
that it is worked out once for all who ask; with any other condition it is joined with what they ask
about (dependent.py). EXISTS asks whether there is such a group. IN asks for
the value in it, and must know of a group without it whether it has a NULL, or nothing at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from compiler.bind.joins.exists import bare_query, is_plain, semi_terms
from compiler.bind.joins.kinds import has_one_row
from compiler.bind.joins.pairs import (
    Match,
    flattened,
    fresh,
    joined_by_keys,
    mentioned_in,
    names_of,
    pairs_of,
    refuse_collated_keys,
    same_value,
)
from compiler.bind.joins.terms import unwrapped
from compiler.bind.names.binder import Binder
from compiler.bind.names.columns import column_named
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.shapes import free_columns, unaliased
from compiler.bind.subqueries.asked import Asked, is_asked_for_truth, is_of_one_row
from compiler.bind.subqueries.decorrelated import (
    first_of_each,
    is_first_row,
    lone_aggregates,
    selected,
    with_name,
)
from compiler.bind.subqueries.legs import legs_of
from compiler.bind.subqueries.refusals import (
    refuse_correlated,
    refuse_rows_as_value,
    refuse_tuple,
    refuse_width,
)
from compiler.bind.subqueries.sides import Side, by_of, flat_side, outer_value, side_of_totals
from compiler.bind.subqueries.tuples import MOST_VALUES, choices, is_among, look_up
from compiler.plan.nodes import Call, Item, Named, Plan, Project, Totals
from compiler.sql.exprs import Binding, Expr, renamed
from compiler.sql.names import quoted_name
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of


def values_of_rows(
    binder: Binder, plan: Plan, asked: Sequence[Asked], node: exp.Select, place: ExpressionBinder
) -> Plan:
    """Rows with the columns that stand for subqueries; the scope is that of the result.

    Args:
        binder: binds the subqueries.
        plan: the rows.
        asked: the subqueries.
        node: the SELECT that they are in.
        place: binds its expressions.
    """
    scope = place.scope
    rows, scope.relations[:] = flattened(plan, scope.relations, mentioned_in(node), set())
    found = _with_values(binder, rows, asked, place)
    scope.with_values = names_of(found)
    return found


def values_of_groups(
    binder: Binder, asked: Sequence[Asked], totals: Totals, place: ExpressionBinder
) -> Plan:
    """Groups with the columns that stand for subqueries beside their keys and aggregates."""
    if not asked:
        return totals
    names = (*totals.keys, *(each.name for each in totals.calls))
    items = tuple(map(column_named, names))
    rows = Named(name="groups", input=Project(input=totals, items=items), is_made=True)
    return _with_values(binder, rows, asked, place)


def _with_values(
    binder: Binder, rows: Named, asked: Sequence[Asked], place: ExpressionBinder
) -> Named:
    for each in asked:
        build = _exists if isinstance(each.node, exp.Exists) else _value
        build = _among if isinstance(each.node, exp.In) else build
        legs: list[Expr] = []
        for leg in legs_of(each, binder):
            rows, found = build(binder, rows, leg, place)
            legs.append(found)
        found = legs[0] if len(legs) == 1 else _any_of(legs)
        found = _negated(found) if each.is_negated else found
        place.stands_for[span_of(each.node)] = place.scope.stands_for[span_of(each.node)] = found
    return rows


def _value(
    binder: Binder, rows: Named, asked: Asked, place: ExpressionBinder
) -> tuple[Named, Expr]:
    """`(SELECT …)`: the one value that it has, NULL where it has none."""
    bare = bare_query(asked.query)
    query = bare.copy()
    query.parent = bare.parent
    free = free_columns(query, binder.names)
    if not free:
        bound = binder.bind(with_name(query))
        side = flat_side(bound, rows, (), is_always=has_one_row(bound.plan, always=True))
        if len(side.values) != 1:
            refuse_width(query, binder.problems)
        elif not (is_of_one_row(query) or has_one_row(bound.plan)):
            refuse_rows_as_value(query, binder.problems)
        else:
            return _joined(rows, side, asked, place), side.values[0]
        return rows, _nothing()
    return _correlated_value(binder, rows, asked, query, free, place) or (rows, _nothing())


def _correlated_value(
    binder: Binder,
    rows: Named,
    asked: Asked,
    query: exp.Expression,
    free: Sequence[exp.Column],
    place: ExpressionBinder,
) -> tuple[Named, Expr] | None:
    """The same of a subquery that names columns of the rows; None: a fault is reported."""
    calls = lone_aggregates(query)
    if not isinstance(query, exp.Select) or not (calls or is_first_row(query)):
        refuse_rows_as_value(query, binder.problems)
        return None
    if len(query.expressions) != 1 or query.expressions[0].is_star:
        refuse_width(query, binder.problems)
        return None
    if not calls:
        by = by_of(binder, rows, query, free, None, place)
        if by is None:
            return None
        first = first_of_each(by.binder, query, by.own, [unaliased(query.expressions[0])])
        side = flat_side(first, rows, by.outer)
        return _joined(rows, side, asked, place), side.values[0]
    item = unaliased(query.expressions[0])
    of_totals = side_of_totals(binder, rows, query, free, calls, place, item)
    if of_totals is None:
        return None
    side, inside = of_totals
    # In the query around, its columns are what they are in the text.
    found = outer_value(unaliased(bare_query(asked.query).expressions[0]), inside)
    if found.binding is not Binding.ATOM:
        found = replace(found, sql=f"({found.sql})", binding=Binding.ATOM)
    return _joined(rows, side, asked, place), found


def _exists(
    binder: Binder, rows: Named, asked: Asked, place: ExpressionBinder
) -> tuple[Named, Expr]:
    """`EXISTS (…)`: whether there is a group."""
    found = _grouped_rows(binder, rows, asked, place)
    if found is None:
        return rows, _nothing()
    side = _told(found, rows, {"is_there": "number > 0"})
    joined = _joined(rows, side, asked, place)
    return joined, _condition(f"coalesce({side.values[0].sql}, FALSE)", side.values)


def _among(
    binder: Binder, rows: Named, asked: Asked, place: ExpressionBinder
) -> tuple[Named, Expr]:
    """`x IN (…)`: TRUE, FALSE, or NULL where a NULL may be x."""
    needle = unwrapped(asked.node.this)
    if isinstance(needle, exp.Tuple):
        return _several_among(binder, rows, asked, needle, place)
    found = _grouped_rows(binder, rows, asked, place)
    if found is None:
        return rows, _nothing()
    if len(found.values) != 1:
        refuse_width(asked.query, binder.problems)
        return rows, _nothing()
    value, sought = found.values[0], place.bind(needle)
    equal = replace(found, keys=(*found.keys, (sought, value)))
    same = _told(equal, rows, {"is_among": "number > 0"})
    rows = _joined(rows, same, asked, place)
    others = _told(found, rows, {"is_any": "number > 0", "has_null": "filled < number"}, value)
    rows = _joined(rows, others, asked, place)
    (is_among,), (is_any, has_null) = same.values, others.values
    sql = (
        f"CASE WHEN {is_among.sql} THEN TRUE WHEN {is_any.sql} IS NOT TRUE THEN FALSE WHEN "
        f"{sought.inside(Binding.COMPARISON)} IS NULL OR {has_null.sql} THEN NULL ELSE FALSE END"
    )
    return rows, _condition(sql, (is_among, is_any, has_null, sought))


def _several_among(
    binder: Binder, rows: Named, asked: Asked, needle: exp.Tuple, place: ExpressionBinder
) -> tuple[Named, Expr]:
    """`(x, y) IN (…)`: as of one value; see tuples.py for where NULL is not FALSE."""
    found = None
    is_exact = asked.is_negated or not is_asked_for_truth(asked.node)
    if is_exact and len(needle.expressions) > MOST_VALUES:
        refuse_tuple(needle, binder.problems)
    else:
        found = _grouped_rows(binder, rows, asked, place)
    if found is not None and len(found.values) != len(needle.expressions):
        refuse_width(asked.query, binder.problems)
        found = None
    if found is None:
        return rows, _nothing()
    sought = tuple(map(place.bind, needle.expressions))
    if is_exact:
        known = []
        for equal_places in choices(len(sought)):
            known.append(look_up(found, sought, rows, equal_places))
            rows = _joined(rows, known[-1].side, asked, place)
        read = (*sought, *(fact for each in known for _, fact in each.without))
        return rows, _condition(is_among(known, sought), read)
    equal = replace(found, keys=(*found.keys, *zip(sought, found.values, strict=True)))
    side = _told(equal, rows, {"is_among": "number > 0"})
    rows = _joined(rows, side, asked, place)
    return rows, _condition(f"coalesce({side.values[0].sql}, FALSE)", side.values)


def _grouped_rows(
    binder: Binder, rows: Named, asked: Asked, place: ExpressionBinder
) -> Side | None:
    """The rows of a subquery that EXISTS or IN asks, with what they are to be grouped by."""
    (semi,) = semi_terms(asked.node)
    query = semi.query.copy()
    query.parent = semi.query.parent
    free = free_columns(query, binder.names)
    if not free:
        return flat_side(binder.bind(with_name(query)), rows, ())
    if not isinstance(query, exp.Select) or not is_plain(query):
        refuse_correlated(free[0], binder.problems)
        return None
    items = [unaliased(each) for each in query.expressions] if semi.needle is not None else []
    if any(each.is_star for each in items):
        refuse_width(query, binder.problems)
        return None
    by = by_of(binder, rows, query, free, None, place)
    if by is None:
        return None
    made = selected(query, by.own, [unaliased(each) for each in query.expressions] if items else [])
    return flat_side(by.binder.bind(made), rows, by.outer)


def _told(side: Side, rows: Named, facts: Mapping[str, str], value: Expr | None = None) -> Side:
    """What is so of the rows of each key, whatever their number is.

    Args:
        side: the rows.
        rows: those that ask; their names are taken.
        facts: conditions on `number`, how many rows there are, and `filled`, in how many of them
            the value is not NULL; by their names.
        value: a column of the rows.
    """
    own = names_of(side.rows)
    keys = tuple(dict.fromkeys(_name(key, own) for _, key in side.keys))
    counts = [Call(name="number", function="count")]
    if value is not None:
        counts.append(Call(name="filled", function="count", arguments=(_name(value, own),)))
    taken = {name.lower() for name in (*own, *names_of(rows))}
    given = {each.name: fresh(each.name, taken) for each in counts}
    calls = tuple(replace(each, name=given[each.name]) for each in counts)
    free = {name.lower() for name in names_of(rows)}
    named = {key: fresh(key, free) for key in keys}
    items = [replace(column_named(key), name=name) for key, name in named.items()]
    for name, condition in facts.items():
        reads = tuple(column_named(each.name).expr.sql for each in calls)
        sql = renamed(condition, {old: quoted_name(new) for old, new in given.items()})
        items.append(Item(expr=Expr(sql=sql, reads=reads), name=fresh(name, free)))
    totals = Totals(input=side.rows, keys=keys, calls=calls)
    whole = Named(
        name=f"{side.rows.name}_for",
        input=Project(input=totals, items=tuple(items)),
        is_made=True,
    )
    equal = tuple((outer, column_named(named[_name(key, own)]).expr) for outer, key in side.keys)
    found = tuple(column_named(each.name or "").expr for each in items[len(keys) :])
    return Side(whole, equal, found, is_always=not keys)


def _name(value: Expr, names: Sequence[str]) -> str:
    return next(name for name in names if column_named(name).expr.sql == value.sql)


def _joined(rows: Named, side: Side, asked: Asked, place: ExpressionBinder) -> Named:
    """Rows that ask, each once, with what they ask for."""
    span, problems = span_of(asked.node), place.problems
    name = f"{rows.name.removesuffix(_WITH)}{_WITH}"
    if side.is_always:
        return replace(pairs_of(rows, side.rows, [], span), name=name)
    matches: list[Match] = [same_value(outer, own) for outer, own in side.keys]
    refuse_collated_keys(rows, side.rows, matches, span, problems)
    found = joined_by_keys(rows, side.rows, "left", matches, span)
    assert found is not None
    return replace(found, name=name)


_WITH = "_with_values"


def _condition(sql: str, read: Sequence[Expr]) -> Expr:
    reads = tuple(dict.fromkeys(name for each in read for name in each.reads))
    return Expr(sql=sql, type=SqlType(Kind.BOOLEAN, "BOOLEAN"), reads=reads)


def _any_of(legs: Sequence[Expr]) -> Expr:
    """What is so of the rows of a UNION: of those of any of its queries."""
    return _condition("(" + " OR ".join(f"({each.sql})" for each in legs) + ")", legs)


def _negated(value: Expr) -> Expr:
    return replace(value, sql=f"(NOT {value.sql})")


def _nothing() -> Expr:
    """What stands for a subquery that is at fault."""
    return Expr(sql="NULL")
