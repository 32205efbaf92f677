"""Rows of sources out of lines of text, as the engine is fed; see engine.py."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812

from scenario.carriers import carrier_ddl, columns_of, decode_sql
from tvfc_runtime.cdc.changelog import counted, with_told
from tvfc_runtime.cdc.records import LINES, changes_of, is_changelog, is_of_images
from tvfc_runtime.changing.latest import ORDER
from tvfc_runtime.job.building import PROC_TIME
from tvfc_runtime.records.bad_rows import FILE

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql import types as t

    from tvfc_runtime import Source

RECORD = "substring(value, instr(value, '\\t'))"
"""What follows the name in a line, SQL."""


def rows_in(lines: DataFrame, source: Source) -> DataFrame:
    """The rows of a source or table in lines of several."""
    if is_of_images(source):
        return _changes_in(lines, source)
    if is_changelog(source):
        return counted(rows_in(lines, with_told(source)))
    columns = [(name, _type_of(ddl)) for name, ddl in source.columns.items()]
    carriers = ", ".join(f"f{i}: {carrier_ddl(kind)}" for i, (_, kind) in enumerate(columns))
    parsed = lines.where(_name() == json.dumps(source.name)).select(
        F.expr(f"from_json({RECORD}, 'r STRUCT<{carriers}>, p STRING')").alias("line")
    )
    fields = [
        F.expr(decode_sql(kind, f"line.r.f{i}")).alias(name)
        for i, (name, kind) in enumerate(columns)
    ]
    arrival = F.expr("timestamp_micros(CAST(line.p AS BIGINT))").alias(PROC_TIME)
    return parsed.select(*fields, *([] if source.static else [arrival]))


def _changes_in(lines: DataFrame, source: Source) -> DataFrame:
    """The changes in records; lines are in the order in which they come."""
    order = (
        "named_struct('at', CAST(0 AS BIGINT), 'place', '', 'part', CAST(0 AS BIGINT), "
        f"'line', {LINES})"
    )
    own = lines.select("value", F.expr(order).alias(ORDER)).where(
        _name() == json.dumps(source.name)
    )
    parsed = own.select(F.expr(f"from_json({RECORD}, 'v STRING, k STRING')").alias("line"), ORDER)
    beside = (F.lit(None).cast(source.columns[each]).alias(each) for each in source.included)
    records = parsed.select(
        F.col("line.v").alias("value"),
        F.col("line.k").alias("key"),
        F.lit(None).cast("string").alias(FILE),
        ORDER,
        *beside,
    )
    return changes_of(records, source)


def ticks_in(lines: DataFrame, clock: str) -> DataFrame:
    """The ticks of a clock: column `w`, milliseconds since the epoch."""
    value = F.substring_index("value", "\t", -1)
    return lines.where(_name() == clock).select(value.cast("bigint").alias("w"))


def _name() -> Column:
    return F.substring_index("value", "\t", 1)


def _type_of(ddl: str) -> t.DataType:
    return columns_of(f"c {ddl}").fields[0].dataType
