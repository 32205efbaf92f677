"""`f(*)` and `f(o.*)`: a star among the arguments of a function stands for columns of FROM.

Spark would put all columns of its rows there, those that a job adds among them. So the columns take
the place of the star in the tree, before anything reads it.

Before   to_json(struct(o.*))
After    to_json(struct(o.id, o.amount))
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from compiler.bind.names.scope import Scope
from compiler.sql.names import qualified
from compiler.sql.structs import fields_of
from compiler.syntax import span_of
from compiler.syntax.nodes.made import of_star


def is_star(node: exp.Expression) -> bool:
    """Whether a node is `*`, or `o.*` as a whole."""
    return isinstance(node.this if isinstance(node, exp.Column) else node, exp.Star)


_OF_ROWS = frozenset({"where", "group", "laterals"})
"""Clauses of a SELECT with groups that see rows; the others see groups, which have no star."""


def spread_stars(node: exp.Select, scope: Scope, *, grouped: bool) -> None:
    """Put columns in the place of stars among arguments, anywhere in a SELECT.

    Subqueries have stars of their own. What no column is known for stays, and is refused where it
    is bound, as are stars beside the aggregates of groups.
    """
    stack: list[tuple[exp.Expression, bool]] = [
        (each, not grouped or each.arg_key in _OF_ROWS) for each in node.iter_expressions()
    ]
    while stack:
        each, sees_rows = stack.pop()
        if isinstance(each, exp.Query):
            continue
        is_of_filter = isinstance(each, exp.Where) and isinstance(each.parent, exp.Filter)
        sees_rows = sees_rows or is_of_filter or isinstance(each, exp.AggFunc)
        stack.extend((part, sees_rows) for part in each.iter_expressions())
        if sees_rows and is_argument(each):
            _put(_columns(each, scope), each)


def is_argument(node: exp.Expression) -> bool:
    """Whether a node is `*` or `o.*` among the arguments of a function that is no aggregate.

    The list of IN takes stars as well.
    """
    parent = node.parent
    is_call = isinstance(parent, exp.Func | exp.In) and not isinstance(parent, exp.AggFunc)
    return is_call and is_star(node)


def _put(columns: list[exp.Column], star: exp.Expression) -> None:
    """Put columns in the place of a star, if the function takes so many there."""
    call = star.parent
    if not columns or call is None:
        return
    if star.arg_key == "expressions":
        star.replace(columns)
    elif len(columns) == 1 or call.is_var_len_args:
        others = call.expressions
        star.replace(columns[0])
        call.set("expressions", [*columns[1:], *others])


def _columns(node: exp.Expression, scope: Scope) -> list[exp.Column]:
    """The columns of a star as nodes, all of them with its span."""
    star = node.this if isinstance(node, exp.Column) else node
    left_out = {each.name.lower() for each in star.args.get("except_") or ()}
    path = [each.name for each in node.parts[:-1]] if isinstance(node, exp.Column) else []
    names = [name for name in _names(path, scope) if name[-1].lower() not in left_out]
    return [_made(name, node) for name in names]


def _names(path: list[str], scope: Scope) -> list[tuple[str, ...]]:
    several = len(scope.relations) > 1
    if not path:
        return [
            (relation.alias, column.name) if several and relation.alias else (column.name,)
            for relation in scope.relations
            for column in relation.columns
            if not scope.is_merged(relation, column.name)
        ]
    relation = scope.relation(path[0])
    if relation is not None and len(path) == 1:
        return [(path[0], column.name) for column in relation.columns]
    if relation is None and not scope.having(path[0]):
        return []
    return [(*path, name) for name, _ in fields_of(scope.resolve(_column(path)).type)]


def _made(name: tuple[str, ...], star: exp.Expression) -> exp.Column:
    made = _column(name)
    of_star(made, qualified(*name), span_of(star))
    return made


def _column(name: Sequence[str]) -> exp.Column:
    parts = zip(("this", "table", "db", "catalog"), reversed(name), strict=False)
    return exp.Column(**{part: exp.to_identifier(each, quoted=True) for part, each in parts})
