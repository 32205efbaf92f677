"""What goes into window functions: the columns that the SELECT reads, each under one name."""

from __future__ import annotations

from sqlglot import exp

from compiler.bind.names.columns import reference
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import OutColumn, Relation, Scope, streams_of, watermarks_of
from compiler.plan.nodes import Item, Plan, Project, TemporalFilter, held_by
from compiler.sql.exprs import Expr
from compiler.sql.names import PROC_TIME_COLUMN, quoted_name
from compiler.syntax import span_of
from compiler.syntax.nodes import ProcTime


def alias_of(node: exp.Select, scope: Scope) -> str | None:
    """The alias by which columns of a single relation are qualified."""
    alias = scope.relations[0].alias if len(scope.relations) == 1 else None
    used = any(len(each.parts) > 1 for each in node.find_all(exp.Column))
    return alias if used else None


def narrowed(node: exp.Select, plan: Plan, binder: ExpressionBinder) -> Plan:
    """Rows that are held, or of several relations, with only the columns that are read."""
    scope = binder.scope
    several = len(scope.relations) > 1
    if not several and not any(isinstance(each, TemporalFilter) for each in held_by(plan)):
        return plan
    items = [
        Item(expr=reference(relation.alias if several else None, column), name=column.name)
        for relation, column in _read(node, binder)
    ]
    if node.find(ProcTime):
        items.append(Item(expr=Expr(sql=PROC_TIME_COLUMN), name=PROC_TIME_COLUMN))
    return Project(input=plan, items=tuple(items))


def by_name(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Items of a projection, read by their names."""
    names = [quoted_name(each.name or each.expr.sql) for each in items]
    return tuple(
        Item(expr=Expr(sql=name, reads=(name,)), name=each.name)
        for name, each in zip(names, items, strict=True)
    )


def unqualify(node: exp.Select, binder: ExpressionBinder) -> None:
    """Above window functions, columns of several relations have one name each."""
    if len(binder.scope.relations) == 1:
        return
    for column in node.find_all(exp.Column):
        if len(column.parts) == 2 and column.parent_select is node:
            name = quoted_name(column.name)
            kind = binder.scope.resolve(column).type
            binder.stands_for[span_of(column)] = Expr(sql=name, type=kind, reads=(name,))


def put_together(node: exp.Select, plan: Plan, binder: ExpressionBinder) -> None:
    """What further expressions see of several relations: one."""
    relations = binder.scope.relations
    if len(relations) == 1:
        return
    columns = tuple(column for _, column in _read(node, binder))
    _refuse_twins(node, columns, binder)
    binder.scope.relations[:] = [
        Relation(
            plan=plan,
            columns=columns,
            streams=streams_of(relations),
            watermarks=watermarks_of(relations),
        )
    ]


def _read(node: exp.Select, binder: ExpressionBinder) -> list[tuple[Relation, OutColumn]]:
    """The columns that a SELECT names, or all of them if it has a star."""
    scope = binder.scope
    places = [*node.expressions, *(node.args.get("windows") or ()), node.args.get("qualify")]
    columns = [each for place in places if place is not None for each in place.find_all(exp.Column)]
    aliases = {relation.alias.lower() for relation in scope.relations if relation.alias}
    names = {_name(each, aliases) for each in columns}
    # Columns that stand for aggregates and keys have names of ours.
    instead = [name for each in binder.stands_for.values() for name in each.reads]
    names |= {(None, name) for name in instead if name.startswith("__")}
    has_star = any(
        isinstance(each.this if isinstance(each, exp.Column) else each, exp.Star)
        for each in node.expressions
    )
    found = [
        (relation, column)
        for relation in scope.relations
        for column in relation.columns
        if not column.is_clock and (has_star or _is_read(relation, column, names))
    ]
    return [each for each in found if not scope.is_merged(each[0], each[1].name)]


def _name(node: exp.Column, aliases: set[str]) -> tuple[str | None, str]:
    """What a name is qualified by, if anything, and the column."""
    parts = [part.name.lower() for part in node.parts]
    is_qualified = len(parts) > 1 and parts[0] in aliases
    return (parts[0], parts[1]) if is_qualified else (None, parts[0])


def _is_read(relation: Relation, column: OutColumn, names: set[tuple[str | None, str]]) -> bool:
    name = column.name.lower()
    return bool({(None, name), ((relation.alias or "").lower(), name)} & names)


def _refuse_twins(
    node: exp.Select, columns: tuple[OutColumn, ...], binder: ExpressionBinder
) -> None:
    names = [each.name.lower() for each in columns]
    twin = next((name for name in names if names.count(name) > 1), None)
    if twin is not None:
        binder.problems.add(
            "TVF501",
            f"two columns `{twin}` beside a window function are not supported yet",
            span_of(node.expressions[0]),
            "reads columns of several relations",
            advice="join in a subquery that gives them different names",
        )
