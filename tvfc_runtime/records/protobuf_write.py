"""Rows as records of Protobuf, by the descriptors of their message; options as for reading them.

A column is the field of its name, NULL a field that is not there. Where the absence of a field
cannot be told, NULL would be read as 0 or an empty text: that stops the job.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import types as T  # noqa: N812

from tvfc_runtime.records.protobuf_read import (
    TIMESTAMP,
    is_map,
    is_repeated,
    is_wrapper,
    message_of,
    place_of,
)
from tvfc_runtime.records.registry import MAGIC
from tvfc_runtime.records.schemas import FormatError

if TYPE_CHECKING:
    from tvfc_runtime.spec.record_format import RecordFormat

_WHOLE = (T.ByteType, T.ShortType, T.IntegerType)
_KINDS: dict[type[T.DataType], tuple[str, ...]] = {
    T.BooleanType: ("bool",),
    **dict.fromkeys(_WHOLE, ("int32", "int64", "uint32", "uint64", "double")),
    T.LongType: ("int64", "uint64"),
    T.FloatType: ("float", "double"),
    T.DoubleType: ("double",),
    T.StringType: ("string", "enum"),
    T.VarcharType: ("string", "enum"),
    T.CharType: ("string", "enum"),
    T.BinaryType: ("bytes",),
}
"""The kinds of fields that hold the values of a type: of an enum its names, of `uint…` those that
are not negative; others stop the job."""

_OF_CPP = {
    1: "int32",
    2: "int64",
    3: "uint32",
    4: "uint64",
    5: "double",
    6: "float",
    7: "bool",
    8: "enum",
    10: "message",
}
_OF_TYPE = {9: "string", 12: "bytes"}

Fill = Callable[[Any, Any], None]
"""Puts a value, which is not NULL, into its field of a message."""


def protobuf_writer(
    record: RecordFormat, number: int | None, columns: T.StructType
) -> Callable[[pa.Array], pa.Array]:
    """What writes a column of rows, for an Arrow UDF that returns BINARY.

    Args:
        record: with the descriptors and the name of the message.
        number: that of the schema at a registry, with which records begin; None: they do not.
        columns: of the rows; a MAP comes as pairs.

    Raises:
        FormatError: a column has no field in the message, or one that does not hold its values.
        ValueError: there are no descriptors, or none of the message.
    """
    _filler(message_of(record)[0], columns, "")

    def write(rows: pa.Array) -> pa.Array:
        # Messages do not travel to the processes that write them: they are made there.
        descriptor, make = message_of(record)
        fill = _filler(descriptor, columns, "")
        head = b"" if number is None else _head(number, place_of(descriptor))
        written: list[bytes | None] = []
        for row in rows.to_pylist():
            if row is None:
                written.append(None)
                continue
            message = make()
            fill(message, row)
            written.append(head + message.SerializeToString(deterministic=True))
        return pa.array(written, pa.binary())

    return write


def _head(number: int, place: list[int]) -> bytes:
    """What a registry's clients write before the payload; see protobuf_read.py."""
    path = b"\x00" if place == [0] else b"".join(map(_varint, (len(place), *place)))
    return MAGIC + number.to_bytes(4, "big") + path


def _varint(number: int) -> bytes:
    """A zigzag varint of a number that is not negative."""
    left, found = number << 1, bytearray()
    while left > 0x7F:
        found.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*found, left])


def _filler(descriptor: Any, columns: T.StructType, path: str) -> Fill:
    """Puts a row into a message."""
    fields = []
    for each in columns.fields:
        here = f"{path}{each.name}"
        field = _field(descriptor, each.name, here)
        fields.append((each.name, field, here, _put(field, each.dataType, here)))

    def fill(message: Any, row: Any) -> None:
        for name, field, here, put in fields:
            value = row[name]
            if value is not None:
                put(message, value)
            elif not field.has_presence and not is_repeated(field):
                raise ValueError(
                    f"TVF752: {here} is NULL, which its field of Protobuf cannot tell from "
                    "nothing: declare it `optional` there, or write coalesce"
                )

    return fill


