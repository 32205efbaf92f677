"""SELECT lists: items, stars, and the columns that they offer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from compiler.bind.clock.folding import fold_constants
from compiler.bind.closings.expressions import closing_as
from compiler.bind.closings.held import held_of
from compiler.bind.names.columns import reference
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import OutColumn, Relation
from compiler.bind.names.stars import is_star
from compiler.bind.top.first_rows import HIDDEN
from compiler.diagnostics.problems import Problems
from compiler.diagnostics.suggest import did_you_mean, listed
from compiler.plan.nodes import Item, UnionAll
from compiler.source import Span
from compiler.sql.exprs import Expr, shown_clocks
from compiler.sql.names import own_name, qualified, quoted_name, refuse_ours, same
from compiler.sql.structs import field_in, fields_of
from compiler.syntax import span_of

Items = list[tuple[Item, OutColumn]]


def bind_items(node: exp.Select, binder: ExpressionBinder) -> Items:
    """The items of a SELECT list and the column that each offers."""
    found: Items = []
    relations = list(binder.scope.relations)
    for each in node.expressions:
        if is_star(each):
            found.extend(_expand(each, binder, relations))
            continue
        if isinstance(each, exp.QueryTransform):
            _refuse_script(each, binder)
            continue
        inner = each.this if isinstance(each, exp.Alias) else each
        if each.alias.startswith(HIDDEN):
            stand_for_items(node, inner, binder)
        item, column = _item(inner, each.alias if isinstance(each, exp.Alias) else None, binder)
        _check_name(each, binder)
        found.append((item, column))
        if isinstance(each, exp.Alias):
            _offer(binder, column)
    _refuse_aliases_beside_the_clock(found, binder)
    return found


def _item(
    node: exp.Expression, alias: str | None, binder: ExpressionBinder
) -> tuple[Item, OutColumn]:
    """An expression as an item, by its alias if it has one."""
    fold_constants(binder, node, on_clock=False)
    expr = binder.bind(node)
    name = _own_name(node) if alias is None else alias
    column = OutColumn(
        name=name or shown_clocks(expr.sql),
        type=expr.type,
        clock=binder.clock_of(node),
        closing=closing_as(node, expr.sql, binder.scope),
        held=held_of(node, expr, binder.scope),
    )
    return Item(expr=expr, name=name), column


def _refuse_script(node: exp.QueryTransform, binder: ExpressionBinder) -> None:
    binder.problems.add(
        "TVF501",
        "TRANSFORM … USING a program is not supported over a stream",
        span_of(node),
        "would be started anew in each batch",
        advice="write a function of your own, and declare it with CREATE FUNCTION",
    )


def stand_for_items(
    node: exp.Select,
    clause: exp.Expression,
    binder: ExpressionBinder,
    unless: Callable[[exp.Column], bool] = lambda _: False,
) -> None:
    """A clause behind the SELECT list may name its items.

    As in Spark, names in ORDER BY are those of items before they are those of columns, in HAVING if
    they are no keys, in QUALIFY if they are no columns.
    """
    aliases = {each.alias.lower(): each.this for each in node.expressions if each.alias}
    for column in clause.find_all(exp.Column):
        name, *fields = (each.name for each in column.parts)
        meant = aliases.get(name.lower())
        if meant is None or (fields and binder.scope.offers(name)) or unless(column):
            continue
        expr = binder.bind(meant)
        sql = expr.sql if expr.reads == (expr.sql,) else f"({expr.sql})"
        binder.stands_for[span_of(column)] = field_in(replace(expr, sql=sql), fields)


def _check_name(item: exp.Expression, binder: ExpressionBinder) -> None:
    """What an item is called is free; names that are given elsewhere have no place in the text."""
    if isinstance(item, exp.Alias):
        place = item.args["alias"].meta.get("span")
        if place is not None:
            refuse_ours(item.alias, place, binder.problems)
    elif isinstance(item, exp.Dot) or (isinstance(item, exp.Column) and len(item.parts) > 1):
        is_declared = any(each.column(item.name) for each in binder.scope.relations)
        if not is_declared:
            refuse_ours(item.name, span_of(item), binder.problems)


def _refuse_aliases_beside_the_clock(found: Items, binder: ExpressionBinder) -> None:
    """Where a SELECT list reads the clock, its columns are computed at two times."""
    if not any(item.expr.reads_clock for item, _ in found):
        return
    aliases = binder.scope.items
    for item, _ in found:
        used = next((name for name in item.expr.reads if own_name(name).lower() in aliases), None)
        if used is not None:
            binder.problems.add(
                "TVF501",
                f"`{used}` is a name from the same SELECT list, which reads WATERMARK_TS()",
                item.expr.span,
                "uses another column of the list",
                advice="write its expression out, or give it its name in a subquery",
            )


def _offer(binder: ExpressionBinder, column: OutColumn) -> None:
    """Later items may name earlier ones (Spark's lateral column aliases)."""
    if not binder.scope.having(column.name):
        item = Relation(plan=UnionAll(inputs=()), columns=(column,))
        binder.scope.items[column.name.lower()] = item


def _expand(node: exp.Expression, binder: ExpressionBinder, relations: list[Relation]) -> Items:
    """`*`, `alias.*`, `* EXCEPT (columns)`."""
    star = node.this if isinstance(node, exp.Column) else node
    several = len(relations) > 1
    if isinstance(node, exp.Column):
        chosen = [each for each in relations if each is binder.scope.relation(node.table)]
        if not chosen or node.args.get("db"):
            fields = _fields(node, binder)
            if fields:
                return fields
            names = [each.alias for each in relations if each.alias]
            binder.problems.add(
                "TVF201",
                f"there is no relation and no struct `{node.table}` here",
                span_of(node),
                "not in FROM",
                notes=[f"FROM has {listed(names)}"] if names else [],
                advice=did_you_mean(node.table, names) or "name a relation of FROM",
            )
        relations = chosen
    left_out = {each.name.lower() for each in star.args.get("except_") or ()}
    found: Items = []
    for relation in relations:
        refuse_twins(relation, span_of(node), binder.problems)
        for column in relation.columns:
            # The columns of USING are in the result once.
            is_again = star is node and binder.scope.is_merged(relation, column.name)
            if column.name.lower() not in left_out and not is_again:
                expr = reference(relation.alias if several else None, column)
                found.append((Item(expr=expr, name=column.name), replace(column, sql=None)))
    return _assigned(star, _keys_first(found, binder), binder)


def _assigned(star: exp.Expression, items: Items, binder: ExpressionBinder) -> Items:
    """A star's columns, some of them with other values, as `|> SET a = value` gives them."""
    values: dict[str, exp.Alias] = {}
    for each in star.args.get("replace") or ():
        read = {column.name.lower() for column in each.this.find_all(exp.Column)}
        if not any(same(column.name, each.alias) for _, column in items):
            _refuse_assignment(
                each,
                f"there is no column `{each.alias}` to be set",
                "name a column, or add one by `|> EXTEND`",
                binder,
            )
        elif each.alias.lower() in values or read & values.keys():
            _refuse_assignment(
                each,
                "an assignment to a column that one before it has set, or of its value,",
                "write it into a `|> SET` of its own",
                binder,
            )
        elif each.find(exp.Window, exp.AggFunc):
            _refuse_assignment(
                each,
                "a window function or an aggregate in `|> SET`",
                "compute it by `|> EXTEND` or `|> AGGREGATE`, under another name",
                binder,
            )
        else:
            values[each.alias.lower()] = each
    return [
        (item, column)
        if column.name.lower() not in values
        else _item(values[column.name.lower()].this, column.name, binder)
        for item, column in items
    ]


def _refuse_assignment(node: exp.Alias, what: str, advice: str, binder: ExpressionBinder) -> None:
    code = "TVF202" if what.startswith("there is no") else "TVF501"
    message = what if code == "TVF202" else f"{what} is not supported"
    binder.problems.add(code, message, span_of(node.this), "in `|> SET`", advice=advice)


def _keys_first(items: Items, binder: ExpressionBinder) -> Items:
    """In a star the columns of USING come first, those of the last join before the others.

    One stays where it is if a relation before those that are joined has a column of its name.
    """
    scope = binder.scope
    for names in scope.fronts:
        firsts = (
            next((each for each in items if same(each[1].name, name)), None) for name in names
        )
        keys = [each for each in firsts if each is not None and scope.is_of_using(each[0].expr.sql)]
        items = [*keys, *(each for each in items if all(each is not key for key in keys))]
    return items


def _fields(star: exp.Column, binder: ExpressionBinder) -> Items:
    """The fields of a struct, `s.*`."""
    path = [each.copy() for each in star.parts[:-1]]
    of = exp.Column(**dict(zip(("this", "table", "db", "catalog"), reversed(path), strict=False)))
    is_of_relation = len(path) > 1 and binder.scope.relation(path[0].name) is not None
    owners = [each for each in binder.scope.relations if each.column(path[0].name)]
    if not is_of_relation and not owners:
        return []
    struct = binder.scope.resolve(of)
    text = struct.sql or qualified(*(each.name for each in path))
    left_out = {each.name.lower() for each in star.this.args.get("except_") or ()}
    found: Items = []
    for name, kind in fields_of(struct.type):
        if name.lower() in left_out:
            continue
        sql = f"{text}.{quoted_name(name)}"
        closing = struct.closing.of_field(name) if struct.closing else None
        expr = Expr(sql=sql, type=kind, reads=(sql,))
        column = OutColumn(name=name, type=kind, closing=closing)
        found.append((Item(expr=expr, name=name), column))
    return found


def refuse_twins(relation: Relation, place: Span, problems: Problems) -> None:
    """Columns are read by name, also those of a star or set operation at `place`."""
    names = [each.name.lower() for each in relation.columns if each.sql is None]
    twin = next((name for name in names if names.count(name) > 1), None)
    if twin is not None:
        problems.add(
            "TVF203",
            f"there are two columns `{twin}`",
            place,
            "would read both by one name",
            advice=f"give one of them another name in the subquery: `{twin} AS {twin}_2`",
        )


def _own_name(node: exp.Expression) -> str | None:
    if isinstance(node, exp.Column | exp.Dot):
        return node.name
    return None
