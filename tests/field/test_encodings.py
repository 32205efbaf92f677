"""Rows as records of a real broker by each ENCODE, and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from field.kafka_jobs import ran, written
from field.servers.kafka import Broker
from field.servers.registry import registry
from field.test_kafka_source import descriptors, sinks, source
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from tvfc_runtime.reports.reasons import reason
from tvfc_runtime.sinks import SinkError

pytestmark = pytest.mark.spark

LINES = [
    {"id": 1, "note": 'a "b", c', "at": "2024-01-01T00:00:01.000001Z", "state": "SHIPPED"},
    {"id": 2, "note": "", "at": None, "state": "NEW"},
    {"id": 3, "note": "two\nlines; é", "at": "2024-01-01T00:00:02Z", "state": "NEW"},
]
COLUMNS = "id BIGINT, note STRING, at TIMESTAMP"


def copied(broker: Broker, topic: str, form: str, query: str, **options: str) -> str:
    """A script that writes rows of JSON in another form."""
    given = {"topic": f"{topic}-out", "kafka.bootstrap.servers": broker.bootstrap, **options}
    listed = ", ".join(f"`{key}` '{value}'" for key, value in given.items())
    rows = source(broker, topic, f"{COLUMNS}, state STRING", "")
    return f"{rows}CREATE SINK out USING kafka OPTIONS ({listed}) {form} AS {query};"


@pytest.fixture
def lines(kafka_broker: Broker, topic: str) -> str:
    """A topic with rows as JSON."""
    kafka_broker.produce(topic, [(None, json.dumps(each)) for each in LINES])
    return topic


def test_lines_of_csv(
    spark: SparkSession, kafka_broker: Broker, lines: str, tmp_path: Path
) -> None:
    form = "FORMAT PLAIN ENCODE CSV (sep = ';')"
    script = copied(kafka_broker, lines, form, "SELECT id, note, at FROM s", key="id")
    (tmp_path / "there").mkdir()
    ran(spark, tmp_path / "there", script)
    records = {each.key: each.value for each in kafka_broker.read(f"{lines}-out")}
    # All digits of a time; NULL and an empty text are told apart.
    assert records[b'{"id":1}'] == b'1;"a \\"b\\", c";2024-01-01T00:00:01.000001Z'
    assert records[b'{"id":2}'] == b'2;"";'
    (tmp_path / "back").mkdir()
    back = source(kafka_broker, f"{lines}-out", COLUMNS, form)
    query = "SELECT id, note, CAST(at AS STRING) AS at FROM s"
    ran(spark, tmp_path / "back", back + sinks(query))
    found = sorted(written(tmp_path / "back/out"), key=lambda row: row["id"])
    assert found == [
        {"id": 1, "note": 'a "b", c', "at": "2024-01-01 00:00:01.000001"},
        # Spark reads an empty text as NULL.
        {"id": 2},
        {"id": 3, "note": "two\nlines; é", "at": "2024-01-01 00:00:02"},
    ]
    assert written(tmp_path / "back/bad") == []


def test_the_column_beside_the_key(
    spark: SparkSession, kafka_broker: Broker, lines: str, tmp_path: Path
) -> None:
    script = copied(
        kafka_broker, lines, "FORMAT PLAIN ENCODE BYTES", "SELECT id, note FROM s", key="id"
    )
    ran(spark, tmp_path, script)
    records = {each.key: each.value for each in kafka_broker.read(f"{lines}-out")}
    assert records == {
        f'{{"id":{each["id"]}}}'.encode(): str(each["note"]).encode() for each in LINES
    }


def test_protobuf_there_and_back(
    spark: SparkSession, kafka_broker: Broker, lines: str, tmp_path: Path
) -> None:
    """A sink tells the registry of its file, and a source reads what it wrote."""
    with registry() as schemas:
        form = (
            "FORMAT PLAIN ENCODE PROTOBUF (schema = 'order.desc', message = 'shop.Order', "
            f"schema.registry = '{schemas.url}')"
        )
        for name in ("there", "back"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "order.desc").write_bytes(descriptors().SerializeToString())
        query = "SELECT id, note, at, state FROM s"
        ran(spark, tmp_path / "there", copied(kafka_broker, lines, form, query))
        assert [*schemas.subjects] == [f"{lines}-out-value"]
        back = source(kafka_broker, f"{lines}-out", f"{COLUMNS}, state STRING", form)
        query = "SELECT id, note, CAST(at AS STRING) AS at, state FROM s"
        ran(spark, tmp_path / "back", back + sinks(query))
    found = sorted(written(tmp_path / "back/out"), key=lambda row: row["id"])
    assert found == [
        {
            "id": 1,
            "note": 'a "b", c',
            "at": "2024-01-01 00:00:01.000001",
            "state": "SHIPPED",
        },
        {"id": 2, "note": "", "state": "NEW"},
        {"id": 3, "note": "two\nlines; é", "at": "2024-01-01 00:00:02", "state": "NEW"},
    ]


def test_what_has_no_form_is_refused(
    spark: SparkSession, kafka_broker: Broker, lines: str, tmp_path: Path
) -> None:
    for place, (form, query, message) in enumerate(
        [
            ("CSV", "SELECT id, array(note) AS notes FROM s", "no form for the column notes"),
            ("BYTES", "SELECT id, note FROM s", "not id bigint, note string"),
            ("BYTES", "SELECT id FROM s", "not id bigint"),
        ]
    ):
        folder = tmp_path / str(place)
        folder.mkdir()
        script = copied(kafka_broker, lines, f"FORMAT PLAIN ENCODE {form}", query)
        with pytest.raises(SinkError, match=f"TVF752: sink out: .*{message}"):
            ran(spark, folder, script)


def test_a_value_without_a_place_stops_the_job(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path
) -> None:
    kafka_broker.produce(topic, [(None, json.dumps({"id": 1, "state": "LOST"}))])
    (tmp_path / "order.desc").write_bytes(descriptors().SerializeToString())
    form = "FORMAT PLAIN ENCODE PROTOBUF (schema = 'order.desc', message = 'shop.Order')"
    script = copied(kafka_broker, topic, form, "SELECT id, state FROM s")
    with pytest.raises(StreamingQueryException) as caught:
        ran(spark, tmp_path, script)
    assert "TVF752: state is 'LOST'" in reason(caught.value)
    assert kafka_broker.read(f"{topic}-out") == []
