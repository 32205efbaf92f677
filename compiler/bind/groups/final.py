"""GROUP BY, aggregates and DISTINCT over streams: what is grouped, and when a group is final."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from sqlglot import exp

from compiler.bind.closings.date_parts import PARTS, date_of_parts, part_of, time_in_part
from compiler.bind.closings.expressions import closing_of, is_of
from compiler.bind.closings.held import held_of, released
from compiler.bind.closings.refusals import never_final, waits_too_long
from compiler.bind.groups.aggregates import is_aggregate, own_aggregates, refuse_nested
from compiler.bind.groups.distinct import DistinctAggregates
from compiler.bind.groups.flattened import flattened
from compiler.bind.groups.grouping_sets import Groupings, groupings, refuse_sessions
from compiler.bind.groups.parts import Whole, parts_of_groups
from compiler.bind.groups.sessions import are_whole_sessions, close_with_sessions
from compiler.bind.names.collations import refuse_collated_columns, refuse_collations
from compiler.bind.names.columns import reference
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import Held, OutColumn, Relation, Scope, streams_of, watermarks_of
from compiler.bind.select.items import bind_items
from compiler.bind.windows.keys import WHOLE, WindowKey, window_keys
from compiler.bind.windows.refusals import KEY_FUNCTIONS, refuse_lone_windows
from compiler.bind.windows.windows import unqualified
from compiler.diagnostics.problems import Problems
from compiler.plan.closings.closing import Closing
from compiler.plan.facts.sessions import BOUNDS, sessions_of
from compiler.plan.nodes import (
    Aggregate,
    Item,
    Parts,
    Plan,
    SessionTotals,
    TemporalFilter,
    Windows,
    held_by,
)
from compiler.source import Span
from compiler.sql.exprs import Expr
from compiler.sql.names import own_name
from compiler.sql.texts import Texts, sizes_in, text_of
from compiler.sqltypes import Kind
from compiler.syntax import span_of
from compiler.syntax.nodes import ProcTime


def is_grouped(node: exp.Select) -> bool:
    """Whether a SELECT has one row for several."""
    clauses = ("group", "having", "distinct")
    return (
        any(node.args.get(each) for each in clauses) or next(own_aggregates(node), None) is not None
    )


@dataclass(frozen=True)
class _Key:
    """One key: its node, and what it is bound to."""

    node: exp.Expression
    expr: Expr
    closing: Closing | None
    window: Closing | None = None
    held: Held | None = None
    is_timed: bool = False
    is_grouped: bool = True


KeepTotals: TypeAlias = Callable[
    [exp.Select, Sequence[tuple[exp.Expression, Expr]], Windows, ExpressionBinder],
    SessionTotals | None,
]
"""What is kept of sessions by their keys, each as it is written and as it is bound."""


def bind_groups(
    node: exp.Select,
    plan: Plan,
    scope: Scope,
    reads: tuple[Plan, ...],
    problems: Problems,
    keep_totals: KeepTotals = lambda *_: None,
) -> Relation:
    """A grouped SELECT over rows that are joined and filtered; its subqueries read `reads`."""
    several = len(scope.relations) > 1
    groups = groupings_of(node, scope)
    plan, binder, named = window_keys(list(groups.keys), plan, scope, problems)
    refuse_sessions(groups, problems, are_sessions=bool(named) and sessions_of(plan) is not None)
    keys = [_key(each, binder, named, in_all=each in groups.in_all) for each in groups.keys]
    refuse_collations("GROUP BY", groups.keys, binder)
    distinct = DistinctAggregates(binder)
    for each in own_aggregates(node):
        distinct.stand_for(each)
    found = [(item, _with_closing(item, column, keys)) for item, column in bind_items(node, binder)]
    having = node.args.get("having")
    condition = binder.bind(having.this) if having else None
    refuse_clock_in([key.expr for key in keys], node, problems)
    refuse_clock_in([item.expr for item, _ in found], node, problems)
    refuse_clock_in([condition] if condition else [], node, problems)
    if node.args.get("distinct"):
        if node.args.get("group"):
            _distinct_groups(node, problems)
        keys = [_Key(node, item.expr, column.closing, held=column.held) for item, column in found]
        refuse_lone_windows(node, (), problems, grouped=True)
        refuse_collated_columns("DISTINCT", (each for _, each in found), span_of(node), problems)
    else:
        refuse_bare(node, [key.node for key in keys], scope, problems)
        refuse_nested(node, problems)
    final = _final([*keys, *_dates(keys, scope)])
    found = [(item, _still_closing(item, column, final)) for item, column in found]
    by_text = {text_of(key.node): key.expr for key in keys}
    bound = [key.expr for key in keys]
    in_all = [key.expr for key in keys if key.node in groups.in_all]
    if final is None and close_with_sessions(plan, in_all, scope.relations[0]):
        final = _session_end(scope.relations[0])
    whole = _held(keys, plan) if final is None else None
    if whole is not None:
        plan, final = whole[0], whole[1:]
        found = [(item, _still_held(item, column, whole[1])) for item, column in found]
    if final is None:
        if not any(each.is_open for each in scope.relations):
            held = next((each for each in held_by(plan) if isinstance(each, TemporalFilter)), None)
            if held is not None:
                waits_too_long(node, held, problems)
            else:
                computed = any(key.expr.type.kind is Kind.UNKNOWN for key in keys)
                never_final(
                    node, plan, scope, problems, several=groups.are_several, computed=computed
                )
        final = Expr(sql="NULL"), Closing()
    last = final[0] if several else unqualified(final[0], scope.relations[0].alias)
    closes = replace(last, sql=final[1].at(last.sql))
    parts: Parts | Whole = Whole()
    is_plain = not (several or groups.are_several or reads or node.args.get("distinct"))
    if is_plain and whole is None and not final[1].after and not problems.errors:
        pairs = [(key.node, key.expr) for key in keys]
        parts = parts_of_groups(node, plan, pairs, closes, binder)
    whole_sessions = not groups.are_several and are_whole_sessions(plan, bound, scope.relations[0])
    sessions = sessions_of(plan) if whole_sessions and not several and not reads else None
    aggregate = Aggregate(
        input=plan,
        alias=scope.relations[0].alias,
        group=groups.sql(lambda key: by_text.get(text_of(key)) or binder.bind(key)) or tuple(bound),
        items=tuple(item for item, _ in found),
        having=condition,
        closes=closes,
        closes_after=final[1].after,
        reads=reads,
        whole_sessions=whole_sessions,
        types=tuple(distinct.types),
        held=whole is not None,
        parts=parts if isinstance(parts, Parts) else None,
        whole=parts.why if isinstance(parts, Whole) else None,
        totals=keep_totals(node, [(key.node, key.expr) for key in keys], sessions, binder)
        if sessions is not None
        else None,
    )
    return Relation(
        plan=flattened(aggregate) if several else aggregate,
        columns=tuple(column for _, column in found),
        streams=streams_of(scope.relations),
        watermarks=watermarks_of(scope.relations),
        span=span_of(node),
    )


def groupings_of(node: exp.Select, scope: Scope) -> Groupings:
    """What a SELECT groups by, numbers and names of items resolved."""
    return groupings(node, lambda key: key_meant(key, node, scope), plain_items(node))


def plain_items(node: exp.Select) -> list[exp.Expression]:
    """The items of a SELECT list without aggregates: what GROUP BY ALL groups by."""
    items = [each.unalias() for each in node.expressions]
    return [
        each
        for each in items
        if each.find(exp.Window) is None and not any(map(is_aggregate, each.walk()))
    ]


def _key(
    node: exp.Expression,
    binder: ExpressionBinder,
    named: dict[str, WindowKey],
    *,
    in_all: bool,
) -> _Key:
    """A key; where it is not in all groupings, it has no value in some groups."""
    window = named.get(text_of(node))
    if window is not None:
        if not in_all:
            return _Key(node, window.bounds, None, is_timed=True)
        return _Key(node, window.bounds, window.closing, window.struct, window.held, is_timed=True)
    found, expr = closing_of(node, binder.scope), binder.bind(node)
    return _Key(
        node,
        expr,
        found if in_all else None,
        held=held_of(node, expr, binder.scope) if in_all else None,
        is_timed=found is not None,
        is_grouped=in_all,
    )


def key_meant(node: exp.Expression, select: exp.Select, scope: Scope) -> exp.Expression:
    """What a key means: an item of the SELECT list by its number or name, or itself."""
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        place = int(node.name)
        if 1 <= place <= len(select.expressions):
            found: exp.Expression = select.expressions[place - 1].unalias()
            return found
    if isinstance(node, exp.Column) and len(node.parts) == 1:
        offered = any(each.column(node.name) for each in scope.relations)
        aliases = {each.alias.lower(): each for each in select.expressions if each.alias}
        if not offered and node.name.lower() in aliases:
            meant: exp.Expression = aliases[node.name.lower()].unalias()
            return meant
    return node


def _dates(keys: list[_Key], scope: Scope) -> list[_Key]:
    """What `year(ts), month(ts), day(ts), hour(ts)` say together, or the first of them."""
    parts = {unit: key for key in keys if (unit := part_of(key.node)) and key.is_grouped}
    units = [
        each for place, each in enumerate(PARTS) if all(n in parts for n in PARTS[: place + 1])
    ]
    times = {text_of(time_in_part(parts[each].node)) for each in units}
    closing = date_of_parts(units, parts[units[0]].node, scope) if len(times) == 1 else None
    if closing is None:
        return []
    exprs = [parts[each].expr for each in units]
    reads = tuple(dict.fromkeys(name for each in exprs for name in each.reads))
    values = [each.sql for each in exprs] + ["1", "1", "0", "0"][len(units) - 1 :] + ["0"]
    sql = f"make_timestamp({', '.join(values)})"
    return [_Key(keys[0].node, Expr(sql=sql, reads=reads), closing)]


def _with_closing(item: Item, column: OutColumn, keys: list[_Key]) -> OutColumn:
    """A key that is selected closes as it did, if it is in all groupings."""
    same_key = next((key for key in keys if key.expr.sql == item.expr.sql), None)
    if same_key is not None:
        return replace(column, closing=same_key.closing)
    if item.expr.sql == WHOLE.sql:
        window = next((key.window for key in keys if key.window is not None), None)
        return replace(column, closing=window)
    in_some = any(key.closing is None and key.is_timed for key in keys)
    return replace(column, closing=None) if in_some else column


def _final(keys: list[_Key]) -> tuple[Expr, Closing] | None:
    """The key that tells when a group is final; an end of a window rather than its start."""
    closing = [(key.expr, key.closing) for key in keys if key.closing is not None]
    return min(closing, key=lambda each: each[1].rank, default=None)


def _still_closing(item: Item, column: OutColumn, final: tuple[Expr, Closing] | None) -> OutColumn:
    """Groups come when one of their keys closes, the others may have closed long before."""
    if column.closing is None or final is None:
        return column
    return column if is_of(item.expr, names_of(final[0])) else replace(column, closing=None)


def _held(keys: list[_Key], plan: Plan) -> tuple[Plan, Expr, Closing] | None:
    """Rows that come as whole groups, and the key by which they do, as below what holds them."""
    known = [(key.expr, key.held) for key in keys if key.held is not None]
    if not known:
        return None
    expr, held = min(known, key=lambda each: each[1].closing.rank)
    moment = Expr(sql=held.closing.at(held.value), span=expr.span)
    below = released(plan, moment, after=held.closing.after)
    value = held.closing.value
    if expr.sql == ", ".join(expr.reads):
        value = value.replace("{}", expr.reads[-1])
    return (below, expr, replace(held.closing, value=value)) if below else None


def _still_held(item: Item, column: OutColumn, final: Expr) -> OutColumn:
    return column if is_of(item.expr, names_of(final)) else replace(column, held=None)


def names_of(final: Expr) -> Collection[str]:
    """The names of the key that closes groups; of a window, both of its bounds."""
    is_named = final.sql == ", ".join(final.reads)
    names = set(final.reads if is_named else (final.sql,))
    return names | BOUNDS if {own_name(each).lower() for each in names} & BOUNDS else names


def _session_end(relation: Relation) -> tuple[Expr, Closing] | None:
    column = relation.column("window_end")
    if column is None or column.closing is None:
        return None
    return reference(None, column), column.closing


def refuse_bare(
    node: exp.Select, keys: list[exp.Expression], scope: Scope, problems: Problems
) -> bool:
    """Report columns that are neither keys nor inside an aggregate, if there are any."""
    known, is_any = Texts(keys), False
    aliases = {each.alias.lower() for each in node.expressions if isinstance(each, exp.Alias)}
    having = node.args.get("having")
    for item in (
        *(each.unalias() for each in node.expressions),
        *([having.this] if having else []),
    ):
        for value in _bare(item, known, sizes_in(item)):
            shown = value.sql("spark") if isinstance(value, exp.Column) else "PROC_TIME()"
            if having is not None and item is having.this and _is_item(value, aliases, scope):
                continue
            if isinstance(value, exp.Column) and _is_of_key(value, keys):
                continue
            is_any = True
            problems.add(
                "TVF209",
                f"`{shown}` is neither grouped nor aggregated",
                span_of(value),
                "which of the group's values?",
                advice=f"add it to GROUP BY, or write an aggregate such as max({shown})",
            )
    return is_any


def _is_item(value: exp.Column | ProcTime, aliases: set[str], scope: Scope) -> bool:
    """Whether a name in HAVING is that of an item of the SELECT list, or a field of one."""
    if not isinstance(value, exp.Column):
        return False
    first, *fields = (each.name for each in value.parts)
    return first.lower() in aliases and not (fields and scope.offers(first))


def _is_of_key(column: exp.Column, keys: list[exp.Expression]) -> bool:
    """Whether a column is a key, perhaps by another qualifier, or a field of one."""
    parts = [each.name.lower() for each in column.parts]
    if {parts[0], parts[-1]} & KEY_FUNCTIONS:
        return True
    named = [each for each in keys if isinstance(each, exp.Column)]
    for key in ([each.name.lower() for each in node.parts] for node in named):
        starts = range(len(parts) - len(key) + 1)
        if parts == key[-len(parts) :] or any(parts[n : n + len(key)] == key for n in starts):
            return True
    return False


_INSIDE = (exp.AggFunc, exp.Filter, exp.WithinGroup, exp.Anonymous, exp.Query)


def _bare(
    item: exp.Expression, known: Texts, sizes: dict[int, int]
) -> Iterator[exp.Column | ProcTime]:
    """What stands neither in one of the known expressions nor in an aggregate."""
    stack = [item]
    while stack:
        node = stack.pop()
        if known.hold(node, sizes[id(node)]) or isinstance(node, _INSIDE):
            continue
        if isinstance(node, exp.Column | ProcTime):
            yield node
        elif not isinstance(node, exp.Star | exp.Lambda):
            stack.extend(node.iter_expressions(reverse=True))


def _distinct_groups(node: exp.Select, problems: Problems) -> None:
    problems.add(
        "TVF501",
        "SELECT DISTINCT with GROUP BY over a stream is not supported yet",
        span_of(node.args["group"]),
        "grouped twice",
        advice="group in a subquery, and select DISTINCT around it",
    )


def refuse_clock_in(exprs: list[Expr], node: exp.Select, problems: Problems) -> None:
    """Report clocks in parts of a query that groups; a part without a place is in the whole."""
    for expr in exprs:
        if expr.reads_clock:
            clock_in_group(expr.span if expr.span.end else span_of(node), problems)


def clock_in_group(span: Span, problems: Problems) -> None:
    """The clock in an aggregate or among what is grouped."""
    problems.add(
        "TVF506",
        "the clock has no value inside an aggregate query",
        span,
        "reads the clock",
        advice="select the clock in a query around this one; to aggregate the rows of which a "
        "condition on it is true, write `count(*) FILTER (WHERE …)`",
    )
