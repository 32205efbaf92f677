"""What groups read of the rows below them, as columns."""

from __future__ import annotations

from dataclasses import dataclass, field

from compiler.bind.joins.pairs import fresh
from compiler.plan.nodes import Item
from compiler.sql.exprs import Expr
from compiler.sql.names import own_name


@dataclass
class Columns:
    """The projection below the groups: expressions under names, each once."""

    items: list[Item] = field(default_factory=list)
    _names: dict[tuple[str, str], str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    def name_of(self, expr: Expr, otherwise: str) -> str:
        """The name of a key or argument; a column keeps its own."""
        return self._known(expr, otherwise)

    def condition(self, expr: Expr) -> str:
        """The name of a condition, which is no key and no argument: legs may set it to FALSE."""
        return self._known(expr, "where", "condition")

    def key(self, expr: Expr) -> str:
        """The name of a key that is no argument: it is NULL in some of several groupings."""
        return self._known(expr, "key", "key")

    def _known(self, expr: Expr, otherwise: str, use: str = "") -> str:
        known = use, expr.sql
        if known not in self._names:
            own = own_name(expr.sql)
            is_column = expr.reads == (expr.sql,)
            name = self.fresh(own if is_column else f"{otherwise}_{len(self.items) + 1}")
            self._names[known] = name
            self.items.append(Item(expr=expr, name=name))
        return self._names[known]

    def fresh(self, wanted: str) -> str:
        """A name that nothing else in the groups has."""
        return fresh(wanted, self._taken)
