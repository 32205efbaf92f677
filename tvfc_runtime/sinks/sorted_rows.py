"""Rows of a batch in order."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.changing.ranks import Sort
from tvfc_runtime.rows.sql_text import quote


def in_order(rows: DataFrame, keys: Sequence[Sort]) -> DataFrame:
    """The rows of each batch in order of some columns, in one partition."""
    return rows.repartition(1).sortWithinPartitions(*map(_column, keys))


def _column(key: Sort) -> Column:
    column = F.col(quote(key.name))
    is_first = not key.descending if key.nulls_first is None else key.nulls_first
    if key.descending:
        return column.desc_nulls_first() if is_first else column.desc_nulls_last()
    return column.asc_nulls_first() if is_first else column.asc_nulls_last()
