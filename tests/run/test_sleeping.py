"""A job on the wall clock that sleeps until rows are due, and is killed asleep."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from run.jobs import compile_job, kill, program, started
from run.test_idle import wait_for_rows, write_row

from tvfc_runtime.checkpoint.memory import Memory
from tvfc_runtime.checkpoint.storage import list_numbers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SLEEP_S = 20
SOURCE = """CREATE SOURCE {name} (id INT, ts TIMESTAMP) USING json OPTIONS (path '{name}');
"""
SINK = "CREATE SINK out USING parquet OPTIONS (path 'out') AS\n"
QUERIES = {
    "delay": SOURCE.format(name="events") + SINK + "SELECT id FROM events WHERE ts <= mz_now();",
    "temporal": SOURCE.format(name="events")
    + SINK
    + "SELECT id FROM events WHERE mz_now() BETWEEN ts AND ts + INTERVAL 1 DAY;",
    "unanswered": SOURCE.format(name="events")
    + SOURCE.format(name="answers")
    + SINK
    + "SELECT id FROM events AS e WHERE ts <= mz_now() AND NOT EXISTS"
    " (SELECT 1 FROM answers AS a WHERE a.id = e.id AND a.ts <= e.ts);",
}


def clocks(checkpoint: Path) -> list[int]:
    """The clock of each batch."""
    folder = checkpoint / "offsets"
    texts = [(folder / str(each)).read_text() for each in sorted(list_numbers(str(folder)))]
    return [int(json.loads(text.splitlines()[1])["batchWatermarkMs"]) for text in texts]


@pytest.mark.parametrize(
    "name",
    [
        name if name == "unanswered" else pytest.param(name, marks=pytest.mark.thorough)
        for name in QUERIES
    ],
)
def test_a_job_that_is_killed_asleep(name: str, tmp_path: Path, spark: SparkSession) -> None:
    feed, out, checkpoint = tmp_path / "events", tmp_path / "out", tmp_path / "checkpoint"
    for folder in (feed, tmp_path / "answers"):
        folder.mkdir()
    write_row(feed, 1, -1)
    write_row(feed, 2, 86_400)
    command = program(compile_job(tmp_path, QUERIES[name]), "--master", "local[2]")
    with started(command, tmp_path / "log") as process:
        wait_for_rows(process, spark, out, [1])
        write_row(feed, 3, SLEEP_S)
        wait_until_read(checkpoint, 3)
        kill(process)
    before = len(clocks(checkpoint))
    if name == "temporal":
        # What operators have told of their timers is lost, so that these are read.
        shutil.rmtree(checkpoint / "tvfc/batches")
    with started(command, tmp_path / "log") as process:
        wait_for_rows(process, spark, out, [1, 3])
        # It sleeps again; what comes then is judged by the time of its arrival.
        write_row(feed, 4, -1)
        wait_for_rows(process, spark, out, [1, 3, 4])
        kill(process)
    found = clocks(checkpoint)
    assert found == sorted(found)
    # A tick a second would have made some twenty.
    assert len(found) - before <= SLEEP_S // 2
    counters = Memory(str(checkpoint)).counters
    assert counters.wakes is not None
    assert len(counters.wakes) == 1
    assert counters.wakes[0][0] > time.time() * 1000 + 3_600_000


def wait_until_read(checkpoint: Path, rows: int) -> None:
    """Until so many rows are counted."""
    while Memory(str(checkpoint)).counters.rows_in < rows:
        time.sleep(0.2)
