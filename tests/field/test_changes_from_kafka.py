"""Changes of a table through a real broker: into totals, which another job reads in its turn."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from field.kafka_jobs import ran
from field.servers.kafka import Broker
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


def test_captured_changes_and_a_job_behind_another(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    kafka_broker.create(topic, 2)
    kafka_broker.create(f"{topic}-live")
    server = f"`kafka.bootstrap.servers` '{kafka_broker.bootstrap}'"
    first = f"""
        CREATE SOURCE orders (id BIGINT, status STRING, cents BIGINT, PRIMARY KEY (id))
        USING kafka OPTIONS (subscribe '{topic}', {server}, startingOffsets 'earliest')
        FORMAT DEBEZIUM ENCODE JSON;
        CREATE SINK live USING kafka OPTIONS (topic '{topic}-live', {server}, key 'status') AS
        SELECT status, count(*) AS n, sum(cents) AS cents FROM orders GROUP BY status;
    """
    second = f"""
        CREATE SOURCE live (status STRING, n BIGINT, cents BIGINT, PRIMARY KEY (status))
        USING kafka OPTIONS (subscribe '{topic}-live', {server}, startingOffsets 'earliest',
          `kafka.isolation.level` 'read_committed')
        FORMAT UPSERT ENCODE JSON;
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
