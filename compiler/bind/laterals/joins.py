"""LATERAL: rows with what a subquery or a function makes of each of them.

A subquery is worked out once for all rows that ask about the same (subqueries/sides.py), and
joined.

Before   SELECT a.id, x.p FROM a
         JOIN LATERAL (SELECT p FROM b WHERE b.k = a.k ORDER BY p LIMIT 3) AS x
After    SELECT a.id, x.p FROM a
         JOIN (first 3 of each key: SELECT b.k AS key, p FROM b) AS x ON x.key = a.k
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from compiler.bind.groups.aggregates import own_aggregates
from compiler.bind.joins.exists import bare_query, is_plain
from compiler.bind.joins.from_start import (
    are_tables,
    from_start,
    with_tables_from_start,
)
from compiler.bind.joins.kinds import join_kind
from compiler.bind.joins.order import is_natural
from compiler.bind.joins.pairs import (
    flattened,
    fresh,
    joined_by_keys,
    mentioned_in,
    names_of,
    outer_join,
    pairs_of,
    refuse_collated_keys,
    same_value,
)
from compiler.bind.laterals.generators import lateral_views
from compiler.bind.names.binder import Binder
from compiler.bind.names.columns import column_named
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import OutColumn, Relation, Scope
from compiler.bind.names.shapes import free_columns, unaliased
from compiler.bind.subqueries.decorrelated import first_of_each, has_windows, selected
from compiler.bind.subqueries.dependent import KEY
from compiler.bind.subqueries.refusals import refuse_correlated
from compiler.bind.subqueries.sides import Side, by_of, flat_side, outer_value, side_of_totals
from compiler.bind.where.filters import filtered
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import counted
from compiler.plan.nodes import Item, Named, Plan, Project
from compiler.sql.exprs import Expr
from compiler.sql.names import quoted_name
from compiler.syntax import span_of
from compiler.syntax.nodes.spans import set_span


def is_lateral(node: exp.Join) -> bool:
    """Whether a join is one."""
    return isinstance(node.this, exp.Lateral)


def lateral_join(binder: Binder, plan: Plan, node: exp.Join, scope: Scope) -> Plan:
    """Rows of the relations so far with those that a LATERAL makes, which the scope takes.

    Args:
        binder: binds the subquery.
        plan: the rows.
        node: the join.
        scope: has their relations.
    """
    is_left = (node.side or "").upper() == "LEFT"
    on = node.args.get("on")
    on = None if isinstance(on, exp.Boolean) and on.this else on
    if is_left and on is not None:
        scope.add(_unknown(node.this, plan))
        scope.problems.add(
            "TVF501",
            "LEFT JOIN LATERAL with a condition is not supported yet",
            span_of(on),
            "is not TRUE",
            advice="write it into the subquery: `LEFT JOIN LATERAL (SELECT … WHERE …) AS x ON "
            "TRUE`",
        )
        return plan
    if isinstance(node.this.this, exp.Subquery | exp.Query):
        found = _of_query(binder, plan, node.this, scope, is_left=is_left)
    else:
        lateral = node.this
        view = exp.Lateral(this=lateral.this, view=True, outer=is_left, alias=lateral.args["alias"])
        set_span(view, span_of(lateral))
        found = lateral_views(plan, [view], scope, mentioned_in(node.parent_select or node))
    return found if on is None else filtered(found, on, ExpressionBinder(scope, scope.problems))


def apart(nodes: Sequence[exp.Join], problems: Problems) -> tuple[list[exp.Join], list[exp.Join]]:
    """The relations of FROM, and its LATERALs, which are joined to all of them.

    A relation behind a LATERAL may as well stand before it, if it is joined by what those before
    have: each row is with the same others. One that is not is reported.
    """
    laterals = [each for each in nodes if is_lateral(each)]
    others = [each for each in nodes if not is_lateral(each)]
    first = next((place for place, each in enumerate(nodes) if is_lateral(each)), len(nodes))
    for behind in (each for each in nodes[first:] if not is_lateral(each)):
        if not _may_stand_before(behind, laterals):
            problems.add(
                "TVF501",
                "a relation that is joined by what LATERAL makes is not supported yet",
                span_of(behind),
                "stands behind LATERAL",
                advice="put what is before it into a subquery: `FROM (SELECT a.id, x.n FROM a, "
                "LATERAL (…) AS x) AS a JOIN c ON c.n = a.n`",
            )
    return others, laterals


def in_written_order(
    relations: Sequence[Relation], nodes: Sequence[exp.Join]
) -> Sequence[Relation]:
    """The relations of FROM as they are written, which come as those of its LATERALs behind others.

    Args:
        relations: one more than there are nodes, but where there are faults.
        nodes: the joins of FROM that have columns.
    """
    if len(relations) != len(nodes) + 1:
        return relations
    made = len([each for each in nodes if is_lateral(each)])
    first, *others = relations[: len(relations) - made]
    left, laterals = iter(others), iter(relations[len(relations) - made :])
    return [first, *(next(laterals if is_lateral(each) else left) for each in nodes)]


def _may_stand_before(node: exp.Join, laterals: Sequence[exp.Join]) -> bool:
    """Whether a join keeps the rows before it, and names none of the columns of a LATERAL."""
    if join_kind(node) in ("right", "full") or node.args.get("using") or is_natural(node):
        return False
    made = {each.this.alias.lower() for each in laterals}
    on = node.args.get("on")
    columns = on.find_all(exp.Column) if on is not None else ()
    return all(each.table and each.parts[0].name.lower() not in made for each in columns)


def _unknown(lateral: exp.Lateral, plan: Plan) -> Relation:
    """What stands for a LATERAL that is at fault, or not known yet: any column may be in it."""
    alias = lateral.args.get("alias")
    name = alias.name if alias and alias.this else None
    return Relation(plan=plan, columns=(), alias=name, is_open=True, span=span_of(lateral))


def _of_query(
    binder: Binder, plan: Plan, lateral: exp.Lateral, scope: Scope, *, is_left: bool
) -> Plan:
    problems, bare = scope.problems, bare_query(lateral.this)
    made = _unknown(lateral, plan)
    is_alone = len(list(bare.find_all(exp.Query))) == 1
    if isinstance(bare, exp.Select) and bare.args.get("from_") is None and is_alone:
        return _of_expressions(plan, bare, lateral, scope, made)
    if binder.is_final:
        problems.add(
            "TVF501",
            "LATERAL with a subquery under EMIT ON WINDOW CLOSE is not supported yet",
            span_of(lateral),
            "asks for each row",
            advice="join the subquery by ON, `JOIN (SELECT … FROM b) AS b ON b.id = a.id`",
        )
        scope.add(made)
        return plan
    around = lateral.parent_select or lateral
    if binder.is_static(bare):
        binder = binder.seeing(with_tables_from_start(binder.names, bare))
    if are_tables(scope.relations):
        plan, scope.relations[:] = from_start(plan, scope.relations, around, span_of(lateral))
    rows, scope.relations[:] = flattened(plan, scope.relations, mentioned_in(around), set())
    place = ExpressionBinder(scope, problems)
    query = bare.copy()
    query.parent = bare.parent
    free = free_columns(query, binder.names)
    if not free:
        side = flat_side(binder.bind(query), rows, ())
    elif isinstance(query, exp.Select) and _is_of_one_row(query):
        return _of_totals(binder, rows, query, free, lateral, place, made)
    else:
        found = _side(binder, rows, query, free, place)
        if found is None:
            scope.add(made)
            return plan
        side = found
    joined = _joined(rows, side, lateral, problems, is_left=is_left)
    columns = tuple(
        replace(each, closing=None) for each in side.columns if not each.name.startswith(KEY)
    )
    scope.add(_named(made, columns, lateral, problems))
    return joined


def _of_expressions(
    plan: Plan, query: exp.Expression, lateral: exp.Lateral, scope: Scope, made: Relation
) -> Plan:
    """Rows with what `LATERAL (SELECT expression AS name)` computes of them."""
    names = mentioned_in(lateral.parent_select or lateral)
    taken: set[str] = set()
    rows, scope.relations[:] = flattened(plan, scope.relations, names, taken, closes=True)
    place = ExpressionBinder(scope, scope.problems)
    values = [(item, place.bind(unaliased(item))) for item in query.expressions]
    return _with_columns(rows, values, lateral, scope, made)


def _with_columns(
    rows: Named,
    values: Sequence[tuple[exp.Expression, Expr]],
    lateral: exp.Lateral,
    scope: Scope,
    made: Relation,
) -> Named:
    """Rows with values beside their columns, which are the columns of a LATERAL."""
    items = [column_named(each) for each in names_of(rows)]
    taken = {each.lower() for each in names_of(rows)}
    columns: list[OutColumn] = []
    for item, value in values:
        name = item.alias_or_name or "value"
        column = fresh(name, taken)
        items.append(Item(expr=value, name=column))
        columns.append(OutColumn(name=name, type=value.type, sql=quoted_name(column)))
    scope.add(_named(made, tuple(columns), lateral, scope.problems))
    return Named(name=rows.name, input=Project(input=rows, items=tuple(items)), is_made=True)


def _side(
    binder: Binder,
    rows: Named,
    query: exp.Expression,
    free: Sequence[exp.Column],
    place: ExpressionBinder,
) -> Side | None:
    """The rows of a correlated subquery, by what they are correlated by; None: it is refused."""
    limit = query.args.get("limit") if isinstance(query, exp.Select) else None
    if not isinstance(query, exp.Select) or not _is_supported(query):
        refuse_correlated(free[0], binder.problems)
        return None
    by = by_of(binder, rows, query, free, None, place)
    if by is None:
        return None
    if limit is not None:
        first = first_of_each(by.binder, query, by.own, list(query.expressions), as_written=True)
        return flat_side(first, rows, by.outer)
    distinct, group = query.args.get("distinct"), query.args.get("group")
    made = selected(query, by.own, list(query.expressions), as_written=True)
    made.set("distinct", distinct)
    if group is not None:
        for own in by.own:
            group.append("expressions", own.copy())
    return flat_side(by.binder.bind(made), rows, by.outer)


def _is_supported(query: exp.Select) -> bool:
    """Whether a subquery may be worked out for all who ask at once."""
    plain = query.copy()
    for clause in ("limit", "order", "distinct"):
        plain.set(clause, None)
    if is_plain(plain):
        return not (query.args.get("limit") and query.args.get("distinct"))
    others = ("with_", "qualify", "limit", "offset", "laterals", "emit", "windows")
    group = query.args.get("group")
    by_keys = group is not None and group.args.keys() <= {"expressions"}
    if has_windows(query):
        return False
    return by_keys and not any(query.args.get(each) for each in others)


def _is_of_one_row(query: exp.Select) -> bool:
    """Whether a query is a total of everything, of which there is one row whatever happens."""
    others = ("with_", "group", "having", "qualify", "limit", "offset", "laterals", "windows")
    if any(query.args.get(each) for each in others) or has_windows(query):
        return False
    return any(True for _ in own_aggregates(query))


def _of_totals(
    binder: Binder,
    rows: Named,
    query: exp.Select,
    free: Sequence[exp.Column],
    lateral: exp.Lateral,
    place: ExpressionBinder,
    made: Relation,
) -> Plan:
    """Rows with the aggregates of a subquery, which are there also where it has no rows."""
    problems, scope = binder.problems, place.scope
    written = bare_query(lateral.this)
    calls = list(own_aggregates(query))
    of_totals = side_of_totals(binder, rows, query, free, calls, place, None)
    if of_totals is None:
        scope.add(made)
        return rows
    side, inside = of_totals
    joined = _joined(rows, side, lateral, problems, is_left=True)
    values = [(item, outer_value(unaliased(item), inside)) for item in written.expressions]
    return _with_columns(joined, values, lateral, scope, made)


def _joined(
    rows: Named, side: Side, lateral: exp.Lateral, problems: Problems, *, is_left: bool
) -> Named:
    span = span_of(lateral)
    matches = [same_value(outer, own) for outer, own in side.keys]
    refuse_collated_keys(rows, side.rows, matches, span, problems)
    kind = "left" if is_left else "inner"
    whole = joined_by_keys(rows, side.rows, kind, matches, span)
    if whole is not None:
        return whole
    pairs = pairs_of(rows, side.rows, matches, span)
    if not is_left:
        return pairs
    plan = outer_join(rows, side.rows, pairs, "left", span)
    items = tuple(column_named(each) for each in (*names_of(rows), *names_of(side.rows)))
    return Named(name=pairs.name, input=Project(input=plan, items=items), is_made=True)


def _named(
    made: Relation,
    columns: tuple[OutColumn, ...],
    lateral: exp.Lateral,
    problems: Problems,
) -> Relation:
    """The relation of a LATERAL, its columns as its alias has them."""
    alias = lateral.args.get("alias")
    names = [each.name for each in alias.args.get("columns") or ()] if alias else []
    if names and len(names) != len(columns):
        problems.add(
            "TVF205",
            f"{counted(len(names), 'name')} for {counted(len(columns), 'column')}",
            span_of(lateral),
            counted(len(names), "name"),
            advice=f"give {counted(len(columns), 'name')}",
        )
        return made
    if names:
        columns = tuple(replace(each, name=name) for each, name in zip(columns, names, strict=True))
    # An expression of a row comes and goes with it alone.
    changes = None if lateral.this.find(exp.From) is None else span_of(lateral)
    return replace(made, columns=columns, is_open=False, changes=changes)
