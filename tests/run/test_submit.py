"""Generated jobs under spark-submit, stopped and killed: nothing is lost and nothing repeated."""

from __future__ import annotations

import json
import random
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest
from reports.collector import Collected, collector
from run.jobs import (
    QUERY,
    TOGETHER,
    compile_job,
    due_ids,
    kill,
    program,
    run,
    sink_ids,
    started,
    status,
    table,
    tree,
    wait_for_batches,
    write_feed,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.mark.parametrize(
    "master",
    [pytest.param("local[2]", marks=pytest.mark.thorough), "local-cluster[2,1,1024]"],
)
def test_spark_submit(tmp_path: Path, spark: SparkSession, master: str) -> None:
    write_feed(tmp_path / "in", files=5)
    job = compile_job(tmp_path)
    log = tmp_path / "log"
    code = run(program(job, "--available-now", "--master", master, submit=True), log)
    assert code == 0, log.read_text(encoding="utf-8")[-3000:]
    assert sink_ids(spark, tmp_path / "out") == due_ids(5)


@pytest.mark.parametrize("kills", [1, pytest.param(3, marks=pytest.mark.thorough)])
def test_killed_at_any_moment(tmp_path: Path, spark: SparkSession, kills: int) -> None:
    seed = random.randrange(1_000_000)
    moments = random.Random(seed)
    files = 6 + 4 * kills
    write_feed(tmp_path / "in", files=files)
    job = compile_job(tmp_path)
    log = tmp_path / "log"
    batches = 0
    for _ in range(kills):
        with started(program(job, "--master", "local[2]"), log) as process:
            batches += moments.randint(2, 5)
            wait_for_batches(process, tmp_path / "checkpoint", batches)
            # Somewhere inside a batch: the moment is the test's input, not a wait for anything.
            signal.sigtimedwait([], moments.uniform(0.0, 1.0))
            kill(process)
    code = run(program(job, "--available-now", "--master", "local[2]"), log)
    assert code == 0, log.read_text(encoding="utf-8")[-3000:]
    assert sink_ids(spark, tmp_path / "out") == due_ids(files), f"seed {seed}"


@pytest.mark.thorough
def test_several_sinks_killed(tmp_path: Path, spark: SparkSession) -> None:
    seed = random.randrange(1_000_000)
    moments = random.Random(seed)
    files = 8
    write_feed(tmp_path / "in", files=files, late=True)
    job = compile_job(tmp_path, TOGETHER)
    log = tmp_path / "log"
    with started(program(job, "--master", "local[2]"), log) as process:
        wait_for_batches(process, tmp_path / "checkpoint", moments.randint(2, 5))
        signal.sigtimedwait([], moments.uniform(0.0, 1.0))
        kill(process)
    code = run(program(job, "--available-now", "--master", "local[2]"), log)
    assert code == 0, log.read_text(encoding="utf-8")[-3000:]
    assert sink_ids(spark, tmp_path / "out") == due_ids(files), f"seed {seed}"
    found = table(tmp_path / "late.db", "SELECT id FROM refused ORDER BY id DESC")
    assert found == [(-number,) for number in range(1, files)], f"seed {seed}"


OF_THE_DAEMON = re.compile(
    r"Traceback \(most recent call last\):\n"
    r'(?:  File "[^"\n]*pyspark/daemon\.py".*\n(?:    .*\n)*)+'
    r"BrokenPipeError: .*\n"
)
"""What the parent of Spark's Python workers prints of one that it starts as the task is cancelled.

No code of a job runs there yet that could be quiet about it.
"""


def check_reports(collected: Collected, log: Path, folder: Path) -> None:
    """What a job has told of itself before it was stopped agrees with its checkpoint."""
    counted = status(folder / "checkpoint")
    text = log.read_text(encoding="utf-8")
    assert "Traceback" not in OF_THE_DAEMON.sub("", text)
    assert len(re.findall(r" (?:INFO|WARN|ERROR) ", text)) < 10, text
    lines = [json.loads(line) for line in text.splitlines() if line[:1] == "{"]
    batches = [line for line in lines if line["message"] == "batch"]
    assert [line["batch"] for line in batches] == list(range(counted.batch + 1))
    assert sum(line["rows"]["events"] for line in batches) == counted.sources[0].rows
    assert sum(line["out"]["out"] for line in batches) == counted.rows_out
    assert lines[-1]["message"].startswith(
        f"stopped by SIGTERM: query/out after batch {counted.batch}"
    )
    assert collected.value("tvfc.batch", query="query/out") == counted.batch
    assert collected.value("tvfc.rows_read", query="query/out", source="events") == (
        counted.sources[0].rows
    )
    assert len(collected.spans) == len(batches)
    first, last = map(json.loads, (folder / "lineage").read_text(encoding="utf-8").splitlines())
    assert (first["eventType"], last["eventType"]) == ("START", "ABORT")
    assert last["inputs"][0]["name"] == str(folder / "in")
    assert last["outputs"][0]["name"] == str(folder / "out")


def test_stopped_continued_and_another_query_refused(tmp_path: Path, spark: SparkSession) -> None:
    write_feed(tmp_path / "in", files=4)
    job = compile_job(tmp_path)
    log = tmp_path / "log"
    checkpoint = tmp_path / "checkpoint"
    told = ("--metrics", "0", "--lineage", "lineage", "--log-format", "json")
    with collector() as collected:
        options = ("--master", "local[2]", "--otel", collected.url, *told)
        with started(program(job, *options, submit=True), log) as process:
            wait_for_batches(process, checkpoint, 2)
            (place,) = re.findall(r"metrics at (http:[^\s\"]+)", log.read_text(encoding="utf-8"))
            with urlopen(place) as answer:
                assert b'\ntvfc_batch{query="query/out"} ' in answer.read()
            assert status(checkpoint).runs
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0, log.read_text(encoding="utf-8")[-3000:]
    assert status(checkpoint).runs is False
    check_reports(collected, log, tmp_path)

    other = compile_job(tmp_path, QUERY.replace("25 SECONDS", "26 SECONDS"), "other")
    before = tree(checkpoint)
    refusal = tmp_path / "refusal"
    assert run(program(other, "--available-now", "--master", "local[2]"), refusal) == 1
    said = refusal.read_text(encoding="utf-8")
    assert "TVF701" in said
    assert "26 SECONDS" in said
    assert tree(checkpoint) == before

    write_feed(tmp_path / "in", files=2, first=4)
    assert run(program(job, "--available-now", "--master", "local[2]"), log) == 0
    assert sink_ids(spark, tmp_path / "out") == due_ids(6)
    before = tree(checkpoint)
    found = status(checkpoint)
    (events,) = found.sources
    assert (events.rows, found.held, found.rows_out) == (60, {"delay": 25}, 35)
    assert (events.watermark_ms, events.holds_clock) == (found.clock_ms, False)
    assert found.due == ("rows at ts + interval 25 second",)
    assert tree(checkpoint) == before
