"""A source that falls silent, by the real clock: rows leave all the same, also after a kill."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from run.jobs import PATIENCE_S, compile_job, kill, program, started

from tvfc_runtime.checkpoint.memory import Memory

if TYPE_CHECKING:
    import subprocess

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

IDLE_S = 3
QUERY = f"""CREATE SOURCE events (id INT, ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 DAY IDLE AFTER INTERVAL {IDLE_S} SECONDS)
USING json OPTIONS (path 'in');
CREATE SINK out USING parquet OPTIONS (path 'out') AS
SELECT id FROM events WHERE ts + INTERVAL 1 SECOND <= WATERMARK_TS();
"""


def write_row(folder: Path, number: int, seconds: float) -> None:
    """A row whose time is so many seconds after now."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))
    (folder / f"{number}.json").write_text(json.dumps({"id": number, "ts": moment}))


def sink_ids(spark: SparkSession, folder: Path) -> list[int]:
    """What the sink holds, which may be nothing yet."""
    if not (folder / "_spark_metadata").exists():
        return []
    return sorted(row.id for row in spark.read.schema("id INT").parquet(str(folder)).collect())


def wait_for_rows(
    process: subprocess.Popen[bytes], spark: SparkSession, folder: Path, ids: list[int]
) -> None:
    """Until the sink holds so many rows, and these."""
    deadline = time.monotonic() + PATIENCE_S
    while len(sink_ids(spark, folder)) < len(ids):
        assert process.poll() is None, "the job has ended by itself"
        assert time.monotonic() < deadline, f"not {ids} in {PATIENCE_S} s"
        time.sleep(0.5)
    assert sink_ids(spark, folder) == ids


def test_a_silent_source(tmp_path: Path, spark: SparkSession) -> None:
    feed, out = tmp_path / "in", tmp_path / "out"
    feed.mkdir()
    write_row(feed, 1, -1)
    write_row(feed, 2, 3600)
    job = compile_job(tmp_path, QUERY)
    log = tmp_path / "log"
    command = program(job, "--master", "local[2]")
    with started(command, log) as process:
        wait_for_rows(process, spark, out, [1])
        kill(process)
    write_row(feed, 3, 0)
    write_row(feed, 4, -600)
    with started(command, log) as process:
        # Row 4 came when the watermark had long passed its time, row 3 had not been reached.
        wait_for_rows(process, spark, out, [1, 3])
        kill(process)
    assert Memory(str(tmp_path / "checkpoint")).counters.late == {"events": 1}
