"""ROW_NUMBER, RANK and DENSE_RANK over rows that come and go: the first rows of each partition.

A number that is compared with a limit, `WHERE n <= 3` or QUALIFY, keeps so many rows of each
partition (passes/limit_numberings.py); without a limit every row that comes changes the numbers of
all behind it, and whole partitions are numbered anew (passes/number_whole_partitions.py).
"""

from __future__ import annotations

from sqlglot import exp

from compiler.bind.joins.pairs import flattened, mentioned_in, names_of
from compiler.bind.names.collations import refuse_collated_windows
from compiler.bind.names.columns import column_named
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.maps import refuse_maps
from compiler.bind.names.scope import Scope
from compiler.plan.nodes import (
    Item,
    Plan,
    Project,
    SortKey,
    Top,
)
from compiler.sql.exprs import Expr
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
