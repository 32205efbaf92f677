"""Generated jobs as programs of their own: a feed, a compile, a start, and what is in the sink."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pyspark
from pyspark.sql import SparkSession

from commands.checkpoint import status_of
from commands.compile import write_job
from commands.files import compile_file
from tvfc_runtime.reports.query_status import QueryStatus

ROOT = Path(__file__).parent.parent.parent
SPARK_HOME = Path(pyspark.__file__).parent
PATIENCE_S = 240

QUERY = """CREATE SOURCE events (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in', maxFilesPerTrigger '1');
CREATE SINK out USING parquet OPTIONS (path 'out') AS
SELECT id, ts FROM events WHERE ts + INTERVAL 25 SECONDS <= WATERMARK_TS();
"""
TOGETHER = """CREATE SOURCE events (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in', maxFilesPerTrigger '1');
CREATE SINK out USING parquet OPTIONS (path 'out') AS
SELECT id, ts FROM events WHERE ts + INTERVAL 25 SECONDS <= WATERMARK_TS();
CREATE SINK late USING sqlite OPTIONS (path 'late.db', table 'refused', key 'id') AS
SELECT id, ts, _watermark FROM LATE(events);
"""
"""The same with what it refuses, in one streaming query."""

DELAY_S = 25
ROWS_A_FILE = 10


def write_feed(folder: Path, files: int, first: int = 0, *, late: bool = False) -> None:
    """Files of ten rows, a row a second; the file source reads them in order of their times.

    With `late`, each but the first has a row more, below the watermark: its id is `-file`.
    """
    folder.mkdir(exist_ok=True)
    for number in range(first, first + files):
        ids = range(number * ROWS_A_FILE, (number + 1) * ROWS_A_FILE)
        lines = [json.dumps({"id": i, "ts": _moment(i)}) for i in ids]
        if late and number:
            lines.append(json.dumps({"id": -number, "ts": _moment(-1)}))
        path = folder / f"{number:04}.json"
        path.write_text("\n".join(lines), encoding="utf-8")
        os.utime(path, (1_600_000_000 + number, 1_600_000_000 + number))


def due_ids(files: int) -> list[int]:
    """The rows of `write_feed` that have left once all files are read."""
    last = files * ROWS_A_FILE - 1
    return [i for i in range(last + 1) if i + DELAY_S <= last]


def _moment(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_700_000_000 + second))


def compile_job(folder: Path, query: str = QUERY, name: str = "query") -> Path:
    """The job.py of a query that lies in `folder`."""
    path = folder / f"{name}.sql"
    path.write_text(query, encoding="utf-8")
    target = folder / "build" / name
    compiled = compile_file(path, target)
    write_job(target, compiled.text, compiled.stages["lineage.json"])
    return target / "job.py"


def program(job: Path, *options: str, submit: bool = False) -> list[str]:
    """The command line that runs a job, its checkpoint beside the folder `build`."""
    start = [str(SPARK_HOME / "bin/spark-submit")] if submit else [sys.executable]
    checkpoint = job.parent.parent.parent / "checkpoint"
    return [*start, str(job), "--checkpoint", str(checkpoint), *options]


@contextmanager
def started(command: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A running program in a process group of its own, which is gone when the block ends."""
    environment = os.environ | {
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        # A job of seconds starts in three quarters of the time with the first compiler alone.
        "SPARK_SUBMIT_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    # The job must find its runtime in the zip beside it, not in this source tree.
    environment.pop("PYTHONPATH", None)
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            cwd=log.parent,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            kill(process)


def run(command: list[str], log: Path, patience_s: float = PATIENCE_S) -> int:
    """Run a program to its end."""
    with started(command, log) as process:
        return process.wait(patience_s)


def status(checkpoint: Path) -> QueryStatus:
    """What `tvfc status` knows of a job of one query."""
    (found,) = status_of(str(checkpoint))
    assert isinstance(found, QueryStatus)
    return found


def kill(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL to a program and all that it has started: Python, the JVM, workers."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait(PATIENCE_S)


def wait_for_batches(process: subprocess.Popen[bytes], checkpoint: Path, number: int) -> None:
    """Until so many batches are committed."""
    deadline = time.monotonic() + PATIENCE_S
    while len(list(checkpoint.glob("commits/[0-9]*"))) < number:
        assert process.poll() is None, "the job has ended by itself"
        assert time.monotonic() < deadline, f"no {number} batches in {PATIENCE_S} s"
        time.sleep(0.05)


def sink_ids(spark: SparkSession, folder: Path) -> list[int]:
    """What a file sink holds; Spark reads only what is committed."""
    return sorted(row.id for row in spark.read.parquet(str(folder)).collect())


def table(database: Path, query: str) -> list[tuple[Any, ...]]:
    """What a query finds in an SQLite database."""
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(query).fetchall()


def tree(folder: Path) -> dict[str, bytes]:
    """All files of a folder with their contents."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
