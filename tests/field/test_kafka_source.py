"""Records of a real broker as rows: encodings, a schema registry, what stands beside the value."""

from __future__ import annotations

import io
import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import fastavro
import pytest
from field.kafka_jobs import at, ran, written
from field.servers.kafka import Broker
from field.servers.registry import registry
from google.protobuf import descriptor_pb2, descriptor_pool, timestamp_pb2
from google.protobuf.message_factory import GetMessageClass
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from tvfc_runtime.reports.reasons import reason

pytestmark = pytest.mark.spark


def source(broker: Broker, topic: str, columns: str, form: str, included: str = "") -> str:
    return (
        f"CREATE SOURCE s ({columns}) {included} USING kafka OPTIONS (subscribe '{topic}', "
        f"kafka.bootstrap.servers '{broker.bootstrap}', startingOffsets 'earliest') {form};\n"
    )


def sinks(query: str) -> str:
    return (
        f"CREATE SINK out USING json OPTIONS (path 'out') AS {query};\n"
        "CREATE SINK bad USING json OPTIONS (path 'bad') AS SELECT * FROM BAD(s);"
    )


def avro(number: int, schema: Any, value: Any) -> bytes:
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, fastavro.parse_schema(schema), value)
    return b"\0" + number.to_bytes(4, "big") + stream.getvalue()


