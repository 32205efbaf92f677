"""ROLLUP, CUBE and GROUPING SETS of groups that change: rows once for each grouping.

Before   SELECT k, v, sum(n) FROM … GROUP BY ROLLUP (k, v)
After    SELECT k, v, sum(n) FROM (
           SELECT CASE WHEN getbit(g, 1) = 0 THEN k END AS k,
             CASE WHEN getbit(g, 0) = 0 THEN v END AS v, n, g
           FROM … LATERAL VIEW explode(array(0, 1, 3)) AS g
         ) GROUP BY k, v, g

As in Spark, a grouping is a number, of which a bit is set for each key that is not in it; arguments
of aggregates are those of the rows, also where they are keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from compiler.bind.names.columns import column_named
from compiler.plan.nodes import Item, Plan, Project
from compiler.sql.exprs import Expr
from compiler.sql.names import quoted_name

MOST_SETS = 1_000
"""Each row is grouped so often at most."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """Several groupings of rows.

    Attributes:
        column: tells of a row for which grouping it is there.
        keys: all keys; a grouping has a bit for each, the last one the lowest.
        sets: the groupings, as the places of their keys.
    """

    column: str
    keys: tuple[str, ...]
    sets: tuple[frozenset[int], ...]

    def numbers(self) -> list[int]:
        """The groupings as numbers; what is there again has one above the bits."""
        seen: Counter[int] = Counter()
        found: list[int] = []
        for each in self.sets:
            missing = sum(1 << self._bit(n) for n in range(len(self.keys)) if n not in each)
            found.append(missing + (seen[missing] << len(self.keys)))
            seen[missing] += 1
        return found

    def grouping(self, place: int) -> Expr:
        """`grouping(key)`: 1 where the key is not in the grouping."""
        return Expr(
            sql=f"getbit({quoted_name(self.column)}, {self._bit(place)})", reads=self._reads
        )

    def grouping_id(self) -> Expr:
        """`grouping_id()`."""
        whole = quoted_name(self.column)
        sql = (
            whole if len(set(self.sets)) == len(self.sets) else f"({whole} % {1 << len(self.keys)})"
        )
        return Expr(sql=sql, reads=self._reads)

    @property
    def _reads(self) -> tuple[str, ...]:
        return (quoted_name(self.column),)

    def _bit(self, place: int) -> int:
        return len(self.keys) - 1 - place


def expanded(rows: Plan, names: Sequence[str], by: Expansion) -> Plan:
    """Rows once for each grouping, in which a key that it has not is NULL.

    Args:
        rows: with all keys.
        names: of their columns.
        by: the groupings.
    """
    numbers = ", ".join(f"{each}L" for each in by.numbers())
    number = Item(expr=Expr(sql=f"explode(array({numbers}))"), name=by.column)
    several = Project(input=rows, items=(*map(column_named, names), number))
    kept = {name: place for place, name in enumerate(by.keys)}
    items = [
        _in_its_sets(column_named(name), by.grouping(kept[name]))
        if name in kept
        else column_named(name)
        for name in (*names, by.column)
    ]
    return Project(input=several, items=tuple(items))


def _in_its_sets(key: Item, missing: Expr) -> Item:
    sql = f"CASE WHEN {missing.sql} = 0 THEN {key.expr.sql} END"
    return replace(key, expr=Expr(sql=sql, reads=(*missing.reads, *key.expr.reads)))
