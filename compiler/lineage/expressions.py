"""The origins of an expression: which columns it names, and how each takes part in its value.

An expression that cannot be taken apart is made of all that it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sqlglot import exp

from compiler.lineage.origins import How, Trace, together
from compiler.sql.exprs import Expr
from compiler.sql.names import is_ours, parts_of
from compiler.sql.texts import parsed
from compiler.sqltypes import UNKNOWN, SqlType


class TracedColumn(NamedTuple):
    """A column of rows, and where it comes from; `qualifier` may stand before its name."""

    name: str
    trace: Trace
    qualifier: str | None = None
    type: SqlType = UNKNOWN


@dataclass(frozen=True)
class Scope:
    """The columns that an expression may name.

    Attributes:
        columns: of the rows that it is computed of.
        tables: those of relations that subqueries in it name.
        keys: texts of what its rows are grouped by: all else that it names is aggregated. None: its
            rows are not grouped.
        around: of a subquery, what is around it.
    """

    columns: tuple[TracedColumn, ...]
    tables: Mapping[str, tuple[TracedColumn, ...]] = field(default_factory=dict)
    keys: frozenset[str] | None = None
    around: Scope | None = None

    def found(self, parts: tuple[str, ...]) -> Trace | None:
        """The trace of a column by its name, which may be qualified, or lead into a struct."""
        names = tuple(part.lower() for part in parts)
        for length in (2, 1):
            known = self._named(names[:length]) if len(names) >= length else []
            if known:
                trace = together(each.trace for each in known)
                for part in names[length:]:
                    trace = trace.fields.get(part) or Trace(trace.used(How.TRANSFORMATION).origins)
                return trace
        return self.around.found(parts) if self.around is not None else None

    def _named(self, names: tuple[str, ...]) -> list[TracedColumn]:
        *qualifier, name = names
        known = [each for each in self.columns if each.name.lower() == name]
        if qualifier:
            return [each for each in known if (each.qualifier or "").lower() == qualifier[0]]
        # A column that JOIN … USING has made of two stands before these.
        return [each for each in known if each.qualifier is None] or known


_STANDS_FOR_A_TYPE = re.compile(r"\b__type_\d+\b")


def trace_of(expr: Expr, scope: Scope) -> Trace:
    """The trace of an expression."""
    return trace_of_sql(expr.sql, scope, expr.reads)


def trace_of_sql(sql: str, scope: Scope, reads: Iterable[str] = ()) -> Trace:
    """The trace of SQL; `reads` are the columns that it names, should it not be understood."""
    node = parsed(_STANDS_FOR_A_TYPE.sub("STRING", sql))
    if node is not None:
        return _traced(node, scope)
    named = [_column(parts_of(each), scope) for each in reads]
    how = How.TRANSFORMATION if scope.keys is None else How.AGGREGATION
    return Trace(together(named).used(how).origins)


def texts_of_keys(keys: Iterable[Expr]) -> frozenset[str]:
    """The texts of what rows are grouped by, those inside ROLLUP and its like as well."""
    query = parsed(f"SELECT 1 GROUP BY {', '.join(each.sql for each in keys)}")
    group = None if query is None else query.args.get("group")
    if group is None:
        return frozenset()
    return frozenset(
        _text(part)
        for each in group.expressions
        for part in (each.walk() if isinstance(each, _SETS) else [each])
    )


_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets)


def _text(node: exp.Expr) -> str:
    """An expression as text that is the same whether its columns are qualified or not."""
    plain = node.copy()
    for column in plain.find_all(exp.Column):
        for part in ("table", "db", "catalog"):
            column.set(part, None)
    return plain.sql("spark", normalize_functions="upper").lower()


_OF_ONE_ROW = (
    *(exp.FirstValue, exp.LastValue, exp.NthValue, exp.First, exp.Last, exp.Lag, exp.Lead),
    exp.AnyValue,
)
"""What gives the value of one of several rows."""

_HANDS_ON = (
    *(exp.Paren, exp.Alias, exp.Filter, exp.Window, exp.IgnoreNulls, exp.RespectNulls),
    *(exp.ArgMax, exp.ArgMin, exp.Max, exp.Min, exp.Coalesce, exp.If, exp.Case),
    *_OF_ONE_ROW,
)
"""What gives one of the values that it is given, whole: a struct keeps its fields."""

_CHANGES_NOTHING = (exp.Paren, exp.Alias, exp.IgnoreNulls, exp.RespectNulls)

CLAUSES = {
    "where": How.FILTER,
    "having": How.FILTER,
    "qualify": How.FILTER,
    "joins": How.JOIN,
    "group": How.GROUP_BY,
    "order": How.SORT,
}
"""Clauses of a SELECT that decide which rows it has."""

_ROLES: dict[tuple[type[exp.Expr], str], How] = {
    (exp.If, "this"): How.CONDITIONAL,
    (exp.Case, "this"): How.CONDITIONAL,
    (exp.Filter, "expression"): How.CONDITIONAL,
    (exp.Window, "partition_by"): How.WINDOW,
    (exp.Window, "order"): How.WINDOW,
    **{(exp.Select, clause): how for clause, how in CLAUSES.items()},
}
"""Parts of expressions that take part in another way than in the value."""


def _traced(node: exp.Expr, scope: Scope) -> Trace:
    if scope.keys is not None and _text(node) in scope.keys:
        scope = replace(scope, keys=None)
    if isinstance(node, exp.Column):
        return _column(tuple(part.name for part in node.parts), scope)
    if isinstance(node, exp.Struct):
        return _struct(node, scope)
    if isinstance(node, exp.Dot):
        inner = _traced(node.this, scope)
        part = inner.fields.get(node.expression.name.lower())
        return part or Trace(inner.used(How.TRANSFORMATION).origins)
    if isinstance(node, exp.Select):
        scope = _inside(node, scope)
    traces = [_traced(each, scope).used(how) for each, how in _parts(node)]
    whole = together(traces)
    return whole if isinstance(node, _HANDS_ON) else Trace(whole.origins)


def _parts(node: exp.Expr) -> Iterator[tuple[exp.Expr, How]]:
    """The operands of an operator, and how each takes part in its value."""
    adds_up = isinstance(node, exp.AggFunc) and not isinstance(node, _OF_ONE_ROW)
    usual = How.AGGREGATION if adds_up else How.TRANSFORMATION
    if isinstance(node, _CHANGES_NOTHING):
        usual = How.IDENTITY
    for place, value in node.args.items():
        how = _ROLES.get((type(node), place), usual)
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, exp.Expr):
                yield each, how


def _struct(node: exp.Struct, scope: Scope) -> Trace:
    fields: dict[str, Trace] = {}
    for place, each in enumerate(node.expressions):
        is_named = isinstance(each, exp.PropertyEQ | exp.Alias)
        value = each.expression if isinstance(each, exp.PropertyEQ) else each
        name = (each.this.name if isinstance(each, exp.PropertyEQ) else each.alias_or_name).lower()
        fields[name if is_named or name else f"col{place + 1}"] = _traced(value, scope)
    whole = together(fields.values()).used(How.TRANSFORMATION)
    return Trace(whole.origins, fields)


def _column(parts: tuple[str, ...], scope: Scope) -> Trace:
    found = scope.found(parts)
    if found is None:
        if not parts or is_ours(parts[-1]) or is_ours(parts[0]):
            return Trace()  # The clock, or a name that stands for a type.
        # Where it comes from is not understood: from anything, then.
        everything = together(each.trace for each in scope.columns)
        found = Trace(everything.used(How.TRANSFORMATION).origins)
    return found if scope.keys is None else found.used(How.AGGREGATION)


def _inside(node: exp.Select, scope: Scope) -> Scope:
    """What a subquery may name: the columns of its own tables, and what is around it."""
    own = [
        each._replace(qualifier=table.alias_or_name)
        for table in node.find_all(exp.Table)
        for each in scope.tables.get(table.name.lower(), ())
    ]
    return Scope(tuple(own), scope.tables, around=scope)
