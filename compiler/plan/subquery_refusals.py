"""Subqueries over streams in expressions: why they are refused, and what to write instead."""

from __future__ import annotations

from sqlglot import exp

from compiler.plan.conditions import conjuncts
from compiler.plan.problems import Problems
from compiler.syntax import span_of


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
            advice="join the stream in FROM, a total of it as `JOIN (SELECT id, sum(x) AS total "
            "FROM b GROUP BY id) AS sums ON sums.id = a.id`; or read a table here",
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


def refuse_far_column(column: exp.Column, problems: Problems) -> None:
    """A subquery in a subquery that names a column of the outermost query."""
    problems.add(
        "TVF501",
        "a subquery inside a condition on two queries around it is not supported yet",
        span_of(column),
        "not of the next query around",
        advice="write both conditions in one subquery, with a join in its FROM",
    )


def refuse_correlated(column: exp.Column, problems: Problems) -> None:
    """A subquery that groups or cuts off its rows and names a column of the query around it."""
    problems.add(
        "TVF501",
        "a subquery over a stream that groups, numbers, makes, unites or leaves out rows cannot "
        "name columns of the query around it yet",
        span_of(column),
        "of the query around",
        advice="group by what it is compared with, and compare that outside: `JOIN (SELECT id, "
        "sum(x) AS total FROM b GROUP BY id) AS sums ON sums.id = a.id`; of UNION ALL, ask for "
        "a row of each query",
    )


def refuse_unequal(column: exp.Column, problems: Problems) -> None:
    """A value that a subquery over a table gives for each row, by other than what is equal."""
    problems.add(
        "TVF501",
        "a value looked up for each row of a stream by another condition than `=` is not supported",
        span_of(column),
        "of the query around the subquery",
        advice="join the table, and group above the join; or look it up by `t.id = a.id`",
    )


def refuse_gathered(column: exp.Column, problems: Problems) -> None:
    """EXISTS or IN over a table that reads a row of the stream where it groups or cuts rows."""
    problems.add(
        "TVF501",
        "a subquery over a table that groups, numbers, cuts off or unites rows, or joins them "
        "outer, by a column of the stream is not supported but for `t.id = a.id` in its WHERE",
        span_of(column),
        "of the query around the subquery",
        advice="ask for a row alone, `EXISTS (SELECT 1 FROM t WHERE t.id = a.id AND t.x > a.x)`, "
        "of a view that groups by what is compared; or join the table, and group above",
    )


def refuse_in_on(column: exp.Column, problems: Problems) -> None:
    """A subquery in ON that names a column of the joined rows."""
    problems.add(
        "TVF501",
        "a subquery in ON that reads the joined rows is not supported",
        span_of(column),
        "of the query around it",
        advice="move the condition to WHERE; of an outer join, into a subquery in FROM",
    )


def refuse_table_around(term: exp.Expression, problems: Problems) -> None:
    """A stream in a subquery of a subquery that reads tables."""
    problems.add(
        "TVF501",
        "a subquery over a stream inside one over a table is not supported yet",
        span_of(term),
        "reads a stream",
        advice="begin with the stream: `EXISTS (SELECT 1 FROM stream JOIN table ON …)`",
    )


def refuse_renamed(column: exp.Column, problems: Problems) -> None:
    """A subquery beside a condition on partners that names a column of a joined relation."""
    problems.add(
        "TVF501",
        "a subquery that reads the rows of a query with EXISTS, IN or an outer join over streams "
        "is not supported yet here",
        span_of(column),
        "of the query around it",
        advice="join the table in FROM, or put EXISTS into a subquery in FROM",
    )


def _instead(asking: exp.Expression, *, negated: bool, is_final: bool) -> tuple[str, str]:
    """Where it stands that it cannot, and what to write."""
    clause = asking.find_ancestor(exp.Where, exp.Select)
    if not isinstance(clause, exp.Where) or isinstance(clause.parent, exp.Filter):
        is_in_on = isinstance(asking.find_ancestor(exp.Join, exp.Select), exp.Join)
        outer = "; of an outer join, into a subquery in FROM" if is_in_on else ""
        return "outside of WHERE", f"move it to WHERE, as a term of an AND{outer}"
    if negated and isinstance(asking, exp.In):
        return (
            "in WHERE",
            "write `NOT EXISTS (SELECT 1 FROM b WHERE b.id = a.id)`; NOT IN is never true once "
            "there is a NULL",
        )
    if is_final and _is_term(asking, clause):
        if clause.parent is not None and clause.parent.args.get("laterals"):
            return (
                "that reads a LATERAL VIEW, under EMIT ON WINDOW CLOSE,",
                "put the LATERAL VIEW into a subquery: `FROM (SELECT a.*, item FROM a LATERAL VIEW "
                "explode(a.items) t AS item) AS a WHERE …`",
            )
        return (
            "that joins, groups or asks further, under EMIT ON WINDOW CLOSE,",
            "make that a view, and ask for its rows alone: `EXISTS (SELECT 1 FROM view WHERE "
            "view.id = a.id AND view.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR)`",
        )
    if isinstance(asking.find_ancestor(exp.Not, exp.Where), exp.Not) and not negated:
        return (
            "below OR and NOT",
            "write `NOT EXISTS (…) AND NOT EXISTS (…)` for `NOT (EXISTS (…) OR EXISTS (…))`",
        )
    return (
        "below OR, CASE or another operator",
        "make it a term of an AND; for `p OR EXISTS (…)` write two queries, "
        "`… WHERE p UNION ALL … WHERE p IS NOT TRUE AND EXISTS (…)`",
    )


def _is_term(asking: exp.Expression, clause: exp.Where) -> bool:
    """Whether a condition is a term of the conjunction that a WHERE is."""
    place, _ = _with_not(asking)
    return any(each is place for each in conjuncts(clause.this))


def _with_not(asking: exp.Expression) -> tuple[exp.Expression, bool]:
    """The condition with the NOTs before it, and whether they negate it."""
    place, negated = asking, False
    while isinstance(place.parent, exp.Not | exp.Paren):
        place = place.parent
        negated ^= isinstance(place, exp.Not)
    return place, negated
