"""Rows as Avro: the schema of their columns, and what writes them by it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from itertools import count
from typing import Any

import pyarrow as pa
from pyspark.sql import types as T  # noqa: N812

from tvfc_runtime.records.registry import MAGIC
from tvfc_runtime.records.schemas import FormatError, fastavro, parsed

_PLAIN: dict[type[T.DataType], Any] = {
    T.BooleanType: "boolean",
    T.ByteType: "int",
    T.ShortType: "int",
    T.IntegerType: "int",
    T.LongType: "long",
    T.FloatType: "float",
    T.DoubleType: "double",
    T.StringType: "string",
    T.VarcharType: "string",
    T.CharType: "string",
    T.BinaryType: "bytes",
    T.DateType: {"type": "int", "logicalType": "date"},
    T.TimestampType: {"type": "long", "logicalType": "timestamp-micros"},
    T.TimestampNTZType: {"type": "long", "logicalType": "local-timestamp-micros"},
}


def schema_of(columns: T.StructType, name: str) -> str:
    """The schema of rows as JSON: each field may be NULL, and is by default.

    Raises:
        FormatError: a column has a type or a name that Avro has not.
    """
    numbers = count(1)
    return json.dumps(_record(columns, name, numbers, ""))


def _record(kind: T.StructType, name: str, numbers: Iterator[int], path: str) -> dict[str, Any]:
    fields = []
    for each in kind.fields:
        here = f"{path}.{each.name}" if path else each.name
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", each.name):
            raise FormatError(
                f"TVF752: the column {here} has no name of Avro's: letters, digits and _; "
                "give it another with AS"
            )
        inner = _type(each.dataType, numbers, here)
        fields.append({"name": each.name, "type": ["null", inner], "default": None})
    return {"type": "record", "name": name, "fields": fields}


def _type(kind: T.DataType, numbers: Iterator[int], path: str) -> Any:
    match kind:
        case T.DecimalType(precision=precision, scale=scale):
            return {
                "type": "bytes",
                "logicalType": "decimal",
                "precision": precision,
                "scale": scale,
            }
        case T.ArrayType(elementType=inner):
            return {"type": "array", "items": ["null", _type(inner, numbers, path)]}
        case T.MapType(keyType=T.StringType(), valueType=inner):
            return {"type": "map", "values": ["null", _type(inner, numbers, path)]}
        case T.StructType():
            return _record(kind, f"Nested{next(numbers)}", numbers, path)
        case _ if type(kind) in _PLAIN:
            return _PLAIN[type(kind)]
        case _:
            raise FormatError(
                f"TVF752: Avro has no type for the column {path}, {kind.simpleString()}: "
                "cast it, or leave it out"
            )


def avro_writer(
    schema: str, number: int | None, columns: T.StructType
) -> Callable[[pa.Array], pa.Array]:
    """What writes a column of rows, for an Arrow UDF that returns BINARY.

    Args:
        schema: what they are written by, as JSON.
        number: that of the schema at a registry, with which records begin; None: they do not.
        columns: of the rows; a MAP comes as pairs.
    """
    head = b"" if number is None else MAGIC + number.to_bytes(4, "big")
    plain = {each.name: _plain(each.dataType) for each in columns.fields}
    needed = {name: make for name, make in plain.items() if make is not None}

    def write(rows: pa.Array) -> pa.Array:
        by, encode = parsed(schema), fastavro().schemaless_writer
        records: list[bytes | None] = []
        for row in rows.to_pylist():
            if row is None:
                records.append(None)
                continue
            for name, make in needed.items():
                if row[name] is not None:
                    row[name] = make(row[name])
            stream = BytesIO()
            stream.write(head)
            encode(stream, by, row)
            records.append(stream.getvalue())
        return pa.array(records, pa.binary())

    return write


def _plain(kind: T.DataType) -> Callable[[Any], Any] | None:
    """What makes of a value in Arrow what fastavro takes; None: it takes it as it is."""
    match kind:
        case T.MapType(valueType=inner):
            make = _plain(inner) or _same
            return lambda pairs: {k: None if v is None else make(v) for k, v in pairs}
        case T.ArrayType(elementType=inner):
            each = _plain(inner)
            if each is None:
                return None
            return lambda values: [None if v is None else each(v) for v in values]
        case T.StructType():
            inside = {field.name: _plain(field.dataType) for field in kind.fields}
            needed = {name: make for name, make in inside.items() if make is not None}
            return (lambda row: _made(row, needed)) if needed else None
        case _:
            return None


def _same(value: Any) -> Any:
    return value


def _made(row: dict[str, Any], needed: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    return row | {n: make(row[n]) for n, make in needed.items() if row[n] is not None}
