"""Checkpoints as Spark leaves them, and what becomes of a job when files of them are lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from run.jobs import compile_job, due_ids, sink_ids, write_feed

import tvfc_runtime
from scenario.job_module import load_job
from tvfc_runtime.checkpoint.whole import CheckpointDamagedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.thorough]


@pytest.fixture
def go_on(tmp_path: Path, spark: SparkSession) -> Callable[[], None]:
    """Reads all files that are there; it has done so with four, and two more are there."""
    write_feed(tmp_path / "in", files=4)
    job = compile_job(tmp_path)
    spec = load_job(job.read_text(encoding="utf-8"), job).JOB
    checkpoint = str(tmp_path / "checkpoint")

    def run() -> None:
        frame = tvfc_runtime.Job(spark, checkpoint)
        query = tvfc_runtime.start(frame, spec, spec.outputs, availableNow=True)
        query.awaitTermination()

    run()
    write_feed(tmp_path / "in", files=2, first=4)
    return run


def take_newest(folder: Path) -> tuple[Path, bytes]:
    """The newest file of a log, which is gone afterwards, and what was in it."""
    found = max(folder.glob("[0-9]*"), key=lambda path: int(path.name))
    held = found.read_bytes()
    found.unlink()
    # The checksum that is beside a file on a local disk.
    found.with_name(f".{found.name}.crc").unlink(missing_ok=True)
    return found, held


def test_without_its_last_commit_the_batch_runs_again(
    tmp_path: Path, spark: SparkSession, go_on: Callable[[], None]
) -> None:
    take_newest(tmp_path / "checkpoint/commits")
    go_on()
    assert sink_ids(spark, tmp_path / "out") == due_ids(6)


@pytest.mark.parametrize(
    "log", ["checkpoint/sources/0", "checkpoint/offsets", "out/_spark_metadata"]
)
def test_without_the_newest_entry_of_another_log_it_is_refused(
    tmp_path: Path, spark: SparkSession, go_on: Callable[[], None], log: str
) -> None:
    entry, held = take_newest(tmp_path / log)
    with pytest.raises(CheckpointDamagedError, match="TVF711"):
        go_on()
    entry.write_bytes(held)
    go_on()
    assert sink_ids(spark, tmp_path / "out") == due_ids(6)
