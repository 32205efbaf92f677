"""Records that are no text, in Arrow: a column of them to a column of rows.

Each row has why it does not fit, NULL if it does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import types as T  # noqa: N812
from pyspark.sql.pandas.types import to_arrow_type

from tvfc_runtime.records.avro_read import AvroDecoder
from tvfc_runtime.records.by_plugin import plugin_reader
from tvfc_runtime.records.protobuf_read import ProtobufDecoder
from tvfc_runtime.records.registry import RegistryError
from tvfc_runtime.records.schemas import FormatError, misfit
from tvfc_runtime.records.values import Convert, MisfitError, Names, converter, values_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tvfc_runtime.spec.record_format import RecordFormat

ROW, FAULT = "row", "fault"

Decoder = Callable[[bytes], Any]
"""A record as a value, a dict for one with fields; raises ValueError, UnknownSchemaError, …"""

_DECODERS: dict[str, Callable[[RecordFormat], Decoder]] = {
    "avro": AvroDecoder,
    "protobuf": ProtobufDecoder,
}
"""Ours; all others are those of packages."""


def row_reader(
    fields: T.StructType, types: Mapping[str, str], record: RecordFormat
) -> Callable[[pa.Array], pa.Array]:
    """What reads a column of records, for an Arrow UDF that returns `row` and `fault`.

    Args:
        fields: the declared fields.
        types: their types as declared, by name, for what is said of records that do not fit.
        record: says where the schemas are.

    Raises:
        FormatError: records have no values of a declared type, or a schema or a package is missing.
    """
    for each in fields.fields:
        if converter(each.dataType) is None:
            raise FormatError(
                f"TVF752: column {each.name}: a record of {record.encode.upper()} has no values of "
                f"type {types[each.name]}"
            )
    # What is missing is missed at the start, not in the first batch.
    try:
        _DECODERS.get(record.encode, plugin_reader)(record)
    except ValueError as error:
        raise FormatError(f"TVF752: {error}") from None
    result = pa.struct([(ROW, _arrow_type(fields)), (FAULT, pa.string())])

    def read(values: pa.Array) -> pa.Array:
        reader = _reader_of(fields, types, record)
        rows = [reader.read(each) for each in values.to_pylist()]
        return pa.array(rows, result)

    return read


def _arrow_type(fields: T.StructType) -> pa.DataType:
    try:
        return to_arrow_type(fields, timezone="UTC")
    except TypeError:
        return to_arrow_type(fields)  # PySpark 4.2 needs not be told.


class _Reader:
    """Reads records one by one; lives as long as its Python process, and so do its schemas."""

    def __init__(
        self, fields: T.StructType, types: Mapping[str, str], record: RecordFormat
    ) -> None:
        self._decode = _DECODERS.get(record.encode, plugin_reader)(record)
        self._what = record.encode.capitalize()
        self._types = types
        self._names = Names(tuple(types))
        self._converters: dict[str, Convert] = {}
        for each in fields.fields:
            convert = converter(each.dataType)
            if convert is not None:
                self._converters[each.name] = convert

    def read(self, record: bytes | None) -> dict[str, Any]:
        """A record as `row` and `fault`.

        Raises:
            RegistryError: the registry does not answer: that is no fault of the record.
        """
        if record is None:
            return {ROW: None, FAULT: "it has no value"}
        try:
            return {ROW: self._row(record), FAULT: None}
        except RegistryError:
            raise
        except MisfitError as error:
            path = str(error)
            kind = self._types.get(path, "what is declared")
            return {ROW: None, FAULT: f"{path} is no {kind}"}
        except Exception as error:
            return {ROW: None, FAULT: misfit(error, self._what)}

    def _row(self, record: bytes) -> dict[str, Any]:
        value = self._decode(record)
        if not isinstance(value, dict):
            if len(self._converters) != 1:
                raise ValueError("its schema is none of a record")
            value = dict.fromkeys(self._converters, value)
        return values_of(value, self._converters, self._names)


_READERS: dict[str, _Reader] = {}


def _reader_of(fields: T.StructType, types: Mapping[str, str], record: RecordFormat) -> _Reader:
    """The reader of a process: schemas are fetched once in it."""
    key = f"{fields.json()} {record!r}"
    if key not in _READERS:
        _READERS[key] = _Reader(fields, types, record)
    return _READERS[key]
