"""`TUMBLE(…) FILL (…)`: groups of windows, also of those that have no rows of a key.

Before   SELECT k, window_end, sum(x) / 2 AS h FROM TUMBLE(…) FILL (0) GROUP BY … HAVING sum(x) < 9
After    Project k, window_end, __agg_1 / 2 AS h
           Filter __agg_1 < 9
             Filled (0) of each k
               Aggregate k, window_start, window_end, sum(x) AS __agg_1
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from sqlglot import exp

from compiler.bind.filling.refusals import (
    FilledWindows,
    refuse_keys,
    refuse_lengths,
    refuse_times,
    refuse_types,
)
from compiler.bind.filling.times import filled_columns
from compiler.bind.groups.final import bind_groups, groupings_of, refuse_bare
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import Relation, Scope
from compiler.bind.over.beside_groups import aggregates_in, item_of, names_as_written, nodes_in
from compiler.bind.relations.derived import unknown
from compiler.bind.select.items import Items, bind_items, stand_for_items
from compiler.bind.where.filters import filtered
from compiler.bind.windows.windows import END, START
from compiler.plan.closings.closing import Closing
from compiler.plan.nodes import Filled, Filling, Plan, Project
from compiler.sql.exprs import Expr
from compiler.sql.lengths import length_of
from compiler.sql.names import quoted_name
from compiler.syntax import span_of
from compiler.syntax.nodes import Fill


def filling_of(node: exp.Select) -> FilledWindows | None:
    """The windows in FROM of which a SELECT fills those without rows, if it does."""
    clause = node.args.get("from_")
    inner = clause.this.unnest() if clause is not None else None
    return inner if isinstance(inner, FilledWindows) and inner.args.get("fill") else None


def bind_filled(
    node: exp.Select, windows: FilledWindows, plan: Plan, scope: Scope, reads: tuple[Plan, ...]
) -> Relation:
    """A SELECT with groups whose windows are filled; its subqueries read `reads`."""
    problems, relation = scope.problems, scope.relations[0]
    fill: Fill = windows.args["fill"]
    found = groupings_of(node, scope)
    refuse_keys(node, windows, found, scope)
    refuse_lengths(windows, problems)
    if refuse_bare(node, list(found.keys), scope, problems):
        return unknown(node)
    bounds = {each for each in found.keys if _is_bound(each)}
    names = {key: f"__key_{place}" for place, key in enumerate(found.keys, 1)}
    names |= {key: key.name for key in found.keys if isinstance(key, exp.Column)}
    places = [*node.expressions, node.args.get("having")]
    totals = {each: f"__agg_{place}" for place, each in enumerate(aggregates_in(node, places), 1)}
    inner = node.copy()
    inner.set("having", None)
    group = exp.Group(expressions=[each.copy() for each in found.terms])
    group.meta["span"] = span_of(node.args.get("group") or node)
    inner.set("group", group)
    inner.set("expressions", [item_of(each, name) for each, name in (names | totals).items()])
    groups = bind_groups(inner, plan, scope, (), problems)
    refuse_types(fill, {name: each for each, name in totals.items()}, groups, problems)
    size, later = length_of(windows.args["size"]) or timedelta(seconds=1), timedelta(0)
    known = [each for name in (END, START) for each in groups.named(name)]
    if known and not refuse_times(windows, known[0], problems):
        later = _lateness(known[0].closing or Closing())
        later -= size if known[0].name.lower() == START else timedelta(0)
    silence = fill.args.get("silence")
    filled = Filled(
        input=groups.plan,
        keys=tuple(name for key, name in names.items() if key not in bounds),
        starts=next((names[each] for each in bounds if each.name.lower() == START), None),
        ends=next((names[each] for each in bounds if each.name.lower() == END), None),
        values=tuple(totals.values()),
        how=Filling(fill.this.name),
        size=size,
        slide=length_of(windows.args["slide"]) if windows.args.get("slide") else None,
        step=length_of(windows.args["step"]) if windows.args.get("step") else None,
        later=max(later, timedelta(0)),
        silence=length_of(silence) if silence is not None else None,
        span=span_of(fill),
    )
    columns = filled_columns(groups.columns, filled)
    rows = replace(groups, plan=filled, columns=columns, alias=relation.alias)
    return _selected(node, rows, names | totals, reads, Scope(problems, [rows]))


def _lateness(closing: Closing) -> timedelta:
    """By how much later than its value a column closes; the least there is, a millisecond."""
    return closing.reach + closing.later + timedelta(milliseconds=int(closing.after))


def _is_bound(node: exp.Expression) -> bool:
    return isinstance(node, exp.Column) and node.name.lower() in (START, END)


def _selected(
    node: exp.Select,
    rows: Relation,
    names: dict[exp.Expression, str],
    reads: tuple[Plan, ...],
    scope: Scope,
) -> Relation:
    """What HAVING keeps and SELECT makes of the rows; keys and aggregates are columns of them."""
    binder, having = ExpressionBinder(scope, scope.problems), node.args.get("having")
    for each in nodes_in([*node.expressions, having]):
        name = names.get(each)
        column = rows.column(name) if name is not None else None
        if name is not None and column is not None:
            sql = quoted_name(name)
            binder.stands_for[span_of(each)] = Expr(sql=sql, type=column.type, reads=(sql,))
    plan: Plan = rows.plan
    items = bind_items(node, binder)
    if having is not None:
        stand_for_items(node, having.this, binder, unless=scope.begins_with_column)
        plan = filtered(plan, having.this, binder)
    items = _named(items, names_as_written(node, binder))
    plan = Project(input=plan, items=tuple(item for item, _ in items), reads=reads)
    columns = tuple(column for _, column in items)
    return replace(rows, plan=plan, columns=columns, alias=None, span=span_of(node))


def _named(items: Items, names: dict[str, str]) -> Items:
    """Items that have no name of their own, called as they are written."""
    found: Items = []
    for item, column in items:
        name = names.get(item.expr.sql) if item.name is None else None
        if name is None:
            found.append((item, column))
        else:
            found.append((replace(item, name=name), replace(column, name=name)))
    return found
