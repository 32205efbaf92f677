"""The one row of a SELECT without FROM whose subqueries read streams.

It is the total of no rows of the first of them, so that it is there from the start and stays.

Before   SELECT (SELECT max(v) FROM a) AS most
After    SELECT most FROM (SELECT count(*) AS number FROM a WHERE FALSE) AS one
           CROSS JOIN (SELECT max(v) AS most FROM a) AS asked
"""

from __future__ import annotations

from sqlglot import exp

from compiler.bind.joins.exists import bare_query
from compiler.bind.names.binder import Binder
from compiler.bind.names.columns import reference
from compiler.bind.names.scope import OutColumn, Relation
from compiler.bind.relations.derived import with_names
from compiler.bind.subqueries.decorrelated import with_name
from compiler.plan.nodes import Call, Filter, Item, Named, Project, Totals
from compiler.sql.exprs import Expr
from compiler.syntax import span_of

NUMBER = "number"


def one_row(query: exp.Expression, binder: Binder) -> Relation:
    """That row, as a relation without a name.

    Args:
        query: a subquery that reads a stream.
        binder: binds it.
    """
    bare = bare_query(query)
    asked = bare.copy()
    asked.parent = bare.parent
    bound = with_names(binder.bind(with_name(asked)))
    columns = [each for each in bound.columns if not each.is_clock]
    items = [Item(expr=reference(None, each), name=each.name) for each in columns[:1]]
    # Of a relation that is not there, which has been refused, no column is known.
    items = items or [Item(expr=Expr(sql="1"), name=NUMBER)]
    none = Project(input=Filter(input=bound.plan, predicate=Expr(sql="FALSE")), items=tuple(items))
    total = Totals(
        input=Named(name="nothing", input=none, is_made=True),
        keys=(),
        calls=(Call(name=NUMBER, function="count"),),
    )
    return Relation(
        plan=total,
        columns=(OutColumn(name=NUMBER),),
        streams=bound.streams,
        watermarks=bound.watermarks,
        is_open=bound.is_open,
        changes=span_of(query),
    )
