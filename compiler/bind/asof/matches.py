"""What an ASOF JOIN compares, and the rows of both sides in one order.

Before   a ASOF JOIN b MATCH_CONDITION (a.ts >= b.ts) ON a.k = b.k
After    Named (UnionAll: rows of a; times and keys of b, with its row as a struct)
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from compiler.bind.closings.expressions import closing_in
from compiler.bind.joins.order import Joining
from compiler.bind.joins.pairs import names_of, on_same, sides_of
from compiler.bind.joins.terms import unwrapped
from compiler.bind.names.collations import has_collation, refuse_collation
from compiler.bind.names.columns import column_named
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.maps import refuse_maps
from compiler.diagnostics.problems import Problems
from compiler.plan.closings.closing import Closing
from compiler.plan.nodes import (
    Filter,
    Item,
    Named,
    Project,
    UnionAll,
)
from compiler.sql.exprs import Expr, all_terms
from compiler.sql.names import ASOF_ROW, parts_of, quoted_name
from compiler.syntax import span_of

TIME, SIDE, ROW, LAST = "__asof_time", "__asof_side", ASOF_ROW, "__asof_last"


MARK = "1"
"""The side of the rows that look for another one."""


_NULL = Expr(sql="NULL")


@dataclass(frozen=True, slots=True, kw_only=True)
class AsofMatch:
    """What a MATCH_CONDITION says, the left side first.

    Attributes:
        times: what is compared.
        closings: when the clock closes these; None: never.
        is_back: whether rows look back, at the last one that is not later; else for the next one.
        with_equal: whether a row of the very time counts.
    """

    times: tuple[Expr, Expr]
    closings: tuple[Closing | None, Closing | None]
    is_back: bool
    with_equal: bool


@dataclass(frozen=True, slots=True)
class AsofKey:
    """What is equal in a row and the one that it looks for; `with_null`: NULL and NULL, too."""

    sides: tuple[Expr, Expr]
    with_null: bool = False


_COMPARISONS: dict[type[exp.Expr], tuple[bool, bool]] = {
    exp.GTE: (True, True),
    exp.GT: (True, False),
    exp.LTE: (False, True),
    exp.LT: (False, False),
}
"""Whether the left side looks back, and whether a row of the very time counts."""


def match_of(
    condition: exp.Expression, rows: Named, others: Named, binder: ExpressionBinder
) -> AsofMatch | None:
    """What MATCH_CONDITION compares; None: a fault is reported."""
    bare = unwrapped(condition)
    kind = _COMPARISONS.get(type(bare))
    sides = sides_of(binder, bare, rows, others) if kind else None
    if kind is None or sides is None or binder.reads_clock(condition):
        if not binder.problems.has_names_at_fault:
            binder.problems.add(
                "TVF502",
                "an ASOF JOIN compares a time of one side with a time of the other",
                span_of(condition),
                "is no such comparison",
                advice="write `MATCH_CONDITION (a.ts >= b.ts)`, with >=, >, <= or <; or `b FOR "
                "SYSTEM_TIME AS OF a.ts`, the time of the other side",
            )
        return None
    is_back, with_equal = kind
    nodes = [bare.this, bare.expression]
    if binder.bind(bare.this).sql != sides[0].sql:
        is_back = not is_back
        nodes.reverse()
    closings = closing_in(nodes[0], binder), closing_in(nodes[1], binder)
    return AsofMatch(times=sides, closings=closings, is_back=is_back, with_equal=with_equal)


def keys_of(
    joining: Joining, using: list[str], rows: Named, others: Named, binder: ExpressionBinder
) -> list[AsofKey] | None:
    """What is equal on both sides; None: a fault is reported."""
    lefts, right = binder.scope.relations[:-1], binder.scope.relations[-1]
    found: list[AsofKey] = []
    for name in using:
        one, other = on_same(name, lefts, right).key or ("", "")
        found.append(AsofKey((Expr(sql=one, reads=(one,)), Expr(sql=other, reads=(other,)))))
    for term in joining.on:
        bare = unwrapped(term)
        is_equality = isinstance(bare, exp.EQ | exp.NullSafeEQ)
        sides = sides_of(binder, bare, rows, others) if is_equality else None
        if sides is None:
            binder.bind(term)
            _refuse_term(term, binder.problems)
            return None
        if any(has_collation(each.type) for each in sides):
            refuse_collation("an ASOF JOIN", span_of(term), binder.problems)
        refuse_maps(sides, binder.problems)
        found.append(AsofKey(sides, with_null=isinstance(bare, exp.NullSafeEQ)))
    return found


def _refuse_term(term: exp.Expression, problems: Problems) -> None:
    if problems.has_names_at_fault:
        return
    problems.add(
        "TVF502",
        "ON of an ASOF JOIN says what is equal on both sides, and no more",
        span_of(term),
        "is no equality of one side with the other",
        advice="filter a side in a subquery, or the result in WHERE",
    )


def together(rows: Named, others: Named, match: AsofMatch, keys: list[AsofKey]) -> Named:
    """The rows of both sides with what puts them in order; those that match no time are left out.

    Of rows of one time, the one that is looked at comes first, unless it does not count.
    """
    side = "0" if match.with_equal else "2"
    there = [Expr(sql=f"{match.times[1].sql} IS NOT NULL", reads=match.times[1].reads)]
    there += [
        Expr(sql=f"{each.sides[1].sql} IS NOT NULL", reads=each.sides[1].reads)
        for each in keys
        if not each.with_null
    ]
    others_there = Filter(input=others, predicate=all_terms(there) or there[0])
    read = tuple(map(quoted_name, names_of(others)))
    # The names of fields are the same however the query writes those of columns.
    row = f"struct({', '.join(read).lower()})"
    own = [*map(column_named, names_of(rows)), Item(expr=_NULL, name=ROW)]
    alien = [
        Item(expr=match.times[1] if each == _name_of(match.times[0]) else _NULL, name=each)
        for each in names_of(rows)
    ]
    alien.append(Item(expr=Expr(sql=row, reads=read), name=ROW))
    for items, place, mark in ((own, 0, MARK), (alien, 1, side)):
        items.append(Item(expr=match.times[place], name=TIME))
        items.append(Item(expr=Expr(sql=mark), name=SIDE))
        for name, key in zip(key_names(len(keys)), keys, strict=True):
            items.append(Item(expr=key.sides[place], name=name))
    union = UnionAll(
        inputs=(
            Project(input=rows, items=tuple(own)),
            Project(input=others_there, items=tuple(alien)),
        )
    )
    return Named(name=f"{rows.name}_and_{others.name}", input=union, is_made=True)


def _name_of(value: Expr) -> str | None:
    """The column that a value is, if it is one."""
    parts = parts_of(value.sql)
    return parts[0] if len(parts) == 1 else None


def key_names(keys: int) -> list[str]:
    """The columns that have the keys in the rows of both sides."""
    return [f"__asof_key_{n}" for n in range(1, keys + 1)]
