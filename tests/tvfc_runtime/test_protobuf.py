"""Records of Protobuf: what is written is what was meant, and reads back as it was."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, timestamp_pb2, wrappers_pb2
from google.protobuf.message_factory import GetMessageClass
from pyspark.sql import types as T  # noqa: N812

from tvfc_runtime.records.protobuf_read import ProtobufDecoder
from tvfc_runtime.records.protobuf_write import protobuf_writer
from tvfc_runtime.records.schemas import FormatError
from tvfc_runtime.spec.record_format import RecordFormat

KIND = descriptor_pb2.FieldDescriptorProto
AT = datetime(2024, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


def files() -> descriptor_pb2.FileDescriptorSet:
    """`message Other {} message Order { message Line {…} enum State {…} … }`, as protoc has it."""
    file = descriptor_pb2.FileDescriptorProto(
        name="order.proto",
        package="shop",
        syntax="proto3",
        dependency=["google/protobuf/timestamp.proto", "google/protobuf/wrappers.proto"],
    )
    file.message_type.add(name="Other")
    order = file.message_type.add(name="Order")
    line = order.nested_type.add(name="Line")
    line.field.add(name="item", number=1, type=KIND.TYPE_STRING, label=KIND.LABEL_OPTIONAL)
    state = order.enum_type.add(name="State")
    state.value.add(name="NEW", number=0)
    state.value.add(name="SHIPPED", number=1)
    pairs = order.nested_type.add(name="CountsEntry")
    pairs.options.map_entry = True
    pairs.field.add(name="key", number=1, type=KIND.TYPE_STRING, label=KIND.LABEL_OPTIONAL)
    pairs.field.add(name="value", number=2, type=KIND.TYPE_INT64, label=KIND.LABEL_OPTIONAL)
    for number, (name, what, of, many) in enumerate(
        (
            ("id", KIND.TYPE_UINT64, None, False),
            ("at", KIND.TYPE_MESSAGE, ".google.protobuf.Timestamp", False),
            ("lines", KIND.TYPE_MESSAGE, ".shop.Order.Line", True),
            ("state", KIND.TYPE_ENUM, ".shop.Order.State", False),
            ("small", KIND.TYPE_SINT32, None, False),
            ("weight", KIND.TYPE_MESSAGE, ".google.protobuf.DoubleValue", False),
            ("counts", KIND.TYPE_MESSAGE, ".shop.Order.CountsEntry", True),
            ("parts", KIND.TYPE_BYTES, None, True),
            ("first", KIND.TYPE_MESSAGE, ".shop.Order.Line", False),
        ),
        start=1,
    ):
        label = KIND.LABEL_REPEATED if many else KIND.LABEL_OPTIONAL
        order.field.add(name=name, number=number, type=what, type_name=of, label=label)
    known = [
        descriptor_pb2.FileDescriptorProto.FromString(each.DESCRIPTOR.serialized_pb)
        for each in (timestamp_pb2, wrappers_pb2)
    ]
    return descriptor_pb2.FileDescriptorSet(file=[*known, file])


def record(**options: str) -> RecordFormat:
    schema = base64.b64encode(files().SerializeToString()).decode()
    given = {"message": "shop.Order", "schema": schema, **options}
    return RecordFormat(encode="protobuf", options=given)


def order(data: bytes) -> Any:
    """A message as Protobuf's own library reads it."""
    pool = descriptor_pool.DescriptorPool()
    for each in files().file:
        pool.Add(each)
    return GetMessageClass(pool.FindMessageTypeByName("shop.Order")).FromString(data)


LINE = T.StructType([T.StructField("item", T.StringType())])
COLUMNS = T.StructType(
    [
        T.StructField("ID", T.LongType()),
        T.StructField("at", T.TimestampType()),
        T.StructField("lines", T.ArrayType(LINE)),
        T.StructField("state", T.StringType()),
        T.StructField("small", T.IntegerType()),
        T.StructField("weight", T.DoubleType()),
        T.StructField("counts", T.MapType(T.StringType(), T.LongType())),
        T.StructField("parts", T.ArrayType(T.BinaryType())),
        T.StructField("first", LINE),
    ]
)
ARROW = pa.struct(
    [
        ("ID", pa.int64()),
        ("at", pa.timestamp("us", tz="UTC")),
        ("lines", pa.list_(pa.struct([("item", pa.string())]))),
        ("state", pa.string()),
        ("small", pa.int32()),
        ("weight", pa.float64()),
        ("counts", pa.map_(pa.string(), pa.int64())),
        ("parts", pa.list_(pa.binary())),
        ("first", pa.struct([("item", pa.string())])),
    ]
)
FULL: Mapping[str, Any] = {
    "ID": 2**62,
    "at": AT,
    "lines": [{"item": "lamp"}, {"item": ""}],
    "state": "SHIPPED",
    "small": -7,
    "weight": 0.0,
    "counts": [("b", 2), ("a", 0)],
    "parts": [b"\x00", b""],
    "first": {"item": ""},
}


