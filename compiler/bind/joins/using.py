"""The columns of USING, as DataFrame.join() takes them or as a condition.

It takes columns in common or a condition, not both. So beside what WHERE says of both sides of an
inner join, and above another join for which that was done, USING is a condition as well.

Before   FROM a JOIN b USING (k) WHERE a.v = b.w
After    FROM a JOIN b ON a.k = b.k AND a.v = b.w, where `k` is a.k
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compiler.bind.joins.order import Joining
from compiler.bind.names.scope import OutColumn, Relation, Scope
from compiler.plan.nodes import Alias, Plan
from compiler.sql.exprs import Binding, Expr
from compiler.sql.names import qualified, same


def merged_by_names(
    left: Plan, right: Alias, joining: Joining, scope: Scope
) -> tuple[Plan, tuple[str, ...], list[Expr]]:
    """The left side, the columns of USING, and what they say if it is to be a condition.

    Args:
        left: the left side.
        right: the right one.
        joining: the join.
        scope: has the relations of both sides, to which the columns become one.
    """
    using = tuple(each.name for each in joining.using)
    *lefts, _ = scope.relations
    if not using or not (joining.on or _is_spelled_out(using, lefts)):
        scope.merge(using, scope.relations)
        return left, using, []
    left = _with_aliases(left, right, scope)
    scope.merge(using, scope.relations)
    terms, scope.relations[:] = _spelled_out(using, scope.relations)
    return left, (), terms


def _is_spelled_out(names: Sequence[str], lefts: Sequence[Relation]) -> bool:
    """Whether a column of the left side has another name there than in the query."""
    found = (relation.column(name) for name in names for relation in lefts)
    return any(each is not None and each.sql is not None for each in found)


def _with_aliases(left: Plan, right: Alias, scope: Scope) -> Plan:
    """The left side of a join, both of whose sides have an alias by which columns can be named."""
    scope.relations[-1] = replace(scope.relations[-1], alias=right.name)
    first = scope.relations[0]
    if first.alias:
        return left
    scope.relations[0] = replace(first, alias="side_1")
    return Alias(name="side_1", input=left)


def _spelled_out(
    names: Sequence[str], relations: Sequence[Relation]
) -> tuple[list[Expr], list[Relation]]:
    """What USING says as conditions, and the relations, of which the first of each name has it."""
    terms: list[Expr] = []
    found = list(relations)
    for name in names:
        place = next(n for n, each in enumerate(found) if each.column(name) or each.is_open)
        left, right = (_read(found[n], name) for n in (place, -1))
        terms.append(Expr(sql=f"{left} = {right}", binding=Binding.COMPARISON, reads=(left, right)))
        found[place] = _with(found[place], name, left)
    return terms, found


def _read(relation: Relation, name: str) -> str:
    column = relation.column(name) or OutColumn(name=name)
    return column.sql or qualified(relation.alias or "", column.name)


def _with(relation: Relation, name: str, sql: str) -> Relation:
    columns = (replace(c, sql=sql) if same(c.name, name) else c for c in relation.columns)
    return replace(relation, columns=tuple(columns))
