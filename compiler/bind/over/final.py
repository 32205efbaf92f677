"""Window functions with OVER: what they look at, and when the rows that have them are final."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TypeAlias

from sqlglot import exp

from compiler.bind.closings.expressions import closing_in, is_of
from compiler.bind.names.collations import refuse_collated_windows
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.maps import refuse_maps
from compiler.bind.names.scope import Held, OutColumn
from compiler.bind.over import refusals
from compiler.bind.over.frames import NUMBERS, NoNumberError, Reach, reach_of
from compiler.bind.over.inputs import alias_of, by_name, narrowed, put_together, unqualify
from compiler.bind.over.keys import OrderKey, delayed, keeps_order
from compiler.bind.select.items import Items, stand_for_items
from compiler.plan.closings.closing import Closing
from compiler.plan.nodes import (
    Alias,
    Filter,
    Frame,
    Item,
    Over,
    OverColumn,
    Plan,
    Project,
    held_by,
)
from compiler.sql.exprs import Expr, flat_text
from compiler.sql.lengths import length_of
from compiler.sql.names import own_name
from compiler.syntax import span_of


def own_windows(node: exp.Select) -> list[exp.Window]:
    """The window functions of a SELECT itself, not those of its subqueries."""
    places = (*node.expressions, node.args.get("qualify"))
    found = [each for place in places if place is not None for each in place.find_all(exp.Window)]
    return [each for each in found if each.parent_select is node]


@dataclass(frozen=True, kw_only=True)
class _Use:
    """One window function: its number, its text, what it is over, and how far it looks."""

    place: int
    node: exp.Window
    window: exp.Window
    reach: Reach
    partition: tuple[Expr, ...]
    order: tuple[Expr, ...]
    whole: OrderKey | None


@dataclass(kw_only=True)
class BoundOver:
    """Rows with window functions, and what becomes of the closings of their columns.

    Attributes:
        plan: the rows.
        names: what to call columns that have no name, by the SQL that stands for them.
        keys: SQL of columns that still close as they did; None: all do.
        later: by how much the others close later; None: they do not close.
        waiting: the columns of rows that wait for rows that follow; None: rows do not.
    """

    plan: Plan
    names: dict[str, str] = field(default_factory=dict)
    keys: frozenset[str] | None = None
    later: timedelta | None = None
    waiting: frozenset[str] | None = None

    def finished(self, found: Items) -> Items:
        """Items named as they are written, with the closings that hold above."""
        return [self._finished(item, column) for item, column in found]

    def _finished(self, item: Item, column: OutColumn) -> tuple[Item, OutColumn]:
        closing = column.closing
        closed = replace(
            column, closing=self._closing(item, closing), held=self._held(item, closing)
        )
        name = self.names.get(item.expr.sql) if item.name is None else None
        if name is None:
            return item, closed
        return replace(item, name=name), replace(closed, name=name)

    def _held(self, item: Item, closing: Closing | None) -> Held | None:
        names = {own_name(each).lower() for each in item.expr.reads}
        if self.waiting is None or not names <= self.waiting:
            return None
        if closing is None or closing.window is not None:
            return None
        return Held(value=item.expr.sql, closing=closing)

    def _closing(self, item: Item, closing: Closing | None) -> Closing | None:
        if closing is None or self.keys is None:
            return closing
        if is_of(item.expr, self.keys):
            return closing
        if self.later is None:
            return None
        return replace(closing, later=closing.later + self.later)


def bind_over(node: exp.Select, plan: Plan, binder: ExpressionBinder) -> BoundOver:
    """Rows of FROM and WHERE with the window functions of a SELECT, and QUALIFY."""
    if refusals.refuse_inputs(node, plan, binder.scope, binder.problems):
        return BoundOver(plan=plan)
    unqualify(node, binder)
    uses = [_use(place, each, node, binder) for place, each in enumerate(own_windows(node), 1)]
    known = [each for each in uses if each is not None]
    bound = _bound(node, plan, known, binder) if len(known) == len(uses) else None
    if bound is None:
        return BoundOver(plan=plan)
    put_together(node, bound.plan, binder)
    bound.names = _names(node, binder)
    qualify = node.args.get("qualify")
    if qualify is not None:
        stand_for_items(node, qualify, binder, unless=binder.scope.begins_with_column)
        bound.plan = Filter(input=bound.plan, predicate=binder.bind(qualify.this))
    return bound


def _names(node: exp.Select, binder: ExpressionBinder) -> dict[str, str]:
    """Text of items without a name, by their SQL."""
    return {
        binder.bind(each).sql: flat_text(binder.problems.source, span_of(each))
        for each in node.expressions
        if not isinstance(each, exp.Alias) and each.find(exp.Window)
    }


def _use(place: int, node: exp.Window, select: exp.Select, binder: ExpressionBinder) -> _Use | None:
    window = definition_of(node, select, binder)
    if window is None:
        return None
    if node.this.find(exp.Distinct):
        refusals.distinct(node, binder.problems)
        return None
    try:
        reach = reach_of(node.this, window)
    except NoNumberError as error:
        refusals.no_number(error.node, binder.problems)
        return None
    keys = window.args.get("partition_by") or []
    order = window.args["order"].expressions if window.args.get("order") else []
    partition = tuple(binder.bind(each) for each in keys)
    refuse_maps(partition, binder.problems)
    closings = [closing_in(each, binder) for each in keys]
    whole = [
        OrderKey(expr=expr, closing=closing)
        for expr, closing in zip(partition, closings, strict=True)
        if closing is not None
    ]
    use = _Use(
        place=place,
        node=node,
        window=window,
        reach=reach,
        partition=partition,
        order=tuple(_sort(each, binder) for each in order),
        whole=min(whole, key=lambda key: key.closing.rank, default=None),
    )
    is_final = use.whole is not None or refusals.is_final(node, window, reach, binder)
    return use if is_final else None


def definition_of(
    node: exp.Window, select: exp.Select, binder: ExpressionBinder
) -> exp.Window | None:
    """The window that a function is over; a name stands for one of the WINDOW clause."""
    named = {each.this.name.lower(): each for each in select.args.get("windows") or []}
    window: exp.Window | None = node
    seen: set[str] = set()
    while window is not None and window.alias:
        name = window.alias.lower()
        if name in seen or name not in named:
            refusals.unknown_window(node, window.alias, list(named), binder.problems)
            return None
        seen.add(name)
        window = named[name]
    return window


def _sort(node: exp.Expression, binder: ExpressionBinder) -> Expr:
    """A sort key with its direction where that is not the usual one."""
    expr = binder.bind(node.this)
    descending, nulls_first = bool(node.args.get("desc")), bool(node.args.get("nulls_first"))
    way = " DESC" if descending else ""
    nulls = f" NULLS {'FIRST' if nulls_first else 'LAST'}" if nulls_first == descending else ""
    return replace(expr, sql=f"{expr.sql}{way}{nulls}")


def _bound(
    node: exp.Select, plan: Plan, uses: list[_Use], binder: ExpressionBinder
) -> BoundOver | None:
    alias = alias_of(node, binder.scope)
    several = len(binder.scope.relations) > 1
    if several:
        plan = narrowed(node, plan, binder)
    overs: list[_Found] = []
    for by, some in _steps(uses):
        over = by(plan, some, binder)
        if over is None:
            return None
        below = over.plan.input
        if not several and not overs:
            below = narrowed(node, below, binder)
        elif isinstance(plan, Project) and below is not plan:
            below = Project(input=below, items=by_name(plan.items))
        plan = replace(over.plan, alias=alias, input=below, kept=over.keys, later=over.later)
        plan = Alias(name=alias, input=plan) if alias is not None else plan
        overs.append(over)
    for use in uses:
        name = f"__over_{use.place}"
        kind = binder.bind(use.node.this).type
        binder.stands_for[span_of(use.node)] = Expr(sql=name, type=kind, reads=(name,))
    last = overs[-1]
    if last.keys is None:
        return BoundOver(plan=plan, keys=overs[0].keys, later=overs[0].later)
    later = last.later if len(overs) == 1 else None
    waits = len(overs) == 1 and not several and any(each.after for each in last.plan.frames)
    names = frozenset(each.name.lower() for each in binder.scope.relations[0].columns)
    waiting = names if waits else None
    return BoundOver(plan=plan, keys=last.keys, later=later, waiting=waiting)


def _steps(uses: list[_Use]) -> list[tuple[_Bind, list[_Use]]]:
    """Functions of whole windows first; then those over rows in order of time."""
    wholes = [use for use in uses if use.whole is not None]
    others = [use for use in uses if use.whole is None]
    steps: list[tuple[_Bind, list[_Use]]] = [(_by_window, wholes), (_by_time, others)]
    return [(by, some) for by, some in steps if some]


@dataclass(frozen=True, kw_only=True)
class _Found:
    plan: Over
    keys: frozenset[str] | None = None
    later: timedelta | None = None


_Bind: TypeAlias = "Callable[[Plan, list[_Use], ExpressionBinder], _Found | None]"


def _by_window(plan: Plan, uses: list[_Use], binder: ExpressionBinder) -> _Found | None:
    """All rows of a window come at once, and Spark's own functions do the rest."""
    keys = [use.whole for use in uses if use.whole is not None]
    names = {own_name(each.expr.sql) for each in keys}
    if len(names) > 1 and not names <= _BOUNDS:
        refusals.several_windows(uses[1].node, binder.problems)
        return None
    key = min(keys, key=lambda each: each.closing.rank)
    if refusals.refuse_order(uses[0].node, plan, key.closing, binder.problems):
        return None
    over = Over(
        input=delayed(plan, key, uses[0].node),
        alias=None,
        columns=tuple(_column(use, None, binder) for use in uses),
        frames=(),
        closes=key.moment,
        closes_after=key.closing.after,
        complete=(),
        span=span_of(uses[0].node),
    )
    return _Found(plan=over, keys=frozenset(names | _BOUNDS if names <= _BOUNDS else names))