def test_what_stands_beside_the_value(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    """A `timestamp` of the value stays that of the value; Kafka's is the one that is included."""
    # A broker drops records whose own time is long ago.
    kafka_broker.create(topic, retention_ms="-1")
    record = json.dumps({"id": 1, "timestamp": "2024-05-06T07:08:09Z", "key": "inner"})
    kafka_broker.produce(
        topic, [("k1", record)], timestamp_ms=1_700_000_000_123, headers=[("h", b"x")]
    )
    kafka_broker.produce(topic, [("k2", "no json"), ("k3", " "), ("k4", None)])
    ran(
        spark,
        tmp_path,
        source(
            kafka_broker,
            topic,
            "id INT, timestamp TIMESTAMP, key STRING",
            "FORMAT PLAIN ENCODE JSON",
            "INCLUDE timestamp AS written, key AS k INCLUDE partition, offset, headers, topic AS t",
        )
        + sinks(
            "SELECT id, timestamp, key, written, CAST(k AS STRING) AS k, partition, offset, "
            "headers[0].key AS h, CAST(headers[0].value AS STRING) AS v, t FROM s"
        ),
    )
    (row,) = written(tmp_path / "out")
    assert row == {
        "id": 1,
        "timestamp": "2024-05-06T07:08:09.000Z",
        "key": "inner",
        "written": "2023-11-14T22:13:20.123Z",
        "k": "k1",
        "partition": 0,
        "offset": 0,
        "h": "h",
        "v": "x",
        "t": topic,
    }
    bad, blank, none = sorted(written(tmp_path / "bad"), key=lambda each: each["file"])
    assert bad == {"record": "no json", "reason": "no JSON", "file": f"{topic}/0@1"}
    assert blank == {"record": "", "reason": "it is empty", "file": f"{topic}/0@2"}
    assert none["reason"] == "it has no value"


def test_a_watermark_on_an_included_column(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    kafka_broker.create(topic, retention_ms="-1")
    for number in range(3):
        kafka_broker.produce(
            topic, [(None, f'{{"id": {number}}}')], timestamp_ms=1_700_000_000_000 + number * 10_000
        )
    ran(
        spark,
        tmp_path,
        source(kafka_broker, topic, "id INT, WATERMARK FOR ts AS ts", "", "INCLUDE timestamp AS ts")
        + sinks("SELECT id FROM s WHERE ts + INTERVAL 10 SECONDS <= WATERMARK_TS()"),
    )
    assert [row["id"] for row in written(tmp_path / "out")] == [0, 1]


def test_a_slow_partition_makes_nothing_late(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    """Rows of the second partition are far behind those of the first, and on time."""
    kafka_broker.create(topic, 2)
    script = source(
        kafka_broker,
        topic,
        "id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts PER PARTITION",
        "FORMAT PLAIN ENCODE JSON",
    ) + sinks("SELECT id FROM s WHERE ts <= WATERMARK_TS()").replace("BAD(s)", "LATE(s)")

    def arrive(partition: int, *rows: tuple[int, int]) -> None:
        records = [
            (None, f'{{"id": {number}, "ts": "2024-01-01T00:00:{second:02}Z"}}')
            for number, second in rows
        ]
        kafka_broker.produce(topic, records, partition=partition)

    arrive(1, (1, 2))
    arrive(0, (2, 10), (3, 40), (4, 50))
    ran(spark, tmp_path, script)
    assert [row["id"] for row in written(tmp_path / "out")] == [1]
    arrive(1, (5, 9), (6, 11), (7, 5))
    ran(spark, tmp_path, script)
    assert sorted(row["id"] for row in written(tmp_path / "out")) == [1, 2, 5, 6, 7]
    assert written(tmp_path / "bad") == []


V1 = {
    "type": "record",
    "name": "order",
    "fields": [
        {"name": "id", "type": "int"},
        {"name": "price", "type": ["null", "float"]},
        {"name": "gone", "type": "string"},
    ],
}
V2 = {
    "type": "record",
    "name": "order",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "price", "type": "double"},
        {"name": "added", "type": ["null", "string"], "default": None},
    ],
}


def test_avro_of_evolving_schemas(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    """Records of two writers in one topic, each by its own schema; and what is no such record."""
    with registry("tvfc", "s3cret") as schemas:
        first = schemas.register(f"{topic}-value", V1)
        second = schemas.register(f"{topic}-value", V2)
        records = [
            avro(first, V1, {"id": 1, "price": 0.5, "gone": "x"}),
            avro(second, V2, {"id": 2**40, "price": 1.1, "added": "y"}),
            avro(first, V1, {"id": 3, "price": None, "gone": "x"}),
            b"\0\0\0\0\x63rest",
            b"no avro",
            avro(first, V1, {"id": 4, "price": 0.5, "gone": "x"})[:-1],
            avro(second, V2, {"id": 5, "price": 1.1, "added": None}) + b"!",
        ]
        kafka_broker.produce(topic, [(None, each) for each in [*records, None]])
        ran(
            spark,
            tmp_path,
            source(
                kafka_broker,
                topic,
                "ID BIGINT, price DOUBLE, added STRING",
                f"FORMAT PLAIN ENCODE AVRO (schema.registry = '{schemas.url}', "
                "schema.registry.username = 'tvfc', schema.registry.password = 's3cret')",
                "INCLUDE offset",
            )
            + sinks("SELECT * FROM s"),
        )
    assert written(tmp_path / "out") == [
        {"ID": 1, "price": 0.5, "offset": 0},
        {"ID": 2**40, "price": 1.1, "added": "y", "offset": 1},
        {"ID": 3, "offset": 2},
    ]
    assert {
        each["file"].partition("@")[2]: each["reason"] for each in written(tmp_path / "bad")
    } == {
        "3": "its schema 99 is not in the registry",
        "4": "it does not begin with the number of a schema",
        "5": "it ends before its schema does",
        "6": "it goes on where its schema ends",
        "7": "it has no value",
    }
    asked = [each for each in schemas.requests if each == f"GET /schemas/ids/{first}"]
    assert len(asked) <= 4, "a schema is fetched once a process"


TYPES = {
    "type": "record",
    "name": "all",
    "fields": [
        {"name": "millis", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "micros", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {
            "name": "amount",
            "type": {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 2},
        },
        {"name": "uid", "type": {"type": "string", "logicalType": "uuid"}},
        {
            "name": "inner",
            "type": {
                "type": "record",
                "name": "inner",
                "fields": [{"name": "a", "type": ["null", "int"]}, {"name": "b", "type": "bytes"}],
            },
        },
        {"name": "many", "type": {"type": "array", "items": ["null", "int"]}},
        {"name": "by", "type": {"type": "map", "values": "double"}},
        {"name": "kind", "type": {"type": "enum", "name": "kind", "symbols": ["A", "B"]}},
        {"name": "either", "type": ["null", "int", "string"]},
    ],
}


def test_types_of_avro(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    value = {
        "millis": at(1.001),
        "micros": at(2.000003),
        "day": date(1900, 2, 3),
        "amount": Decimal("-123456789012345678901234567890123456.78"),
        "uid": UUID(int=7),
        "inner": {"a": None, "b": b"\xff"},
        "many": [1, None, 3],
        "by": {"x": 1.5},
        "kind": "B",
        "either": "text",
    }
    with registry() as schemas:
        number = schemas.register("types", TYPES)
        kafka_broker.produce(
            topic,
            [
                (None, avro(number, TYPES, value)),
                (None, avro(number, TYPES, value | {"either": 5})),
                (None, avro(number, TYPES, value | {"many": [2**30]})),
            ],
        )
        ran(
            spark,
            tmp_path,
            source(
                kafka_broker,
                topic,
                "millis TIMESTAMP, micros TIMESTAMP, day DATE, amount DECIMAL(38,2), uid STRING, "
                "`inner` STRUCT<a: INT, B: BINARY>, many ARRAY<SMALLINT>, by MAP<STRING, DOUBLE>, "
                "kind STRING, either STRING",
                f"FORMAT PLAIN ENCODE AVRO (schema.registry = '{schemas.url}')",
            )
            + sinks(
                "SELECT CAST(millis AS STRING) AS millis, CAST(micros AS STRING) AS micros, day, "
                "CAST(amount AS STRING) AS amount, uid, `inner`.a IS NULL AS a, "
                "hex(`inner`.b) AS b, many, by, kind, either FROM s"
            ),
        )
    (row,) = written(tmp_path / "out")
    assert row == {
        "millis": "2023-11-14 22:13:21.001",
        "micros": "2023-11-14 22:13:22.000003",
        "day": "1900-02-03",
        "amount": "-123456789012345678901234567890123456.78",
        "uid": str(UUID(int=7)),
        "a": True,
        "b": "FF",
        "many": [1, None, 3],
        "by": {"x": 1.5},
        "kind": "B",
        "either": "text",
    }
    reasons = sorted(each["reason"] for each in written(tmp_path / "bad"))
    assert reasons == ["either is no STRING", "many is no ARRAY<SMALLINT>"]


def test_lines_and_bytes(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    kafka_broker.produce(topic, [(None, "1;a"), (None, "two;b"), (None, ""), (None, "3;c;d")])
    form = "FORMAT PLAIN ENCODE CSV (sep = ';')"
    (tmp_path / "csv").mkdir()
    ran(
        spark,
        tmp_path / "csv",
        source(kafka_broker, topic, "id INT, name STRING", form) + sinks("SELECT * FROM s"),
    )
    assert written(tmp_path / "csv/out") == [{"id": 1, "name": "a"}]
    assert sorted(each["reason"] for each in written(tmp_path / "csv/bad")) == [
        "id is no INT",
        "it has not 2 fields",
        "it is empty",
    ]
    raw = f"{topic}-raw"
    kafka_broker.produce(raw, [(None, b"\xff\xfe"), (None, "text"), (None, None)])
    form = "FORMAT PLAIN ENCODE BYTES"
    (tmp_path / "raw").mkdir()
    ran(
        spark,
        tmp_path / "raw",
        source(kafka_broker, raw, "line STRING", form) + sinks("SELECT * FROM s"),
    )
    assert written(tmp_path / "raw/out") == [{"line": "text"}]
    assert [(each["record"], each["reason"]) for each in written(tmp_path / "raw/bad")] == [
        ("X'FFFE'", "it is no UTF-8"),
        *[(each["record"], "it has no value") for each in written(tmp_path / "raw/bad")[1:]],
    ]


def test_avro_there_and_back(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    """A sink registers the schema of its rows; a source that declares no columns has them of it."""
    out = f"{topic}-out"
    servers = f"kafka.bootstrap.servers '{kafka_broker.bootstrap}'"
    lines = [
        {"id": 1, "price": "12.50", "at": "2024-01-01T00:00:01.000001Z", "tags": {"a": 1}},
        {"id": 2, "inner": {"a": "x"}, "many": ["y", None]},
    ]
    kafka_broker.produce(topic, [(None, json.dumps(each)) for each in lines])
    with registry("tvfc", "s3cret") as schemas:
        avro = (
            f"FORMAT PLAIN ENCODE AVRO (schema.registry = '{schemas.url}', "
            "schema.registry.username = 'tvfc', schema.registry.password = 's3cret')"
        )
        (tmp_path / "there").mkdir()
        ran(
            spark,
            tmp_path / "there",
            source(
                kafka_broker,
                topic,
                "id BIGINT, price DECIMAL(10,2), at TIMESTAMP, tags MAP<STRING, INT>, "
                "inner STRUCT<a: STRING>, many ARRAY<STRING>",
                "",
            )
            + f"CREATE SINK copies USING kafka OPTIONS (topic '{out}', {servers}, key 'id', "
            f"delivery 'at-least-once') {avro} AS SELECT * FROM s;",
        )
        schema = json.loads(schemas.schemas[0]["schema"])
        assert [each["name"] for each in schema["fields"]][:3] == ["id", "price", "at"]
        assert [*schemas.subjects] == [f"{out}-value"]
        records = kafka_broker.read(out)
        assert {each.key for each in records} == {b'{"id":1}', b'{"id":2}'}
        assert {each.value[:5] for each in records if each.value} == {b"\0\0\0\0\1"}
        (tmp_path / "back").mkdir()
        ran(
            spark,
            tmp_path / "back",
            f"CREATE SOURCE s USING kafka OPTIONS (topic '{out}', {servers}, "
            f"scan.startup.mode 'earliest') {avro};\n" + sinks("SELECT * FROM s"),
        )
    found = sorted(written(tmp_path / "back/out"), key=lambda row: row["id"])
    assert found == [
        {"id": 1, "price": 12.5, "at": "2024-01-01T00:00:01.000Z", "tags": {"a": 1}},
        {"id": 2, "inner": {"a": "x"}, "many": ["y", None]},
    ]


def test_a_registry_that_is_down_is_no_bad_row(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    """The job stops, says why without the password, and goes on where it was."""
    with registry() as schemas:
        number = schemas.register(f"{topic}-value", V2)
        value = {"id": 1, "price": 1.0, "added": None}
        kafka_broker.produce(topic, [(None, avro(number, V2, value))])
        url = schemas.url.replace("//", "//user:geheim@")
        script = source(
            kafka_broker,
            topic,
            "id BIGINT",
            f"FORMAT PLAIN ENCODE AVRO (schema.registry = '{url}')",
        ) + sinks("SELECT id FROM s")
        schemas.down = True
        with pytest.raises(StreamingQueryException) as caught:
            ran(spark, tmp_path, script)
        said = reason(caught.value)
        assert said.startswith(
            f"TVF751: the schema registry {schemas.url} does not answer: not now"
        )
        assert "geheim" not in said
        schemas.down = False
        ran(spark, tmp_path, script)
    assert written(tmp_path / "out") == [{"id": 1}]
    assert written(tmp_path / "bad") == []


def descriptors() -> Any:
    """`package shop; message Other {} message Order { message Line {…} … }`, as protoc has it."""
    kind = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(
        name="order.proto",
        package="shop",
        syntax="proto3",
        dependency=["google/protobuf/timestamp.proto"],
    )
    file.message_type.add(name="Other")
    order = file.message_type.add(name="Order")
    line = order.nested_type.add(name="Line")
    line.field.add(name="item", number=1, type=kind.TYPE_STRING, label=kind.LABEL_OPTIONAL)
    state = order.enum_type.add(name="State")
    state.value.add(name="NEW", number=0)
    state.value.add(name="SHIPPED", number=1)
    for number, (name, what, of, many) in enumerate(
        (
            ("id", kind.TYPE_UINT64, None, False),
            ("at", kind.TYPE_MESSAGE, ".google.protobuf.Timestamp", False),
            ("lines", kind.TYPE_MESSAGE, ".shop.Order.Line", True),
            ("state", kind.TYPE_ENUM, ".shop.Order.State", False),
            ("note", kind.TYPE_STRING, None, False),
        ),
        start=1,
    ):
        label = kind.LABEL_REPEATED if many else kind.LABEL_OPTIONAL
        order.field.add(name=name, number=number, type=what, type_name=of, label=label)
    known = timestamp_pb2.DESCRIPTOR.serialized_pb
    files = descriptor_pb2.FileDescriptorSet(file=[file])
    files.file.insert(0, descriptor_pb2.FileDescriptorProto.FromString(known))
    return files


def test_protobuf(spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path) -> None:
    files = descriptors()
    (tmp_path / "order.desc").write_bytes(files.SerializeToString())
    pool = descriptor_pool.DescriptorPool()
    for each in files.file:
        pool.Add(each)
    order = GetMessageClass(pool.FindMessageTypeByName("shop.Order"))()
    order.id, order.state = 7, 1
    order.at.seconds, order.at.nanos = 1_700_000_000, 1_999
    order.lines.add(item="lamp")
    empty = type(order)()
    large = type(order)(id=2**63)
    # A byte 0, the number of the schema, the path of the message: the second of its file.
    head = b"\0\0\0\0\x05\x02\x02"
    records = [head + each.SerializeToString() for each in (order, empty, large)]
    records += [b"\0\0\0\0\x05\x00", b"no", head + b"\x0a\xff"]
    kafka_broker.produce(topic, [(None, each) for each in records])
    ran(
        spark,
        tmp_path,
        source(
            kafka_broker,
            topic,
            "id BIGINT, at TIMESTAMP, lines ARRAY<STRUCT<item: STRING>>, state STRING, note STRING",
            "FORMAT PLAIN ENCODE PROTOBUF (schema = 'order.desc', message = 'shop.Order', "
            "schema.registry = 'http://nobody')",
            "INCLUDE offset",
        )
        + sinks("SELECT id, CAST(at AS STRING) AS at, lines, state, note, offset FROM s"),
    )
    assert written(tmp_path / "out") == [
        {
            "id": 7,
            "at": "2023-11-14 22:13:20.000001",
            "lines": [{"item": "lamp"}],
            "state": "SHIPPED",
            "note": "",
            "offset": 0,
        },
        {"id": 0, "lines": [], "state": "NEW", "note": "", "offset": 1},
    ]
    reasons = {each["file"].partition("@")[2]: each["reason"] for each in written(tmp_path / "bad")}
    assert reasons["2"] == "id is no BIGINT"
    assert reasons["3"] == "it is another message of its schema"
    assert reasons["4"] == "it does not begin with the number of a schema"
    assert reasons["5"].startswith("no Protobuf of its schema")
