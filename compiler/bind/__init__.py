"""AST -> plan: names, types, clauses.

`script.py` binds statements in order; a query is bound by `query/`. A clause leads to a room:
FROM to `relations/`, `windows/`, `joins/`, `asof/`, `laterals/` and `patterns/` (MATCH_RECOGNIZE),
WHERE to `where/`, SELECT to `select/`, GROUP BY to `groups/` where groups are final and to
`totals/` where they change, `FILL` to `filling/`, OVER to `over/`, ORDER BY … LIMIT and numberings
to `top/`, UNION and its kin to `sets/`, EMIT to `emit/`, CREATE SOURCE to `sources/` and CREATE
SINK to `sinks/`; subqueries in expressions to `subqueries/`. Below them `names/` resolves names
and binds expressions, `clock/` solves conditions for the clock, `closings/` says when the clock
closes what is computed. What a room does not take is in its `refusals.py`. A room imports only
those below it; pyproject.toml has their order.
"""