_BOUNDS = frozenset({"window_start", "window_end"})


def _by_time(plan: Plan, uses: list[_Use], binder: ExpressionBinder) -> _Found | None:
    """Rows in order of time, each when those that it looks at are closed."""
    if refuse_collated_windows("a window function", (use.window for use in uses), binder):
        return None
    firsts = [use.window.args["order"].expressions[0].this for use in uses]
    keys = [
        OrderKey(expr=binder.bind(each), closing=closing_in(each, binder) or Closing())
        for each in firsts
    ]
    if len({each.expr.sql.lower() for each in keys}) > 1:
        refusals.several_times(uses[1].node, binder.problems)
        return None
    key = keys[0]
    is_above_windows = any(isinstance(each, Over) and not each.frames for each in held_by(plan))
    if is_above_windows and not keeps_order(plan, key):
        refusals.mixed(uses[0].node, binder.problems)
        return None
    if refusals.refuse_order(uses[0].node, plan, key.closing, binder.problems):
        return None
    partitions = {tuple(each.sql for each in use.partition) for use in uses}
    frames: dict[tuple[object, ...], tuple[int, Frame]] = {}
    numbers: list[int] = []
    for use in uses:
        new = _frame(use, key, binder, beside_others=len(partitions) > 1)
        slot = (new.partition, new.order, new.until and new.until.sql, new.where)
        number, known = frames.get(slot, (len(frames) + 1, new))
        frames[slot] = (number, _wider(known, new))
        numbers.append(number)
    ahead = list(dict.fromkeys(use.reach.ahead for use in uses if use.reach.ahead))
    over = Over(
        input=delayed(plan, key, uses[0].node),
        alias=None,
        columns=tuple(
            _column(use, number, binder) for use, number in zip(uses, numbers, strict=True)
        ),
        frames=tuple(frame for _, frame in frames.values()),
        closes=key.moment,
        closes_after=key.closing.after,
        complete=tuple(key.moved(each) for each in ahead),
        span=span_of(uses[0].node),
    )
    waits_for_rows = any(use.reach.after for use in uses)
    if not waits_for_rows and not ahead:
        return _Found(plan=over)
    times = [_time_ahead(use) for use in uses if use.reach.ahead]
    lengths = [each for each in times if each is not None]
    is_known = not waits_for_rows and len(lengths) == len(times)
    return _Found(plan=over, keys=frozenset(), later=max(lengths) if is_known else None)


