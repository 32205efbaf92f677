"""Joins that Spark itself makes, bounded in time where they can be."""

from __future__ import annotations

import re

from sqlglot import exp

from compiler.bind.clock.conditions import split_terms
from compiler.bind.closings.delays import held_by_clock
from compiler.bind.closings.joins import closings_of_join
from compiler.bind.closings.time_bounds import TimeBound, until_left, until_right
from compiler.bind.joins.kinds import closes, refuse_clock_in_on, refuse_constants, refuse_join
from compiler.bind.joins.null_keys import keys_not_null
from compiler.bind.joins.order import Joining
from compiler.bind.joins.pairs import flattened, mentioned_in
from compiler.bind.joins.terms import bounds_between, of_kept_side
from compiler.bind.joins.using import merged_by_names
from compiler.bind.names.collations import refuse_collate_in_keys
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import Relation, Scope
from compiler.bind.where.temporal import temporal_filter, waits
from compiler.plan.conditions.predicates import ClockAtom, Op, Or, Predicate, all_of
from compiler.plan.nodes import Alias, Join, Plan
from compiler.source import Span
from compiler.sql.exprs import Expr, all_terms
from compiler.sqltypes import UNKNOWN, Kind, SqlType
from compiler.syntax import span_of


def plain_join(left: Plan, joining: Joining, scope: Scope, *, is_final: bool) -> Plan:
    """A join with the relations of a scope; with `is_final`, of a query that emits final rows."""
    kind, node = joining.kind, joining.node
    left = _told_apart(left, joining.right, node, scope)
    scope.add(joining.right)
    name = joining.right.alias or f"side_{len(scope.relations)}"
    plan = Alias(name=name, input=joining.right.plan)
    left, using, equal = merged_by_names(left, plan, joining, scope)
    *lefts, right = scope.relations
    bounds = bounds_between(joining.on, lefts, right)
    is_closed = (is_final or kind == "leftsemi") and closes(kind, bounds)
    refuse_join(node, kind, lefts, right, scope.problems, is_closed=is_closed)
    binder = ExpressionBinder(scope, scope.problems)
    of_streams = bool(right.streams) and any(each.streams for each in lefts)
    keeps = _KEPT.get(kind, (kind, "inner"))
    left_own, right_own = (
        of_kept_side(joining.on, scope.relations, each) if of_streams else [] for each in keeps
    )
    terms = [each for each in joining.on if not any(each is one for one in (*left_own, *right_own))]
    ordinary, temporal = split_terms(binder, terms)
    left_only_if, left_on_clock = split_terms(binder, left_own)
    right_only_if, right_on_clock = split_terms(binder, right_own)
    temporal += [*left_on_clock, *right_on_clock]
    place = _place_of_clock(binder, joining)
    if temporal and kind != "inner":
        refuse_clock_in_on(place, scope.problems)
    if of_streams:
        refuse_constants(joining.on, scope.problems)
        refuse_collate_in_keys(joining.on, scope.problems)
        ordinary += keys_not_null(joining.on, scope.relations, binder, kind)
    joined: Plan = Join(
        left=left,
        right=plan,
        kind="cross" if kind == "inner" and not (equal or ordinary or using) else kind,
        on=all_terms([*equal, *ordinary]),
        left_only_if=all_terms(left_only_if),
        right_only_if=all_terms(right_only_if),
        using=using,
        left_until=until_left(bounds),
        right_until=until_right(bounds),
        span=span_of(node),
    )
    if kind == "leftsemi" and is_final and waits(plan):
        temporal += _until_partners_count(bounds, span_of(node))
    if temporal:
        joined = temporal_filter(joined, all_of(temporal), span_of(place), scope.problems)
    if of_streams:
        scope.relations[:] = closings_of_join(lefts, right, kind, bounds)
    if temporal:
        scope.relations[:] = held_by_clock(scope.relations, all_of(temporal))
    if kind in ("leftsemi", "leftanti"):
        scope.relations.pop()
    return joined


def _until_partners_count(bounds: tuple[TimeBound, ...], span: Span) -> list[Predicate]:
    """A row of a SEMI JOIN does not say which partner it has: it waits until all of them count.

    A partner that waits itself is there from a moment on, of which the row knows nothing but that
    it is not later than the one from which on it finds no more partners.
    """
    atoms = tuple(
        ClockAtom(
            op=Op.GT if each.strict else Op.GE,
            bound=Expr(sql=each.bound, type=_TIMESTAMP if each.is_timestamp else UNKNOWN),
            span=span,
        )
        for each in until_left(bounds)
    )
    return [Or(terms=atoms)] if atoms else []


_TIMESTAMP = SqlType(Kind.TIMESTAMP, "TIMESTAMP")

_KEPT = {"full": ("left", "right"), "right": ("inner", "right")}
"""As which join the conditions of the left and of the right side are to be looked for."""


def _told_apart(left: Plan, right: Relation, node: exp.Join, scope: Scope) -> Plan:
    """The left side, whose columns have names of their own where the right one has theirs.

    Rows that come out of a changing join have no aliases by which they could be told apart.
    """
    columns = (each for relation in scope.relations for each in relation.columns)
    own = (each.sql for each in columns if each.sql and each.closing is None)
    bare = {part.strip("`") for sql in own for part in _BARE.findall(sql)}
    if not any(right.column(each) for each in bare):
        return left
    mentioned = mentioned_in(node.parent_select or node)
    taken = {each.name.lower() for each in right.columns}
    rows, scope.relations[:] = flattened(left, scope.relations, mentioned, taken)
    return rows


_BARE = re.compile(r"(?<![\w`.])(?:\w+|`[^`]+`)(?![\w`.(])")
"""Names in SQL that stand alone."""


def _place_of_clock(binder: ExpressionBinder, joining: Joining) -> exp.Expression:
    """The condition that reads the clock: the whole ON, as it is written."""
    timed = next((each for each in joining.on if binder.reads_clock(each)), joining.node)
    written: exp.Expression = joining.node.args.get("on") or timed
    return written
