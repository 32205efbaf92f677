"""Subqueries that compare with the rows around them in any way: joined with what those ask about.

The different values that the rows around ask about are a relation of their own, with which the
subquery is joined, so that it is worked out once for each of them: the domain of Neumann and
Kemper, "Unnesting Arbitrary Queries" (BTW 2015).

Before   SELECT max(w) FROM b WHERE b.w < a.v
After    SELECT __asking.__asked AS key, max(w) AS value FROM __asking CROSS JOIN b
         WHERE b.w < __asking.__asked_v GROUP BY __asking.__asked
         and that key = struct(a.v), where __asking has each a.v once, and __asked = struct(a.v)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from compiler.bind.joins.pairs import fresh
from compiler.bind.names.binder import Binder
from compiler.bind.names.columns import column_named
from compiler.bind.names.scope import OutColumn, Relation
from compiler.plan.facts.properties import properties_of
from compiler.plan.nodes import Item, Named, Project, Totals
from compiler.source import Span
from compiler.sql.exprs import Expr
from compiler.sql.names import quoted_name
from compiler.syntax import span_of
from compiler.syntax.nodes.made import under_another_name
from compiler.syntax.nodes.spans import set_span

DOMAIN, KEY = "__asking", "__asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependent:
    """A subquery that is joined with what it is asked about.

    Attributes:
        query: it, in which the domain stands for the rows around.
        binder: binds it.
        key: the column of the domain that tells about what a row is.
        outer: the value of the rows around that this is equal to; never NULL.
    """

    query: exp.Select
    binder: Binder
    key: exp.Column
    outer: Expr


def dependent(
    binder: Binder,
    rows: Named,
    query: exp.Select,
    asked: Sequence[tuple[exp.Column, Expr]],
    place: Span,
) -> Dependent:
    """A subquery as a query of its own.

    Args:
        binder: binds queries.
        rows: the rows around.
        query: the subquery, which is changed.
        asked: its columns that it does not read itself, and what they are of the rows around.
        place: where it stands.
    """
    taken: set[str] = set()
    names: dict[str, str] = {}
    for column, value in asked:
        if value.sql not in names:
            names[value.sql] = fresh(f"{KEY}_{column.name}", taken)
    alias = fresh(DOMAIN, {each.lower() for each in binder.names})
    outer = _struct([value for _, value in asked])
    relation = _domain(rows, [value for _, value in asked], names, outer, alias, place)
    for column, value in asked:
        column.replace(_column(names[value.sql], alias, span_of(column)))
    first = query.args["from_"].this
    joins = query.args.get("joins") or []
    keeps_right = any(each.side in ("RIGHT", "FULL") for each in joins)
    join = exp.Join(this=first.copy(), kind=None if keeps_right else "CROSS")
    if keeps_right:
        join.meta["comma"] = True
    set_span(join, place)
    domain = exp.From(this=exp.to_table(alias))
    for each in domain.walk():
        each.meta["span"] = place
    query.set("from_", domain)
    query.set("joins", [join, *joins])
    return Dependent(
        query=query,
        binder=binder.seeing({**binder.names, alias: relation}),
        key=_column(KEY, alias, place),
        outer=outer,
    )


def _struct(values: Sequence[Expr]) -> Expr:
    """What rows ask about, as one value: NULL in it is equal to NULL."""
    # The names of its fields are the same however the query writes those of columns.
    found = dict.fromkeys(each.sql.lower() for each in values)
    reads = dict.fromkeys(name for each in values for name in each.reads)
    return Expr(sql=f"struct({', '.join(found)})", reads=tuple(reads))


def _domain(
    rows: Named,
    values: Sequence[Expr],
    names: dict[str, str],
    key: Expr,
    alias: str,
    place: Span,
) -> Relation:
    """Each thing that rows ask about, once."""
    by_sql = {each.sql: each for each in values}
    items = [Item(expr=by_sql[sql], name=name) for sql, name in names.items()]
    items.append(Item(expr=key, name=KEY))
    asking = Named(
        name=f"{rows.name}_ask", input=Project(input=rows, items=tuple(items)), is_made=True
    )
    columns = tuple(each.name or "" for each in items)
    once = Totals(input=asking, keys=columns, calls=())
    plan = Named(
        name=f"{rows.name}_asked",
        input=Project(input=once, items=tuple(map(column_named, columns))),
        is_made=True,
    )
    found = properties_of(rows)
    return Relation(
        plan=plan,
        columns=tuple(OutColumn(name=each.name or "", type=each.expr.type) for each in items),
        streams=frozenset(found.streams),
        watermarks=frozenset(source for source, _ in found.watermarks),
        alias=alias,
        changes=place,
        span=place,
    )


def _column(name: str, alias: str, place: Span) -> exp.Column:
    found = exp.column(exp.to_identifier(name), table=exp.to_identifier(alias))
    for each in found.walk():
        each.meta["span"] = place
    assert isinstance(found, exp.Column)
    under_another_name(found, f"{alias}.{quoted_name(name)}")
    return found
