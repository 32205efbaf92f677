"""ASOF JOIN: each row with the last row of another stream up to its own time.

A window function finds it: both sides are put in one order, and the last row of the other side is
carried on. Under EMIT ON WINDOW CLOSE one row of the other side is kept for each key below the
clock; without it the result changes, and all rows of both sides are kept.

Before   a ASOF LEFT JOIN b MATCH_CONDITION (a.ts >= b.ts) ON a.k = b.k
After    Filter __asof_side = 1, then a's columns and those of __asof_last
           Over last_value(__asof_row) IGNORE NULLS OVER (PARTITION BY key ORDER BY time, side)
             UnionAll
               Project a's columns, a.ts AS __asof_time, 1 AS __asof_side, a.k AS __asof_key_1
               Project NULL …, struct(b's columns) AS __asof_row, b.ts, 0, b.k
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from sqlglot import exp

from compiler.bind.asof.matches import (
    LAST,
    MARK,
    ROW,
    SIDE,
    TIME,
    AsofMatch,
    key_names,
    keys_of,
    match_of,
    together,
)
from compiler.bind.asof.tables import is_table, join_with_table
from compiler.bind.closings.refusals import no_watermark
from compiler.bind.joins.order import Joining
from compiler.bind.joins.pairs import flattened, mentioned_in, merged, names_of
from compiler.bind.names.columns import column_named
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import Emit, OutColumn, Relation, Scope
from compiler.bind.over.keys import OrderKey
from compiler.bind.relations.derived import closing_in_all
from compiler.bind.where.temporal import waiting_for
from compiler.diagnostics.problems import Problems
from compiler.plan.closings.closing import Closing
from compiler.plan.nodes import (
    Alias,
    Filter,
    Frame,
    Item,
    Named,
    Over,
    OverChanges,
    OverColumn,
    Plan,
    Project,
    Scan,
    SortKey,
    TemporalFilter,
    UnionAll,
    Watermarked,
)
from compiler.source import Span
from compiler.sql.exprs import Expr, all_terms
from compiler.sql.names import quoted_name
from compiler.syntax import span_of


def asof_join(left: Plan, joining: Joining, scope: Scope, emit: Emit) -> Plan:
    """A join with the last row up to a time; the scope is that of its result."""
    node, right, problems = joining.node, joining.right, scope.problems
    is_left = (node.side or "").upper() == "LEFT"
    using = [each.name for each in joining.using]
    condition = node.args["match_condition"]
    # FOR SYSTEM_TIME AS OF compares a column that the query does not name.
    compared = [part.name for each in condition.find_all(exp.Column) for part in each.parts]
    names = mentioned_in(node.parent_select or node, [*using, *compared])
    taken = set[str]()
    is_final = emit is not Emit.NOW
    rows, lefts = flattened(left, scope.relations, names, taken, closes=is_final)
    others, rights = flattened(right.plan, [right], names, taken, closes=is_final)
    scope.relations[:] = lefts
    scope.add(rights[0])
    binder = ExpressionBinder(scope, problems)
    match = match_of(condition, rows, others, binder)
    keys = keys_of(joining, using, rows, others, binder)
    if not _may_look_up(node, lefts, right, problems) or match is None or keys is None:
        return left
    if right.is_static:
        kind = "left" if is_left else "inner"
        looked_up = join_with_table(rows, others, match, keys, kind, span_of(node))
        named = tuple(map(column_named, (*names_of(rows), *names_of(others))))
        if using:
            scope.relations[:] = merged(using, scope.relations, "left")
            scope.merge(using, scope.relations)
        whole = Project(input=looked_up, items=named)
        return Named(name=f"{rows.name}_asof_{others.name}", input=whole, is_made=True)
    both = together(rows, others, match, keys)
    if is_final:
        closing = _closing(match, node, (lefts, right), problems)
        if closing is None:
            return left
        found: Plan = _final(both, match, closing, len(keys), span_of(node), emit)
        lefts = [_closed_later(each, match, closing) for each in lefts]
    else:
        found = _changing(both, match, len(keys), span_of(node))
    terms = [Expr(sql=f"{SIDE} = {MARK}", reads=(SIDE,))]
    if not is_left:
        terms.append(Expr(sql=f"{LAST} IS NOT NULL", reads=(LAST,)))
    found = Filter(input=found, predicate=all_terms(terms) or terms[0])
    items = [column_named(each) for each in names_of(rows)]
    for each in names_of(others):
        name = quoted_name(each)
        items.append(Item(expr=Expr(sql=f"{LAST}.{name}", reads=(LAST,)), name=each))
    name = f"{rows.name}_asof_{others.name}"
    project = Project(input=found, items=tuple(items), netted=not is_final)
    scope.relations[:] = [*lefts, _unclosed(rights[0], None if is_final else span_of(node))]
    if using:
        scope.relations[:] = merged(using, scope.relations, "left")
        scope.merge(using, scope.relations)
    return Named(name=name, input=project, is_made=True)


def _unclosed(relation: Relation, changes: Span | None) -> Relation:
    columns = tuple(replace(each, closing=None) for each in relation.columns)
    return replace(relation, columns=columns, changes=changes or relation.changes)


def _may_look_up(
    node: exp.Join, lefts: list[Relation], right: Relation, problems: Problems
) -> bool:
    """Whether rows of a stream look up rows of another one, or of a table."""
    if any(each.is_open for each in (*lefts, right)):
        return False
    if all(each.is_static for each in lefts):
        problems.add(
            "TVF502",
            "an ASOF JOIN of the rows of a table is not supported",
            span_of(node),
            f"`{lefts[0].alias or 'this'}` is no stream",
            advice="declare the table with CREATE SOURCE and a watermark on its time",
        )
        return False
    if right.is_static and not is_table(right.plan):
        problems.add(
            "TVF502",
            "an ASOF JOIN with a query over tables is not supported yet",
            span_of(node),
            "is no table",
            advice="name it: `CREATE VIEW rates AS SELECT …`, and join that",
        )
        return False
    return True


# ------------------------------------------------------------------------ what is compared


# ------------------------------------------------------------------------- one order of both


_LAST_VALUE = f"last_value({ROW}, true)"


def _changing(both: Named, match: AsofMatch, keys: int, place: Span) -> OverChanges:
    order = tuple(
        SortKey(column=each, descending=descending, nulls_first=True)
        for each, descending in ((TIME, not match.is_back), (SIDE, False))
    )
    frame = ("ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",)
    column = OverColumn(name=LAST, call=_LAST_VALUE, over=frame, shown="ASOF JOIN")
    return OverChanges(
        input=both, partition=tuple(key_names(keys)), order=order, columns=(column,), span=place
    )


# -------------------------------------------------------------------- EMIT ON WINDOW CLOSE


def _closing(
    match: AsofMatch,
    node: exp.Join,
    sides: tuple[list[Relation], Relation],
    problems: Problems,
) -> Closing | None:
    """When the clock has passed the times of both sides; None: never, which is reported."""
    lefts, right = sides
    condition = node.args["match_condition"]
    if not match.is_back:
        problems.add(
            "TVF502",
            "the next row of another stream may come at any time",
            span_of(condition),
            "looks ahead",
            advice="compare by >= or >, so that rows look back; or leave out EMIT ON WINDOW CLOSE",
        )
        return None
    for each in (*lefts, right):
        if each.streams and not each.watermarks:
            no_watermark(each, problems, "EMIT ON WINDOW CLOSE")
            return None
    known = [each for each in match.closings if each is not None]
    found = closing_in_all(known) if len(known) == len(match.closings) else None
    if found is None and not problems.has_names_at_fault:
        problems.add(
            "TVF502",
            "the clock does not tell when all rows up to a time of this ASOF JOIN have come",
            span_of(condition),
            "these are no times that the watermarks pass",
            advice="compare the watermarked columns, as they are or with a fixed interval; give "
            "another column a watermark, `FROM WATERMARK(a, ts, ts - INTERVAL 1 MINUTE) AS a`; or "
            "leave out EMIT ON WINDOW CLOSE",
        )
    return found


def _final(
    both: Named, match: AsofMatch, closing: Closing, keys: int, place: Span, emit: Emit
) -> Over:
    time = match.times[0]
    key = OrderKey(expr=Expr(sql=TIME, type=time.type, reads=(TIME,)), closing=closing)
    rows: Plan = both
    if not (emit is Emit.ROWS and _come_in_order(both, match)):
        rows = waiting_for(both, key.closed(place), place)
    partition = key_names(keys)
    over = (f"PARTITION BY {', '.join(partition)}",) if partition else ()
    column = OverColumn(
        name=LAST,
        call=_LAST_VALUE,
        over=(*over, "ORDER BY __row_number_1"),
        shown="ASOF JOIN",
    )
    frame = Frame(
        partition=tuple(partition),
        order=(TIME, SIDE),
        before=0,
        after=0,
        until=None,
        last=1,
        where=f"{ROW} IS NOT NULL",
    )
    return Over(
        input=rows,
        alias=None,
        columns=(column,),
        frames=(frame,),
        closes=key.moment,
        closes_after=closing.after,
        complete=(),
        span=place,
    )


def _come_in_order(both: Named, match: AsofMatch) -> bool:
    """Whether rows of either side come when the clock has passed their time, and no later."""
    sides = both.input.inputs if isinstance(both.input, UnionAll) else ()
    at_once = (each is not None and each.after and not each.later for each in match.closings)
    unmoved = (each is not None and not each.reach for each in match.closings)
    return all(at_once) and all(unmoved) and all(map(_is_closed, sides))


def _is_closed(plan: Plan) -> bool:
    """Whether rows are those of a source, each when it is past."""
    match plan:
        case Named(input=inner) | Alias(input=inner) | Project(input=inner) | Filter(input=inner):
            return _is_closed(inner)
        case TemporalFilter(input=Scan() | Watermarked()):
            return True
        case _:
            return False


def _closed_later(relation: Relation, match: AsofMatch, whole: Closing) -> Relation:
    """A relation of the left side, whose rows wait for those of the other side."""
    one = match.closings[0]
    later = whole.reach + whole.later - (one.reach + one.later if one else timedelta(0))

    def moved(column: OutColumn) -> OutColumn:
        if column.sql == match.times[0].sql:
            return replace(column, closing=whole)
        if column.closing is None or not later:
            return column
        return replace(column, closing=replace(column.closing, later=column.closing.later + later))

    return replace(relation, columns=tuple(map(moved, relation.columns)))
