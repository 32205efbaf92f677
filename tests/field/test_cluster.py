"""Jobs on Spark's standalone cluster: the same rows as on one machine, whoever is killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from field.servers.standalone import Standalone, standalone
from pyspark.sql import SparkSession
from run.jobs import (
    PATIENCE_S,
    ROOT,
    compile_job,
    due_ids,
    kill,
    program,
    run,
    sink_ids,
    started,
    wait_for_batches,
    write_feed,
)

pytestmark = [pytest.mark.spark, pytest.mark.field]

DEMO = ("in_the_air", "tumbling_window", "hopping_window", "sliding_window", "time_to_live")
SETTINGS = ("--conf", "spark.executor.memory=512m", "--conf", "spark.ui.enabled=false")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    with standalone(tmp_path_factory.mktemp("cluster")) as found:
        yield found


def test_the_demo_queries_in_a_main_of_ones_own(cluster: Standalone, tmp_path: Path) -> None:
    # The executors find the runtime in the zip alone.
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests"), str(ROOT / "examples")])
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/field/notebook.py"), cluster.url, str(tmp_path), *DEMO],
        env=os.environ | {"PYTHONPATH": path, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split() == [*DEMO]


def test_executors_and_the_driver_are_killed(
    cluster: Standalone, tmp_path: Path, spark: SparkSession
) -> None:
    files = 14
    write_feed(tmp_path / "in", files=files)
    job = compile_job(tmp_path)
    log, checkpoint = tmp_path / "log", tmp_path / "checkpoint"
    # One core less than there will be: a worker that joins takes over what another has lost.
    command = program(job, "--master", cluster.url, *SETTINGS)
    with started(command, log) as process:
        wait_for_batches(process, checkpoint, 3)
        assert cluster.kill_executors(0)
        wait_for_batches(process, checkpoint, 5)
        cluster.add_worker()
        assert cluster.kill_executors(1)
        wait_for_batches(process, checkpoint, 8)
        kill(process)
    _wait_for_no_application(cluster)
    code = run([*command, "--available-now"], log)
    assert code == 0, log.read_text(encoding="utf-8")[-3000:]
    assert sink_ids(spark, tmp_path / "out") == due_ids(files)


def test_state_keeps_its_partitions_on_more_cores(
    cluster: Standalone, tmp_path: Path, spark: SparkSession
) -> None:
    write_feed(tmp_path / "in", files=5)
    job = compile_job(tmp_path)
    log, places = tmp_path / "log", tmp_path / "checkpoint/state/0"
    for number, partitions in enumerate((3, 5)):
        write_feed(tmp_path / "in", files=4, first=5 + 4 * number)
        more = ("--conf", f"spark.sql.shuffle.partitions={partitions}", "--available-now")
        code = run(program(job, "--master", cluster.url, *SETTINGS, *more), log)
        assert code == 0, log.read_text(encoding="utf-8")[-3000:]
        assert sorted(each.name for each in places.glob("[0-9]*")) == ["0", "1", "2"]
    assert sink_ids(spark, tmp_path / "out") == due_ids(13)


def _wait_for_no_application(cluster: Standalone) -> None:
    """Until the master has noticed that a driver is gone, and its cores are free."""
    deadline = time.monotonic() + PATIENCE_S
    while cluster.state().get("activeapps"):
        assert time.monotonic() < deadline, "the master still has the application"
        time.sleep(0.5)
