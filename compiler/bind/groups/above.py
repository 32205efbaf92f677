"""What stands for keys, windows and aggregates above their groups, of which they are columns."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from compiler.bind.groups.aggregates import is_aggregate
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import Scope
from compiler.bind.windows.keys import WHOLE
from compiler.bind.windows.windows import END, START
from compiler.source import Span
from compiler.sql.exprs import Expr
from compiler.sql.names import quoted_name
from compiler.sql.structs import field_in
from compiler.sql.texts import Texts, sizes_in
from compiler.sqltypes import SqlType
from compiler.syntax import span_of


def key_column(name: str, kind: SqlType) -> Expr:
    """A column of the groups."""
    quoted = quoted_name(name)
    return Expr(sql=quoted, type=kind, reads=(quoted,))


def stand_for(key: exp.Expression, node: exp.Select, column: Expr, above: ExpressionBinder) -> None:
    """The key is its column wherever it is named outside of aggregates."""
    having, order = node.args.get("having"), node.args.get("order")
    known = Texts([key])
    for clause in (*node.expressions, having, order):
        sizes = sizes_in(clause) if isinstance(clause, exp.Expression) else {}
        for place in _outside_aggregates(clause):
            if isinstance(place, exp.Column) and isinstance(key, exp.Column):
                fields = _fields_of(place, key, above.scope)
                if fields is not None:
                    above.stands_for[span_of(place)] = field_in(column, fields)
            elif type(place) is type(key) and known.hold(place, sizes[id(place)]):
                above.stands_for[span_of(place)] = column


def parts_of_window(window: Expr, below: ExpressionBinder) -> dict[Span, Expr]:
    """What stands for a window and its bounds above its groups, of which it is a key."""
    parts = {
        WHOLE.sql: window,
        START: field_in(window, ("start",)),
        END: field_in(window, ("end",)),
    }
    return {place: parts[expr.sql] for place, expr in below.stands_for.items() if expr.sql in parts}


def _fields_of(one: exp.Column, key: exp.Column, scope: Scope) -> tuple[str, ...] | None:
    """The names by which a column is a field of the key, none if it is the key; None: neither."""
    (alias, path), (key_alias, key_path) = scope.path(one), scope.path(key)
    is_of = path[: len(key_path)] == key_path and (alias == key_alias or None in (alias, key_alias))
    behind_key = len(path) - len(key_path)
    return tuple(each.name for each in one.parts[len(one.parts) - behind_key :]) if is_of else None


def _outside_aggregates(node: exp.Expr | None) -> Iterator[exp.Expression]:
    stack = [node]
    while stack:
        each = stack.pop()
        if isinstance(each, exp.Expression) and not is_aggregate(each):
            yield each
            stack.extend(each.iter_expressions(reverse=True))
