"""The clauses of a SELECT and of a query, each a node of its own."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from compiler.syntax.from_tree.checks import check_distinct_names
from compiler.syntax.refusal import RefusalError

_CONSTANT_OPERATIONS = (exp.Cast, exp.TryCast, exp.Case, exp.If, exp.Connector)


def where(condition: exp.Expression) -> exp.Where:
    """`WHERE condition`."""
    return exp.Where(this=condition)


def having(condition: exp.Expression) -> exp.Having:
    """`HAVING condition`."""
    return exp.Having(this=condition)


def qualify(condition: exp.Expression) -> exp.Qualify:
    """`QUALIFY condition`."""
    return exp.Qualify(this=condition)


def limit(count: exp.Expression | str) -> exp.Limit:
    """`LIMIT count`."""
    return exp.Limit(expression=exp.Var(this="ALL") if isinstance(count, str) else count)


def offset(count: exp.Expression) -> exp.Offset:
    """`OFFSET count`."""
    return exp.Offset(expression=count)


def order_by(*items: exp.Ordered) -> exp.Order:
    """`ORDER BY ...`."""
    return exp.Order(expressions=list(items))


def sort_by(*items: exp.Ordered) -> exp.Sort:
    """`SORT BY ...`."""
    return exp.Sort(expressions=list(items))


def distribute_by(*items: exp.Expression) -> exp.Distribute:
    """`DISTRIBUTE BY ...`: sqlglot keeps these as sort items."""
    return exp.Distribute(expressions=[_ordered(item) for item in items])


def _ordered(item: exp.Expression) -> exp.Ordered:
    node = exp.Ordered(this=item, nulls_first=True)
    node.meta.update(item.meta)
    return node


def cluster_by(*items: exp.Expression) -> exp.Cluster:
    """`CLUSTER BY ...`."""
    return exp.Cluster(expressions=list(items))


def sort_item(value: exp.Expression, direction: str | None, nulls: str | None) -> exp.Ordered:
    """`value DESC NULLS LAST`; in Spark NULL is the least value."""
    if isinstance(value, exp.Column) and value.name.upper() == "ALL":
        value = exp.Var(this="ALL")
    nulls_first = nulls == "NULLS FIRST" if nulls else direction != "DESC"
    return exp.Ordered(this=value, desc=direction == "DESC", nulls_first=nulls_first)


def group_by(*parts: Any) -> exp.Group:
    """`GROUP BY a, b WITH ROLLUP`."""
    *items, suffix = parts
    group = exp.Group(expressions=items)
    if suffix is not None:
        group.set(suffix[0], [suffix[1]])
    return group


def group_by_all() -> exp.Group:
    """`GROUP BY ALL`."""
    return exp.Group(all=True)


def _refuse_empty(sets: tuple[exp.Expression, ...], name: str) -> None:
    for each in sets:
        if isinstance(each, exp.Tuple) and not each.expressions:
            raise RefusalError(
                "TVF109",
                f"{name} has the empty set already",
                each.meta.get("span"),
                help="leave out (), or write GROUPING SETS",
            )


def rollup(*sets: exp.Expression) -> exp.Rollup:
    """`ROLLUP (...)`."""
    _refuse_empty(sets, "ROLLUP")
    return exp.Rollup(expressions=list(sets))


def cube(*sets: exp.Expression) -> exp.Cube:
    """`CUBE (...)`."""
    _refuse_empty(sets, "CUBE")
    return exp.Cube(expressions=list(sets))


def grouping_sets(*sets: exp.Expression) -> exp.GroupingSets:
    """`GROUPING SETS (...)`."""
    return exp.GroupingSets(expressions=list(sets))


def with_rollup() -> tuple[str, exp.Rollup]:
    """`GROUP BY ... WITH ROLLUP`."""
    return "rollup", exp.Rollup()


def with_cube() -> tuple[str, exp.Cube]:
    """`GROUP BY ... WITH CUBE`."""
    return "cube", exp.Cube()


def with_grouping_sets(*sets: exp.Expression) -> tuple[str, exp.GroupingSets]:
    """`GROUP BY ... GROUPING SETS (...)`."""
    return "grouping_sets", exp.GroupingSets(expressions=list(sets))


def window_clause(*windows: exp.Window) -> list[exp.Window]:
    """`WINDOW w AS (...), ...`."""
    check_distinct_names([each.this for each in windows], "windows")
    return list(windows)


def named_window(name: exp.Identifier, window: exp.Window) -> exp.Window:
    """`name AS window`."""
    window.set("this", name)
    return window


def window_name(name: exp.Identifier) -> exp.Window:
    """`OVER name`."""
    return exp.Window(alias=name)


def window_spec(
    partition_: list[exp.Expression] | None,
    order: exp.Order | None,
    frame_: exp.WindowSpec | None,
) -> exp.Window:
    """`(PARTITION BY ... ORDER BY ... ROWS ...)`."""
    return exp.Window(partition_by=partition_ or [], order=order, spec=frame_)


def partition(*items: exp.Expression) -> list[exp.Expression]:
    """`PARTITION BY ...`."""
    return list(items)


def window_order(*items: exp.Ordered) -> exp.Order:
    """`ORDER BY ...` in a window."""
    return exp.Order(expressions=list(items))


def frame(kind: str, start: tuple[Any, str | None], end: Any = None) -> exp.WindowSpec:
    """`ROWS BETWEEN start AND end`."""
    last, last_side = end or (None, None)
    return exp.WindowSpec(
        kind=kind, start=start[0], start_side=start[1], end=last, end_side=last_side
    )


def _check_bound(value: exp.Expression) -> None:
    """A frame is the same for all rows."""
    for node in value.walk() if not isinstance(value, exp.Literal) else ():
        if isinstance(node, _CONSTANT_OPERATIONS):
            continue
        if isinstance(node, (exp.Column, exp.Func, exp.Query)):
            raise RefusalError(
                "TVF109",
                "the bound of a frame is a constant",
                node.meta.get("span"),
                help="write a number, or an INTERVAL for RANGE",
            )


def frame_bound(value: exp.Expression | str, side: str | None = None) -> tuple[Any, str | None]:
    """One end of a frame."""
    if not isinstance(value, str):
        _check_bound(value)
        return value, side
    if value == "CURRENT ROW":
        return value, None
    word, _, its_side = value.partition(" ")
    return word, its_side


RULES: tuple[Any, ...] = (
    cluster_by,
    cube,
    distribute_by,
    frame,
    frame_bound,
    group_by,
    group_by_all,
    grouping_sets,
    having,
    limit,
    named_window,
    offset,
    order_by,
    partition,
    qualify,
    rollup,
    sort_by,
    sort_item,
    where,
    window_clause,
    window_name,
    window_order,
    window_spec,
    with_cube,
    with_grouping_sets,
    with_rollup,
)
