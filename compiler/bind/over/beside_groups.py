"""Window functions beside GROUP BY in one SELECT: over groups, as if those were a subquery.

Before   SELECT k, rank() OVER (PARTITION BY window_start ORDER BY count(*) DESC) … GROUP BY …
After    SELECT k, rank() OVER (PARTITION BY window_start ORDER BY __agg_1 DESC)
         FROM (SELECT window_start, k, count(*) AS __agg_1 … GROUP BY …)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sqlglot import exp

from compiler.bind.groups.aggregates import AGGREGATES
from compiler.bind.groups.final import bind_groups, groupings_of
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import Relation, Scope
from compiler.bind.over.final import bind_over, own_windows
from compiler.bind.select.items import bind_items
from compiler.bind.windows.refusals import KEY_FUNCTIONS
from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import Plan, Project
from compiler.sql.exprs import Expr, flat_text
from compiler.sql.names import quoted_name
from compiler.syntax import span_of


def bind_over_groups(
    node: exp.Select, plan: Plan, scope: Scope, reads: tuple[Plan, ...], problems: Problems
) -> Relation:
    """A SELECT with groups and window functions over them."""
    alias = scope.relations[0].alias if len(scope.relations) == 1 else None
    found = groupings_of(node, scope)
    _refuse_window_call(found.keys, problems)
    names = {key: f"__key_{place}" for place, key in enumerate(found.keys, 1)}
    names |= {key: key.name for key in found.keys if isinstance(key, exp.Column)}
    places = _places(node)
    totals = {each: f"__agg_{place}" for place, each in enumerate(aggregates_in(node, places), 1)}
    inner = node.copy()
    for clause in ("qualify", "windows"):
        inner.set(clause, None)
    group = exp.Group(expressions=[each.copy() for each in found.terms])
    group.meta["span"] = span_of(node.args["group"])
    inner.set("group", group)
    inner.set("expressions", [item_of(each, name) for each, name in (names | totals).items()])
    groups = replace(bind_groups(inner, plan, scope, reads, problems), alias=alias)
    binder = ExpressionBinder(Scope(problems, [groups]), problems)
    functions = {id(_function(each)) for each in own_windows(node)}
    for each in nodes_in(places):
        name = None if id(each) in functions else totals.get(each, names.get(each))
        if name is not None:
            column = groups.column(name)
            kind = column.type if column is not None else Expr(sql="").type
            sql = quoted_name(name)
            binder.stands_for[span_of(each)] = Expr(sql=sql, type=kind, reads=(sql,))
    over = bind_over(node, groups.plan, binder)
    over.names |= names_as_written(node, binder)
    items = over.finished(bind_items(node, binder))
    columns = tuple(column for _, column in items)
    rows: Plan = Project(input=over.plan, items=tuple(item for item, _ in items))
    return replace(groups, plan=rows, columns=columns, alias=None, span=span_of(node))


def _places(node: exp.Select) -> list[exp.Expression | None]:
    """The SELECT list, QUALIFY and the WINDOW clause."""
    return [*node.expressions, *(node.args.get("windows") or ()), node.args.get("qualify")]


def nodes_in(places: Iterable[exp.Expression | None]) -> Iterator[exp.Expression]:
    """What stands in some parts of a query."""
    for place in places:
        if place is not None:
            yield from (each for each in place.walk() if isinstance(each, exp.Expression))


def aggregates_in(
    node: exp.Select, places: Iterable[exp.Expression | None]
) -> list[exp.Expression]:
    """The aggregates that groups have in parts of a SELECT, with FILTER; window functions are none.

    Args:
        node: the SELECT.
        places: the parts.
    """
    functions = {id(_function(each)) for each in own_windows(node)}
    return [
        _with_clauses(each)
        for each in nodes_in(places)
        if isinstance(each, AGGREGATES)
        and each.parent_select is node
        and id(each) not in functions
        and not _is_inside_another(each, functions)
    ]


def _is_inside_another(node: exp.Expression, functions: set[int]) -> bool:
    above = node.parent
    while above is not None and not isinstance(above, exp.Select):
        if isinstance(above, AGGREGATES) and id(above) not in functions:
            return True
        above = above.parent
    return False


def _with_clauses(node: exp.Expression) -> exp.Expression:
    """An aggregate with what belongs to it."""
    while isinstance(node.parent, exp.Filter | exp.WithinGroup) and node.parent.this is node:
        node = node.parent
    return node


def _function(window: exp.Window) -> exp.Expression:
    """The function of OVER, without FILTER and IGNORE NULLS."""
    node: exp.Expression = window.this
    while isinstance(node, exp.Filter | exp.IgnoreNulls | exp.RespectNulls):
        node = node.this
    return node


def item_of(node: exp.Expression, name: str) -> exp.Expression:
    """A key or an aggregate under a name."""
    copied = node.copy()
    if isinstance(copied, exp.Column) and copied.name == name:
        return copied
    item = exp.Alias(this=copied, alias=exp.to_identifier(name))
    item.meta["span"] = span_of(node)
    return item


def names_as_written(node: exp.Select, binder: ExpressionBinder) -> dict[str, str]:
    """What to call items that have no name."""
    return {
        binder.bind(each).sql: flat_text(binder.problems.source, span_of(each))
        for each in node.expressions
        if not isinstance(each, exp.Alias | exp.Column | exp.Star)
    }


def _refuse_window_call(keys: tuple[exp.Expression, ...], problems: Problems) -> None:
    for key in keys:
        if isinstance(key, exp.Anonymous) and key.name.lower() in KEY_FUNCTIONS:
            problems.add(
                "TVF501",
                f"{key.name}() beside a window function is not supported yet",
                span_of(key),
                "not supported",
                advice="write TUMBLE(relation, time, size) in FROM",
            )
