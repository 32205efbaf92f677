"""Aggregates of distinct values over streams, of which Spark's streaming aggregate knows none.

Before   sum(DISTINCT x) FILTER (WHERE y)
After    the sum of the elements of collect_set(x) FILTER (WHERE y)
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from compiler.bind.names.collations import refuse_collations
from compiler.bind.names.expressions import ExpressionBinder
from compiler.sql.exprs import Expr, flat_text
from compiler.syntax import span_of

_INDIFFERENT = (
    exp.Max,
    exp.Min,
    exp.LogicalAnd,
    exp.LogicalOr,
    exp.BitwiseAndAgg,
    exp.BitwiseOrAgg,
    exp.AnyValue,
    exp.ApproxDistinct,
    exp.ArrayUniqueAgg,
)
"""Aggregates that are the same of all values and of the different ones."""


@dataclass
class DistinctAggregates:
    """What stands for the aggregates of distinct values of a SELECT.

    `types` are names in the SQL for types, each with the expression that has the type.
    """

    binder: ExpressionBinder
    types: list[tuple[str, Expr]] = field(default_factory=list)

    def stand_for(self, node: exp.Expression) -> None:
        """Let an aggregate stand for other SQL, if it is one of distinct values."""
        if isinstance(node, exp.ArrayUniqueAgg):
            refuse_collations("collect_set()", [node.this], self.binder)
        if not isinstance(node.this, exp.Distinct):
            return
        if refuse_collations("DISTINCT", node.this.expressions, self.binder):
            return
        values = [self.binder.bind(each) for each in node.this.expressions]
        outer = node.parent if isinstance(node.parent, exp.Filter) else node
        where = ""
        reads = [name for each in values for name in each.reads]
        if outer is not node:
            condition = self.binder.bind(outer.expression.this)
            where = f" FILTER (WHERE {condition.sql})"
            reads += condition.reads
        sql = self._sql(node, values, where)
        if sql is None:
            self._refuse(node)
            return
        self.binder.stands_for[span_of(outer)] = Expr(sql=sql, reads=tuple(dict.fromkeys(reads)))

    def _sql(self, node: exp.Expression, values: list[Expr], where: str) -> str | None:
        found = f"collect_set({_element([each.sql for each in values])}){where}"
        if isinstance(node, exp.Count):
            return f"size({found})"
        if len(values) > 1:
            return None
        value = values[0]
        if isinstance(node, exp.ArrayAgg):
            return found
        if isinstance(node, _INDIFFERENT):
            text = flat_text(self.binder.problems.source, span_of(node))
            name = text.split("(")[0].strip()
            return f"{name}({value.sql}){where}"
        if isinstance(node, exp.Sum):
            return self._total(found, value)
        if isinstance(node, exp.Avg):
            total, kind = self._total(found, value), self._type("avg", value)
            return f"CAST({total} / nullif(size({found}), 0) AS {kind})"
        return None

    def _total(self, found: str, value: Expr) -> str:
        """The sum of an array, in the type that Spark gives a sum."""
        kind = self._type("sum", value)
        plus = f"CAST(CASE WHEN a IS NULL THEN x ELSE a + x END AS {kind})"
        return f"aggregate(sort_array({found}), CAST(NULL AS {kind}), (a, x) -> {plus})"

    def _type(self, function: str, value: Expr) -> str:
        """A name for the type that an aggregate has, which the job finds out."""
        sql = f"{function}({value.sql})"
        known = {of.sql: name for name, of in self.types}
        if sql not in known:
            known[sql] = f"__type_{len(self.types) + 1}"
            self.types.append((known[sql], Expr(sql=sql, reads=value.reads)))
        return known[sql]

    def _refuse(self, node: exp.Expression) -> None:
        self.binder.problems.add(
            "TVF501",
            f"{node.key.upper()}(DISTINCT …) over a stream is not supported yet",
            span_of(node),
            "not supported",
            advice="group by the value, too, in a subquery, and aggregate its rows",
        )


def _element(values: list[str]) -> str:
    """What is collected for several values: those of a row that has them all."""
    if len(values) == 1:
        return values[0]
    present = " AND ".join(f"{value} IS NOT NULL" for value in values)
    return f"CASE WHEN {present} THEN struct({', '.join(values)}) END"
