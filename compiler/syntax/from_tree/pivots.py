"""PIVOT and UNPIVOT."""

from __future__ import annotations

from itertools import product
from typing import Any

from sqlglot import exp

from compiler.syntax.refusal import RefusalError


def pivoted(item: exp.Expression, pivot_: exp.Pivot) -> exp.Expression:
    """A relation and one more pivot."""
    item.append("pivots", pivot_)
    return item


def pivot_alias(value: exp.Expression, name: exp.Identifier) -> exp.PivotAlias:
    """`value AS name`."""
    return exp.PivotAlias(this=value, alias=name)


def pivot_aggregates(*items: exp.Expression) -> list[exp.Expression]:
    """What PIVOT computes."""
    return list(items)


def pivot_in(column: exp.Expression, *values: exp.Expression) -> exp.In:
    """`b IN (1, 2)`: the values that become columns."""
    return exp.In(this=column, expressions=list(values))


def pivot(
    aggregates: list[exp.Expression], field: exp.In, alias: exp.TableAlias | None
) -> exp.Pivot:
    """`PIVOT (sum(a) FOR b IN (1, 2))`."""
    names = [] if len(aggregates) == 1 else _aggregate_names(aggregates)
    fields = [[value.alias_or_name for value in field.expressions]]
    if names:
        fields.append(names)
    return exp.Pivot(
        expressions=aggregates,
        fields=[field],
        unpivot=False,
        alias=alias,
        columns=[exp.to_identifier("_".join(parts)) for parts in product(*fields)],
        identify_pivot_strings=False,
        prefixed_pivot_columns=False,
        pivot_column_naming="agg_name_if_multiple",
    )


def _aggregate_names(aggregates: list[exp.Expression]) -> list[str]:
    from sqlglot.dialects.dialect import pivot_column_names  # noqa: PLC0415 (for pivots only)

    names: list[str] = pivot_column_names(aggregates, dialect="spark")
    return names


def unpivot(
    nulls: str | None,
    value: exp.Expression,
    field: exp.In,
    alias: exp.TableAlias | None,
) -> exp.Pivot:
    """`UNPIVOT (value FOR name IN (a, b))`."""
    for column in field.expressions:
        source = column.this if isinstance(column, exp.PivotAlias) else column
        if isinstance(source, exp.Tuple) != isinstance(value, exp.Tuple):
            raise RefusalError(
                "TVF109",
                "the columns of UNPIVOT stand in parentheses if the value does, and only then",
                source.meta.get("span"),
                help="write (v FOR n IN (a, b)) or ((v, w) FOR n IN ((a, b), (c, d)))",
            )
    include = {"INCLUDE NULLS": True, "EXCLUDE NULLS": False}.get(nulls or "")
    return exp.Pivot(
        expressions=[value],
        fields=[field],
        unpivot=True,
        include_nulls=include,
        alias=alias,
    )


def unpivot_in(name: exp.Identifier, *columns: exp.Expression) -> exp.In:
    """`n IN (a, b)`: the columns that become rows."""
    return exp.In(this=name, expressions=list(columns))


RULES: tuple[Any, ...] = (
    pivot,
    pivot_aggregates,
    pivot_alias,
    pivot_in,
    pivoted,
    unpivot,
    unpivot_in,
)
