"""Records of Avro as values, each by the schema that it was written by."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from tvfc_runtime.records.schemas import FormatError, Schemas, fastavro

if TYPE_CHECKING:
    from tvfc_runtime.spec.record_format import RecordFormat


class AvroDecoder:
    """Reads records of a source.

    Raises:
        FormatError: fastavro is missing, or there is no schema.
        ValueError: the schema is none.
    """

    def __init__(self, record: RecordFormat) -> None:
        self._schemas = Schemas(record)
        if self._schemas.reader is None and not record.option("schema.registry"):
            raise FormatError("TVF752: ENCODE AVRO needs a schema or a schema.registry")
        self._decode = fastavro().schemaless_reader

    def __call__(self, record: bytes) -> Any:
        """The value of a record."""
        return self.read(record)[0]

    def read(self, record: bytes) -> tuple[Any, Any]:
        """The value of a record, and the schema that it was written by."""
        writer, begin = self._schemas.writer(record)
        stream = BytesIO(record)
        stream.seek(begin)
        try:
            value = self._decode(stream, writer, self._schemas.reader)
        except EOFError:
            raise ValueError("it ends before its schema does") from None
        if stream.tell() != len(record):
            raise ValueError("it goes on where its schema ends")
        return value, writer
