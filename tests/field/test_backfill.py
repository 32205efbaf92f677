"""A source whose history lies in files: read to its end, then what is live, under one clock."""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import pytest
from field.kafka_jobs import PATIENCE_S, at, written
from field.servers.kafka import Broker
from pyspark.sql import SparkSession

import tvfc_runtime
from compiler import compile_script
from compiler.source import SourceText
from scenario.job_module import load_job
from tvfc_runtime.checkpoint.whole import CheckpointError
from tvfc_runtime.sources.backfill import is_live

pytestmark = pytest.mark.spark

COLUMNS = "id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts"
SINKS = """CREATE SINK out USING json OPTIONS (path 'out') AS
SELECT id FROM s WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS();
CREATE SINK refused USING json OPTIONS (path 'refused') AS SELECT id FROM LATE(s);
"""
HISTORY = "backfill 'json', backfill.path 'old', backfill.maxFilesPerTrigger '2'"


def row(number: int) -> str:
    """A row whose time is its number in seconds."""
    return json.dumps({"id": number, "ts": at(number).isoformat()})


def file_of(folder: Path, *numbers: int) -> None:
    """A file of a history, younger than those before it."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{numbers[0]:03}.json"
    path.write_text("\n".join(map(row, numbers)), encoding="utf-8")
    os.utime(path, (1_600_000_000 + numbers[0],) * 2)


def steps(spark: SparkSession, folder: Path, script: str) -> Generator[None]:
    """Run a job to the end of its input; it may be left between its phases."""
    text = compile_script(SourceText(str(folder / "query.sql"), script)).text
    spec = load_job(text, folder / "job.py").JOB
    place = str(folder / "checkpoint")
    for trigger, wanted in tvfc_runtime.phases(spec, place, {"availableNow": True}, None):
        for outputs, checkpoint in wanted:
            job = tvfc_runtime.Job(spark, checkpoint)
            query = tvfc_runtime.start(job, spec, outputs, **trigger)
            assert query.awaitTermination(PATIENCE_S)
        yield


def ids(folder: Path) -> list[int]:
    """The rows of a sink, each as often as it is there."""
    return sorted(each["id"] for each in written(folder))


def from_kafka(broker: Broker, topic: str) -> str:
    """A source of a topic with a history in files."""
    return (
        f"CREATE SOURCE s ({COLUMNS}) USING kafka OPTIONS (subscribe '{topic}', "
        f"kafka.bootstrap.servers '{broker.bootstrap}', startingOffsets 'earliest', {HISTORY});\n"
    )


def forget_last_commit(checkpoint: Path) -> None:
    """What a kill leaves between a batch and its commit."""
    last = max((checkpoint / "commits").glob("[0-9]*"), key=lambda each: int(each.name))
    last.unlink()
    last.with_name(f".{last.name}.crc").unlink(missing_ok=True)


def test_a_query_that_is_behind_is_not_started(spark: SparkSession, tmp_path: Path) -> None:
    """It would stand still for ever."""
    script = f"CREATE SOURCE s ({COLUMNS}) USING json OPTIONS (path 'new', {HISTORY});\n" + SINKS
    text = compile_script(SourceText(str(tmp_path / "query.sql"), script)).text
    spec = load_job(text, tmp_path / "job.py").JOB
    (outputs,) = tvfc_runtime.queries_of(spec)
    with pytest.raises(CheckpointError, match="TVF757"):
        tvfc_runtime.start(tvfc_runtime.Job(spark, str(tmp_path / "cp")), spec, outputs)


@pytest.mark.parametrize(
    "kill",
    [
        "never",
        "at the hand-over",
        *(
            pytest.param(each, marks=pytest.mark.field)
            for each in ("in the history", "in live rows")
        ),
    ],
)
def test_history_then_live(
    spark: SparkSession, kafka_broker: Broker, topic: str, tmp_path: Path, kill: str
) -> None:
    """Live rows that were there before move no clock until the history is read."""
    script = from_kafka(kafka_broker, topic) + SINKS
    for first in range(0, 60, 10):
        file_of(tmp_path / "old", *range(first, first + 10))
    kafka_broker.produce(topic, [(None, row(number)) for number in range(60, 80)])
    runs = steps(spark, tmp_path, script)
    next(runs)
    checkpoint = tmp_path / "checkpoint"
    assert not is_live(str(checkpoint))
    # Of live rows nothing was read, but the clock of the history is that of its last row.
    assert ids(tmp_path / "out") == list(range(55))
    if kill == "in the history":
        forget_last_commit(checkpoint)
    if kill in ("in the history", "at the hand-over"):
        runs.close()
        for _ in steps(spark, tmp_path, script):
            pass
    else:
        list(runs)
    assert ids(tmp_path / "out") == list(range(75))
    handed: Mapping[str, Any] = json.loads((checkpoint / "tvfc/live").read_text())
    assert json.loads(handed["offsets"][-1]) == {topic: {"0": 0}}
    if kill == "in live rows":
        forget_last_commit(checkpoint)
    # What comes to the folder from now on is not its business.
    file_of(tmp_path / "old", 77, 300)
    kafka_broker.produce(topic, [(None, row(number)) for number in (80, 90, 81)])
    for _ in steps(spark, tmp_path, script):
        pass
    assert ids(tmp_path / "out") == list(range(82))
    assert ids(tmp_path / "refused") == []


def test_both_in_files(spark: SparkSession, tmp_path: Path) -> None:
    """A row of the live files is late by the clock of the history."""
    script = f"CREATE SOURCE s ({COLUMNS}) USING json OPTIONS (path 'new', {HISTORY});\n" + SINKS
    file_of(tmp_path / "old", *range(10))
    file_of(tmp_path / "old", *range(10, 20))
    file_of(tmp_path / "new", 3, 21, 30)
    for _ in steps(spark, tmp_path, script):
        pass
    assert ids(tmp_path / "out") == [*range(20), 21]
    assert ids(tmp_path / "refused") == [3]
