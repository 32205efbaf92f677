"""Relations made of relations: renamed, put together, closed by the clock, or unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from sqlglot import exp

from compiler.bind.closings.refusals import no_watermark
from compiler.bind.names.columns import reference
from compiler.bind.names.scope import OutColumn, Relation
from compiler.bind.where.temporal import waiting_for
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import counted
from compiler.plan.closings.closing import Closing
from compiler.plan.conditions.predicates import ClockAtom, Op
from compiler.plan.nodes import Aggregate, Counted, Item, Plan, Project, StaticQuery, Top, UnionAll
from compiler.source import Span
from compiler.sql.exprs import Expr
from compiler.sql.names import parts_of, quoted_name, refuse_ours
from compiler.sqltypes import Kind, SqlType
from compiler.syntax import span_of


def columns_of_all(sides: list[Relation]) -> tuple[OutColumn, ...]:
    """The columns of a union; the clock closes what it closes in every side."""
    return tuple(
        replace(column, closing=closing_in_all([s.columns[place].closing for s in sides]))
        if all(place < len(s.columns) for s in sides)
        else replace(column, closing=None)
        for place, column in enumerate(sides[0].columns)
    )


def closing_in_all(closings: Sequence[Closing | None]) -> Closing | None:
    """When a value closes in all of several relations: as late as in the last one."""
    known = [each for each in closings if each is not None]
    one = known[0] if known else Closing()
    if len(known) < len(closings) or any(_rule(each) != _rule(one) for each in known):
        return None
    last = max(each.reach + each.later for each in known)
    reach = max(each.reach for each in known)
    return replace(
        one,
        grid=one.grid if all((e.grid, e.reach) == (one.grid, one.reach) for e in known) else None,
        reach=reach,
        later=last - reach,
        after=any(each.after for each in known),
        event=" or ".join(each.event for each in known) if all(e.event for e in known) else "",
        is_event=all(each.is_event for each in known),
        others=(),
    )


def _rule(closing: Closing) -> tuple[str, str, str, timedelta | None]:
    return closing.value, closing.past, closing.end, closing.window


def unclosed(relation: Relation) -> Relation:
    """A side of a join of streams: a row may find partners long after its time has passed."""
    return replace(
        relation, columns=tuple(replace(each, closing=None) for each in relation.columns)
    )


def what_changes(relations: list[Relation]) -> Span | None:
    """What makes rows of any of the relations change."""
    return next((each.changes for each in relations if each.changes is not None), None)


def closed_rows(relation: Relation, span: Span, problems: Problems) -> Relation:
    """Rows of a source, each once the clock has passed its time."""
    column = next((each for each in relation.columns if each.closing is not None), None)
    if column is None or column.closing is None:
        if not relation.is_open:
            no_watermark(relation, problems, "EMIT ON WINDOW CLOSE", span)
        return relation
    time = column.closing.at(quoted_name(column.name))
    bound = Expr(
        sql=time, type=SqlType(Kind.TIMESTAMP, "TIMESTAMP"), reads=(quoted_name(column.name),)
    )
    atom = ClockAtom(op=Op.GT, bound=bound, span=span)
    return replace(relation, plan=waiting_for(relation.plan, atom, span))


def unknown(node: exp.Expression) -> Relation:
    """What stands for a relation at fault: any column may be in it."""
    return Relation(
        plan=UnionAll(inputs=()),
        columns=(),
        alias=node.alias_or_name or None,
        is_open=True,
        span=span_of(node),
    )


def rename(relation: Relation, alias: exp.Expression | None, problems: Problems) -> Relation:
    """A relation under the column names of `AS name (columns)`."""
    names = [each.name for each in alias.args.get("columns") or ()] if alias is not None else []
    if alias is None or not names:
        return relation
    for each in alias.args["columns"]:
        refuse_ours(each.name, span_of(each), problems)
    if len(names) != len(relation.columns):
        problems.add(
            "TVF205",
            f"{counted(len(names), 'name')} for {counted(len(relation.columns), 'column')}",
            span_of(alias),
            counted(len(names), "name"),
            advice=f"give {counted(len(relation.columns), 'name')}",
        )
        return relation
    items = tuple(
        Item(
            expr=reference(None, column),
            name=name,
        )
        for column, name in zip(relation.columns, names, strict=True)
    )
    columns = tuple(
        replace(column, name=name) for column, name in zip(relation.columns, names, strict=True)
    )
    plan: Plan = Project(input=relation.plan, items=items)
    if isinstance(relation.plan, StaticQuery):
        listed_names = ", ".join(quoted_name(name) for name in names)
        sql = f"SELECT * FROM ({relation.plan.sql}) AS t ({listed_names})"
        plan = replace(relation.plan, sql=sql)
    return replace(relation, plan=plan, columns=columns, has_proc_time=False)


def with_names(relation: Relation) -> Relation:
    """A query for others to read: each column is called what they take it to be called."""
    return replace(relation, plan=_named(relation.plan, relation.columns))


def _named(node: Plan, columns: tuple[OutColumn, ...]) -> Plan:
    match node:
        case Project(items=items) | Aggregate(items=items) if len(items) == len(columns):
            named = (
                _with_name(item, column.name) for item, column in zip(items, columns, strict=True)
            )
            return replace(node, items=tuple(named))
        case UnionAll(inputs=(first, *others)) | Counted(inputs=(first, *others)):
            return replace(node, inputs=(_named(first, columns), *others))
        case Top(input=inner, hidden=hidden):
            return replace(node, input=_named(inner, (*columns, *map(_hidden, hidden))))
        case _:
            return node


def _hidden(name: str) -> OutColumn:
    return OutColumn(name=name)


def _with_name(item: Item, name: str) -> Item:
    """An item that is called so; in parentheses it is no longer what Spark names by itself."""
    if item.name not in (None, item.expr.sql) or len(parts_of(item.expr.sql)) == 1:
        return item
    return replace(item, name=name, expr=replace(item.expr, sql=f"({item.expr.sql})"))
