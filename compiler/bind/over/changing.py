"""Window functions over rows that come and go: all of Spark's, with any frame.

A numbering with a limit keeps the first rows alone (ranks.py). Anything else needs whole
partitions, of which the runtime gives all rows anew whenever one of them changes.

Before   SELECT id, sum(v) OVER (PARTITION BY lower(k) ORDER BY ts) AS t FROM …
After    Project id, __over_1 AS t
           OverChanges sum(v) OVER (PARTITION BY __key_3 ORDER BY ts)
             Project id, v, ts, lower(k) AS __key_3
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from compiler.bind.joins.pairs import flattened, mentioned_in, names_of
from compiler.bind.names.collations import refuse_collated_windows
from compiler.bind.names.columns import column_named
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.over import refusals
from compiler.bind.over.final import definition_of
from compiler.bind.top.numbers import window_columns
from compiler.plan.nodes import (
    Item,
    Named,
    OverChanges,
    OverColumn,
    Plan,
    Project,
    SortKey,
    Totals,
)
from compiler.sql.exprs import Expr, flat_text
from compiler.syntax import span_of


def over_rows(
    windows: Sequence[exp.Window], plan: Plan, node: exp.Select, binder: ExpressionBinder
) -> Plan:
    """Joined and filtered rows with their window functions; the scope is that of the result."""
    scope = binder.scope
    if scope.with_values:
        return _over(windows, plan, list(scope.with_values), node, binder)
    rows, scope.relations[:] = flattened(plan, scope.relations, mentioned_in(node), set())
    return _over(windows, rows, list(names_of(rows)), node, binder)


def over_totals(
    windows: Sequence[exp.Window],
    plan: Plan,
    totals: Totals,
    node: exp.Select,
    binder: ExpressionBinder,
) -> Plan:
    """Groups with window functions over them.

    Args:
        windows: the functions.
        plan: the groups that HAVING keeps.
        totals: what they are made by.
        node: the SELECT.
        binder: knows keys and aggregates as columns.
    """
    names = [*totals.keys, *(each.name for each in totals.calls)]
    return _over(windows, plan, names, node, binder)


@dataclass
class _Step:
    """The functions over one partition and order."""

    partition: tuple[str, ...]
    order: tuple[SortKey, ...]
    windows: list[exp.Window] = field(default_factory=list)
    columns: list[OverColumn] = field(default_factory=list)


def _over(
    windows: Sequence[exp.Window],
    plan: Plan,
    names: list[str],
    node: exp.Select,
    binder: ExpressionBinder,
) -> Plan:
    items = [column_named(name) for name in names]
    steps: list[_Step] = []
    found: list[tuple[exp.Window, Expr]] = []
    known: list[tuple[str, exp.Window, exp.Window]] = []
    for place, window in enumerate(windows, 1):
        definition = definition_of(window, node, binder)
        if definition is None or _is_refused(window, definition, binder):
            return plan
        known.append((f"__over_{place}", window, definition))
    # Those of whole partitions join a step that has an order.
    for name, window, definition in sorted(known, key=lambda each: _is_of_all(each[2])):
        step = _step_of(definition, items, binder, steps)
        call, spec = binder.bind(window.this), definition.args.get("spec")
        frame = () if spec is None else (spec.sql("spark"),)
        frame = (_ALL,) if step.order and _is_of_all(definition) else frame
        shown = flat_text(binder.problems.source, span_of(window))
        step.windows.append(window)
        step.columns.append(OverColumn(name=name, call=call.sql, over=frame, shown=shown))
        found.append((window, Expr(sql=name, type=call.type, reads=(name,))))
    for window, value in found:
        binder.stands_for[span_of(window)] = binder.scope.stands_for[span_of(window)] = value
    result: Plan = Named(name="rows", input=Project(input=plan, items=tuple(items)), is_made=True)
    for step in steps:
        result = OverChanges(
            input=result,
            partition=step.partition,
            order=step.order,
            columns=tuple(step.columns),
            span=span_of(step.windows[0]),
        )
    return result


def _step_of(
    window: exp.Window, items: list[Item], binder: ExpressionBinder, steps: list[_Step]
) -> _Step:
    """The step of a specification; keys that are no columns are added to the rows."""
    partition, keys = window_columns(window, items, binder)
    of_all = _is_of_all(window)
    alike = (each for each in steps if each.partition == partition)
    known = next((each for each in alike if of_all or each.order == keys), None)
    if known is None:
        known = _Step(partition, keys)
        steps.append(known)
    return known


def _is_of_all(window: exp.Window) -> bool:
    """Whether each row sees its whole partition, in whatever order."""
    return not (window.args.get("order") or window.args.get("spec"))


_ALL = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"


def _is_refused(window: exp.Window, definition: exp.Window, binder: ExpressionBinder) -> bool:
    if refuse_collated_windows("a window function", [definition], binder):
        return True
    if window.this.find(exp.Distinct):
        refusals.distinct(window, binder.problems)
        return True
    inner = window.this
    while isinstance(inner, exp.IgnoreNulls | exp.RespectNulls):
        inner = inner.this
    if isinstance(inner, _IN_ORDER) and not definition.args.get("order"):
        refusals.without_order(window, binder.problems)
        return True
    return False


_IN_ORDER = (
    *(exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile),
    *(exp.Lag, exp.Lead),
)
"""Functions that Spark computes in an order alone."""
