"""The value of a record out of a row, by the ENCODE of a sink."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as T  # noqa: N812
from pyspark.sql.pandas.functions import arrow_udf

from tvfc_runtime.records.avro_write import avro_writer, schema_of
from tvfc_runtime.records.by_plugin import plugin_writer
from tvfc_runtime.records.protobuf_read import file_of
from tvfc_runtime.records.protobuf_write import protobuf_writer
from tvfc_runtime.records.registry import Registry, RegistryError
from tvfc_runtime.records.schemas import FormatError, parsed
from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.json_text import TIMES, json_text

if TYPE_CHECKING:
    from tvfc_runtime.spec.record_format import RecordFormat

Encode = Callable[[Column], Column]
"""A struct of the columns of a row as the value of a record, STRING or BINARY."""

IN_A_LINE = (
    *(T.BooleanType, T.NumericType, T.StringType, T.VarcharType, T.CharType),
    *(T.DateType, T.TimestampType, T.TimestampNTZType),
)
"""The types that have one spelling in a line of CSV."""


def value_encoder(
    record: RecordFormat | None,
    columns: T.StructType,
    *,
    sink: str,
    topic: str | None,
    key: Sequence[str] = (),
) -> Encode:
    """What makes the values of records; a registry is told of their schema here, before any batch.

    Args:
        record: how values are written; None: as JSON.
        columns: those of the struct that is encoded.
        sink: the sink's name.
        topic: where records go: their schema is that of the subject `topic-value`, unless the
            option `subject` names another.
        key: the columns that the key of a record has.

    Raises:
        SinkError: the columns have no schema, or the registry refuses it or does not answer.
    """
    if record is None:
        return json_text
    try:
        match record.encode:
            case "json":
                return json_text
            case "csv":
                return _csv(record, columns)
            case "bytes":
                return _bytes(columns, key)
            case "protobuf":
                return _protobuf(record, columns, topic)
            case "avro":
                return _avro(record, columns, sink, topic)
            case _:
                return _by_arrow(plugin_writer(record, columns))
    except (FormatError, RegistryError, ValueError) as error:
        text = str(error)
        if not text.startswith("TVF"):
            text = f"TVF752: {text}"
        code, _, said = text.partition(": ")
        raise SinkError(f"{code}: sink {sink}: {said}") from None


def _csv(record: RecordFormat, columns: T.StructType) -> Encode:
    """A line, as Spark writes it, with all digits of times."""
    for each in columns.fields:
        if not isinstance(each.dataType, IN_A_LINE):
            raise FormatError(
                f"TVF752: a line of CSV has no form for the column {each.name}, "
                f"{each.dataType.simpleString()}: cast it to STRING, take its parts, or write "
                "ENCODE JSON"
            )
    given = {name.lower() for name in record.options}
    times = {name: form for name, form in TIMES.items() if name.lower() not in given}
    return lambda row: F.to_csv(row, {**times, **record.options})


def _bytes(columns: T.StructType, key: Sequence[str]) -> Encode:
    """The one column that is not in the key."""
    keys = {name.lower() for name in key}
    values = [each for each in columns.fields if each.name.lower() not in keys]
    if len(values) != 1 or not isinstance(values[0].dataType, T.BinaryType | T.StringType):
        found = ", ".join(f"{each.name} {each.dataType.simpleString()}" for each in values)
        raise FormatError(
            "TVF752: ENCODE BYTES takes one column, BINARY or STRING, beside those of the key, and "
            f"not {found or 'none'}: leave the others out, or write ENCODE JSON"
        )
    return lambda row: row.getField(values[0].name)


def _protobuf(record: RecordFormat, columns: T.StructType, topic: str | None) -> Encode:
    write = protobuf_writer(record, None, columns)
    if record.option("schema.registry"):
        file = base64.b64encode(file_of(record)).decode()
        number = Registry(record).register(_subject(record, topic), file, "PROTOBUF")
        write = protobuf_writer(record, number, columns)
    return _by_arrow(write)


def _avro(record: RecordFormat, columns: T.StructType, sink: str, topic: str | None) -> Encode:
    name = re.sub(r"\W|^(?=\d)", "_", sink, flags=re.ASCII)
    schema = record.option("schema") or schema_of(columns, name)
    parsed(schema)
    number = None
    if record.option("schema.registry"):
        number = Registry(record).register(_subject(record, topic), schema)
    return _by_arrow(avro_writer(schema, number, columns))


def _subject(record: RecordFormat, topic: str | None) -> str:
    """What the registry calls the schema."""
    subject = record.option("subject") or (f"{topic}-value" if topic else None)
    if subject is None:
        raise FormatError(
            "TVF752: the rows name their topics themselves: say with (subject = '…') what the "
            "registry is to call their schema"
        )
    return subject


def _by_arrow(write: Callable[[Any], Any]) -> Encode:
    encode: Any = arrow_udf(write, "binary")  # type: ignore[call-overload]
    return lambda row: encode(row)
