"""What a job does when its environment does not play along, as docs/operations.md says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

import tvfc_runtime
from compiler import compile_script
from compiler.source import SourceText
from scenario.job_module import load_job
from tvfc_runtime.reports.reasons import FAILURES, reason

pytestmark = pytest.mark.spark

QUERY = """CREATE SOURCE events (id BIGINT, name STRING) USING {form} OPTIONS (path 'in'{more});
CREATE SINK out USING parquet OPTIONS (path 'out') AS SELECT id, name FROM events;
"""


def start(spark: SparkSession, folder: Path, form: str = "json", more: str = "") -> StreamingQuery:
    """Start the query; its input, sink and checkpoint are in `folder`."""
    job = compile_script(SourceText("query.sql", QUERY.format(form=form, more=more)))
    spec = load_job(job.text, folder / "job.py").JOB
    return tvfc_runtime.start(
        tvfc_runtime.Job(spark, str(folder / "checkpoint")), spec, spec.outputs
    )


def run(spark: SparkSession, folder: Path, form: str = "json", more: str = "") -> str:
    """Run the query until it has read all; why it failed, or nothing."""
    query = None
    try:
        query = start(spark, folder, form, more)
        query.processAllAvailable()
    except FAILURES as error:
        return reason(error)
    finally:
        if query is not None:
            query.stop()
    return ""


def ids(spark: SparkSession, folder: Path) -> list[int]:
    return sorted(row.id for row in spark.read.parquet(str(folder / "out")).collect())


def write(folder: Path, name: str, *rows: object) -> Path:
    (folder / "in").mkdir(exist_ok=True)
    file = folder / "in" / name
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return file


@contextmanager
def mounted(place: Path, options: str) -> Iterator[None]:
    """A small disk of its own at a place."""
    place.mkdir()
    if os.geteuid() != 0 or _mount("-t", "tmpfs", "-o", options, "tmpfs", str(place)):
        pytest.skip("no disk can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)


def _mount(*options: str) -> int:
    return subprocess.run(["mount", *options], check=False, capture_output=True).returncode


def test_a_full_disk_and_room_again(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, "a.json", *({"id": i, "name": os.urandom(50_000).hex()} for i in range(40)))
    with mounted(tmp_path / "out", "size=1m"):
        assert run(spark, tmp_path).startswith("TVF710: no space is left on the disk")
        assert _mount("-o", "remount,size=64m", str(tmp_path / "out")) == 0
        assert run(spark, tmp_path) == ""
        assert ids(spark, tmp_path) == list(range(40))


def test_a_checkpoint_that_cannot_be_written(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, "a.json", {"id": 1})
    with mounted(tmp_path / "checkpoint", "size=1m,ro"):
        assert run(spark, tmp_path).startswith("TVF716: ")


def test_two_jobs_on_one_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, "a.json", {"id": 1})
    lock = tmp_path / "checkpoint/tvfc/lock"
    lock.parent.mkdir(parents=True)
    holds = (
        "import fcntl,sys; f=open(sys.argv[1],'w'); fcntl.flock(f,2); print(1,flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holds, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert run(spark, tmp_path).startswith("TVF709: another job runs on the checkpoint")
        other.communicate(b"\n")
    assert run(spark, tmp_path) == ""
    assert ids(spark, tmp_path) == [1]


def test_a_source_without_a_folder_or_without_files(spark: SparkSession, tmp_path: Path) -> None:
    assert run(spark, tmp_path).startswith("TVF712: there is no such folder")
    (tmp_path / "in").mkdir()
    assert run(spark, tmp_path) == ""
    write(tmp_path, "a.json", {"id": 1})
    assert run(spark, tmp_path) == ""
    assert ids(spark, tmp_path) == [1]


def test_a_file_that_is_gone_before_it_is_read(spark: SparkSession, tmp_path: Path) -> None:
    """Spark passes over it at the next start; what comes later is read."""
    file = write(tmp_path, "a.json", {"id": "one"})
    assert "TVF704" in run(spark, tmp_path, more=", badRows 'fail'")
    file.unlink()
    write(tmp_path, "b.json", {"id": 2})
    assert run(spark, tmp_path) == ""
    assert ids(spark, tmp_path) == [2]


def test_a_source_folder_that_vanishes_and_comes_back(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, "a.json", {"id": 1})
    assert run(spark, tmp_path) == ""
    shutil.rmtree(tmp_path / "in")
    assert run(spark, tmp_path).startswith("TVF712: ")
    write(tmp_path, "b.json", {"id": 2})
    assert run(spark, tmp_path) == ""
    assert ids(spark, tmp_path) == [1, 2]


def test_a_folder_of_all_sorts_of_files(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, "empty.json")
    write(tmp_path, "_SUCCESS", {"id": 7})
    write(tmp_path, ".hidden", {"id": 8})
    write(tmp_path, "long.json", {"id": 1, "name": "x" * 10_000_000}, {"id": 2})
    (tmp_path / "in/picture.png").write_bytes(bytes(range(256)))
    (tmp_path / "in/notes.txt").write_text("not for you\n")
    job = compile_script(SourceText("query.sql", QUERY.format(form="json", more="")))
    spec = load_job(job.text, tmp_path / "job.py").JOB
    running = tvfc_runtime.Job(spark, str(tmp_path / "checkpoint"))
    query = tvfc_runtime.start(running, spec, spec.outputs)
    query.processAllAvailable()
    for progress in query.recentProgress:
        running.memory.counters.update(progress)
    query.stop()
    assert ids(spark, tmp_path) == [1, 2]
    assert running.memory.counters.bad["events"] >= 2
    assert len(str(running.memory.counters.examples)) < 1_000


def test_parquet_files_of_other_columns(spark: SparkSession, tmp_path: Path) -> None:
    for name, sql in {
        "more": "SELECT 0 AS more, 1 AS id, 'a' AS name",
        "narrow": "SELECT CAST(2 AS SMALLINT) AS id",
        "case": "SELECT 3L AS ID, 'c' AS Name",
        "renamed": "SELECT 4L AS id, 'd' AS nom",
    }.items():
        spark.sql(sql).coalesce(1).write.parquet(str(tmp_path / "made" / name))
        (file,) = (tmp_path / "made" / name).glob("*.parquet")
        (tmp_path / "in").mkdir(exist_ok=True)
        file.rename(tmp_path / "in" / f"{name}.parquet")
    assert run(spark, tmp_path, "parquet") == ""
    rows = spark.read.parquet(str(tmp_path / "out")).orderBy("id").collect()
    assert [tuple(row) for row in rows] == [(1, "a"), (2, None), (3, "c"), (4, None)]
    spark.sql("SELECT 'x' AS id").coalesce(1).write.parquet(str(tmp_path / "made/text"))
    (file,) = (tmp_path / "made/text").glob("*.parquet")
    file.rename(tmp_path / "in/text.parquet")
    assert run(spark, tmp_path, "parquet").startswith("TVF714: ")
    assert run(spark, tmp_path, "parquet").startswith("TVF714: ")


def test_anything_else_is_said_in_a_few_lines() -> None:
    said = reason(PySparkException("something\n\tat org.apache.spark.Foo(Foo.scala:1)\nelse"))
    assert said == "TVF715: the job has failed:\nsomething\nelse"
