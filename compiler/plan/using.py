"""USING beside what WHERE says of both sides of an inner join.

DataFrame.join() takes columns in common or a condition, not both.

Before   FROM a JOIN b USING (k) WHERE a.v = b.w
After    FROM a JOIN b ON a.k = b.k AND a.v = b.w, where `k` is a.k
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from compiler.plan.exprs import Binding, Expr
from compiler.plan.names import qualified
from compiler.plan.scope import OutColumn, Relation, same


def is_spelled_out(names: Iterable[str], lefts: Sequence[Relation]) -> bool:
    """Whether a join before this one has made a condition of its USING, by one of the names."""
    found = (relation.column(name) for name in names for relation in lefts)
    return any(each is not None and each.sql is not None for each in found)


def spelled_out(
    names: Sequence[str], relations: Sequence[Relation]
) -> tuple[list[Expr], list[Relation]]:
    """What USING says as conditions, and the relations, of which the first of each name has it.

    Args:
        names: the columns of USING.
        relations: the joined ones, all with an alias; the last one is the right side.
    """
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
