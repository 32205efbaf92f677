"""ASOF JOIN with a table: each of its rows counts for a span of time, up to its next one.

Before   a ASOF LEFT JOIN c MATCH_CONDITION (a.ts >= c.since) ON a.k = c.k
After    a LEFT JOIN (SELECT *, lead(since) OVER (PARTITION BY k ORDER BY since) AS __asof_beside
                      FROM c WHERE since IS NOT NULL) AS c
           ON a.k = c.k AND a.ts >= c.since AND (c.__asof_beside IS NULL OR a.ts < c.__asof_beside)
"""

from __future__ import annotations

from collections.abc import Sequence

from compiler.bind.asof.matches import AsofKey, AsofMatch
from compiler.plan.nodes import Alias, Item, Join, Named, Plan, Project, Scan, StaticQuery
from compiler.source import Span
from compiler.sql.exprs import Expr
from compiler.sql.names import quoted_name

BESIDE = "__asof_beside"
"""The time of the next row of a table, or of the one before where rows look ahead."""


def is_table(plan: Plan) -> bool:
    """Whether rows are those of a static table under its own name, or of a view over such."""
    inner = plan.input if isinstance(plan, Named) else plan
    return isinstance(inner, Scan | StaticQuery) and (inner is not plan or isinstance(plan, Scan))


def join_with_table(
    rows: Named, others: Named, match: AsofMatch, keys: Sequence[AsofKey], kind: str, place: Span
) -> Join:
    """Rows with the row of a table that counts at their time.

    Args:
        rows: the rows, flattened.
        others: the table, flattened.
        match: which of the times is compared, and how.
        keys: what is equal.
        kind: `inner` or `left`.
        place: of the join.
    """
    time = match.times[1].sql
    partition = ", ".join(each.sides[1].sql for each in keys)
    by = f"PARTITION BY {partition} " if partition else ""
    beside = f"{'lead' if match.is_back else 'lag'}({time}) OVER ({by}ORDER BY {time})"
    sql = f"SELECT *, {beside} AS {BESIDE} FROM ({_selected(others)}) WHERE {time} IS NOT NULL"
    spans = Named(
        name=f"{others.name}_spans",
        input=StaticQuery(sql=sql, reads=(_table_of(others),)),
        is_made=True,
    )
    own = Alias(name=rows.name, input=rows)
    return Join(
        left=own,
        right=Alias(name=spans.name, input=spans),
        kind=kind,
        on=_condition(match, keys),
        span=place,
    )


def _condition(match: AsofMatch, keys: Sequence[AsofKey]) -> Expr:
    own, time = (each.sql for each in match.times)
    op, end = (">", "<") if match.is_back else ("<", ">")
    begin, end = (f"{op}=", end) if match.with_equal else (op, f"{end}=")
    equal = [
        f"{one.sql} {'<=>' if each.with_null else '='} {other.sql}"
        for each in keys
        for one, other in (each.sides,)
    ]
    terms = [
        *equal,
        f"{own} {begin} {time}",
        f"({BESIDE} IS NULL OR {own} {end} {BESIDE})",
    ]
    reads = [each for key in keys for side in key.sides for each in side.reads]
    reads += [each for side in match.times for each in side.reads]
    return Expr(sql=" AND ".join(terms), reads=(*dict.fromkeys(reads), BESIDE))


def _table_of(others: Named) -> Plan:
    assert isinstance(others.input, Project)
    inner = others.input.input
    return inner.input if isinstance(inner, Alias) else inner


def _selected(others: Named) -> str:
    """A flattened table as SQL text."""
    assert isinstance(others.input, Project)
    items = ", ".join(map(_item, others.input.items))
    table = _table_of(others)
    name = table.source.name if isinstance(table, Scan) else table.name  # type: ignore[union-attr]
    inner = others.input.input
    alias = f" AS {quoted_name(inner.name)}" if isinstance(inner, Alias) else ""
    return f"SELECT {items} FROM {quoted_name(name)}{alias}"


def _item(item: Item) -> str:
    return f"{item.expr.sql} AS {quoted_name(item.name)}" if item.name else item.expr.sql
