"""Subqueries over streams in expressions: why they are refused, and what to write instead."""

from __future__ import annotations

from sqlglot import exp

from compiler.plan.problems import Problems
from compiler.syntax import span_of

_RANGE = "ON a.id = b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR"


def refuse_subquery(query: exp.Expression, problems: Problems, *, is_final: bool) -> None:
    """A subquery over a stream that is no EXISTS or IN of its own in WHERE.

    Args:
        query: the subquery.
        problems: takes the fault.
        is_final: the query around it ends in EMIT ON WINDOW CLOSE.
    """
    asking = query.find_ancestor(exp.Exists, exp.In, exp.Select)
    if not isinstance(asking, exp.Exists | exp.In):
        problems.add(
            "TVF501",
            "a subquery over a stream in an expression is not supported yet",
            span_of(query),
            "reads a stream",
            advice="join the stream in FROM, or read a table here",
        )
        return
    place, negated = _with_not(asking)
    word = f"{'NOT ' if negated else ''}{'IN' if isinstance(asking, exp.In) else 'EXISTS'}"
    where, advice = _instead(asking, negated=negated, is_final=is_final)
    problems.add(
        "TVF501",
        f"{word} over a stream {where} is not supported yet",
        span_of(place),
        "reads a stream",
        advice=advice,
    )


def _instead(asking: exp.Expression, *, negated: bool, is_final: bool) -> tuple[str, str]:
    """Where it stands that it cannot, and what to write."""
    if is_final:
        kind = "ANTI" if negated else "SEMI"
        return (
            "under EMIT ON WINDOW CLOSE",
            f"write a join that ends: `FROM a LEFT {kind} JOIN b {_RANGE}`, of the columns with "
            "the watermarks",
        )
    clause = asking.find_ancestor(exp.Where, exp.Select)
    if not isinstance(clause, exp.Where) or isinstance(clause.parent, exp.Filter):
        return "outside of WHERE", "move it to WHERE, as a term of an AND"
    if negated and isinstance(asking, exp.In):
        return (
            "in WHERE",
            "write `NOT EXISTS (SELECT 1 FROM b WHERE b.id = a.id)`; NOT IN is never true once "
            "there is a NULL",
        )
    return (
        "below OR, CASE or another operator",
        "make it a term of an AND; for `p OR EXISTS (…)` write two queries, "
        "`… WHERE p UNION ALL … WHERE p IS NOT TRUE AND EXISTS (…)`",
    )


def _with_not(asking: exp.Expression) -> tuple[exp.Expression, bool]:
    """The condition with the NOTs before it, and whether they negate it."""
    place, negated = asking, False
    while isinstance(place.parent, exp.Not | exp.Paren):
        place = place.parent
        negated ^= isinstance(place, exp.Not)
    return place, negated
