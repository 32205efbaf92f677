"""`(x, y) IN (…)` and NOT IN over streams, with SQL's NULL.

A row of the subquery is the tuple where all values are equal; it may be it where each value is
equal or one of the two is NULL. Which of them must be equal, the row that asks decides by its own
NULLs; so the rows of the subquery are counted by each choice of values, and looked up by those.

Before   (a.x, a.y) NOT IN (SELECT x, y FROM b)
After    by x and y: is there a row; by x: is there one, is there one without y; by y likewise;
         of all: is there one, one without x, without y, without both
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from compiler.bind.joins.pairs import fresh, names_of
from compiler.bind.names.columns import column_named
from compiler.bind.subqueries.sides import Side
from compiler.plan.nodes import Call, Item, Named, Project, Totals
from compiler.sql.exprs import Binding, Expr
from compiler.sql.names import quoted_name

MOST_VALUES = 3
"""Of more values than these there would be more than seven look-ups for each row."""

Places = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LookUp:
    """What is known of the rows that have some of the values.

    Attributes:
        equal: the places of the values by which they are looked up.
        side: the rows that say so.
        without: of which places the value may be missing, each with whether there is a row that
            has none at these.
    """

    equal: Places
    side: Side
    without: tuple[tuple[Places, Expr], ...]


def choices(number: int) -> Iterator[Places]:
    """The places of all choices of values by which rows of a subquery are looked up, all first."""
    for size in reversed(range(number + 1)):
        yield from combinations(range(number), size)


def _parts(places: Places) -> Iterator[Places]:
    for number in range(len(places) + 1):
        yield from combinations(places, number)


def look_up(found: Side, sought: tuple[Expr, ...], rows: Named, equal: Places) -> LookUp:
    """What is known of the rows of a subquery that have some of the values that are sought.

    Args:
        found: its rows; the values are those that are compared.
        sought: what they are compared with.
        rows: those that ask; their names are taken.
        equal: the places of the values.
    """
    masks = list(_parts(tuple(each for each in range(len(sought)) if each not in equal)))
    own, taken = names_of(found.rows), {name.lower() for name in names_of(rows)}
    inside = {name.lower() for name in own}
    marks = {mask: fresh("without", inside) for mask in masks}
    marked = Project(
        input=found.rows,
        items=(
            *map(column_named, own),
            *(Item(expr=_all_null(found, mask), name=name) for mask, name in marks.items()),
        ),
    )
    keys = (*found.keys, *((sought[place], found.values[place]) for place in equal))
    names = tuple(dict.fromkeys(_named(key, own) for _, key in keys))
    calls = {
        mask: Call(name=fresh("number", inside), function="count_if", arguments=(name,))
        for mask, name in marks.items()
    }
    totals = Totals(input=marked, keys=names, calls=tuple(calls.values()))
    given = {name: fresh(name, taken) for name in names}
    items = [replace(column_named(name), name=new) for name, new in given.items()]
    facts: list[tuple[Places, Expr]] = []
    for mask, call in calls.items():
        column = quoted_name(call.name)
        name = fresh("is_there", taken)
        items.append(Item(expr=Expr(sql=f"{column} > 0", reads=(column,)), name=name))
        facts.append((mask, column_named(name).expr))
    whole = Named(
        name=f"{found.rows.name}_for", input=Project(input=totals, items=tuple(items)), is_made=True
    )
    pairs = tuple((outer, column_named(given[_named(key, own)]).expr) for outer, key in keys)
    side = Side(whole, pairs, tuple(expr for _, expr in facts), is_always=not names)
    return LookUp(equal, side, tuple(facts))


def _named(value: Expr, names: tuple[str, ...]) -> str:
    return next(name for name in names if column_named(name).expr.sql == value.sql)


def _all_null(found: Side, places: Places) -> Expr:
    values = [found.values[place] for place in places]
    sql = " AND ".join(f"{each.inside(Binding.COMPARISON)} IS NULL" for each in values) or "TRUE"
    return Expr(sql=sql, reads=tuple(name for each in values for name in each.reads))


def is_among(all_of: list[LookUp], sought: tuple[Expr, ...]) -> str:
    """TRUE, FALSE or NULL, over rows with what has been looked up."""
    exact, *others = all_of
    maybe = [
        text
        for each in others
        for mask, fact in each.without
        if (text := _maybe(each.equal, mask, fact, sought))
    ]
    (_, is_there), *_ = exact.without
    return f"CASE WHEN {is_there.sql} THEN TRUE WHEN {' OR '.join(maybe)} THEN NULL ELSE FALSE END"


def _maybe(equal: Places, mask: Places, fact: Expr, sought: tuple[Expr, ...]) -> str:
    """That a row may be the one, whose values are equal at some places and missing at others.

    At the places that remain the row that asks has none.
    """
    places = [place for place in range(len(sought)) if place not in (*equal, *mask)]
    missing = [f"{sought[place].inside(Binding.COMPARISON)} IS NULL" for place in places]
    return f"({' AND '.join([fact.sql, *missing])})"
