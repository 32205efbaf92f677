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

from collections.abc import Callable
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
from compiler.plan.allowances import with_allowance
from compiler.plan.closings.closing import Closing
from compiler.plan.conditions.branches import Lower
from compiler.plan.conditions.predicates import ClockAtom, Op, all_of
from compiler.plan.facts.properties import is_of_streams
from compiler.plan.nodes import (
    Alias,
    Filter,
    Item,
    Join,
    Named,
    Plan,
    Project,
    Scan,
    StaticQuery,
    Totals,
    UnionAll,
    Watermarked,
    Windows,
    walk,
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
    marked = with_allowance(plan, {None: allowance})
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
