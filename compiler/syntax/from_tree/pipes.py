"""Pipe syntax: each operator becomes a SELECT over the rows so far, as sqlglot writes it."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

from sqlglot import exp

from compiler.source import Span
from compiler.syntax.from_tree.queries import check_partitioning
from compiler.syntax.nodes.spans import set_span, span_of
from compiler.syntax.refusal import RefusalError

if TYPE_CHECKING:
    from collections.abc import Sequence

Exp = TypeVar("Exp", bound=exp.Expression)

# A second ORDER BY sorts the whole query once more.
_MOST_ORDERS = 2

# sqlglot numbers its helper tables through one text; the automaton resets this for each.
counter: ContextVar[int] = ContextVar("counter", default=0)


@dataclass(frozen=True)
class Operator:
    """What a pipe does with the rows so far.

    Attributes:
        apply: makes the query with it of the query before.
        beside: clauses that the SELECT before may have, beside FROM and joins, for the operator to
            stand in it; with any other it reads that SELECT's result. None: it sees to that.
    """

    apply: Callable[[exp.Select], exp.Expression]
    beside: frozenset[str] | None = None


_NO_CLAUSES: frozenset[str] = frozenset()
_WHERE = frozenset({"where"})
_SORTS = _WHERE | {"order", "sort", "cluster", "distribute"}


def piped_query(query: exp.Expression, operator: Operator) -> exp.Expression:
    """`query |> operator`."""
    if isinstance(query, exp.Subquery):
        query = exp.Select(expressions=[exp.Star()], from_=exp.From(this=query))
    elif not query.args.get("from_"):
        inner = exp.Subquery(this=query)
        query = exp.Select(expressions=[exp.Star()], from_=exp.From(this=inner))
    assert isinstance(query, exp.Select)
    if operator.beside is not None and not _has_only(query, operator.beside):
        query = _result_of(query)
    return operator.apply(query)


def _result_of(query: exp.Select) -> exp.Select:
    """SELECT * of what a query gives; all columns of one relation keep its name."""
    relation = query.args["from_"].this
    name = relation.alias_or_name if not query.args.get("joins") and _is_of_all(query) else ""
    found = _nested(query)
    if name and not name.startswith("__tmp"):
        found.args["from_"].this.set("alias", exp.TableAlias(this=exp.to_identifier(name)))
    return found


def _has_only(query: exp.Select, clauses: frozenset[str]) -> bool:
    """Whether a query is SELECT * of its FROM and these clauses."""
    if [type(each) for each in query.expressions] != [exp.Star] or any(
        query.expressions[0].args.values()
    ):
        return False
    given = {key for key, value in query.args.items() if value}
    return given <= clauses | {"expressions", "from_", "joins", "with_", "laterals", "sample"}


def _is_of_all(query: exp.Select) -> bool:
    items = query.expressions
    return [type(each) for each in items] == [exp.Star] and not any(items[0].args.values())


def _nested(query: exp.Expression, name: str = "") -> exp.Select:
    """SELECT * from the query as a common table; its own common tables move up beside it."""
    if not name:
        counter.set(counter.get() + 1)
        name = f"__tmp{counter.get()}"
    with_ = query.args.get("with_")
    if with_ is not None:
        with_.pop()
    identifier = exp.to_identifier(name)
    table = exp.CTE(this=query, alias=exp.TableAlias(this=identifier.copy()))
    tables = [*(with_.expressions if with_ is not None else []), table]
    return exp.Select(
        expressions=[exp.Star()],
        from_=exp.From(this=exp.Table(this=identifier)),
        with_=exp.With(
            expressions=tables, recursive=with_.args.get("recursive") if with_ else None
        ),
    )


def pipe_select(
    hints: exp.Hint | None,
    distinct: exp.Distinct | None,
    items: list[exp.Expression],
    group: exp.Group | None,
    windows: list[exp.Window] | None,
) -> Operator:
    """`|> SELECT items GROUP BY keys`."""

    def apply(query: exp.Select) -> exp.Expression:
        query.set("expressions", items)
        query.set("group", group)
        query.set("hint", hints)
        if windows:
            query.set("windows", windows)
        query.set("distinct", distinct)
        return _nested(query)

    return Operator(apply, _WHERE)


def pipe_clause(clause: exp.Where) -> Operator:
    """`|> WHERE condition`: conditions add up."""

    def apply(query: exp.Select) -> exp.Expression:
        first = query.args.get("where") or clause
        query.where(clause.this, copy=False)
        set_span(query.args["where"], span_of(first).cover(span_of(clause)))
        return query

    return Operator(apply, _SORTS)


def _standing_for(node: Exp, parts: Sequence[exp.Expression]) -> Exp:
    """A node that is in no text stands where its parts do."""
    set_span(node, reduce(Span.cover, map(span_of, parts)))
    return node


def pipe_extend(*items: exp.Expression) -> Operator:
    """`|> EXTEND items`."""

    def apply(query: exp.Select) -> exp.Expression:
        query.set("expressions", [_standing_for(exp.Star(), items), *items])
        return _nested(query)

    return Operator(apply, _WHERE)


def pipe_set(*assignments: exp.Alias) -> Operator:
    """`|> SET a = value`."""

    def apply(query: exp.Select) -> exp.Expression:
        star = _standing_for(exp.Star(replace=list(assignments)), assignments)
        query.set("expressions", [star])
        return _nested(query)

    return Operator(apply, _WHERE)


def pipe_assignment(name: exp.Identifier, value: exp.Expression) -> exp.Alias:
    """`a = value`."""
    return exp.Alias(this=value, alias=name)


def pipe_drop(*columns: exp.Expression) -> Operator:
    """`|> DROP a, b.c`."""

    def apply(query: exp.Select) -> exp.Expression:
        star = _standing_for(exp.Star(except_=list(columns)), columns)
        query.set("expressions", [star])
        return _nested(query)

    return Operator(apply, _WHERE)


def pipe_as(name: exp.Identifier) -> Operator:
    """`|> AS name`."""

    def apply(query: exp.Select) -> exp.Expression:
        return _nested(query, name.this)

    return Operator(apply)


def pipe_items(*items: exp.Expression) -> list[exp.Expression]:
    """What AGGREGATE computes or groups by."""
    return list(items)


def pipe_group(items: list[exp.Expression]) -> exp.Group:
    """`GROUP BY items`."""
    return exp.Group(expressions=items)


_NO_AGGREGATES: dict[type, str] = {
    exp.Grouping: "GROUPING",
    exp.GroupingId: "GROUPING_ID",
    exp.Window: "OVER",
}


def _check_aggregate(items: list[exp.Expression], groups: list[exp.Expression]) -> None:
    if not items and not groups:
        raise RefusalError(
            "TVF117",
            "AGGREGATE needs what it computes or what it groups by",
            help="write |> AGGREGATE count(*) GROUP BY a",
        )
    for key in groups:
        word = key.name.upper() if isinstance(key, (exp.Column, exp.Anonymous)) else key.key.upper()
        if word in ("ALL", "ROLLUP", "CUBE"):
            raise _unsupported_in_aggregate(key, word)
    for item in (*items, *groups) if groups else ():
        for node in item.find_all(exp.Grouping, exp.GroupingId, exp.Window):
            raise _unsupported_in_aggregate(node, _NO_AGGREGATES[type(node)])


def _unsupported_in_aggregate(node: exp.Expr, name: str) -> RefusalError:
    return RefusalError(
        "TVF109",
        f"|> AGGREGATE takes no {name}",
        node.meta.get("span"),
        help="write this step as a SELECT with GROUP BY",
    )


def pipe_aggregate(items: list[exp.Expression] | None, group: exp.Group | None) -> Operator:
    """`|> AGGREGATE items GROUP BY groups`."""
    groups = group.expressions if group is not None else []
    _check_aggregate(items or [], groups)

    def apply(query: exp.Select) -> exp.Expression:
        values, orders = _split_orders(items or [])
        query.set("expressions", values)
        if group is not None:
            keys, more = _split_orders(groups)
            orders += more
            query.set("expressions", [*keys, *values])
            group.set("expressions", [key.unalias().copy() for key in keys])
            query.set("group", group)
        if orders:
            query.set("order", _standing_for(exp.Order(expressions=orders), orders))
        return _nested(query)

    return Operator(apply, _WHERE)


def _split_orders(
    items: list[exp.Expression],
) -> tuple[list[exp.Expression], list[exp.Expression]]:
    values: list[exp.Expression] = []
    orders: list[exp.Expression] = []
    for item in items:
        if not isinstance(item, exp.Ordered):
            values.append(item)
            continue
        values.append(item.this)
        shown = item.this.args["alias"] if isinstance(item.this, exp.Alias) else item.this
        order = exp.Ordered(**{**item.args, "this": shown.copy()})
        order.meta.update(item.meta)
        orders.append(order)
    return values, orders


def pipe_join(join: exp.Join) -> Operator:
    """`|> JOIN t ON ...`."""

    def apply(query: exp.Select) -> exp.Expression:
        query.append("joins", join)
        return query

    # A condition on the rows before that has no say in those that the join adds may follow it.
    keeps_left = (join.side or "").upper() not in ("RIGHT", "FULL")
    return Operator(apply, _WHERE if keeps_left else _NO_CLAUSES)


def pipe_pivot(pivot: exp.Pivot) -> Operator:
    """`|> PIVOT (...)`."""

    def apply(query: exp.Select) -> exp.Expression:
        query.args["from_"].this.append("pivots", pivot)
        return _nested(query)

    return Operator(apply, _NO_CLAUSES)


def pipe_sample(sample: exp.TableSample) -> Operator:
    """`|> TABLESAMPLE (...)`."""

    def apply(query: exp.Select) -> exp.Expression:
        with_ = query.args.get("with_")
        (with_.expressions[-1].this if with_ else query).set("sample", sample)
        return query

    return Operator(apply)


def _check_modifiers(modifiers: tuple[Any, ...]) -> None:
    """One pipe sorts or limits, or spreads the rows; a window belongs to SELECT."""
    kinds = [type(each) for each in modifiers]
    sorts = [each for each in modifiers if not isinstance(each, (list, exp.Limit, exp.Offset))]
    if list in kinds:
        raise RefusalError("TVF109", "WINDOW stands behind |> SELECT", help="move it there")
    check_partitioning([(each.key, each) for each in sorts])
    if (sorts and len(sorts) < len(modifiers)) or kinds.count(exp.Order) > _MOST_ORDERS:
        raise RefusalError(
            "TVF109",
            "one pipe has one ORDER BY, or LIMIT and OFFSET",
            modifiers[-1].meta.get("span"),
            help="begin another step with |>",
        )


def pipe_modifiers(*modifiers: Any) -> Operator:
    """`|> ORDER BY ...`, `|> LIMIT ...`."""
    _check_modifiers(modifiers)

    def apply(query: exp.Select) -> exp.Expression:
        for modifier in modifiers:
            if isinstance(modifier, (exp.Limit, exp.Offset)):
                _cap(query, modifier)
            elif isinstance(modifier, list):
                query.set("windows", modifier)
            else:
                query.set(modifier.key, modifier)
        return query

    return Operator(apply, _SORTS | _capped(modifiers))


def _capped(modifiers: tuple[Any, ...]) -> frozenset[str]:
    """LIMIT takes the first of the rows that LIMIT or OFFSET has left; OFFSET leaves out some."""
    kinds = {type(each) for each in modifiers}
    if kinds == {exp.Limit}:
        return frozenset({"limit", "offset"})
    return frozenset({"offset"}) if kinds == {exp.Offset} else _NO_CLAUSES


def _cap(query: exp.Select, modifier: exp.Limit | exp.Offset) -> None:
    """A second LIMIT counts if it is smaller, a second OFFSET adds up."""
    given = query.args.get(modifier.key)
    value = modifier.expression
    if given is not None and value.is_int and given.expression.is_int:
        old, new = int(given.expression.this), int(value.this)
        total = min(old, new) if isinstance(modifier, exp.Limit) else old + new
        modifier.expression.replace(exp.Literal.number(total))
        modifier.expression.meta.update(value.meta)
    query.set(modifier.key, modifier)


_SET_OPERATIONS: dict[str, type[exp.SetOperation]] = {
    "UNION": exp.Union,
    "EXCEPT": exp.Except,
    "MINUS": exp.Except,
    "INTERSECT": exp.Intersect,
}


def pipe_set_operation(operator: str, quantifier: str | None, right: exp.Expression) -> Operator:
    """`|> UNION ALL (query)`."""

    def apply(query: exp.Select) -> exp.Expression:
        nested = _nested(query)
        with_ = nested.args["with_"].pop()
        other = right.this if isinstance(right, exp.Subquery) else right
        both = _SET_OPERATIONS[operator](
            this=nested, distinct=quantifier != "ALL", expression=other
        )
        both.set("with_", with_)
        return _nested(both)

    return Operator(apply)


RULES: tuple[Any, ...] = (
    pipe_aggregate,
    pipe_as,
    pipe_assignment,
    pipe_clause,
    pipe_drop,
    pipe_extend,
    pipe_group,
    pipe_items,
    pipe_join,
    pipe_modifiers,
    pipe_pivot,
    pipe_sample,
    pipe_select,
    pipe_set,
    pipe_set_operation,
    piped_query,
)
