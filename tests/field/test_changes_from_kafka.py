"""Changes of a table through a real broker: into totals, which another job reads in its turn."""

from __future__ import annotations

import io
import json
import sqlite3
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pytest
from field.kafka_jobs import ran
from field.servers.kafka import Broker
from field.servers.registry import Registry, registry
from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

Event = tuple[str, str | None]


def event(op: str, key: int, after: dict[str, Any] | None) -> Event:
    """A record of Debezium as a database without whole images logs it, with its schema."""
    before = {"id": key, "status": None, "cents": None} if op == "d" else None
    row = None if after is None else {"id": key, **after}
    payload = {"op": op, "before": before, "after": row, "source": {"table": "orders"}}
    wrapped = {"schema": {"type": "struct"}, "payload": payload}
    return json.dumps({"schema": {}, "payload": {"id": key}}), json.dumps(wrapped)


def tombstone(key: int) -> Event:
    return json.dumps({"schema": {}, "payload": {"id": key}}), None


def table(folder: Path, name: str) -> set[tuple[Any, ...]]:
    with sqlite3.connect(folder / "live.db") as database:
        return {*database.execute(f"SELECT * FROM {name}")}


@pytest.mark.parametrize("encode", ["JSON", "AVRO"])
def test_captured_changes_and_a_job_behind_another(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path, encode: str
) -> None:
    with registry() as schemas:
        told = f" (schema.registry = '{schemas.url}')" if encode == "AVRO" else ""
        _captured(spark, kafka_broker, topic, tmp_path, f"FORMAT UPSERT ENCODE {encode}{told}")


def _captured(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path, form: str
) -> None:
    kafka_broker.create(topic, 2)
    kafka_broker.create(f"{topic}-live")
    server = f"`kafka.bootstrap.servers` '{kafka_broker.bootstrap}'"
    first = f"""
        CREATE SOURCE orders (id BIGINT, status STRING, cents BIGINT, PRIMARY KEY (id))
        USING kafka OPTIONS (subscribe '{topic}', {server}, startingOffsets 'earliest')
        FORMAT DEBEZIUM ENCODE JSON;
        CREATE SINK live USING kafka OPTIONS (topic '{topic}-live', {server}, key 'status')
        {form} AS
        SELECT status, count(*) AS n, sum(cents) AS cents FROM orders GROUP BY status;
    """
    second = f"""
        CREATE SOURCE live (status STRING, n BIGINT, cents BIGINT, PRIMARY KEY (status))
        USING kafka OPTIONS (subscribe '{topic}-live', {server}, startingOffsets 'earliest',
          `kafka.isolation.level` 'read_committed')
        {form};
        CREATE SINK states USING sqlite OPTIONS (path 'live.db', key 'status') AS
        SELECT status, n, cents FROM live WHERE n > 0;
    """
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
    new, paid = {"status": "new", "cents": 5}, {"status": "paid", "cents": 5}
    for part in (0, 1):
        keys = range(part, 6, 2)
        kafka_broker.produce(topic, [event("r", key, new) for key in keys], partition=part)
    ran(spark, tmp_path / "first", first)
    ran(spark, tmp_path / "second", second)
    assert table(tmp_path / "second", "states") == {("new", 6, 30)}
    changes = [event("u", 0, paid), event("u", 0, {"status": "sent", "cents": 7})]
    changes += [event("d", 2, None), tombstone(2), event("d", 98, None)]
    kafka_broker.produce(topic, changes, partition=0)
    kafka_broker.produce(topic, [event("u", key, paid) for key in (1, 3, 5)], partition=1)
    kafka_broker.produce(topic, [event("d", 4, None), tombstone(4)], partition=0)
    ran(spark, tmp_path / "first", first)
    ran(spark, tmp_path / "second", second)
    assert table(tmp_path / "second", "states") == {("sent", 1, 7), ("paid", 3, 15)}


ROW = {
    "type": "record",
    "name": "Value",
    "fields": [
        {"name": "id", "type": "long"},
        {
            "name": "price",
            "type": [
                "null",
                {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2},
            ],
        },
        {
            "name": "sold",
            "type": ["null", {"type": "long", "connect.name": "io.debezium.time.MicroTimestamp"}],
        },
    ],
}
ENVELOPE = {
    "type": "record",
    "name": "Envelope",
    "namespace": "shop.orders",
    "fields": [
        {"name": "before", "type": ["null", ROW]},
        {"name": "after", "type": ["null", "Value"]},
        {"name": "op", "type": "string"},
    ],
}
KEY = {"type": "record", "name": "Key", "fields": [{"name": "id", "type": "long"}]}


def in_avro(schemas: Registry, subject: str, schema: Any, value: Any) -> bytes:
    """A value as Confluent's clients write it."""
    number = schemas.register(subject, schema)
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, fastavro.parse_schema(schema), value)
    return b"\0" + number.to_bytes(4, "big") + stream.getvalue()


def test_captured_changes_in_avro(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    """Decimals and times are what their schema says; an update need not say what the row was."""
    with registry("tvfc", "s3cret") as schemas:

        def event(op: str, key: int, *rest: Any) -> tuple[bytes, bytes]:
            row = dict(zip(("id", "price", "sold"), (key, *rest), strict=True)) if rest else None
            was = {"id": key, "price": None, "sold": None} if op == "d" else None
            value = {"op": op, "before": was, "after": row}
            return (
                in_avro(schemas, f"{topic}-key", KEY, {"id": key}),
                in_avro(schemas, f"{topic}-value", ENVELOPE, value),
            )

        script = f"""
            CREATE SOURCE orders (id BIGINT, price DECIMAL(10, 2), sold TIMESTAMP, PRIMARY KEY (id))
            USING kafka OPTIONS (subscribe '{topic}', startingOffsets 'earliest',
              `kafka.bootstrap.servers` '{kafka_broker.bootstrap}')
            FORMAT DEBEZIUM ENCODE AVRO (schema.registry = '{schemas.url}',
              schema.registry.username = 'tvfc', schema.registry.password = 's3cret');
            CREATE SINK live USING sqlite OPTIONS (path 'live.db', key 'id') AS
            SELECT id, CAST(price AS STRING) AS price, CAST(sold AS STRING) AS sold FROM orders;
            CREATE SINK bad USING json OPTIONS (path 'bad') AS SELECT reason FROM BAD(orders);
        """
        micros = 1_700_000_000_123_456
        kafka_broker.produce(
            topic,
            [
                event("r", 1, Decimal("1.10"), micros),
                event("c", 2, Decimal("-2.00"), None),
                event("c", 3, None, 0),
                event("u", 2, Decimal("99999999.99"), 1),
                event("d", 3),
                (event("d", 3)[0], None),
                event("d", 98),
                (event("c", 4)[0], b"\0\0\0\0\x63\x01"),
                (b"no key", event("c", 5, None, None)[1] + b"!"),
            ],
        )
        ran(spark, tmp_path, script)
        assert table(tmp_path, "live") == {
            (1, "1.10", "2023-11-14 22:13:20.123456"),
            (2, "99999999.99", "1970-01-01 00:00:00.000001"),
        }
        kafka_broker.produce(topic, [event("d", 1), event("u", 2, None, None)])
        ran(spark, tmp_path, script)
    assert table(tmp_path, "live") == {(2, None, None)}
    files = (tmp_path / "bad").glob("*.json")
    told = [json.loads(line)["reason"] for each in files for line in each.read_text().splitlines()]
    assert sorted(told) == [
        "it goes on where its schema ends",
        "its schema 99 is not in the registry",
    ]
