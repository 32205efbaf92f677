"""The names in a MATCH_RECOGNIZE: columns of its relation, variables that qualify them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlglot import exp

from compiler.bind.names.expressions import ExpressionBinder
from compiler.bind.names.scope import OutColumn, Relation, Scope
from compiler.bind.patterns import refusals
from compiler.bind.patterns.pattern import Variables, unknown_variable
from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import Item
from compiler.sql.exprs import Expr
from compiler.sql.names import parts_of, qualified, quoted_name, same
from compiler.sqltypes import SqlType
from compiler.syntax import span_of


class RefusedError(Exception):
    """A part that is refused; it has been reported."""


@dataclass
class Columns:
    """The columns that the matcher reads, as the projection below it has them."""

    items: dict[str, Item] = field(default_factory=dict)
    types: dict[str, SqlType] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)

    def own(self, column: OutColumn) -> str:
        """A column of the relation under its own name."""
        sql = column.sql or quoted_name(column.name)
        return self._add(sql, Item(expr=Expr(sql=sql, type=column.type, reads=(sql,)), name=None))

    def of(self, expr: Expr) -> str:
        """The column of an expression over one row."""
        return self._add(expr.sql, Item(expr=expr, name=None))

    def _add(self, sql: str, item: Item) -> str:
        if sql not in self._names:
            # Not `false`, which is no column.
            parts = parts_of(sql) if item.expr.reads == (sql,) else ()
            is_free = len(parts) == 1 and parts[0].lower() not in map(str.lower, self.items)
            name = parts[0] if is_free else f"__match_{len(self.items) + 1}"
            self._names[sql] = name
            self.items[name] = replace(item, name=name)
            self.types[name] = item.expr.type
        return self._names[sql]


@dataclass
class Rows:
    """The names of rows and columns in a MATCH_RECOGNIZE, bound.

    `scope` has the relation whose rows are matched; columns stand in it for themselves, whatever
    variable they are qualified by.
    """

    relation: Relation
    variables: Variables
    problems: Problems
    columns: Columns = field(default_factory=Columns)

    def __post_init__(self) -> None:
        self.scope = Scope(self.problems, [replace(self.relation, alias=None)])

    def binder(self) -> ExpressionBinder:
        """Binds what reads one row; `bind_columns` must have seen it."""
        return ExpressionBinder(self.scope, self.problems)

    def bind_columns(self, node: exp.Expression) -> None:
        """Find the columns in a clause."""
        for column in node.find_all(exp.Column):
            if isinstance(column.this, exp.Star):
                continue
            parts = self.parts(column)
            inner = exp.Column(this=parts[-1].copy())
            for key, part in zip(("table", "db", "catalog"), reversed(parts[:-1]), strict=False):
                inner.set(key, part.copy())
            inner.meta["span"] = span_of(column)
            found = self.scope.resolve(inner)
            if found.is_clock:
                refusals.clock(column, self.problems)
            names = [found.name] if len(parts) == 1 else [each.name for each in parts]
            sql = found.sql or qualified(*names)
            self.scope.stands_for[span_of(column)] = Expr(sql=sql, type=found.type, reads=(sql,))

    def parts(self, column: exp.Column) -> list[exp.Expr]:
        """The parts of a column's name without the variable, or the alias of the relation."""
        parts = list(column.parts)
        is_of_variable = len(parts) > 1 and self.variables.named(parts[0].name) is not None
        if is_of_variable:
            return parts[1:]
        if len(parts) > 1 and same(self.relation.alias or "", parts[0].name):
            return parts[1:]
        if len(parts) > 1 and self.relation.column(parts[0].name) is None:
            names = list(self.variables.members)
            unknown_variable(parts[0].name, span_of(column), names, self.problems)
            raise RefusedError
        return parts

    def variable(self, column: exp.Column) -> tuple[str, ...] | None:
        """The variables whose rows a column is of; None: all rows."""
        parts = column.parts
        return self.variables.named(parts[0].name) if len(parts) > 1 else None
