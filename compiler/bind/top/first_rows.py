"""ORDER BY … LIMIT over rows that come and go: the first rows, as they change."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from compiler.bind.names.collations import refuse_collated_columns
from compiler.bind.names.scope import Relation
from compiler.bind.names.shapes import unaliased
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import did_you_mean
from compiler.plan.nodes import Plan, Project, SortKey, Top
from compiler.source import Span
from compiler.sql.names import same
from compiler.syntax import span_of
from compiler.syntax.nodes.spans import set_span

HIDDEN = "__order_"


@dataclass(frozen=True)
class Ordered:
    """A query without its ORDER BY and LIMIT, and what they say.

    Attributes:
        query: what is ordered; columns to sort by that it does not select are appended to it.
        keys: what to sort by.
        hidden: the appended columns.
        limit: how many rows; None: all.
        offset: how many rows before them are left out.
    """

    query: exp.Expression
    keys: tuple[SortKey, ...]
    hidden: tuple[str, ...]
    limit: int | None
    offset: int


def is_limited(node: exp.Expression) -> bool:
    """Whether a query asks for its first rows."""
    return bool(node.args.get("limit"))


def ordered(node: exp.Expression, problems: Problems) -> Ordered:
    """A query with ORDER BY and LIMIT taken apart; faults are reported."""
    query = node.copy()
    for clause in ("order", "limit", "offset"):
        query.set(clause, None)
    order = node.args.get("order")
    keys: list[SortKey] = []
    hidden: list[exp.Expression] = []
    for each in _keys(order, node):
        _refuse_place_behind_star(each.this, node, problems)
        name = _selected(each.this, node, problems)
        if name is None:
            name = f"{HIDDEN}{len(hidden) + 1}"
            meant = _meant(each.this, node).copy()
            alias = exp.Alias(this=meant, alias=exp.to_identifier(name))
            alias.meta["span"] = span_of(each.this)
            hidden.append(alias)
        keys.append(
            SortKey(
                column=name,
                descending=bool(each.args.get("desc")),
                nulls_first=bool(each.args.get("nulls_first")),
            )
        )
    if hidden and isinstance(query, exp.Select):
        if node.args.get("distinct"):
            _not_selected(order or node, problems)
        query.set("expressions", [*query.expressions, *hidden])
    return Ordered(
        query=query,
        keys=tuple(keys),
        hidden=tuple(each.alias for each in hidden),
        limit=_number(node.args["limit"], problems) if node.args.get("limit") else None,
        offset=_number(node.args["offset"], problems) if node.args.get("offset") else 0,
    )


def _keys(order: exp.Expression | None, node: exp.Expression) -> list[exp.Expression]:
    """What ORDER BY names; ALL is each item of the SELECT list, by its place."""
    keys: list[exp.Expression] = list(order.expressions) if order else []
    if len(keys) != 1 or not isinstance(keys[0].this, exp.Var):
        return keys
    found: list[exp.Expression] = []
    for place, _ in enumerate(_items(node), 1):
        number = exp.Literal.number(place)
        set_span(number, span_of(keys[0].this))
        found.append(exp.Ordered(**{**keys[0].args, "this": number}))
    return found


def first_rows(inner: Relation, of: Ordered, node: exp.Expression, problems: Problems) -> Relation:
    """The first rows of a bound query."""
    place = span_of(node.args["limit"])
    _refuse_clock(inner.plan, place if place.end else span_of(node), problems)
    visible = inner.columns[: len(inner.columns) - len(of.hidden)]
    names = {each.column for each in of.keys}
    sorts = (each for each in inner.columns if each.name in names)
    refuse_collated_columns("ORDER BY", sorts, span_of(node.args.get("order") or node), problems)
    top = Top(
        input=inner.plan,
        partition=(),
        order=of.keys,
        limit=of.limit,
        offset=of.offset,
        hidden=of.hidden,
        span=span_of(node),
    )
    changes = inner.changes or (place if place.end else span_of(node))
    return replace(inner, plan=top, columns=visible, changes=changes)


def _selected(key: exp.Expression, node: exp.Expression, problems: Problems) -> str | None:
    """The name of the output column that a key is; None: it is none, or has no name of its own."""
    names = [each.alias_or_name for each in _items(node)]
    if not isinstance(node, exp.Select):
        return _of_union(key, names, problems)
    meant = _meant(key, node)
    found = [
        each.alias_or_name
        for each in node.expressions
        if unaliased(each) is meant and isinstance(each, exp.Alias | exp.Column)
    ]
    if not found or sum(same(name, found[0]) for name in names) > 1:
        return None
    return found[0]


def _items(node: exp.Expression) -> list[exp.Expression]:
    while isinstance(node, exp.SetOperation | exp.Subquery):
        node = node.this
    return list(node.expressions) if isinstance(node, exp.Select) else []


def _meant(key: exp.Expression, node: exp.Expression) -> exp.Expression:
    """The item of the SELECT list that a number, a name or the same expression stands for."""
    items = _items(node)
    if isinstance(key, exp.Literal) and not key.is_string and key.name.isdigit():
        place = int(key.name)
        if 1 <= place <= len(items):
            return unaliased(items[place - 1])
    for each in items:
        is_name = isinstance(key, exp.Column) and not key.table
        if (is_name and same(each.alias_or_name, key.name)) or unaliased(each) == key:
            return unaliased(each)
    return key


def _of_union(key: exp.Expression, names: list[str], problems: Problems) -> str:
    """A key of a set operation names a column of its first side, or gives its place."""
    if isinstance(key, exp.Column) and any(same(name, key.name) for name in names):
        return key.name
    if isinstance(key, exp.Literal) and key.name.isdigit() and 1 <= int(key.name) <= len(names):
        return names[int(key.name) - 1]
    problems.add(
        "TVF202",
        f"the set operation has no column `{key.sql('spark')}`",
        span_of(key),
        "no such column",
        advice=did_you_mean(key.name, names) or "order by a column of its first SELECT",
    )
    return names[0] if names else ""


def _number(node: exp.Expression, problems: Problems) -> int:
    value = node.expression
    if isinstance(value, exp.Literal) and not value.is_string and value.name.isdigit():
        return int(value.name)
    problems.add(
        "TVF206",
        "how many rows there are to be must be a number",
        span_of(value) if span_of(value).end else span_of(node),
        "not a whole number",
        advice="write it out, `LIMIT 10`",
    )
    return 1


def _refuse_place_behind_star(
    key: exp.Expression, node: exp.Expression, problems: Problems
) -> None:
    """How many columns a star has is not known yet."""
    if not isinstance(key, exp.Literal) or key.is_string or not key.name.isdigit():
        return
    if any(each.is_star for each in _items(node)[: int(key.name)]):
        problems.add(
            "TVF501",
            "ORDER BY a number that counts columns of a star is not supported yet",
            span_of(key),
            "counts what `*` stands for",
            advice="name the column",
        )


def _refuse_clock(plan: Plan, place: Span, problems: Problems) -> None:
    """Which rows are first would change with the clock; and a row has none before it leaves."""
    for item in plan.items if isinstance(plan, Project) else ():
        if item.expr.reads_clock:
            problems.add(
                "TVF506",
                "the clock has no value beside LIMIT",
                item.expr.span if item.expr.span.end else place,
                "reads the clock",
                advice="order by a time of the rows, and leave the clock out: `_time` tells when "
                "each row came or left",
            )


def _not_selected(order: exp.Expression, problems: Problems) -> None:
    problems.add(
        "TVF209",
        "ORDER BY something that SELECT DISTINCT does not select",
        span_of(order),
        "which of the rows that are one?",
        advice="select it, too",
    )
