"""`EMIT ON WINDOW CLOSE THEN REVISE FOR d`: groups once they are final, and what late rows change.

A row is late once the clock is `d` ahead of it. It counts from when its group closes on; after `d`
more nothing of the group can change, and its rows leave the state, but not the result.

Before   SELECT k, count(*) FROM TUMBLE(…) GROUP BY k, window_end EMIT … THEN REVISE FOR d
After    Project k, count_1, window_end + d AS __until
           Totals count_1 = count(*) by k, window_end
             TemporalFilter clock >= window_end AND clock < window_end + d
               Windows of rows that may be late by d
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

from sqlglot import exp

from compiler.bind.closings.expressions import closing_of
from compiler.bind.closings.refusals import never_final
from compiler.bind.groups.final import groupings_of
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import Relation, Scope
from compiler.bind.names.shapes import own_parts
from compiler.bind.relations.derived import unknown
from compiler.bind.totals.totals import bind_totals
from compiler.bind.where.temporal import temporal_filter
from compiler.diagnostics.problems import Problems
from compiler.plan.closings.closing import Closing
from compiler.plan.conditions.branches import Lower
from compiler.plan.conditions.predicates import ClockAtom, Op, all_of
from compiler.plan.facts.properties import is_of_streams
from compiler.plan.nodes import (
    Alias,
    Filter,
    Item,
    Join,
    Late,
    Named,
    Output,
    Plan,
    Project,
    Scan,
    StaticQuery,
    Totals,
    UnionAll,
    Watermark,
    Watermarked,
    Windows,
    walk,
    with_children,
)
from compiler.source import Span
from compiler.sql.exprs import Expr
from compiler.sql.lengths import length_of, moved
from compiler.sql.names import own_name, quoted_name
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of
from compiler.syntax.nodes import EmitOnWindowClose, Revision

UNTIL = "__until"
_MOMENT = SqlType(Kind.TIMESTAMP, "TIMESTAMP")


def revision_of(node: exp.Expression) -> Revision | None:
    """THEN REVISE of a query, if it has that."""
    emit = node.args.get("emit")
    found = emit.args.get("revision") if isinstance(emit, EmitOnWindowClose) else None
    return found if isinstance(found, Revision) else None


def bind_revised(
    node: exp.Select,
    revision: Revision,
    plan: Plan,
    scope: Scope,
    reads: tuple[Plan, ...],
    with_asked: Callable[[Totals, ExpressionBinder], Plan],
) -> Relation:
    """A SELECT with groups that are revised; arguments as of `bind_totals`."""
    problems, span = scope.problems, span_of(revision)
    allowance = _allowance(revision, problems)
    if not _is_revisable(node, plan, span, problems):
        return unknown(node)
    final = _final(node, scope)
    if final is None:
        never_final(node, plan, scope, problems, several=False, computed=False)
        return unknown(node)
    key, closing = final
    begin = Expr(sql=closing.at(key.sql), type=_MOMENT, reads=key.reads)
    end = replace(begin, sql=moved(begin.sql, allowance))
    begins = ClockAtom(op=Op.GT if closing.after else Op.GE, bound=begin, span=span)
    ends = ClockAtom(op=Op.LE if closing.after else Op.LT, bound=end, span=span)
    marked = _with_allowance(plan, {None: allowance})
    rows = temporal_filter(marked, all_of([begins, ends]), span, problems)
    found = bind_totals(node, rows, scope, reads, with_asked)
    totals = next((each for each in walk(found.plan) if isinstance(each, Totals)), None)
    if totals is None or not isinstance(found.plan, Project):
        return unknown(node)
    if any(not isinstance(each, _ABOVE) and each is not rows for each in walk(found.plan)):
        # A row that goes at its end is kept: nothing else may take it away, or hold it back.
        _refuse(_ELSE, span, problems)
        return unknown(node)
    column = quoted_name(_name_in(totals, key))
    until = Expr(sql=moved(closing.at(column), allowance), reads=(column,))
    return replace(
        found,
        plan=replace(found.plan, items=(*found.plan.items, Item(expr=until, name=UNTIL))),
        changes=span,
        revised=Lower(bound=UNTIL, strict=closing.after, is_timestamp=True),
    )


def _allowance(revision: Revision, problems: Problems) -> timedelta:
    node = revision.args.get("allowance")
    length = length_of(node) if node is not None else None
    if length is not None and length >= _MILLISECOND and not length % _MILLISECOND:
        return length
    problems.add(
        "TVF206",
        "THEN REVISE says for how long, a fixed length of time of whole milliseconds",
        span_of(node if node is not None else revision),
        "not such a length" if node is not None else "for ever?",
        notes=[] if node is not None else ["all rows of all groups would be kept"],
        advice="write THEN REVISE FOR INTERVAL 1 HOUR",
    )
    return _MILLISECOND


_MILLISECOND = timedelta(milliseconds=1)


def _final(node: exp.Select, scope: Scope) -> tuple[Expr, Closing] | None:
    """The key that tells when a group is final."""
    groups, binder = groupings_of(node, scope), ExpressionBinder(scope, scope.problems)
    known = [
        (binder.bind(each), closing)
        for each in groups.keys
        if each in groups.in_all and (closing := closing_of(each, scope)) is not None
        if closing.window is None
    ]
    return min(known, key=lambda each: each[1].rank, default=None)


def _is_revisable(node: exp.Select, plan: Plan, span: Span, problems: Problems) -> bool:
    """Whether late rows find what they belong to; if not, that is reported."""
    what = ""
    windows = [each for each in own_parts(node, exp.Anonymous) if each.name.lower() == "window"]
    if windows:
        what = "window(), which is TUMBLE or HOP in FROM,"
    elif node.args.get("distinct") or groupings_are_several(node):
        what = "DISTINCT, ROLLUP, CUBE and GROUPING SETS"
    elif next(own_parts(node, exp.Window), None) is not None:
        what = "window functions"
    elif any(not isinstance(each, _PLAIN) or _is_endless(each) for each in walk(plan)):
        what = _ELSE
    if what:
        _refuse(what, span, problems)
    return not what


def _refuse(what: str, span: Span, problems: Problems) -> None:
    problems.add(
        "TVF501",
        f"THEN REVISE with {what} is not supported",
        span,
        "revises groups of rows of a source",
        advice="group the rows of the source, filtered and projected; or leave THEN REVISE out",
    )


_ELSE = "joins and subqueries of streams, groups of groups, and conditions on the clock"
_PLAIN = (
    *(Scan, Watermarked, Named, Alias, Filter, Project, UnionAll, Windows, StaticQuery, Join),
)
_ABOVE = (*_PLAIN, Totals)


def _is_endless(node: Plan) -> bool:
    return isinstance(node, Join) and is_of_streams(node)


def groupings_are_several(node: exp.Select) -> bool:
    """Whether GROUP BY has other groupings than one of all keys."""
    group = node.args.get("group")
    kinds = ("rollup", "cube", "grouping_sets")
    return group is not None and any(group.args.get(each) for each in kinds)


def _name_in(totals: Totals, key: Expr) -> str:
    """What the groups call a key."""
    rows = totals.input
    items = rows.items if isinstance(rows, Project) else ()
    names = [each.name for each in items if each.expr.sql == key.sql and each.name in totals.keys]
    return names[0] or own_name(key.sql) if names else own_name(key.sql)


def refuse_revisions(node: exp.Expression, problems: Problems, *, with_names: bool = False) -> None:
    """THEN REVISE where there are no groups of an output.

    Args:
        node: the query of an output, or CREATE VIEW.
        problems: takes what is at fault.
        with_names: whether INSERT INTO says what columns are called.
    """
    for each in node.find_all(Revision):
        is_own = each is revision_of(node)
        if is_own and isinstance(node, exp.Select) and node.args.get("group") and not with_names:
            continue
        where = "inside of a query" if not is_own else "without GROUP BY"
        where = "into named columns" if is_own and with_names else where
        problems.add(
            "TVF501",
            f"THEN REVISE {where} is not supported",
            span_of(each),
            "revises groups for a sink",
            advice="write it at the end of the outermost query, a SELECT with GROUP BY, whose "
            "columns are named by AS",
        )


def with_allowances(outputs: Sequence[Output], problems: Problems) -> list[Output]:
    """Outputs whose LATE(rel) has the rows that are too late for those that are revised.

    Other queries that read the same sources would take the rows for late that these do not.
    """
    found: dict[str, tuple[timedelta, Output]] = {}
    for output in outputs:
        for name, mark in _marks(output.plan):
            if mark.allowance:
                found.setdefault(name, (mark.allowance, output))
    lengths = {name: length for name, (length, _) in found.items()}

    def late(node: Plan) -> Plan:
        if isinstance(node, Late):
            return _with_allowance(node, lengths)
        return with_children(node, late)

    changed = [replace(each, plan=late(each.plan)) if lengths else each for each in outputs]
    for output in changed:
        for name, mark in _marks(output.plan):
            length, first = found.get(name, (mark.allowance, output))
            if mark.allowance != length and first.changes is not None:
                problems.add(
                    "TVF325",
                    f"rows of `{name}` are late by two rules",
                    output.changes or mark.span,
                    "reads it with other late rows",
                    more=[(first.changes, "takes late rows, for a while")],
                    advice="end all queries that read it with the same THEN REVISE FOR …, or read "
                    "it from a second source",
                )
    return changed


def _marks(plan: Plan) -> list[tuple[str, Watermark]]:
    """The watermarks in a plan, by the names under which late rows are counted."""
    found: list[tuple[str, Watermark]] = []
    for each in walk(plan):
        if isinstance(each, Scan) and each.source.watermark is not None:
            found.append((each.source.name, each.source.watermark))
        elif isinstance(each, Watermarked):
            found.append((each.source, each.watermark))
    return found


def _with_allowance(plan: Plan, lengths: dict[str, timedelta] | dict[None, timedelta]) -> Plan:
    """A plan whose sources take late rows for some time, by name; None: all of them."""
    by_name: dict[str | None, timedelta] = dict(lengths.items())

    def marked(name: str, mark: Watermark) -> Watermark:
        length = by_name.get(name, by_name.get(None))
        return mark if length is None else replace(mark, allowance=length)

    def change(node: Plan) -> Plan:
        if isinstance(node, Scan) and node.source.watermark is not None:
            mark = marked(node.source.name, node.source.watermark)
            return replace(node, source=replace(node.source, watermark=mark))
        if isinstance(node, Watermarked):
            inner = with_children(node, change)
            assert isinstance(inner, Watermarked)
            return replace(inner, watermark=marked(node.source, node.watermark))
        return with_children(node, change)

    return change(plan)
