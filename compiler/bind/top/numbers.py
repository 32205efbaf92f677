"""ROW_NUMBER, RANK and DENSE_RANK over rows that come and go: the first rows of each partition.

A number that is compared with a limit, `WHERE n <= 3` or QUALIFY, keeps so many rows of each
partition; without a limit every row that comes changes the numbers of all behind it, and whole
partitions are numbered anew (over/changing.py).

Before   Filter n <= 3
           Project …, n
             Top all of shop by sold desc
After    the same, with Top first 3 of shop by sold desc
"""

from __future__ import annotations

import re
from dataclasses import replace

from sqlglot import exp

from compiler.bind.joins.pairs import flattened, mentioned_in, names_of
from compiler.bind.names.collations import refuse_collated_windows
from compiler.bind.names.columns import column_named
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.maps import refuse_maps
from compiler.bind.names.scope import Scope
from compiler.memo import remembered
from compiler.plan.nodes import (
    Alias,
    Filter,
    Item,
    Named,
    OverChanges,
    OverColumn,
    Plan,
    Project,
    SortKey,
    Top,
    with_children,
)
from compiler.sql.exprs import Expr
from compiler.sql.names import own_name, parts_of
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of

KINDS: dict[type[exp.Expr], str] = {
    exp.RowNumber: "row_number",
    exp.Rank: "rank",
    exp.DenseRank: "dense_rank",
}
NUMBER = "__number"


def ranks_only(windows: list[exp.Window]) -> bool:
    """Whether the window functions of a SELECT are one numbering of rows."""
    if not windows:
        return False
    texts = {each.sql("spark") for each in windows}
    return len(texts) == 1 and type(windows[0].this) in KINDS and not windows[0].alias


def bind_ranks(
    windows: list[exp.Window], plan: Plan, scope: Scope, binder: ExpressionBinder
) -> Plan:
    """Joined and filtered rows with their number, under which the window is known afterwards."""
    window = windows[0]
    around = window.parent_select or exp.Select()
    rows, scope.relations[:] = flattened(plan, scope.relations, mentioned_in(around), set())
    items = [column_named(name) for name in names_of(rows)]
    refuse_collated_windows("a numbering", windows[:1], binder)
    partition, order = window_columns(window, items, binder)
    number = Expr(sql=NUMBER, type=SqlType(Kind.NUMBER, "INT"), reads=(NUMBER,))
    binder.stands_for.update((span_of(each), number) for each in windows)
    return Top(
        input=Project(input=rows, items=tuple(items)),
        partition=partition,
        order=order,
        limit=None,
        kind=KINDS[type(window.this)],
        number=NUMBER,
        span=span_of(window),
    )


def window_columns(
    window: exp.Window, items: list[Item], binder: ExpressionBinder
) -> tuple[tuple[str, ...], tuple[SortKey, ...]]:
    """The columns of PARTITION BY and of ORDER BY; keys that are none are added to the rows."""
    values = [binder.bind(each) for each in window.args.get("partition_by") or ()]
    refuse_maps(values, binder.problems)
    partition = tuple(_key(each, items) for each in values)
    order = window.args.get("order")
    keys = tuple(
        SortKey(
            column=_key(binder.bind(each.this), items),
            descending=bool(each.args.get("desc")),
            nulls_first=bool(each.args.get("nulls_first")),
        )
        for each in (order.expressions if order else ())
    )
    return partition, keys


def _key(expr: Expr, items: list[Item]) -> str:
    """The column that a key is; an expression is added to the rows."""
    for each in items:
        if each.expr.sql == expr.sql and each.name:
            return each.name
    name = f"__key_{len(items)}"
    items.append(Item(expr=expr, name=name))
    return name


def with_limits(plan: Plan) -> Plan:
    """A plan in which each numbering knows how far it must count, or counts all rows anew."""
    return _all_numbered(_limited(plan))


@remembered
def _all_numbered(node: Plan) -> Plan:
    """Numberings that no condition limits, as window functions over whole partitions."""
    found = with_children(node, _all_numbered)
    if not isinstance(found, Top) or found.limit is not None or found.number is None:
        return found
    call = f"{found.kind}()"
    return OverChanges(
        input=found.input,
        partition=found.partition,
        order=found.order,
        columns=(OverColumn(name=found.number, call=call, over=(), shown=call),),
        span=found.span,
    )


def _limited(node: Plan) -> Plan:
    found = with_children(node, _limited)
    bound = _bound(found.predicate.sql) if isinstance(found, Filter) else None
    if not isinstance(found, Filter) or bound is None:
        return found
    return replace(found, input=_pushed(found.input, *bound))


def _bound(condition: str) -> tuple[str, int] | None:
    """A column, and the number that it is not above where a condition holds."""
    for pattern, is_below in _BOUNDS:
        found = pattern.fullmatch(condition)
        if found is not None:
            return found["name"], int(found["number"]) - is_below
    return None


_NAME = r"(?P<name>(?:`[^`]+`|\w+)(?:\.(?:`[^`]+`|\w+))?)"
_NUMBER = r"(?P<number>\d{1,9})"
_BOUNDS = (
    (re.compile(rf"{_NAME} <?= {_NUMBER}"), False),
    (re.compile(rf"{_NAME} < {_NUMBER}"), True),
    (re.compile(rf"{_NUMBER} >?= {_NAME}"), False),
    (re.compile(rf"{_NUMBER} > {_NAME}"), True),
    (re.compile(rf"{_NAME} BETWEEN \d+ AND {_NUMBER}", re.IGNORECASE), False),
)
"""Conditions, and whether the number itself is left out."""


def _pushed(node: Plan, name: str, limit: int) -> Plan:
    """The limit of a column, taken down to the numbering that it comes from."""
    bare = own_name(name).lower()
    match node:
        case Alias() | Named() | Filter():
            return replace(node, input=_pushed(node.input, name, limit))
        case Project(items=items):
            names = [(each.name or own_name(each.expr.sql)).lower() for each in items]
            same = [item for item, name in zip(items, names, strict=True) if name == bare]
            if len(same) != 1 or not parts_of(same[0].expr.sql):
                return node
            return replace(node, input=_pushed(node.input, same[0].expr.sql, limit))
        case Top(number=number, limit=None) if number is not None and number.lower() == bare:
            return replace(node, limit=limit)
        case _:
            return node
