"""Maps have no order of their entries: Spark compares, sorts and collects once none of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sqlglot import exp

from compiler.diagnostics.problems import Problems
from compiler.source import Span
from compiler.sql.exprs import Expr
from compiler.sqltypes import SqlType
from compiler.syntax import span_of
from compiler.syntax.nodes import WRITTEN

_MAP = re.compile(r"\bMAP\s*<", re.IGNORECASE)

_COMPARISONS = (exp.EQ, exp.NullSafeEQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_OF_ALL = (exp.Greatest, exp.Least)
_OF_ONE = (
    exp.Min,
    exp.Max,
    exp.ArrayUniqueAgg,
    exp.Mode,
    exp.ArrayMax,
    exp.ArrayMin,
)
_BY_ANOTHER = (exp.ArgMax, exp.ArgMin)


def has_map(kind: SqlType) -> bool:
    """Whether values are maps, or have some in them."""
    return kind.mentions(_MAP)


def refuse_maps(keys: Sequence[Expr], problems: Problems) -> None:
    """Maps among keys that are hashed or put in order."""
    for each in keys:
        if has_map(each.type):
            refuse_map(each.span, problems)


def refuse_map(place: Span, problems: Problems) -> None:
    """A comparison of maps."""
    _refuse("a MAP cannot be compared", place, problems)


def refuse_maps_in(
    node: exp.Expression, type_of: Callable[[exp.Expression], SqlType], problems: Problems
) -> None:
    """Comparisons and calls in an expression whose operands are maps."""
    for each in node.find_all(*_COMPARISONS):
        for side in (each.this, each.expression):
            if has_map(type_of(side)):
                refuse_map(span_of(side), problems)
    for call in node.find_all(*_OF_ALL, *_OF_ONE, *_BY_ANOTHER):
        if isinstance(call, exp.Expression):
            refuse_maps_of_call(call, type_of, problems)


def refuse_maps_of_call(
    call: exp.Expression, type_of: Callable[[exp.Expression], SqlType], problems: Problems
) -> None:
    """What a call puts in order or collects once, and cannot."""
    for each in _ordered(call):
        if has_map(type_of(each)):
            written = call.meta.get(WRITTEN)
            name = written.name if written else call.key
            _refuse(f"{name}() takes no MAP", span_of(each), problems)


def _ordered(call: exp.Expression) -> list[exp.Expression]:
    if isinstance(call, _BY_ANOTHER):
        return [call.expression]
    first = call.this.expressions if isinstance(call.this, exp.Distinct) else [call.this]
    others = call.expressions if isinstance(call, _OF_ALL) else []
    of_order = isinstance(call, (*_OF_ALL, *_OF_ONE))
    return [each for each in (*first, *others) if each is not None] if of_order else []


def _refuse(message: str, place: Span, problems: Problems) -> None:
    problems.add(
        "TVF206",
        message,
        place,
        "has no order of its entries",
        advice="take an entry, `m['key']`, or `array_sort(map_entries(m))`",
    )
