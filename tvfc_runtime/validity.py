"""When a row is in the result, as Spark columns: pieces of time, put together with AND and OR.

A column of this module is an ARRAY<STRUCT<from: BIGINT, to: BIGINT>>: the row is in the result at
the clock values from `from` up to but not including `to`, in milliseconds since the epoch. A piece
whose `from` is NULL is none; one whose `to` is NULL has no end. Pieces may come in any order,
overlap, or be crossed: the temporal operator puts them in order.

Bounds are those of release.py: `reached(e)` is the first clock value at which `c >= e`, and so the
first at which `c < e` is false; `passed(e)` is the same for `c > e` and `c <= e`.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.release import at_once
from tvfc_runtime.temporal import VALID

_EMPTY = "CAST(array() AS ARRAY<STRUCT<from: BIGINT, to: BIGINT>>)"


def during(
    start: Column | None = None, end: Column | None = None, where: str | None = None
) -> Column:
    """One piece of time for the rows that satisfy a condition.

    Args:
        start: the first clock value at which the condition on the clock holds; None: all along.
        end: the first clock value after that at which it does not; None: it does for ever.
        where: an ordinary condition, Spark SQL; None: all rows.

    A bound that is NULL for a row makes its condition NULL, and so the row is never in.
    """
    begins = at_once() if start is None else start
    if end is not None:
        begins = F.when(end.isNotNull(), begins)
    if where is not None:
        begins = F.when(F.expr(where), begins)
    return _pieces(begins, F.lit(None) if end is None else end)


def always(where: str | None = None) -> Column:
    """At every clock value, for the rows that satisfy a condition."""
    return during(where=where)


def from_due(due: Column) -> Column:
    """From a due time on, which an input of a step carries; NULL: never."""
    return during(due)


def any_of(*alternatives: Column) -> Column:
    """While one of several alternatives holds (OR)."""
    if len(alternatives) == 1:
        return alternatives[0]
    return F.concat(*(F.coalesce(each, F.expr(_EMPTY)) for each in alternatives))


def both(*conditions: Column) -> Column:
    """While all of several conditions hold (AND)."""
    return reduce(_intersection, conditions)


def with_valid(rows: DataFrame, valid: Column) -> DataFrame:
    """Rows with the pieces of time at which they are in the result, as their last column."""
    return rows.withColumn(VALID, valid)


def _intersection(left: Column, right: Column) -> Column:
    def within(one: Column) -> Column:
        return F.transform(right, lambda other: _common(one, other))

    return F.flatten(F.transform(left, within))


def _common(one: Column, other: Column) -> Column:
    starts, ends = ((one.getField(name), other.getField(name)) for name in ("from", "to"))
    are_pieces = starts[0].isNotNull() & starts[1].isNotNull()
    # greatest() and least() pass over NULL, which is right for an end that is not there.
    return _piece(F.when(are_pieces, F.greatest(*starts)), F.least(*ends))


def _pieces(start: Column, end: Column) -> Column:
    return F.array(_piece(start, end))


def _piece(start: Column, end: Column) -> Column:
    return F.struct(start.cast("bigint").alias("from"), end.cast("bigint").alias("to"))
