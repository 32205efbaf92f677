"""Subqueries over streams in expressions: why they are refused, and what to write instead."""

from __future__ import annotations

from sqlglot import exp

from compiler.bind.clock.conditions import conjuncts
from compiler.diagnostics.problems import Problems
from compiler.syntax import span_of


def refuse_subquery(query: exp.Expression, problems: Problems, *, is_final: bool) -> None:
    """A subquery over a stream where nothing can be asked of it.

    Args:
        query: the subquery.
        problems: takes the fault.
        is_final: the query around it ends in EMIT ON WINDOW CLOSE.
    """
    asking = query.find_ancestor(exp.Exists, exp.In, exp.Select)
    if not isinstance(asking, exp.Exists | exp.In):
        where, advice = _instead_of_value(query, is_final=is_final)
        problems.add(
            "TVF501",
            f"a subquery over a stream {where} is not supported yet",
            span_of(query),
            "reads a stream",
            advice=advice,
        )
        return
    place, negated = _with_not(asking)
    word = f"{'NOT ' if negated else ''}{'IN' if isinstance(asking, exp.In) else 'EXISTS'}"
    where, advice = (
        _instead(asking, negated=negated) if is_final else _instead_of_value(query, is_final=False)
    )
    problems.add(
        "TVF501",
        f"{word} over a stream {where} is not supported yet",
        span_of(place),
        "reads a stream",
        advice=advice,
    )


def _instead_of_value(query: exp.Expression, *, is_final: bool) -> tuple[str, str]:
    """Where a subquery stands whose value cannot be asked for, and what to write."""
    if isinstance(query.find_ancestor(exp.Join, exp.Select), exp.Join):
        return "in ON", "move it to WHERE; of an outer join, into a subquery in FROM"
    if is_final:
        return (
            "as a value under EMIT ON WINDOW CLOSE",
            "leave EMIT ON WINDOW CLOSE out; or join the stream in FROM, a total of its windows as "
            "`JOIN (SELECT id, window_end, sum(x) AS total FROM TUMBLE(…) GROUP BY id, "
            "window_end) AS sums ON …`",
        )
    return "beside a numbering", "number the rows in a query around this one"


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


def refuse_rows_as_value(query: exp.Expression, problems: Problems) -> None:
    """A subquery over a stream, as a value, that may have several rows."""
    problems.add(
        "TVF501",
        "a subquery over a stream has one value only if it is a total, or the first row of all",
        span_of(query),
        "may have several rows",
        advice="write an aggregate without GROUP BY and HAVING, `(SELECT max(x) FROM b WHERE b.id "
        "= a.id)`, or ORDER BY … LIMIT 1; or join the stream in FROM",
    )


def refuse_in_lateral_view(query: exp.Expression, problems: Problems) -> None:
    """A subquery in the arguments of a function that makes rows."""
    problems.add(
        "TVF501",
        "a subquery in LATERAL VIEW is not supported",
        span_of(query),
        "in LATERAL VIEW",
        advice="select the value in a subquery in FROM, and name its column here",
    )


def refuse_value_of_pairs(node: exp.Expression, problems: Problems) -> None:
    """A value of a stream in a term of a subquery that also reads the rows around it."""
    problems.add(
        "TVF501",
        "a subquery over a stream in a condition on two queries is not supported yet",
        span_of(node),
        "beside columns of the query around",
        advice="select the value in a subquery in FROM, and compare its column here",
    )


def refuse_lone_column(column: exp.Column, problems: Problems) -> None:
    """A column beside the aggregates of a subquery that has one row of them."""
    problems.add(
        "TVF209",
        f"`{column.sql('spark')}` is neither grouped nor aggregated",
        span_of(column),
        "which of the group's values?",
        advice=f"write an aggregate such as max({column.sql('spark')})",
    )


def refuse_width(query: exp.Expression, problems: Problems) -> None:
    """A subquery over a stream, as a value, that has other than one column, or a star."""
    if problems.has_names_at_fault:
        return
    problems.add(
        "TVF205",
        "a subquery as a value has one column",
        span_of(query),
        "must be one",
        advice="name one column in the SELECT of the subquery",
    )


def refuse_tuple(needle: exp.Expression, problems: Problems) -> None:
    """IN of many values over a stream where it matters whether it is NULL or FALSE."""
    problems.add(
        "TVF501",
        "IN of more than three values over a stream is not supported below NOT, in CASE or as a "
        "value",
        span_of(needle),
        "may be NULL in many ways",
        advice="write EXISTS: `EXISTS (SELECT 1 FROM b WHERE b.x = a.x AND b.y = a.y)`",
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
        "a subquery over a table that reads the rows of a query with subqueries or an outer join "
        "over streams is not supported yet here",
        span_of(column),
        "of the query around it",
        advice="join the table in FROM, or put EXISTS into a subquery in FROM",
    )


def _instead(asking: exp.Expression, *, negated: bool) -> tuple[str, str]:
    """Where EXISTS or IN stands that it cannot under EMIT ON WINDOW CLOSE, and what to write."""
    clause = asking.find_ancestor(exp.Where, exp.Select)
    if not isinstance(clause, exp.Where) or isinstance(clause.parent, exp.Filter):
        is_in_on = isinstance(asking.find_ancestor(exp.Join, exp.Select), exp.Join)
        outer = "; of an outer join, into a subquery in FROM" if is_in_on else ""
        return (
            "outside of WHERE, under EMIT ON WINDOW CLOSE,",
            f"move it to WHERE, as a term of an AND{outer}",
        )
    if negated and isinstance(asking, exp.In):
        return (
            "in WHERE, under EMIT ON WINDOW CLOSE,",
            "write `NOT EXISTS (SELECT 1 FROM b WHERE b.id = a.id)`; NOT IN is never true once "
            "there is a NULL",
        )
    if _is_term(asking, clause):
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
            "below OR and NOT, under EMIT ON WINDOW CLOSE,",
            "write `NOT EXISTS (…) AND NOT EXISTS (…)` for `NOT (EXISTS (…) OR EXISTS (…))`",
        )
    return (
        "below OR, CASE or another operator, under EMIT ON WINDOW CLOSE,",
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
