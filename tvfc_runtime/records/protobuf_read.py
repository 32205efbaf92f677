"""Records of Protobuf as values, by the descriptors of the reader.

    schema             FileDescriptorSet in base64, as protoc writes it with --include_imports
    message            the full name of the message
    schema.registry    records begin as Confluent's clients write them: a byte 0, the number of
                       their schema, and which message of it they are

Fields have numbers, so that records of any version of the schema are read by the reader's own: the
registry need not be asked. A field without a value is NULL if its absence can be told, else its
default. Times have microseconds; what Protobuf has below them is dropped.
"""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from tvfc_runtime.records.registry import HEADER, MAGIC

if TYPE_CHECKING:
    from collections.abc import Callable

    from tvfc_runtime.spec.record_format import RecordFormat

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TIMESTAMP = "google.protobuf.Timestamp"
_OWN_FILES = "google/protobuf/"
_WRAPPERS = "google.protobuf."
_WRAPPED = ("Value",)


def message_of(record: RecordFormat) -> tuple[Any, Callable[[], Any]]:
    """The descriptor of the message that records are, and what makes an empty one.

    Raises:
        ValueError: there are no descriptors, or none of the message.
    """
    name, text = record.option("message"), record.option("schema")
    if name is None or text is None:
        raise ValueError("ENCODE PROTOBUF needs a schema and the name of a message")
    return _message(name, text)


@cache
def _message(name: str, text: str) -> tuple[Any, Callable[[], Any]]:
    from google.protobuf import descriptor_pb2, descriptor_pool  # noqa: PLC0415
    from google.protobuf.message_factory import GetMessageClass  # noqa: PLC0415

    pool = descriptor_pool.DescriptorPool()
    try:
        files = descriptor_pb2.FileDescriptorSet.FromString(base64.b64decode(text))
        for each in files.file:
            pool.Add(each)
        found = pool.FindMessageTypeByName(name)
    except KeyError:
        raise ValueError(f"the schema has no message {name}") from None
    except Exception as error:
        raise ValueError(f"the schema is no set of descriptors: {error}") from None
    return found, GetMessageClass(found)


def file_of(record: RecordFormat) -> bytes:
    """The file of the message as a registry takes it, a FileDescriptorProto.

    Raises:
        ValueError: it imports others than those of Protobuf itself, which a registry has.
    """
    file = message_of(record)[0].file
    others = [each.name for each in file.dependencies if not each.name.startswith(_OWN_FILES)]
    if others:
        raise ValueError(
            f"the schema imports {', '.join(others)}, which would have to be at the registry "
            "before: put its messages into one file, or write records without schema.registry"
        )
    return bytes(file.serialized_pb)


class ProtobufDecoder:
    """Reads records of a source.

    Raises:
        ValueError: there are no descriptors, or none of the message.
    """

    def __init__(self, record: RecordFormat) -> None:
        found, self._message = message_of(record)
        self._place = place_of(found)
        self._is_framed = record.option("schema.registry") is not None

    def __call__(self, record: bytes) -> dict[str, Any]:
        """The fields of a record.

        Raises:
            ValueError: it is none of the message.
        """
        begin = self._begin(record) if self._is_framed else 0
        message = self._message()
        message.ParseFromString(record[begin:])
        return _fields(message)

    def _begin(self, record: bytes) -> int:
        """Where the payload begins behind what a registry's clients write."""
        if len(record) <= HEADER or record[:1] != MAGIC:
            raise ValueError("it does not begin with the number of a schema")
        count, place = _number(record, HEADER)
        path = []
        for _ in range(count):
            index, place = _number(record, place)
            path.append(index)
        # The first message is so common that it is one byte.
        if (path or [0]) != self._place:
            raise ValueError("it is another message of its schema")
        return place


def place_of(descriptor: Any) -> list[int]:
    """Which message of its file a descriptor is: its place, within that of the one around it."""
    around = descriptor.containing_type
    if around is None:
        names = [*descriptor.file.message_types_by_name]
        return [names.index(descriptor.name)]
    names = [each.name for each in around.nested_types]
    return [*place_of(around), names.index(descriptor.name)]


def _number(record: bytes, place: int) -> tuple[int, int]:
    """A zigzag varint, and where it ends."""
    value = shift = 0
    while True:
        if place >= len(record):
            raise ValueError("it ends before its schema does")
        byte = record[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if not byte & 0x80:
            return (value >> 1) ^ -(value & 1), place


def _fields(message: Any) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for each in message.DESCRIPTOR.fields:
        if is_repeated(each):
            row[each.name] = _many(each, getattr(message, each.name))
        elif each.has_presence and not message.HasField(each.name):
            row[each.name] = None
        else:
            row[each.name] = _value(each, getattr(message, each.name))
    return row


def is_repeated(field: Any) -> bool:
    """Whether a field has any number of values, or pairs."""
    told = getattr(field, "is_repeated", None)  # Protobuf 6 has the label alone.
    return bool(field.label == field.LABEL_REPEATED if told is None else told)


def _many(field: Any, values: Any) -> Any:
    if is_map(field):
        kind = field.message_type.fields_by_name["value"]
        return {key: _value(kind, values[key]) for key in values}
    return [_value(field, each) for each in values]


def is_map(field: Any) -> bool:
    """Whether a field is a map."""
    entry = field.message_type
    return bool(entry is not None and entry.GetOptions().map_entry)


def is_wrapper(message: Any) -> bool:
    """Whether a message is one of those that stand for a value which may be missing."""
    name = message.full_name
    is_known = name.startswith(_WRAPPERS) and name.endswith(_WRAPPED)
    return bool(is_known and "value" in message.fields_by_name)


def _value(field: Any, value: Any) -> Any:
    if field.enum_type is not None:
        known = field.enum_type.values_by_number.get(value)
        return str(value) if known is None else known.name
    if field.message_type is None:
        return value
    name = field.message_type.full_name
    if name == TIMESTAMP:
        return _EPOCH + timedelta(seconds=value.seconds, microseconds=value.nanos // 1000)
    if is_wrapper(field.message_type):
        return value.value
    return _fields(value)
