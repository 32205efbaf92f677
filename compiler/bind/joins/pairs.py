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
from dataclasses import dataclass, replace

from sqlglot import exp

from compiler.bind.joins.null_keys import not_null
from compiler.bind.joins.terms import unwrapped
from compiler.bind.names.collations import has_collation, refuse_collation
from compiler.bind.names.columns import column_named, reference
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import OutColumn, Relation
from compiler.diagnostics.problems import Problems
from compiler.plan.facts.properties import properties_of
from compiler.plan.nodes import (
    Counted,
    Filter,
    Item,
    Join,
    Named,
    Paired,
    Plan,
    Project,
    Rule,
    UnionAll,
    has_updates,
)
from compiler.source import Span
from compiler.sql.exprs import Expr, all_terms, equal
from compiler.sql.names import parts_of, quoted_name


def mentioned_in(node: exp.Expression, others: Sequence[str] = ()) -> frozenset[str] | None:
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
    return frozenset((*found, *using, *map(str.lower, others)))


def flattened(
    plan: Plan,
    relations: Sequence[Relation],
    names: frozenset[str] | None,
    taken: set[str],
    *,
    closes: bool = False,
) -> tuple[Named, list[Relation]]:
    """Joined rows with each column under a name of its own, and the relations that know it.

    Args:
        plan: the rows.
        relations: those that are joined in it.
        names: of the columns that are needed; None: all.
        taken: names that are not free; those that are given are added.
        closes: whether the clock still closes the columns, as it does unless rows come and go.
    """
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
            closing = column.closing if closes else None
            columns.append(replace(column, sql=quoted_name(name), closing=closing))
        found.append(replace(relation, columns=tuple(columns), has_proc_time=False))
    if not items:
        items.append(Item(expr=Expr(sql="1"), name=fresh("one", taken)))
    name = "_".join(each.alias or "rows" for each in relations)
    return Named(name=name, input=Project(input=plan, items=tuple(items)), is_made=True), found


def fresh(wanted: str, taken: set[str]) -> str:
    """A name that is not taken, and now is."""
    name, number = wanted, 1
    while name.lower() in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name.lower())
    return name


@dataclass(frozen=True, slots=True)
class Match:
    """A condition on pairs.

    Attributes:
        term: the condition.
        key: what it says is equal and not NULL, of either side.
        computed: the right one of these, unless it is a column as it is.
        is_collated: whether they are equal by a collation.
    """

    term: Expr
    key: tuple[str, str] | None = None
    computed: Expr | None = None
    is_collated: bool = False


def match_of(binder: ExpressionBinder, term: exp.Expression, left: Named, right: Named) -> Match:
    """A term of ON, over the rows of two flattened sides."""
    bare = unwrapped(term)
    both = sides_of(binder, bare, left, right) if isinstance(bare, _EQUALITIES) else None
    if both is None:
        return Match(binder.bind(term))
    # A struct is not NULL, whatever is in it.
    form = "{}" if isinstance(bare, exp.EQ) else "named_struct('key', {})"
    key = form.format(both[0].sql), form.format(both[1].sql)
    computed = _computed(both[1]) if isinstance(bare, exp.EQ) else None
    return Match(binder.bind(term), key, computed, _are_collated(both))


_EQUALITIES = exp.EQ | exp.NullSafeEQ


def sides_of(
    binder: ExpressionBinder, comparison: exp.Expression, left: Named, right: Named
) -> tuple[Expr, Expr] | None:
    """What a comparison says of the rows of two flattened sides, whichever it names first.

    None if it does not compare a value of one with a value of the other.
    """
    names = [[quoted_name(name) for name in names_of(side)] for side in (left, right)]
    sides = binder.bind(comparison.this), binder.bind(comparison.expression)
    for both in (sides, sides[::-1]):
        if all(_reads_of(each, own) for each, own in zip(both, names, strict=True)):
            return both[0], both[1]
    return None


def _reads_of(each: Expr, names: list[str]) -> bool:
    """Whether an expression reads columns of a side, and no others."""
    owned = (any(f"{read}.".startswith(f"{name}.") for name in names) for read in each.reads)
    return bool(each.reads) and all(owned)


def _all(rows: Plan) -> Plan:
    return rows


