"""Rows as records of Kafka: what is the key, what is the value.

a result with no columns but those of a record, `value` among them    it is the records
all other results            value: the row as JSON, or by the ENCODE of the sink; OPTIONS (key
                             'a, b') makes the key, as JSON
mode 'upsert'                the same without `_time` and `_diff`; a row that goes: no value
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructType

from tvfc_runtime.sinks.encode import value_encoder
from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.json_text import json_text

if TYPE_CHECKING:
    from tvfc_runtime.spec.job import Output

RECORD = {
    "key": ("string", "binary"),
    "value": ("string", "binary"),
    "headers": ("array<struct<key:string,value:binary>>",),
    "partition": ("int",),
    "topic": ("string",),
}
"""The columns of a record, as Spark's own sink has them, and their types."""

DIFF = "_diff"
UPDATE = ("_time", DIFF)
"""The last two columns of a result that changes: when it did, and +1 or -1."""


def records_of(rows: DataFrame, output: Output) -> DataFrame:
    """The rows of an output as records, `_diff` last where the sink has to know it.

    Raises:
        SinkError: the rows have no such columns.
    """
    names = [name.lower() for name in rows.columns]
    key = message_key(output)
    if output.record is None and not key and "value" in names and set(names) <= RECORD.keys():
        _check_types(rows, output)
        return rows
    fields = [f"c{place}" for place in range(len(names))]
    # By place: several columns may have one name.
    plain = rows.toDF(*fields)
    is_netted = bool(output.key) and tuple(rows.columns[-2:]) == UPDATE
    kept = fields[:-2] if is_netted else fields
    value = F.struct(
        *(F.col(field).alias(name) for field, name in zip(kept, rows.columns, strict=False))
    )
    encode = value_encoder(
        output.record,
        _struct(rows.schema, len(kept)),
        sink=output.name,
        topic=_topic(output),
        key=key,
    )
    columns = [encode(value).cast("binary").alias("value")]
    if key:
        parts = [F.col(fields[_place(name, names, output)]).alias(name) for name in key]
        columns.insert(0, json_text(F.struct(*parts)).cast("binary").alias("key"))
    if is_netted:
        columns.append(F.col(fields[-1]).alias(DIFF))
    return plain.select(*columns)


def _struct(columns: StructType, number: int) -> StructType:
    return StructType(columns.fields[:number])


def _topic(output: Output) -> str | None:
    given = {name.lower(): value for name, value in output.options.items()}
    return given.get("topic")


def _check_types(records: DataFrame, output: Output) -> None:
    for field in records.schema.fields:
        types = RECORD[field.name.lower()]
        if field.dataType.simpleString() not in types:
            raise SinkError(
                f"TVF707: sink {output.name}: the column {field.name} of a record is "
                f"{' or '.join(types)}, and this one {field.dataType.simpleString()}: cast it, or "
                "give it another name for a row as JSON"
            )


def message_key(output: Output) -> tuple[str, ...]:
    """The columns of which the key of a record is made; none: records have no key."""
    if output.key:
        return output.key
    given = {name.lower(): value for name, value in output.options.items()}.get("key", "")
    return tuple(part.strip() for part in given.split(",") if part.strip())


def _place(name: str, names: Sequence[str], output: Output) -> int:
    if name.lower() not in names:
        raise SinkError(f"TVF707: sink {output.name}: the rows have no column {name} for the key")
    return names.index(name.lower())


def net_records(changes: DataFrame) -> DataFrame:
    """Records and their `_diff` as a record for each key: what it has now, or no value.

    `copies` says how many rows the key has, of those that are not there before and after alike.
    """
    # By key alone: both sums find all of a key in one place.
    by_key = changes.repartition(F.col("key"))
    net = by_key.groupBy("key", "value").agg(F.sum(DIFF).alias("n")).where("n <> 0")
    comes = F.col("n") > 0
    return net.groupBy("key").agg(
        F.max(F.when(comes, F.col("value"))).alias("value"),
        F.coalesce(F.sum(F.when(comes, F.col("n"))), F.lit(0)).alias("copies"),
    )


def one_row_a_key(net: DataFrame) -> DataFrame:
    """The same, for a writer that does not look: two rows of a key stop the job."""
    text = F.concat(
        F.lit("TVF706: two rows of the result have the key "),
        F.col("key").cast("string"),
        F.lit("; a key names one row: add the columns that tell them apart"),
    )
    checked = F.when(F.col("copies") > 1, F.raise_error(text)).otherwise(F.col("value"))
    return net.select("key", checked.cast("binary").alias("value"))
