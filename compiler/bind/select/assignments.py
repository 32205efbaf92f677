"""`|> SET a = b, b = a`: one assignment after the other, each of which sees those before it.

Before   SELECT * (SET a = b, b = a) FROM t
After    SELECT * (SET b = a) FROM (SELECT * (SET a = b) FROM t) AS t
"""

from __future__ import annotations

from sqlglot import exp

from compiler.syntax import span_of
from compiler.syntax.nodes.spans import set_span


def one_after_the_other(node: exp.Select) -> exp.Select:
    """A SELECT whose star sets no column to what an assignment beside it has set."""
    star = _star(node)
    given = list(star.args.get("replace") or ()) if star is not None else []
    first = _independent(given)
    if star is None or len(first) == len(given):
        return node
    inner = node.copy()
    inner_star = _star(inner)
    assert inner_star is not None
    inner_star.set("replace", [each.copy() for each in first])
    query = exp.Subquery(this=inner)
    name = _name(node)
    if name:
        query.set("alias", exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
    rest = exp.Star(replace=[each.copy() for each in given[len(first) :]])
    outer = exp.Select(expressions=[rest], from_=exp.From(this=query))
    set_span(rest, span_of(star))
    set_span(outer, span_of(node))
    outer.parent = node.parent
    return one_after_the_other(outer)


def _star(node: exp.Select) -> exp.Star | None:
    items = node.expressions
    return items[0] if len(items) == 1 and isinstance(items[0], exp.Star) else None


def _independent(given: list[exp.Expression]) -> list[exp.Expression]:
    """The first assignments, up to one that reads or sets what one before it has set."""
    known: set[str] = set()
    for place, each in enumerate(given):
        read = {column.name.lower() for column in each.this.find_all(exp.Column)}
        name = each.alias.lower()
        if name in known or read & known:
            return given[:place]
        known.add(name)
    return given


def _name(node: exp.Select) -> str:
    """What the rows are called, if all of them are of one relation."""
    clause = node.args.get("from_")
    if clause is None or node.args.get("joins"):
        return ""
    return str(clause.this.alias_or_name)
