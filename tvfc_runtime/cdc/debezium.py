"""Records of Debezium: `{"op": "u", "before": {…}, "after": {…}, "source": {…}}`.

They stand by themselves or in `payload`, beside a schema. A tombstone, which follows a delete for
the sake of Kafka's compaction, says nothing, nor do messages of the database's log (`op` of `m`).
A truncated table (`t`) cannot be followed, and is a record at fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.cdc.images import Images, keeps_last
from tvfc_runtime.cdc.keys import key_of
from tvfc_runtime.cdc.tables import is_of_another
from tvfc_runtime.cdc.unavailable import PLACEHOLDER, USUAL
from tvfc_runtime.cdc.values import DECIMALS, MODE, Image, struct_ddl
from tvfc_runtime.records.bad_rows import BAD
from tvfc_runtime.rows.sql_text import text

if TYPE_CHECKING:
    from tvfc_runtime.spec.source import Source

NO_JSON = "__cdc_unread IS NOT NULL AND try_parse_json(__cdc_unread) IS NULL"
"""Whether a record is no JSON at all, SQL."""

OPTIONS = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": BAD}


def debezium(records: DataFrame, source: Source) -> tuple[DataFrame, Images]:
    """Records with what they are read to, and the images in them."""
    assert source.record is not None
    row = struct_ddl(source.fields)
    of = "STRUCT<db: STRING, schema: STRING, table: STRING>"
    event = f"op: STRING, source: {of}, before: {row}, after: {row}"
    schema = f"STRUCT<{event}, payload: STRUCT<{event}>, {BAD}: STRING>"
    parsed = F.from_json("value", schema, OPTIONS)
    read = records.withColumn("__cdc_read", parsed).withColumns(
        {
            "__cdc_event": F.expr(
                "coalesce(__cdc_read.payload, named_struct('op', __cdc_read.op, "
                "'source', __cdc_read.source, 'before', __cdc_read.before, "
                "'after', __cdc_read.after))"
            ),
            "__cdc_unread": F.expr(f"__cdc_read.{BAD}"),
            "__cdc_place": F.expr("IF(__cdc_read.payload IS NULL, '$', '$.payload')"),
        }
    )
    before, after = (
        Image(
            f"__cdc_event.{name}",
            source.fields,
            source.record.options.get(MODE),
            may_be_bytes=source.record.encode == "json" and DECIMALS not in source.record.options,
            placeholder=source.record.options.get(PLACEHOLDER, USUAL),
        )
        for name in ("before", "after")
    )
    other = is_of_another(source, "__cdc_event.source")
    return read, Images(
        before="CASE WHEN __cdc_event.op IN ('u', 'd') THEN " + before.struct() + " END",
        after="CASE WHEN __cdc_event.op <> 'd' THEN " + after.struct() + " END",
        before_fault=before.fault("__cdc_unread", "concat(__cdc_place, '.before')"),
        after_fault=after.fault("__cdc_unread", "concat(__cdc_place, '.after')"),
        fault=_fault(source),
        ignored=f"value IS NULL OR __cdc_event.op = 'm' OR {other}",
        key=key_of(source, "key") if keeps_last(source) else {},
    )


def _fault(source: Source) -> str:
    """Why a record tells nothing of rows."""
    whole = not keeps_last(source)
    without = text("it does not say what the row was: PRIMARY KEY (…) keeps that")
    needs_before = (
        f"WHEN __cdc_event.op IN ('u', 'd') AND __cdc_event.before IS NULL THEN {without} "
    )
    return (
        f"CASE WHEN {NO_JSON} THEN 'no JSON' "
        "WHEN __cdc_event.op IS NULL THEN 'it has no op' "
        "WHEN __cdc_event.op = 't' THEN 'the table was truncated, which rows do not follow' "
        "WHEN __cdc_event.op NOT IN ('c', 'r', 'u', 'd') THEN concat('no op ', __cdc_event.op) "
        "WHEN __cdc_event.op <> 'd' AND __cdc_event.after IS NULL "
        "THEN 'it does not say what the row is' "
        f"{needs_before if whole else ''}END"
    )
