"""Records of Maxwell: `{"type": "update", "table": "orders", "data": {…}, "old": {…}}`.

`old` has what an update has changed, as it was; the rest of the row was as it is in `data`. What is
said of tables and of the begin and end of a snapshot is no change of rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.cdc.debezium import NO_JSON, OPTIONS
from tvfc_runtime.cdc.images import Images
from tvfc_runtime.cdc.tables import is_of_another
from tvfc_runtime.cdc.values import MODE, Image, struct_ddl
from tvfc_runtime.records.bad_rows import BAD
from tvfc_runtime.rows.sql_text import text

if TYPE_CHECKING:
    from tvfc_runtime.spec.source import Source

NO_CHANGE = (
    "'bootstrap-start', 'bootstrap-complete', 'heartbeat', 'table-create', 'table-alter', "
    "'table-drop', 'database-create', 'database-alter', 'database-drop'"
)


def maxwell(records: DataFrame, source: Source) -> tuple[DataFrame, Images]:
    """Records with what they are read to, and the images in them."""
    assert source.record is not None
    row = struct_ddl(source.fields)
    of = "type: STRING, database: STRING, table: STRING"
    schema = f"STRUCT<{of}, data: {row}, old: {row}, {BAD}: STRING>"
    changed = "from_json(value, 'STRUCT<old: MAP<STRING, STRING>>').old"
    read = records.withColumn("__cdc_event", F.from_json("value", schema, OPTIONS)).withColumns(
        {
            "__cdc_unread": F.expr(f"__cdc_event.{BAD}"),
            "__cdc_changed": F.expr(f"IF(__cdc_event.type = 'update', {changed}, NULL)"),
            "__cdc_place": F.expr(
                "named_struct('db', __cdc_event.database, 'schema', CAST(NULL AS STRING), "
                "'table', __cdc_event.table)"
            ),
        }
    )
    mode = source.record.options.get(MODE)
    data, old = (Image(f"__cdc_event.{name}", source.fields, mode) for name in ("data", "old"))
    overlaid = ", ".join(
        f"{text(name)}, IF(map_contains_key(__cdc_changed, {text(name)}), "
        f"{old.value(name)}, {data.value(name)})"
        for name in source.fields
    )
    data_fault, old_fault = (
        data.fault("__cdc_unread", "'$.data'"),
        old.fault("__cdc_unread", "'$.old'"),
    )
    return read, Images(
        before=f"CASE WHEN __cdc_event.type = 'update' THEN named_struct({overlaid}) "
        f"WHEN __cdc_event.type = 'delete' THEN {data.struct()} END",
        after=f"CASE WHEN __cdc_event.type <> 'delete' THEN {data.struct()} END",
        before_fault=f"CASE WHEN __cdc_event.type = 'delete' THEN {data_fault} "
        f"ELSE coalesce({old_fault}, {_unchanged_fault(source, data)}) END",
        after_fault=data_fault,
        fault="CASE WHEN value IS NULL THEN 'it has no value' "
        f"WHEN {NO_JSON} THEN 'no JSON' "
        "WHEN __cdc_event.type IS NULL THEN 'it has no type' "
        "WHEN __cdc_event.type NOT IN ('insert', 'update', 'delete', 'bootstrap-insert') "
        "THEN concat('no type ', __cdc_event.type) "
        "WHEN __cdc_event.data IS NULL THEN 'it has no data' "
        "WHEN __cdc_event.type = 'update' AND __cdc_changed IS NULL THEN 'it has no old' END",
        ignored=f"__cdc_event.type IN ({NO_CHANGE}) OR {is_of_another(source, '__cdc_place')}",
        key={},
    )


def _unchanged_fault(source: Source, data: Image) -> str:
    """Why a row as it was does not fit, by what has not changed in it."""
    found = []
    for name in source.fields:
        one = Image(data.parsed, {name: source.fields[name]}, data.mode)
        fault = one.fault("__cdc_unread", "'$.data'")
        found.append(f"IF(map_contains_key(__cdc_changed, {text(name)}), NULL, {fault})")
    return f"coalesce({', '.join(found)})"
