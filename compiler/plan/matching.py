"""Joins that ask whether a row has a partner, over streams: outer, semi and anti joins.

Whether it has one changes with the rows that come and go. So pairs come from an inner join, and a
count of each row's pairs tells whether it is matched.

Before   a LEFT JOIN b ON a.k = b.k
After    UnionAll
           Pairs (Join inner a_k = b_k)
           Project a_k, NULL AS b_k
             Counted anti: rows of a; a's columns of Pairs
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlglot import exp

from compiler.plan.exprs import Binding, Expr
from compiler.plan.names import quoted_name
from compiler.plan.nodes import Counted, Item, Join, Named, Plan, Project, Rule, UnionAll
from compiler.plan.scope import OutColumn, Relation, same
from compiler.plan.select_list import column_named, reference
from compiler.source import Span


def mentioned_in(node: exp.Expression) -> frozenset[str] | None:
    """The names of all columns that a query may mean; None: any, since it has a star."""
    stars = [each for each in node.find_all(exp.Star) if not isinstance(each.parent, exp.Count)]
    if stars:
        return None
    found = [part.name.lower() for each in node.find_all(exp.Column) for part in each.parts]
    using = [
        each.name.lower()
        for join in node.find_all(exp.Join)
        for each in join.args.get("using") or ()
    ]
    return frozenset((*found, *using))


def flattened(
    plan: Plan, relations: Sequence[Relation], names: frozenset[str] | None, taken: set[str]
) -> tuple[Named, list[Relation]]:
    """Joined rows with each column under a name of its own, and the relations that know it."""
    several = len(relations) > 1
    items: list[Item] = []
    found: list[Relation] = []
    for relation in relations:
        columns: list[OutColumn] = []
        for column in relation.columns:
            if column.is_clock or (names is not None and column.name.lower() not in names):
                continue
            expr = reference(relation.alias if several else None, column)
            is_free = not several and column.name.lower() not in taken
            qualified = f"{relation.alias}_{column.name}" if relation.alias else column.name
            name = fresh(column.name if is_free else qualified, taken)
            items.append(Item(expr=expr, name=name))
            columns.append(replace(column, sql=quoted_name(name), closing=None))
        found.append(replace(relation, columns=tuple(columns), has_proc_time=False))
    if not items:
        items.append(Item(expr=Expr(sql="1"), name=fresh("one", taken)))
    name = "_".join(each.alias or "rows" for each in relations)
    return Named(name=name, input=Project(input=plan, items=tuple(items))), found


def fresh(wanted: str, taken: set[str]) -> str:
    """A name that is not taken, and now is."""
    name, number = wanted, 1
    while name.lower() in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name.lower())
    return name


def _all(rows: Plan) -> Plan:
    return rows


def pairs_of(
    left: Named, right: Named, on: Expr | None, place: Span, holds: Callable[[Plan], Plan] = _all
) -> Named:
    """The pairs of two flattened sides; `holds` keeps those that a condition on the clock does."""
    join = holds(Join(left=left, right=right, kind="inner" if on else "cross", on=on, span=place))
    items = tuple(column_named(name) for name in (*names_of(left), *names_of(right)))
    return Named(name=f"{left.name}_with_{right.name}", input=Project(input=join, items=items))


def matched(rows: Named, pairs: Named, rule: Rule, place: Span) -> Plan:
    """The rows that have a pair, or none."""
    kept = Project(input=pairs, items=tuple(column_named(name) for name in names_of(rows)))
    return Counted(inputs=(rows, kept), rule=rule, span=place)


def outer_join(left: Named, right: Named, pairs: Named, kind: str, place: Span) -> Plan:
    """Pairs, and the rows of a side that have none; `kind` is left, right or full."""
    whole = (*names_of(left), *names_of(right))
    legs: list[Plan] = [pairs]
    for side, other, keeps in ((left, right, "left"), (right, left, "right")):
        if kind in (keeps, "full"):
            own = names_of(side)
            items = tuple(
                column_named(name) if name in own else Item(expr=Expr(sql="NULL"), name=name)
                for name in whole
            )
            alone = Project(input=matched(side, pairs, Rule.UNMATCHED, place), items=items)
            legs.append(Named(name=f"{side.name}_without_{other.name}", input=alone))
    return UnionAll(inputs=tuple(legs))


def names_of(rows: Named) -> tuple[str, ...]:
    """The columns of flattened rows."""
    assert isinstance(rows.input, Project)
    return tuple(each.name or each.expr.sql for each in rows.input.items)


def on_same(name: str, lefts: Sequence[Relation], right: Relation) -> Expr:
    """What USING says of one column."""
    sides = [each.column(name) for each in (*lefts, right)]
    found = [each.sql for each in sides if each is not None and each.sql is not None]
    return Expr(sql=f"{found[0]} = {found[-1]}", binding=Binding.COMPARISON, reads=tuple(found))


def merged(using: Sequence[str], relations: Sequence[Relation], kind: str) -> list[Relation]:
    """The columns of USING, which are in the result once: of the side that is always there."""
    found = list(relations)
    for name in using:
        sides = [each.column(name) for each in relations]
        values = [each.sql for each in sides if each is not None and each.sql is not None]
        value = {"left": values[0], "right": values[-1]}.get(
            kind, f"coalesce({values[0]}, {values[-1]})"
        )
        found = [_withcolumn_named(each, name, value) for each in found]
    return found


def _withcolumn_named(relation: Relation, name: str, value: str) -> Relation:
    return replace(
        relation,
        columns=tuple(
            replace(each, sql=value) if same(each.name, name) else each for each in relation.columns
        ),
    )


def same_value(left: Expr, right: Expr) -> Expr:
    """An equality of two expressions."""
    sides = (left.inside(Binding.COMPARISON), right.inside(Binding.COMPARISON))
    return Expr(
        sql=" = ".join(sides), binding=Binding.COMPARISON, reads=(*left.reads, *right.reads)
    )
