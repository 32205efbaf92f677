"""Jobs that write to Kafka: keys, changes, tombstones; each record once, whatever is run again."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from field.servers.kafka import Broker, Record
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

import tvfc_runtime
from compiler import compile_script
from compiler.source import SourceText
from scenario.job_module import load_job
from tvfc_runtime.reports.reasons import reason
from tvfc_runtime.sinks import SinkError

pytestmark = pytest.mark.spark

SOURCE = """CREATE SOURCE events (id INT, k STRING, ts TIMESTAMP, until TIMESTAMP,
  WATERMARK FOR ts AS ts) USING json OPTIONS (path 'in', maxFilesPerTrigger '1');
"""
WHILE = "FROM events WHERE WATERMARK_TS() >= ts AND WATERMARK_TS() < until"


def sink(name: str, broker: Broker, query: str, **options: str) -> str:
    given = {"topic": name, "kafka.bootstrap.servers": broker.bootstrap} | options
    listed = ", ".join(f"`{key}` '{value}'" for key, value in given.items())
    return f"CREATE SINK `{name}` USING kafka OPTIONS ({listed}) AS {query}\n"


def start(spark: SparkSession, folder: Path, text: str) -> StreamingQuery:
    spec = load_job(compile_script(SourceText("query.sql", text)).text, folder / "job.py").JOB
    (outputs,) = tvfc_runtime.queries_of(spec)
    running = tvfc_runtime.Job(spark, str(folder / "checkpoint"))
    return tvfc_runtime.start(running, spec, outputs, availableNow=True)


def run(spark: SparkSession, folder: Path, text: str) -> None:
    start(spark, folder, text).awaitTermination()


def feed(folder: Path, number: int, *rows: tuple[int, str | None, int, int]) -> None:
    """A file of rows: id, k, and the seconds of `ts` and `until`; a file is a batch."""
    (folder / "in").mkdir(exist_ok=True)
    path = folder / "in" / f"{number}.json"
    named = [
        {"id": one, "k": k, "ts": moment(ts), "until": moment(until)} for one, k, ts, until in rows
    ]
    path.write_text("\n".join(map(json.dumps, named)), encoding="utf-8")
    os.utime(path, (1_600_000_000 + number, 1_600_000_000 + number))


def moment(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime(1_700_000_000 + second))


def forget_last_commit(folder: Path) -> int:
    """What a crash leaves after Kafka has a batch and before Spark knows: that batch runs again."""
    number, last = max(
        (int(path.name), path) for path in (folder / "checkpoint/commits").glob("[0-9]*")
    )
    last.unlink()
    last.with_name(f".{last.name}.crc").unlink(missing_ok=True)
    return number


def value(record: Record) -> dict[str, Any]:
    assert record.value is not None
    found: dict[str, Any] = json.loads(record.value)
    return found


@pytest.mark.field
def test_keys_changes_and_tombstones(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    rows, live, history = (f"{topic}-{name}" for name in ("rows", "live", "history"))
    kafka_broker.create(rows, 3)
    kafka_broker.create(live, 2, cleanup_policy="compact")
    text = (
        SOURCE
        + sink(rows, kafka_broker, "SELECT id, k, ts FROM events;", key="k", mode="append")
        + sink(live, kafka_broker, f"SELECT k, count(*) AS n {WHILE} GROUP BY k;", key="k")
        + sink(history, kafka_broker, f"SELECT id {WHILE};")
    )
    feed(tmp_path, 0, (1, "a", 0, 3), (2, "b", 0, 9), (3, None, 1, 9), (4, "b", 1, 9))
    feed(tmp_path, 1, (5, "a", 20, 90), (6, "c", 21, 90))
    feed(tmp_path, 2, (7, "a", 30, 90))
    run(spark, tmp_path, text)
    found = {name: kafka_broker.read(name) for name in (rows, live, history)}
    assert sorted(value(each)["id"] for each in found[rows]) == [1, 2, 3, 4, 5, 6, 7]
    assert value(found[rows][0]).keys() == {"id", "k", "ts"}
    # Each record has the key of its row, and all of a key are in one partition.
    assert all(json.loads(each.key or b"") == {"k": value(each)["k"]} for each in found[rows])
    assert len({(each.key, each.partition) for each in found[rows]}) == 4
    # What the topic holds at last is the result: what has gone has no value.
    held = {each.key: each.value for each in found[live]}
    assert held == {
        b'{"k":null}': None,
        b'{"k":"a"}': b'{"k":"a","n":2}',
        b'{"k":"b"}': None,
        b'{"k":"c"}': b'{"k":"c","n":1}',
    }
    # A change is a record, with when it was and which way.
    sums: Counter[int] = Counter()
    for each in map(value, found[history]):
        sums[each["id"]] += each["_diff"]
        assert each.keys() == {"id", "_time", "_diff"}
    assert +sums == {5: 1, 6: 1, 7: 1}
    assert {each.key for each in found[history]} == {None}
    # The batch after which the driver was gone, as it were, is run again, and nothing is new.
    forget_last_commit(tmp_path)
    run(spark, tmp_path, text)
    assert {name: kafka_broker.read(name) for name in found} == found


def test_a_batch_that_is_run_again_moves_the_clock_and_state(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    due = "SELECT id FROM events WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS();"
    text = SOURCE + sink(topic, kafka_broker, due)
    feed(tmp_path, 0, (1, "a", 0, 3))
    feed(tmp_path, 1, (2, "a", 7, 9))
    run(spark, tmp_path, text)
    # The batch that is there is not written, but its clock goes on, and what it holds is held.
    forget_last_commit(tmp_path)
    run(spark, tmp_path, text)
    assert [value(each)["id"] for each in kafka_broker.read(topic)] == [1]
    feed(tmp_path, 2, (3, "a", 13, 19))
    run(spark, tmp_path, text)
    assert [value(each)["id"] for each in kafka_broker.read(topic)] == [1, 2]
    # A checkpoint that is put back is behind Kafka, and says so before it reads anything.
    last = forget_last_commit(tmp_path)
    (tmp_path / f"checkpoint/offsets/{last}").unlink()
    with pytest.raises(SinkError, match=f"TVF742: sink {topic}: Kafka has batch {last}"):
        start(spark, tmp_path, text)


def test_records_as_they_are(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    kafka_broker.create(topic, 2)
    query = """SELECT k AS key, CAST(id AS STRING) AS value, 1 AS partition,
        array(named_struct('key', 'h', 'value', CAST('x' AS BINARY))) AS headers FROM events;"""
    feed(tmp_path, 0, (1, "a", 0, 3), (2, None, 0, 3))
    run(spark, tmp_path, SOURCE + sink(topic, kafka_broker, query))
    found = kafka_broker.read(topic)
    assert sorted((each.value, each.key) for each in found) == [(b"1", b"a"), (b"2", None)]
    assert {each.partition for each in found} == {1}
    assert {each.headers for each in found} == {(("h", b"x"),)}


@pytest.mark.field
def test_at_least_once_is_a_choice(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    query = f"SELECT id, k {WHILE};"
    text = SOURCE + sink(topic, kafka_broker, query, key="id", delivery="at-least-once")
    feed(tmp_path, 0, (1, "a", 0, 3), (2, "b", 0, 9))
    feed(tmp_path, 1, (3, "b", 5, 9))
    run(spark, tmp_path, text)
    held = {each.key: each.value for each in kafka_broker.read(topic)}
    assert held[b'{"id":1}'] is None
    assert held[b'{"id":3}'] == b'{"id":3,"k":"b"}'
    # From then on exactly once, but not for a batch of which nobody knows whether it is there.
    forget_last_commit(tmp_path)
    with pytest.raises(SinkError, match=r"TVF742: .* is not known"):
        start(spark, tmp_path, SOURCE + sink(topic, kafka_broker, query, key="id"))


def test_two_rows_of_a_key_stop_the_job(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    query = f"SELECT k, id {WHILE};"
    feed(tmp_path, 0, (1, "a", 0, 9), (2, "a", 0, 9))
    with pytest.raises(StreamingQueryException) as caught:
        run(spark, tmp_path, SOURCE + sink(topic, kafka_broker, query, key="k"))
    assert reason(caught.value).startswith("TVF706: two rows of the result have the key k = ")
    assert kafka_broker.read(topic) == []


def test_a_batch_is_there_whole_or_not_at_all(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    """The broker refuses a record that is too large, with others of its batch before it."""
    kafka_broker.create(topic, 2, max_message_bytes="1000")
    # Its text is such that it is no shorter when it is compressed.
    long = "array_join(transform(sequence(1, 40), n -> sha2(CAST(n AS STRING), 256)), '')"
    query = f"SELECT IF(id > 9, {long}, 'x') AS value, IF(id > 9, 1, 0) AS partition FROM events;"
    text = SOURCE + sink(topic, kafka_broker, query)
    feed(tmp_path, 0, (1, "a", 0, 3), (2_000, "a", 0, 3))
    with pytest.raises(StreamingQueryException) as caught:
        run(spark, tmp_path, text)
    assert "TVF741" in reason(caught.value)
    assert "too large" in reason(caught.value)
    assert kafka_broker.read(topic) == []
    assert len(kafka_broker.read(topic, isolation="read_uncommitted")) == 1
