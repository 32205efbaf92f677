"""Functions that make several rows of one, and what their columns are called.

Before   FROM b LATERAL VIEW posexplode(r) t AS place, x
After    Project b_id, b_r, posexplode(b_r) AS (place, x)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from compiler.bind.joins.pairs import flattened, fresh, mentioned_in, names_of
from compiler.bind.names.columns import column_named
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import OutColumn, Relation, Scope
from compiler.bind.names.shapes import GENERATORS
from compiler.diagnostics.suggest import counted
from compiler.plan.nodes import Item, Plan, Project, UnionAll
from compiler.sql.exprs import Expr
from compiler.sql.names import quoted_name
from compiler.sql.structs import elements_of, fields_of
from compiler.sqltypes import UNKNOWN, Kind, SqlType
from compiler.syntax import span_of
from compiler.syntax.nodes.spans import set_span


def with_lateral_views(node: exp.Select) -> exp.Select:
    """A SELECT without generators of several names in its list, which are LATERAL VIEWs in it.

    Beside a star they stay: it has all columns but theirs.

    Before   SELECT id, posexplode(r) AS (place, x) FROM b WHERE x > 1
    After    SELECT id, place_2 AS place, x_2 AS x
             FROM b LATERAL VIEW posexplode(r) AS place_2, x_2 WHERE x > 1
    """
    named = [each for each in node.expressions if isinstance(each, exp.Aliases)]
    if not named or any(each.is_star for each in node.expressions):
        return node
    made = node.copy()
    made.parent = node.parent
    mentioned = set(mentioned_in(node) or ())
    items: list[exp.Expr] = []
    for each in made.expressions:
        if not isinstance(each, exp.Aliases):
            items.append(each)
            continue
        mentioned |= {name.name.lower() for name in each.expressions}
        names = [exp.to_identifier(fresh(name.name, mentioned)) for name in each.expressions]
        view = exp.Lateral(this=each.this, view=True, alias=exp.TableAlias(columns=names))
        set_span(view, span_of(each))
        made.append("laterals", view)
        for name, written in zip(names, each.expressions, strict=True):
            column = exp.Alias(this=exp.Column(this=name.copy()), alias=written.copy())
            set_span(column, span_of(written))
            items.append(column)
    made.set("expressions", items)
    return made


def lateral_views(
    plan: Plan, nodes: Sequence[exp.Lateral], scope: Scope, names: frozenset[str] | None
) -> Plan:
    """Rows once for each of those that generators make of them, whose columns the scope takes.

    Args:
        plan: the rows.
        nodes: the LATERAL VIEWs, each of which sees those before it.
        scope: has the relations of the rows.
        names: of the columns that the query needs; None: all.
    """
    taken: set[str] = set()
    rows, relations = flattened(plan, scope.relations, names, taken, closes=True)
    scope.relations[:] = relations
    found: Plan = rows
    kept = [column_named(name) for name in names_of(rows)]
    for node in nodes:
        item, made = _view(node, scope, taken)
        found = Project(input=found, items=(*kept, item))
        kept += map(column_named, made)
    return found


def _view(node: exp.Lateral, scope: Scope, taken: set[str]) -> tuple[Item, list[str]]:
    """What a LATERAL VIEW adds to the rows, and the names of its columns there."""
    alias = node.args.get("alias")
    wanted = [each.name for each in alias.args.get("columns") or ()] if alias else []
    expr, columns = _generated(node.this, wanted, ExpressionBinder(scope, scope.problems))
    made = [fresh(each.name, taken) for each in columns]
    named = zip(columns, made, strict=True)
    view = Relation(
        plan=UnionAll(inputs=()),
        columns=tuple(replace(each, sql=quoted_name(name)) for each, name in named),
        alias=alias.name if alias else None,
        is_open=not columns,
        span=span_of(node),
    )
    scope.add(view)
    return _with_names(_outer(expr) if node.args.get("outer") else expr, made), made


def _outer(call: Expr) -> Expr:
    """A generator that makes a row of NULLs where it would make none."""
    name, rest = call.sql.split("(", 1)
    is_idle = name.strip().lower() not in _OF_ELEMENTS
    return call if is_idle else replace(call, sql=f"{name.strip()}_outer({rest}")


def _generated(
    call: exp.Expression, wanted: list[str], binder: ExpressionBinder
) -> tuple[Expr, list[OutColumn]]:
    """A generator in SQL, and the columns that it makes; none if it is at fault.

    Args:
        call: the call.
        wanted: the names that the query gives them, if any.
        binder: for its arguments.
    """
    expr = binder.bind(call)
    if _is_at_fault(call, expr, binder):
        return expr, []
    made = _columns(call, expr, binder)
    if not made and wanted:
        return expr, [OutColumn(name=each) for each in wanted]
    if not made or (wanted and len(wanted) != len(made)):
        _refuse_names(call, len(made), len(wanted), binder)
        return expr, []
    names = wanted or [name for name, _ in made]
    return expr, [
        OutColumn(name=name, type=kind) for name, (_, kind) in zip(names, made, strict=True)
    ]


def _with_names(expr: Expr, names: list[str]) -> Item:
    """A generator as an item with the names of its columns."""
    if len(names) == 1:
        return Item(expr=expr, name=names[0])
    listed = ", ".join(map(quoted_name, names))
    return Item(expr=replace(expr, sql=f"{expr.sql} AS ({listed})"), name=None)


def _columns(
    call: exp.Expression, expr: Expr, binder: ExpressionBinder
) -> list[tuple[str, SqlType]]:
    """The columns that a generator makes, as Spark calls them; none if its type does not tell."""
    arguments = list(call.iter_expressions())
    kind = binder.bind(arguments[0]).type if arguments else UNKNOWN
    parts = elements_of(kind)
    match _name(expr):
        case "explode" | "posexplode" as name if parts:
            found = [("col", parts[0])] if len(parts) == 1 else [*zip(_ENTRY, parts, strict=True)]
            return [_PLACE, *found] if name == "posexplode" else found
        case "inline" if len(parts) == 1:
            return list(fields_of(parts[0]))
        case "json_tuple":
            return [(f"c{n}", _TEXT) for n in range(len(arguments) - 1)]
        case _:
            return []


def _is_at_fault(call: exp.Expression, expr: Expr, binder: ExpressionBinder) -> bool:
    """Whether a call makes no rows, or not of what it is given; that is reported."""
    name, first = _name(expr), next(call.iter_expressions(), None)
    if name not in GENERATORS:
        binder.problems.add(
            "TVF501",
            f"rows made by {name}() are not supported",
            span_of(call),
            "not a function that is known to make rows",
            advice="explode(), posexplode(), inline(), stack() and json_tuple() are",
        )
        return True
    kind = UNKNOWN if first is None else binder.bind(first).type
    if name not in _OF_ELEMENTS or kind.kind is Kind.UNKNOWN or elements_of(kind):
        return False
    binder.problems.add(
        "TVF211",
        f"{name}() takes {'an array of structs' if name == 'inline' else 'an array or a map'}",
        span_of(call),
        f"is of {kind.ddl}",
        advice="name a column of such a type",
    )
    return True


_OF_ELEMENTS = frozenset({"explode", "posexplode", "inline"})
"""Of arrays and maps, which may have none; the others always make rows."""


def _name(expr: Expr) -> str:
    return expr.sql.split("(", 1)[0].strip().lower().removesuffix("_outer")


_ENTRY = ("key", "value")
_PLACE = ("pos", SqlType(Kind.NUMBER, "INT"))
_TEXT = SqlType(Kind.STRING, "STRING")


def _refuse_names(call: exp.Expression, made: int, wanted: int, binder: ExpressionBinder) -> None:
    message = f"this makes {counted(made, 'column')}, and {wanted} are named"
    if not made:
        message = "what this makes has no names, as its type is not known when compiling"
    binder.problems.add(
        "TVF205",
        message,
        span_of(call),
        "makes rows",
        advice="name its columns: `explode(items) AS item`, `posexplode(items) AS (place, item)`, "
        "`LATERAL VIEW posexplode(items) t AS place, item`",
    )
