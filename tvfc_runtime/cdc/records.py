"""Records of changes as they are read: a text, the key beside it, and where it stands.

Changes of one key count in the order in which they stand in their partition of Kafka, or in which
files were written and lines stand in them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.cdc.avro import UNDECODED, texts_of
from tvfc_runtime.cdc.debezium import debezium
from tvfc_runtime.cdc.images import Images, changed_rows
from tvfc_runtime.cdc.maxwell import maxwell
from tvfc_runtime.cdc.upserts import upserts
from tvfc_runtime.changing.latest import ORDER
from tvfc_runtime.records.bad_rows import FILE

if TYPE_CHECKING:
    from tvfc_runtime.spec.source import Source

FORMS: Mapping[str, Callable[[DataFrame, Source], tuple[DataFrame, Images]]] = {
    "debezium": debezium,
    "maxwell": maxwell,
    "upsert": upserts,
}
"""What makes images of records, by FORMAT."""

LINES = "monotonically_increasing_id()"
"""Numbers that ascend with the lines of a part of a file."""


def is_of_images(source: Source) -> bool:
    """Whether the records of a source have images of rows."""
    return source.record is not None and source.record.form in FORMS


def is_changelog(source: Source) -> bool:
    """Whether the rows of a source say how much more often they are there."""
    return source.record is not None and source.record.form == "changelog"


def changes_of(records: DataFrame, source: Source) -> DataFrame:
    """The changes of rows in records; see images.py.

    Args:
        records: `value` and `key`, texts; `__file`, `__order`; what the source includes; and
            `__cdc_undecoded` if they have been no texts before.
        source: the source.
    """
    assert source.record is not None
    read, images = FORMS[source.record.form](records, source)
    if UNDECODED in records.columns:
        images = replace(images, fault=f"coalesce({UNDECODED}, {images.fault})")
    return changed_rows(read, images, source)


def with_texts(records: DataFrame, source: Source) -> DataFrame:
    """Records whose `value` and `key` are BINARY as `changes_of` takes them."""
    assert source.record is not None
    if source.record.encode == "avro":
        return texts_of(records, source.record)
    return records.withColumns({name: F.col(name).cast("string") for name in ("value", "key")})


def lines_of_files(spark: SparkSession, source: Source, options: Mapping[str, str]) -> DataFrame:
    """The lines of files as records, but for empty ones."""
    if (source.option("multiLine") or "").lower() == "true":
        raise AnalysisException(f"{source.name} reads a record a line; leave `multiLine` out")
    reader: Any = spark.read if source.static else spark.readStream
    lines = reader.format("text").options(**options).load()
    order = (
        "named_struct('at', unix_micros(_metadata.file_modification_time), "
        "'place', _metadata.file_path, 'part', _metadata.file_block_start, "
        f"'line', {LINES})"
    )
    return lines.select(
        "value",
        F.lit(None).cast("string").alias("key"),
        F.col("_metadata.file_path").alias(FILE),
        F.expr(order).alias(ORDER),
    ).where("trim(value) <> ''")


def order_in_kafka() -> str:
    """Where a record of Kafka stands, SQL."""
    return (
        "named_struct('at', CAST(0 AS BIGINT), 'place', concat(topic, '/', partition), "
        "'part', CAST(0 AS BIGINT), 'line', offset)"
    )
