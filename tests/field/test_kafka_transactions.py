"""What keeps batches in Kafka apart: numbers, transactions of others, one producer at a time."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import pytest
from confluent_kafka import Producer
from field.servers.kafka import Broker
from pyspark.sql import SparkSession

from tvfc_runtime import Output
from tvfc_runtime.sinks import SinkError, arrow_pieces, batch_writer, kafka, kafka_batches
from tvfc_runtime.sinks.kafka_records import records_of

pytestmark = pytest.mark.spark


def output(broker: Broker, topic: str, **more: str) -> Output:
    options = {"topic": topic, "kafka.bootstrap.servers": broker.bootstrap, **more}
    return Output(name="out", build=lambda _: None, format="kafka", options=options)  # type: ignore[arg-type,return-value]


def checkpoint(folder: Path) -> Path:
    """What Spark has there of a query that has not run yet."""
    for name in ("offsets", "commits"):
        (folder / name).mkdir(parents=True)
    (folder / "metadata").write_text(json.dumps({"id": str(uuid4())}))
    return folder


def run(spark: SparkSession, to: Output, folder: Path, number: int, rows: int = 1) -> None:
    """A job that starts, plans a batch and writes it, and is gone before Spark notes that."""
    records = records_of(spark.range(rows).toDF("id"), to)
    writer = batch_writer(to, records.schema, str(folder))
    for before in range(number):
        (folder / f"commits/{before}").touch()
    (folder / f"offsets/{number}").touch()
    writer(records, number)


def test_a_large_batch_comes_partition_by_partition(
    spark: SparkSession,
    kafka_broker: Broker,
    topic: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arrow_pieces, "FEW_BYTES", 1000)
    to = output(kafka_broker, topic, key="id")
    run(spark, to, checkpoint(tmp_path / "c"), 0, 10_000)
    found = kafka_broker.read(topic)
    assert sorted(json.loads(each.value or b"")["id"] for each in found) == list(range(10_000))
    assert {each.key for each in found} == {each.value for each in found}


def test_a_number_that_is_there_is_not_written_again(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    to, folder = output(kafka_broker, topic), checkpoint(tmp_path / "c")
    run(spark, to, folder, 0)
    run(spark, to, folder, 1, 2)
    run(spark, to, folder, 1, 2)
    assert len(kafka_broker.read(topic)) == 3
    # Another checkpoint has numbers of its own.
    run(spark, to, checkpoint(tmp_path / "d"), 0)
    assert len(kafka_broker.read(topic)) == 4
    (folder / "offsets/1").unlink()
    with pytest.raises(SinkError, match="TVF742: sink out: Kafka has batch 1, and the checkpoint"):
        run(spark, to, folder, 1)


def test_of_two_jobs_the_first_is_shut_out(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    to, folder = output(kafka_broker, topic), checkpoint(tmp_path / "c")
    records = records_of(spark.range(1).toDF("id"), to)
    first = batch_writer(to, records.schema, str(folder))
    first(records, 0)
    # As in two processes: each has a producer of its own.
    before = dict(kafka._SESSIONS)
    (folder / "offsets/0").touch()
    run(spark, to, folder, 1)
    kafka._SESSIONS.update(before)
    with pytest.raises(SinkError, match="TVF709: sink out: another job writes"):
        first(records, 1)
    assert len(kafka_broker.read(topic)) == 2


def test_what_stands_behind_an_open_transaction_is_waited_for(
    kafka_broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"bootstrap.servers": kafka_broker.bootstrap, "log_level": "0"}
    name, key = f"batches-{uuid4()}", kafka_batches.marker_key("q", "out")
    assert kafka_batches.ensure_topic("out", settings, name)
    assert not kafka_batches.ensure_topic("out", settings, name)
    assert kafka_batches.last_batch("out", settings, name, key) is None
    other, own = (Producer(settings | {"transactional.id": f"{name}-{n}"}) for n in range(2))
    for producer in (other, own):
        producer.init_transactions(60)
        producer.begin_transaction()
    other.produce(name, kafka_batches.marker_value(9), kafka_batches.marker_key("q", "other"), 0)
    other.flush()
    own.produce(name, kafka_batches.marker_value(7), key, 0)
    own.commit_transaction()
    monkeypatch.setattr(kafka_batches, "PATIENCE_S", 2)
    with pytest.raises(SinkError, match=r"TVF742: .* does not end"):
        kafka_batches.last_batch("out", settings, name, key)
    other.abort_transaction()
    monkeypatch.undo()
    assert kafka_batches.last_batch("out", settings, name, key) == 7


def test_a_topic_that_forgets_is_refused(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    kafka_broker.create(f"{topic}-batches", cleanup_policy="delete")
    to = output(kafka_broker, topic, batchesTopic=f"{topic}-batches")
    with pytest.raises(SinkError, match=r"TVF742: .* cleanup.policy delete"):
        run(spark, to, checkpoint(tmp_path / "c"), 0)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"kafka.acks": "1"}, "acks"),
        ({"kafka.no.such.thing": "1"}, "no.such.thing"),
        ({"kafka.bootstrap.servers": ""}, "kafka.bootstrap.servers"),
    ],
)
def test_settings_are_seen_at_the_start(
    spark: SparkSession,
    kafka_broker: Broker,
    topic: str,
    tmp_path: Path,
    more: dict[str, str],
    said: str,
) -> None:
    to = output(kafka_broker, topic, **more)
    with pytest.raises(SinkError, match=said):
        run(spark, to, checkpoint(tmp_path / "c"), 0)
