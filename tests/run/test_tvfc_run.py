"""`tvfc run` as a program: rows on stdout, counts on stderr; rows that do not fit their source."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import StreamingQueryException
from run.jobs import ROOT, due_ids, status, write_feed

import tvfc_runtime
from compiler import compile_script
from compiler.source import SourceText
from scenario.job_module import load_job

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

pytestmark = pytest.mark.spark

QUERY = """CREATE SOURCE events (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in', badRows '{bad_rows}');
SELECT id, ts FROM events WHERE ts + INTERVAL 25 SECONDS <= WATERMARK_TS();
"""
KEPT = ("--checkpoint", "kept")


def test_rows_and_counts(tmp_path: Path) -> None:
    write_feed(tmp_path / "in", files=4)
    with (tmp_path / "in/0001.json").open("a", encoding="utf-8") as file:
        file.write('\n{"id": "no number"}\n')
    (tmp_path / "query.sql").write_text(QUERY.format(bad_rows="drop"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(ROOT / "cli.py"), "run", "query.sql", "--available-now", *KEPT],
        cwd=tmp_path,
        env=os.environ | {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted(row["id"] for row in rows) == due_ids(4)
    assert rows[0].keys() == {"id", "ts"}
    warning, summary = done.stderr.splitlines()
    assert warning.startswith(
        "warning[TVFW704]: 1 row of events does not fit its columns and is left out, such as "
        '{"id": "no number"} (id is no INT; file:/'
    )
    assert summary.startswith(
        "rows in 40 | held 25 | out 15 | late 0 | bad 1 | watermark 2023-11-14"
    )
    found = status(tmp_path / "kept")
    assert [(each.rows, each.bad) for each in found.sources] == [(40, 1)]
    assert found.held == {"delay": 25}


def test_a_row_that_does_not_fit_may_stop_the_job(tmp_path: Path, spark: SparkSession) -> None:
    write_feed(tmp_path / "in", files=1)
    with (tmp_path / "in/0000.json").open("a", encoding="utf-8") as file:
        file.write('\n{"id": "no number"}\n')
    query = start(spark, tmp_path, QUERY.format(bad_rows="fail"))
    with pytest.raises(StreamingQueryException) as caught:
        query.processAllAvailable()
    assert (
        "TVF704: a row of events does not fit its columns: "
        '{"id": "no number"} (id is no INT of file:/'
    ) in str(caught.value)


def start(spark: SparkSession, folder: Path, text: str) -> StreamingQuery:
    job = compile_script(SourceText("query.sql", text))
    spec = load_job(job.text, folder / "job.py").JOB
    running = tvfc_runtime.Job(spark, str(folder / "checkpoint"))
    return tvfc_runtime.start(running, spec, spec.outputs)
