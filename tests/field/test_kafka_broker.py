"""The broker that other tests stand on, and that Spark of the tests reaches it."""

from __future__ import annotations

import pytest
from field.servers.kafka import Broker
from pyspark.sql import SparkSession


@pytest.mark.slow
def test_records_come_back_partition_by_partition(kafka_broker: Broker, topic: str) -> None:
    kafka_broker.create(topic, 2)
    kafka_broker.produce(topic, [("b", "2")], partition=1, headers=[("h", b"x")], timestamp_ms=7)
    kafka_broker.produce(topic, [("a", "1"), (None, None)], partition=0)
    first, second, third = kafka_broker.read(topic)
    assert (first.key, first.value, first.partition, first.offset) == (b"a", b"1", 0, 0)
    assert (second.key, second.value) == (None, None)
    assert third[:4] == (b"b", b"2", 1, 0)
    assert (third.headers, third.timestamp_ms) == ((("h", b"x"),), 7)


@pytest.mark.spark
def test_spark_reads_it(spark: SparkSession, kafka_broker: Broker, topic: str) -> None:
    kafka_broker.produce(topic, [("a", "1")])
    found = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", kafka_broker.bootstrap)
        .option("subscribe", topic)
        .load()
        .selectExpr("CAST(value AS STRING) AS value")
    )
    assert [row.value for row in found.collect()] == ["1"]
