"""Rows by key: the last row of a key counts, and a record without a value takes its key away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.cdc.debezium import NO_JSON, OPTIONS
from tvfc_runtime.cdc.images import Images
from tvfc_runtime.cdc.keys import key_of
from tvfc_runtime.cdc.unavailable import PLACEHOLDER, USUAL
from tvfc_runtime.cdc.values import MODE, Image, struct_ddl
from tvfc_runtime.records.bad_rows import BAD
from tvfc_runtime.rows.sql_text import quote, text

if TYPE_CHECKING:
    from tvfc_runtime.spec.source import Source


_OBJECT = r"'(?s)^\\s*[{].*[}]\\s*$'"
"""What an object of JSON looks like; Spark reads a number or a list as one without fields."""


def upserts(records: DataFrame, source: Source) -> tuple[DataFrame, Images]:
    """Records with what they are read to, and the images in them."""
    assert source.record is not None
    inner = struct_ddl(source.fields).removesuffix(">")
    read = records.withColumn(
        "__cdc_read", F.from_json("value", f"{inner}, {BAD}: STRING>", OPTIONS)
    )
    read = read.withColumn("__cdc_unread", F.expr(f"__cdc_read.{BAD}"))
    row = Image(
        "__cdc_read",
        source.fields,
        source.record.options.get(MODE),
        # What unwraps the records of Debezium leaves its placeholder in them.
        placeholder=source.record.options.get(PLACEHOLDER, USUAL),
    )
    key = key_of(source, "key") if any(name in source.fields for name in source.key) else {}
    values = {name: row.value(name) for name in source.fields}
    other = [
        f"WHEN value IS NOT NULL AND {values[name]} <> {beside} "
        f"THEN {text(f'{name} is not that of the key of the record')} "
        for name, beside in key.items()
    ]
    # A key that is not among the fields of the value is that of the record.
    values |= {name: f"coalesce({values[name]}, {beside})" for name, beside in key.items()}
    fields = ", ".join(f"{text(name)}, {value}" for name, value in values.items())
    fault = row.fault("__cdc_unread", "'$'")
    return read, Images(
        before=f"CAST(NULL AS STRUCT<{_fields(source)}>)",
        after=f"CASE WHEN value IS NOT NULL THEN named_struct({fields}) END",
        before_fault="CAST(NULL AS STRING)",
        after_fault=fault,
        fault=f"CASE WHEN {NO_JSON} THEN 'no JSON' "
        f"WHEN value IS NOT NULL AND __cdc_read IS NULL THEN 'no JSON' "
        f"WHEN value NOT RLIKE {_OBJECT} THEN 'no JSON object' {''.join(other)}END",
        ignored="false",
        key=key,
    )


def _fields(source: Source) -> str:
    return ", ".join(f"{quote(name)}: {kind}" for name, kind in source.fields.items())
