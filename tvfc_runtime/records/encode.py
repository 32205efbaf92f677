"""The value of a record out of a row, by the ENCODE of a sink."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import StructType

from tvfc_runtime.records.avro_write import avro_writer, schema_of
from tvfc_runtime.records.registry import Registry, RegistryError
from tvfc_runtime.records.schemas import FormatError, parsed
from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.json_text import json_text

if TYPE_CHECKING:
    from tvfc_runtime.record_format import RecordFormat

Encode = Callable[[Column], Column]
"""A struct of the columns of a row as the value of a record, STRING or BINARY."""


def value_encoder(
    record: RecordFormat | None, columns: StructType, *, sink: str, topic: str | None
) -> Encode:
    """What makes the values of records; a registry is told of their schema here, before any batch.

    Args:
        record: how values are written; None: as JSON.
        columns: those of the struct that is encoded.
        sink: the sink's name.
        topic: where records go: their schema is that of the subject `topic-value`, unless the
            option `subject` names another.

    Raises:
        SinkError: the columns have no schema, or the registry refuses it or does not answer.
    """
    if record is None or record.encode == "json":
        return json_text
    try:
        return _avro(record, columns, sink, topic)
    except (FormatError, RegistryError, ValueError) as error:
        text = str(error)
        if not text.startswith("TVF"):
            text = f"TVF752: {text}"
        code, _, said = text.partition(": ")
        raise SinkError(f"{code}: sink {sink}: {said}") from None


def _avro(record: RecordFormat, columns: StructType, sink: str, topic: str | None) -> Encode:
    name = re.sub(r"\W|^(?=\d)", "_", sink, flags=re.ASCII)
    schema = record.option("schema") or schema_of(columns, name)
    parsed(schema)
    number = None
    if record.option("schema.registry"):
        subject = record.option("subject") or (f"{topic}-value" if topic else None)
        if subject is None:
            raise FormatError(
                "TVF752: the rows name their topics themselves: say with (subject = '…') what the "
                "registry is to call their schema"
            )
        number = Registry(record).register(subject, schema)
    encode: Any = arrow_udf(avro_writer(schema, number, columns), "binary")  # type: ignore[call-overload]
    return lambda row: encode(row)
