"""What MATCH_CONDITION and ON of an ASOF JOIN say."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from compiler.bind.closings.expressions import closing_in
from compiler.bind.joins.order import Joining
from compiler.bind.joins.pairs import on_same, sides_of
from compiler.bind.joins.terms import unwrapped
from compiler.bind.names.collations import has_collation, refuse_collation
from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.maps import refuse_maps
from compiler.diagnostics.problems import Problems
from compiler.plan.closings.closing import Closing
from compiler.plan.nodes import Named
from compiler.sql.exprs import Expr
from compiler.syntax import span_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
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
class Key:
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
) -> Match | None:
    """What a MATCH_CONDITION compares; None: it is no such comparison, which is reported."""
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
    return Match(times=sides, closings=closings, is_back=is_back, with_equal=with_equal)


def keys_of(
    joining: Joining, using: list[str], rows: Named, others: Named, binder: ExpressionBinder
) -> list[Key] | None:
    """What is equal on both sides; None: a fault is reported."""
    lefts, right = binder.scope.relations[:-1], binder.scope.relations[-1]
    found: list[Key] = []
    for name in using:
        one, other = on_same(name, lefts, right).key or ("", "")
        found.append(Key((Expr(sql=one, reads=(one,)), Expr(sql=other, reads=(other,)))))
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
        found.append(Key(sides, with_null=isinstance(bare, exp.NullSafeEQ)))
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
