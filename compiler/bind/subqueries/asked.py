"""Subqueries over streams in expressions: where they stand, and what they compare with outside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass

from sqlglot import exp

from compiler.bind.groups.aggregates import is_aggregate, own_aggregates
from compiler.bind.joins.exists import SemiTerm
from compiler.bind.joins.terms import unwrapped
from compiler.bind.names.shapes import clauses, subqueries
from compiler.sql.texts import text_of
from compiler.syntax import span_of


@dataclass(frozen=True, slots=True)
class Asked:
    """A subquery whose value an expression has.

    Attributes:
        node: `(SELECT …)`, `EXISTS (…)` or `x IN (…)`.
        query: the query in it, with its parentheses.
        is_negated: whether the text of the node is that of a NOT around it: `x NOT IN (…)`.
    """

    node: exp.Expression
    query: exp.Expression
    is_negated: bool = False


def asked_of(
    node: exp.Select,
    is_static: Callable[[exp.Expression], bool],
    semis: Iterable[SemiTerm],
) -> list[Asked]:
    """The subqueries over streams in the expressions of a SELECT, but for those in ON.

    Args:
        node: the SELECT.
        is_static: whether a query reads tables alone.
        semis: the conditions on partners, which are answered by other means.
    """
    answered = {id(query) for each in semis for query in subqueries(each.term)}
    places = [each for each in clauses(node) if not isinstance(each.parent, exp.Join)]
    return [
        _asked(query)
        for place in places
        for query in subqueries(place)
        if id(query) not in answered and not is_static(query)
    ]


def _asked(query: exp.Expression) -> Asked:
    around = query.parent
    node = around if isinstance(around, exp.Exists | exp.In) else query
    above = node.parent
    negated = isinstance(above, exp.Not) and span_of(above) == span_of(node)
    return Asked(node, query, negated)


def has_groups(node: exp.Select) -> bool:
    """Whether a SELECT makes groups: by GROUP BY, or one of all rows by aggregates alone."""
    by = node.args.get("group") or node.args.get("having")
    return bool(by) or any(True for _ in own_aggregates(node))


def is_of_groups(asked: Asked, node: exp.Select, keys: Iterable[exp.Expression]) -> bool:
    """Whether an expression of a SELECT with groups is computed of those, not of the rows below.

    Args:
        asked: the expression.
        node: the SELECT.
        keys: what it groups by; an item by its name or number.
    """
    if not has_groups(node) or any(has_node(each, asked.node) for each in keys):
        return False
    around = asked.node.parent
    while around is not None and around is not node:
        if isinstance(around, exp.Where | exp.Group) or is_aggregate(around):
            return False
        around = around.parent
    return True


def is_key_again(asked: Asked, node: exp.Select, keys: Iterable[exp.Expression]) -> bool:
    """Whether a subquery stands in what is a key of the groups, written once more elsewhere."""
    texts = {text_of(each) for each in keys if each.find(exp.Query)}
    around: exp.Expr | None = asked.node
    while texts and around is not None and around is not node:
        if text_of(around) in texts:
            return True
        around = around.parent
    return False


def has_node(node: exp.Expression, part: exp.Expression) -> bool:
    """Whether a node is inside another one, or is that itself."""
    around: exp.Expr | None = part
    while around is not None and around is not node:
        around = around.parent
    return around is node


def is_asked_for_truth(node: exp.Expression) -> bool:
    """Whether a condition that is NULL leaves out a row as one that is FALSE does."""
    around: exp.Expr | None = node.parent
    while isinstance(around, exp.Paren | exp.And | exp.Or):
        around = around.parent
    return isinstance(around, exp.Where | exp.Having | exp.Qualify)


def is_of_one_row(query: exp.Expression) -> bool:
    """Whether a query has one row at most by the way it is written."""
    if not isinstance(query, exp.Select):
        return False
    limit = query.args.get("limit")
    number = limit.expression if isinstance(limit, exp.Limit) else None
    if isinstance(number, exp.Literal) and number.is_int and int(number.name) <= 1:
        return True
    return not query.args.get("group") and any(True for _ in own_aggregates(query))


def equality(term: exp.Expression, free: Set[int]) -> tuple[exp.Expression, exp.Expression] | None:
    """What a term says to be equal: a value of the subquery's own rows, and one of those around.

    Args:
        term: of the WHERE of the subquery.
        free: the columns that the subquery does not read itself, by identity.
    """
    term = unwrapped(term)
    if not isinstance(term, exp.EQ):
        return None
    for own, outer in ((term.this, term.expression), (term.expression, term.this)):
        owns, outers = ({id(each) for each in side.find_all(exp.Column)} for side in (own, outer))
        if owns and outers and not owns & free and outers <= free:
            return own, outer
    return None