def _field(descriptor: Any, name: str, here: str) -> Any:
    found = descriptor.fields_by_name.get(name)
    if found is None:
        alike = [each for each in descriptor.fields if each.name.lower() == name.lower()]
        if len(alike) != 1:
            names = ", ".join(each.name for each in descriptor.fields)
            raise FormatError(
                f"TVF752: the message {descriptor.full_name} has no field {here}: it has {names}; "
                "name the column after its field with AS, or leave it out"
            )
        found = alike[0]
    return found


def _put(field: Any, kind: T.DataType, here: str) -> Fill:
    """Puts values of a type into a field."""
    name = field.name
    if is_map(field) and isinstance(kind, T.MapType):
        return _put_map(field, kind, here)
    if is_repeated(field) != isinstance(kind, T.ArrayType):
        raise _unfit(field, kind, here)
    if isinstance(kind, T.ArrayType):
        one = _one(field, kind.elementType, here)

        def put_all(message: Any, values: Any) -> None:
            many = getattr(message, name)
            for value in values:
                _not_null(value, here)
                if field.message_type is None:
                    many.append(one(None, value))
                else:
                    one(many.add(), value)

        return put_all
    one = _one(field, kind, here)
    if field.message_type is None:
        return lambda message, value: setattr(message, name, one(None, value))

    def put(message: Any, value: Any) -> None:
        inner = getattr(message, name)
        inner.SetInParent()  # A message of nothing but defaults is there as well.
        one(inner, value)

    return put


def _put_map(field: Any, kind: T.MapType, here: str) -> Fill:
    entry = field.message_type.fields_by_name
    key_of = _one(entry["key"], kind.keyType, f"{here}.key")
    inner = entry["value"]
    one = _one(inner, kind.valueType, f"{here}.value")

    def put(message: Any, pairs: Any) -> None:
        held = getattr(message, field.name)
        for key, value in pairs:
            _not_null(value, here)
            if inner.message_type is None:
                held[key_of(None, key)] = one(None, value)
            else:
                one(held[key_of(None, key)], value)

    return put


def _not_null(value: Any, here: str) -> None:
    if value is None:
        raise ValueError(
            f"TVF752: {here} holds NULL, for which repeated fields and maps of Protobuf have no "
            "place: take it out with filter or map_filter"
        )


def _one(field: Any, kind: T.DataType, here: str) -> Callable[[Any, Any], Any]:
    """One value: fills its message, or is given as its field takes it."""
    inner = field.message_type
    if inner is None:
        return _plain(field, kind, here)
    if inner.full_name == TIMESTAMP and isinstance(kind, T.TimestampType):
        return lambda message, value: message.FromDatetime(value)
    if is_wrapper(inner):
        plain = _plain(inner.fields_by_name["value"], kind, here)
        return lambda message, value: setattr(message, "value", plain(None, value))
    if isinstance(kind, T.StructType):
        return _filler(inner, kind, f"{here}.")
    raise _unfit(field, kind, here)


def _plain(field: Any, kind: T.DataType, here: str) -> Callable[[Any, Any], Any]:
    takes = _OF_TYPE.get(field.type) or _OF_CPP[field.cpp_type]
    if takes not in _KINDS.get(type(kind), ()):
        raise _unfit(field, kind, here)
    if takes in ("uint32", "uint64"):
        return lambda _, value: _not_negative(value, here)
    if takes != "enum":
        return lambda _, value: value
    numbers = {each.name: each.number for each in field.enum_type.values}

    def number(_: Any, value: str) -> int:
        if value not in numbers:
            raise ValueError(
                f"TVF752: {here} is {value!r}, and the enum {field.enum_type.full_name} has "
                f"{', '.join(numbers)}"
            )
        return numbers[value]

    return number


def _not_negative(value: int, here: str) -> int:
    if value < 0:
        raise ValueError(f"TVF752: {here} is {value}, and its field of Protobuf has no sign")
    return value


def _unfit(field: Any, kind: T.DataType, here: str) -> FormatError:
    inner = field.message_type
    told = inner.full_name if inner is not None else _OF_TYPE.get(field.type)
    told = told or _OF_CPP[field.cpp_type]
    many = "repeated " if is_repeated(field) else ""
    return FormatError(
        f"TVF752: the field {here} is {many}{told}, which does not hold every "
        f"{kind.simpleString()}: cast the column"
    )