def written(*rows: Mapping[str, Any] | None, number: int | None = None) -> list[bytes]:
    write = protobuf_writer(record(), number, COLUMNS)
    found: list[bytes] = write(pa.array(rows, ARROW)).to_pylist()
    return found


def test_a_row_is_the_message() -> None:
    (data,) = written(FULL)
    found = order(data)
    assert (found.id, found.small, found.state) == (2**62, -7, 1)
    assert found.at.ToDatetime(UTC) == AT
    assert [each.item for each in found.lines] == ["lamp", ""]
    assert dict(found.counts) == {"a": 0, "b": 2}
    assert [*found.parts] == [b"\x00", b""]
    # Defaults in a message are there, unlike one that is not.
    assert found.HasField("weight")
    assert found.HasField("first")
    back = ProtobufDecoder(record())(data)
    assert back == {
        **{name.lower(): value for name, value in FULL.items()},
        "counts": {"a": 0, "b": 2},
    }


def test_null_is_a_field_that_is_not_there() -> None:
    gone = dict.fromkeys(("at", "lines", "weight", "counts", "parts", "first"))
    (data, nothing) = written({**FULL, **gone}, None)
    found = order(data)
    assert not any(found.HasField(name) for name in ("at", "weight", "first"))
    assert not found.lines
    assert nothing is None


def test_rows_of_equal_values_are_equal_records() -> None:
    turned = {**FULL, "counts": [("a", 0), ("b", 2)]}
    one, other = written(FULL, turned)
    assert one == other


def test_a_registry_s_clients_find_the_message() -> None:
    (data,) = written(FULL, number=5)
    # A byte 0, the number of the schema, the path of the message: the second of its file.
    assert data[:7] == b"\0\0\0\0\x05\x02\x02"
    assert order(data[7:]).small == -7
    framed = ProtobufDecoder(record(**{"schema.registry": "http://nobody"}))
    assert framed(data)["small"] == -7


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"small": None}, "TVF752: small is NULL"),
        ({"lines": [{"item": None}]}, r"TVF752: lines\.item is NULL"),
        ({"lines": [None]}, "TVF752: lines holds NULL"),
        ({"counts": [("a", None)]}, "TVF752: counts holds NULL"),
        ({"ID": -1}, "TVF752: ID is -1"),
        ({"state": "LOST"}, "TVF752: state is 'LOST', .* NEW, SHIPPED"),
    ],
)
def test_what_would_be_read_as_something_else_is_refused(
    changed: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        written({**FULL, **changed})


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("day DATE", "TVF752: the message shop.Order has no field day: it has id, at"),
        ("small BIGINT", "TVF752: the field small is int32, .* bigint"),
        ("id DECIMAL(20,0)", "TVF752: the field id is uint64"),
        ("at TIMESTAMP_NTZ", r"TVF752: the field at is google\.protobuf\.Timestamp"),
        ("lines STRUCT<item: STRING>", r"TVF752: the field lines is repeated shop\.Order\.Line"),
        ("small ARRAY<INT>", "TVF752: the field small is int32"),
        ("lines ARRAY<STRUCT<piece: INT>>", r"TVF752: .* has no field lines\.piece: it has item"),
        ("counts MAP<STRING, STRING>", r"TVF752: the field counts\.value is int64"),
    ],
)
def test_columns_that_do_not_fit_are_refused_before_any_row(column: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        protobuf_writer(record(), None, columns_of(column))


def columns_of(ddl: str) -> T.StructType:
    """Columns without a session: what the tests above need of Spark's types."""
    name, _, kind = ddl.partition(" ")
    kinds: dict[str, T.DataType] = {
        "DATE": T.DateType(),
        "BIGINT": T.LongType(),
        "DECIMAL(20,0)": T.DecimalType(20, 0),
        "TIMESTAMP_NTZ": T.TimestampNTZType(),
        "STRUCT<item: STRING>": LINE,
        "ARRAY<INT>": T.ArrayType(T.IntegerType()),
        "ARRAY<STRUCT<piece: INT>>": T.ArrayType(
            T.StructType([T.StructField("piece", T.IntegerType())])
        ),
        "MAP<STRING, STRING>": T.MapType(T.StringType(), T.StringType()),
    }
    return T.StructType([T.StructField(name, kinds[kind])])