def _time_ahead(use: _Use) -> timedelta | None:
    """How far a frame looks ahead by time; numbers are milliseconds."""
    end = use.window.args["spec"].args["end"]
    if isinstance(end, exp.Literal) and not end.is_string:
        return timedelta(milliseconds=int(end.name)) if end.name.isdigit() else None
    return length_of(end)


def _frame(
    use: _Use, key: OrderKey, binder: ExpressionBinder, *, beside_others: bool = False
) -> Frame:
    """What a function looks at; `beside_others`: its rows may wait for those of other partitions.

    Then rows of one time may leave one after the other, and each still looks at all of them.
    """
    back = "" if use.reach.has_peers and beside_others else use.reach.back
    until = None if back is None else key.moved(back)
    value = use.reach.value
    return Frame(
        partition=tuple(each.sql for each in use.partition),
        order=tuple(each.sql for each in use.order),
        before=use.reach.before,
        after=use.reach.after or 0,
        until=until,
        last=use.reach.last,
        where=None if value is None else f"{binder.bind(value).sql} IS NOT NULL",
    )


def _wider(one: Frame, other: Frame) -> Frame:
    before = None
    if one.before is not None and other.before is not None:
        before = max(one.before, other.before)
    last = max(one.last, other.last)
    return replace(one, before=before, after=max(one.after, other.after), last=last)


def _column(use: _Use, number: int | None, binder: ExpressionBinder) -> OverColumn:
    """A window function as a column; where rows are counted, in the order of the runtime."""
    name = f"__over_{use.place}"
    kind = NUMBERS.get(type(use.node.this))
    shown = flat_text(binder.problems.source, span_of(use.node))
    if number is not None and kind is not None:
        return OverColumn(name=name, call=f"CAST(__{kind}_{number} AS INT)", over=None, shown=shown)
    over: list[str] = []
    if use.partition:
        over.append(f"PARTITION BY {', '.join(each.sql for each in use.partition)}")
    order = [each.sql for each in use.order]
    if number is not None and use.reach.counts_rows:
        order = [f"__row_number_{number}"]
    if order:
        over.append(f"ORDER BY {', '.join(order)}")
    spec = use.window.args.get("spec")
    if spec is not None:
        over.append(spec.sql("spark"))
    return OverColumn(name=name, call=binder.bind(use.node.this).sql, over=tuple(over), shown=shown)