def pairs_of(
    left: Named,
    right: Named,
    on: Sequence[Match],
    place: Span,
    holds: Callable[[Plan], Plan] = _all,
) -> Named:
    """The pairs of two flattened sides; `holds` keeps those that a condition on the clock does."""
    pairs: Plan
    if _is_kept_up(left, right, on):
        pairs = Paired(left=left, right=right, kind="inner", keys=_keys(on), span=place)
        for each in on:
            if each.key is None:
                pairs = Filter(input=pairs, predicate=each.term)
    else:
        terms = [each.term for each in on]
        if all(properties_of(each).streams for each in (left, right)):
            terms += [not_null(each.computed) for each in on if each.computed]
        term = all_terms(terms)
        kind = "inner" if on else "cross"
        pairs = Join(left=left, right=right, kind=kind, on=term, span=place)
    items = tuple(column_named(name) for name in (*names_of(left), *names_of(right)))
    name = f"{left.name}_with_{right.name}"
    return Named(name=name, input=Project(input=holds(pairs), items=items), is_made=True)


def refuse_collated_keys(
    left: Named, right: Named, on: Sequence[Match], place: Span, problems: Problems
) -> None:
    """A join that is not Spark's by what is equal by a collation."""
    if _is_kept_up(left, right, on) and any(each.is_collated for each in on):
        refuse_collation("a join of rows that come and go", place, problems)


def _is_kept_up(left: Named, right: Named, on: Sequence[Match]) -> bool:
    """Whether a join is not Spark's: of rows that come and go, or of streams by nothing equal."""
    of_streams = all(properties_of(each).streams for each in (left, right))
    return has_updates(left) or has_updates(right) or (of_streams and not _keys(on))


def _keys(on: Sequence[Match]) -> tuple[tuple[str, str], ...]:
    return tuple(each.key for each in on if each.key is not None)


def joined_by_keys(
    left: Named, right: Named, kind: str, on: Sequence[Match], place: Span
) -> Named | None:
    """A join that is kept up as a whole, if what is equal in its rows says who is a partner."""
    if not _is_kept_up(left, right, on) or any(each.key is None for each in on):
        return None
    one_side = kind in ("leftsemi", "leftanti")
    names = (*names_of(left), *(() if one_side else names_of(right)))
    join = Paired(left=left, right=right, kind=kind, keys=_keys(on), span=place)
    project = Project(input=join, items=tuple(map(column_named, names)))
    return Named(
        name=f"{left.name}_{_BETWEEN.get(kind, 'with')}_{right.name}", input=project, is_made=True
    )


_BETWEEN = {"leftsemi": "in", "leftanti": "without"}


def matched(rows: Named, pairs: Named, rule: Rule, place: Span, *, shares: bool = False) -> Plan:
    """The rows that have a pair, or none."""
    kept = Project(input=pairs, items=tuple(column_named(name) for name in names_of(rows)))
    return Counted(inputs=(rows, kept), rule=rule, shares=shares, span=place)


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
            unmatched = matched(side, pairs, Rule.UNMATCHED, place, shares=True)
            alone = Project(input=unmatched, items=items)
            name = f"{side.name}_without_{other.name}"
            legs.append(Named(name=name, input=alone, is_made=True))
    return UnionAll(inputs=tuple(legs))


def names_of(rows: Named) -> tuple[str, ...]:
    """The columns of flattened rows."""
    assert isinstance(rows.input, Project)
    return tuple(each.name or each.expr.sql for each in rows.input.items)


def on_same(name: str, lefts: Sequence[Relation], right: Relation) -> Match:
    """What USING says of one column."""
    sides = [each.column(name) for each in (*lefts, right)]
    found = [
        Expr(sql=each.sql, type=each.type, reads=(each.sql,))
        for each in sides
        if each is not None and each.sql is not None
    ]
    return same_value(found[0], found[-1])


def merged(using: Sequence[str], relations: Sequence[Relation], kind: str) -> list[Relation]:
    """The columns of USING, which are in the result once: of the side that is always there.

    Unless that is the first one that has them, they are those of a relation of their own before the
    others, whose columns stay what they are.
    """
    if kind not in ("right", "full"):
        return list(relations)
    columns: list[OutColumn] = []
    for name in using:
        sides = [found for each in relations if (found := each.column(name)) is not None]
        values = [each.sql or quoted_name(each.name) for each in sides]
        value = values[-1] if kind == "right" else f"coalesce({values[0]}, {values[-1]})"
        columns.append(replace(sides[0], sql=value))
    return [Relation(plan=UnionAll(inputs=()), columns=tuple(columns)), *relations]


def same_value(left: Expr, right: Expr) -> Match:
    """An equality of two expressions, one of each side."""
    collated = _are_collated((left, right))
    return Match(equal(left, right), (left.sql, right.sql), _computed(right), collated)


def _computed(value: Expr) -> Expr | None:
    """A value of flattened rows, unless it is a column of theirs."""
    return None if len(parts_of(value.sql)) == 1 else value


def _are_collated(sides: Sequence[Expr]) -> bool:
    return any(has_collation(each.type) for each in sides)
