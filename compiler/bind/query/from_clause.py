"""FROM: relations that are declared or computed, joined in order; LATERAL behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from compiler.bind.asof.joins import asof_join
from compiler.bind.asof.versions import as_of_rows, is_as_of_rows
from compiler.bind.filling.refusals import refuse_filling
from compiler.bind.joins.by_partner import matching_join
from compiler.bind.joins.by_spark import plain_join
from compiler.bind.joins.from_start import are_tables, from_start
from compiler.bind.joins.kinds import (
    ASKS_FOR_PARTNER,
    ASKS_ONLY,
    KEEPS_LEFT,
    join_kind,
    partners_come_and_go,
    refuse_chance,
    refuse_updates,
    refuse_using,
    refuse_without_equality,
)
from compiler.bind.joins.order import Joining, is_joinable, joined_in_order
from compiler.bind.joins.pairs import mentioned_in
from compiler.bind.laterals.generators import lateral_views
from compiler.bind.laterals.joins import apart, in_written_order, lateral_join
from compiler.bind.laterals.unpivots import unpivoted
from compiler.bind.names.binder import Binder
from compiler.bind.names.scope import Emit, Relation, Scope
from compiler.bind.names.shapes import (
    is_qualified,
    subqueries,
    unwrapped,
    without_parentheses,
)
from compiler.bind.names.stars import is_star
from compiler.bind.patterns.match import bind_match
from compiler.bind.query.refusals import (
    refuse_clauses,
    refuse_pivot_of_join,
    refuse_pivot_of_table,
    refuse_relation,
    refuse_star_of_nothing,
    refuse_unknown,
)
from compiler.bind.relations.bad import bad_rows
from compiler.bind.relations.derived import (
    closed_rows,
    rename,
    unclosed,
    unknown,
    with_names,
)
from compiler.bind.relations.late import late_rows
from compiler.bind.relations.watermarks import arriving, delayed, watermarked
from compiler.bind.subqueries.asked import asked_of
from compiler.bind.subqueries.one_row import one_row
from compiler.bind.subqueries.refusals import refuse_in_lateral_view
from compiler.bind.totals.pivots import pivoted
from compiler.bind.windows.windows import WINDOW_RELATIONS, bind_windows
from compiler.plan.nodes import (
    Alias,
    Plan,
    StaticQuery,
    has_updates,
)
from compiler.syntax import span_of
from compiler.syntax.nodes import (
    BadRelation,
    LateRelation,
    MatchRecognize,
    ProcTime,
    SessionRelation,
    StreamRelation,
    WatermarkRelation,
)


def bind_from(binder: Binder, node: exp.Select, scope: Scope) -> Plan:
    """The FROM clause of a query, whose relations the scope takes, with its LATERAL VIEWs."""
    clause = node.args.get("from_")
    if clause is None:
        return _of_one_row(binder, node, scope)
    plan = _joined_relations(binder, node, clause, scope)
    views = node.args.get("laterals")
    for query in (each for view in views or () for each in subqueries(view)):
        refuse_in_lateral_view(query, binder.problems)
    return lateral_views(plan, views, scope, mentioned_in(node)) if views else plan


def _of_one_row(binder: Binder, node: exp.Select, scope: Scope) -> Plan:
    """What a SELECT without FROM reads."""
    is_final = binder.emit is not Emit.NOW
    asked = () if is_final else asked_of(node, binder.is_static, ())
    if not asked:
        return StaticQuery(sql="SELECT 1", reads=())
    for star in filter(is_star, node.expressions):
        refuse_star_of_nothing(star, binder.problems)
    only = one_row(asked[0].query, binder)
    scope.add(only)
    return only.plan


def _joined_relations(binder: Binder, node: exp.Select, clause: exp.From, scope: Scope) -> Plan:
    begin, nodes = without_parentheses(clause.this, node.args.get("joins") or ())
    first = relation_of(binder, begin)
    others, laterals = apart(nodes, binder.problems)
    plan = _joined_in_order(binder, node, first, others, scope, has_laterals=bool(laterals))
    for each in laterals:
        plan = lateral_join(binder, plan, each, scope)
    if laterals:
        written = [each for each in nodes if join_kind(each) not in ASKS_ONLY]
        scope.relations[:] = in_written_order(scope.relations, written)
    return plan


def _joined_in_order(
    binder: Binder,
    node: exp.Select,
    first: Relation,
    nodes: Sequence[exp.Join],
    scope: Scope,
    *,
    has_laterals: bool,
) -> Plan:
    if not nodes:
        scope.add(first)
        if first.alias and (has_laterals or is_qualified(node, first.alias)):
            return Alias(name=first.alias, input=first.plan)
        return first.plan
    where = node.args.get("where")
    first, place, joins = joined_in_order(
        first,
        [_joined_relation(binder, each) for each in nodes],
        where.this if where is not None else None,
    )
    scope.add(first)
    plan: Plan = Alias(name=first.alias or "side_1", input=first.plan)
    for each in joins:
        plan = _join(binder, plan, each, scope)
    in_from = [place, *(each.place for each in joins if each.kind not in ASKS_ONLY)]
    if len(in_from) == len(scope.relations):
        ordered_ = sorted(zip(in_from, scope.relations, strict=True), key=lambda each: each[0])
        scope.relations[:] = [relation for _, relation in ordered_]
    return plan


def _joined_relation(binder: Binder, node: exp.Join) -> tuple[exp.Join, Relation]:
    """A relation of FROM and the join that names it."""
    if not is_as_of_rows(node):
        return node, relation_of(binder, node.this)
    now = node.this.copy()
    now.set("version", None)
    right = relation_of(binder, now)
    found = as_of_rows(node, right, binder.problems)
    # What follows from a join at fault goes unsaid.
    return (node, replace(right, is_open=True)) if found is None else (found, right)


def relation_of(binder: Binder, node: exp.Expression) -> Relation:
    """What FROM names: a relation that is declared, or one that is computed of others."""
    if node.args.get("pivots"):
        return _pivoted(binder, node)
    if isinstance(node, StreamRelation) and not node.args.get("delay"):
        node = unwrapped(node)
    if isinstance(node, exp.Subquery) and not isinstance(node.unnest(), exp.Table):
        refuse_clauses(node, binder.problems)
        bound = with_names(binder.bind(node.this))
        inner = rename(bound, node.args.get("alias"), binder.problems)
        return replace(inner, alias=node.alias or None, span=span_of(node))
    if isinstance(node, exp.Subquery) and not node.this.args.get("joins"):
        inside = relation_of(binder, node.this)
        renamed = rename(inside, node.args.get("alias"), binder.problems)
        return replace(renamed, alias=node.alias or inside.alias, span=span_of(node))
    if isinstance(node, BadRelation | LateRelation | StreamRelation | WatermarkRelation):
        return _by_watermark(binder, node)
    if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
        return _computed(binder, node)
    found = binder.names.get(node.name.lower())
    if found is None or node.args.get("db"):
        refuse_unknown(node, list(binder.names), binder.problems)
        return unknown(node)
    refuse_clauses(node, binder.problems)
    if found.again is not None and not found.is_static:
        found = found.again(binder.emit)
    elif binder.emit is Emit.ROWS and not found.is_static:
        found = closed_rows(found, span_of(node), binder.problems)
    renamed = rename(found, node.args.get("alias"), binder.problems)
    return replace(renamed, alias=node.alias or node.name, span=span_of(node))


def _pivoted(binder: Binder, node: exp.Expression) -> Relation:
    """A relation with PIVOT and UNPIVOT behind it, one after the other."""
    if isinstance(node.parent, exp.Join) and not node.parent.meta.get("comma"):
        refuse_pivot_of_join(node, binder.problems)
        return unknown(node)
    bare = node.copy()
    bare.set("pivots", None)
    bare.parent = node.parent
    pivots, emit = node.args["pivots"], binder.emit
    makes_groups = any(not each.args.get("unpivot") for each in pivots)
    below = Emit.GROUPS if emit is Emit.ROWS and makes_groups else emit
    found = relation_of(binder.emitting(below), bare)
    for each in pivots:
        if found.is_open:
            return found
        if found.is_static:
            refuse_pivot_of_table(each, binder.problems)
            return unknown(node)
        if each.args.get("unpivot"):
            found = unpivoted(found, each, binder.problems)
        else:
            found = pivoted(found, each, binder.problems, is_final=binder.is_final)
        alias = each.args.get("alias")
        found = rename(found, alias, binder.problems)
        found = replace(found, alias=alias.name if alias and alias.this else found.alias)
    return replace(found, span=span_of(node))


def _computed(binder: Binder, node: exp.Expression) -> Relation:
    """A relation that is computed of another one."""
    if isinstance(node, WINDOW_RELATIONS):
        return _windows(binder, node)
    if isinstance(node, MatchRecognize):
        return _matches(binder, node)
    refuse_relation(node, binder.problems)
    return unknown(node)


def _windows(binder: Binder, node: exp.Expression) -> Relation:
    """TUMBLE and its kin; sessions are closed whatever reads them."""
    is_session = isinstance(node, SessionRelation)
    if is_session and binder.emit is Emit.NOW:
        binder.problems.add(
            "TVF302",
            "SESSION needs EMIT ON WINDOW CLOSE",
            span_of(node),
            "an open session may still grow and merge",
            advice="end the query with EMIT ON WINDOW CLOSE",
        )
    below = Emit.GROUPS if is_session and binder.emit is Emit.ROWS else binder.emit
    inner = relation_of(binder.emitting(below), node.this)
    if isinstance(node.args["column"], ProcTime) and binder.is_final:
        inner = arriving(inner, node.args["column"], binder.problems)
    if inner.is_open:
        return unknown(node)
    refuse_filling(node, binder.problems, is_final=binder.is_final)
    found = bind_windows(node, inner, binder.problems)
    renamed = rename(found, node.args.get("alias"), binder.problems)
    return replace(
        renamed, alias=node.args["alias"].name if node.args.get("alias") else found.alias
    )


def _matches(binder: Binder, node: MatchRecognize) -> Relation:
    """MATCH_RECOGNIZE, of final rows whatever reads it: so its matches are final, too."""
    refuse_clauses(node, binder.problems)
    inner = relation_of(binder.emitting(Emit.ROWS), node.this)
    found = None if inner.is_open else bind_match(node, inner, binder.problems)
    if found is None:
        return unknown(node)
    return rename(found, node.args.get("alias"), binder.problems)


def _by_watermark(
    binder: Binder, node: BadRelation | LateRelation | StreamRelation | WatermarkRelation
) -> Relation:
    refuse_clauses(node, binder.problems)
    below = Emit.GROUPS if binder.emit is Emit.ROWS else binder.emit
    inner = replace(relation_of(binder.emitting(below), node.this), again=None)
    if isinstance(node, BadRelation):
        found = bad_rows(inner, span_of(node), binder.problems)
    elif isinstance(node, LateRelation):
        found = late_rows(unclosed(inner), span_of(node), binder.problems)
    elif isinstance(node, StreamRelation):
        found = delayed(inner, node, binder.problems)
    else:
        found = watermarked(inner, node, binder.problems)
    if binder.emit is Emit.ROWS and not isinstance(node, BadRelation | LateRelation):
        found = closed_rows(found, span_of(node), binder.problems)
    renamed = rename(found, node.args.get("alias"), binder.problems)
    return replace(renamed, alias=node.alias or inner.alias, span=span_of(node))


def _join(binder: Binder, left: Plan, joining: Joining, scope: Scope) -> Plan:
    if binder.emit is Emit.NOW:
        left, joining = _with_kept_tables(left, joining, scope)
    lefts, merged = list(scope.relations), frozenset(scope.merged)
    if joining.kind == "asof":
        scope.answered += joining.taken
        return asof_join(left, joining, scope, binder.emit)
    has_key = is_joinable(joining, lefts, merged)
    joined = _joined(binder, left, joining, scope, has_key=has_key or binder.is_final)
    if binder.is_final and not has_key and not binder.problems.has_names_at_fault:
        refuse_without_equality(joining.node, joining.kind, binder.problems)
    return joined


def _with_kept_tables(left: Plan, joining: Joining, scope: Scope) -> tuple[Plan, Joining]:
    """Both sides of a join, where the rows of a table that it keeps count from the start."""
    node, right = joining.node, joining.right
    around, place = node.parent_select or node, span_of(node)
    of_tables, is_table = are_tables(scope.relations), are_tables([right])
    if of_tables and right.streams and joining.kind in (*KEEPS_LEFT, "full"):
        left, scope.relations[:] = from_start(left, scope.relations, around, place)
    lefts = scope.relations
    has_streams = any(each.streams for each in lefts)
    if is_table and has_streams and joining.kind in ("right", "full"):
        _, found = from_start(right.plan, [right], around, place)
        joining = replace(joining, right=found[0])
    return left, joining


def _joined(binder: Binder, left: Plan, joining: Joining, scope: Scope, *, has_key: bool) -> Plan:
    """A join; one of streams by no key is not Spark's, which has none."""
    right, kind, node = joining.right, joining.kind, joining.node
    lefts = list(scope.relations)
    if refuse_using(joining.using, lefts, right, scope.merged, binder.problems):
        scope.add(right)
        return left
    refuse_chance(joining.on, binder.problems)
    scope.answered += joining.taken
    is_of_streams = bool(right.streams) and any(each.streams for each in lefts)
    asks = kind in ASKS_FOR_PARTNER and binder.emit is Emit.NOW
    partners_change = asks and partners_come_and_go(kind, left, lefts, right)
    if partners_change and not is_of_streams:
        refuse_updates(node, left, right, binder.problems)
    is_changing = has_updates(left) or has_updates(right.plan)
    if is_of_streams and (is_changing or not has_key) and kind in ("inner", "cross"):
        return matching_join(left, joining, scope)
    if asks and (is_of_streams or partners_change):
        return matching_join(left, joining, scope)
    return plain_join(left, joining, scope, is_final=binder.emit is not Emit.NOW)
