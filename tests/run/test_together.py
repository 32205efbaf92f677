"""Several outputs in one streaming query: each row in one of them, once, whatever is run again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from run.jobs import TOGETHER, due_ids, sink_ids, table, write_feed

import tvfc_runtime
from compiler import compile_script
from compiler.source import SourceText
from scenario.job_module import load_job
from tvfc_runtime.counters.progress import Counters

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

pytestmark = pytest.mark.spark

FILES = 5


def start(spark: SparkSession, folder: Path, text: str) -> StreamingQuery:
    job = compile_script(SourceText("query.sql", text))
    spec = load_job(job.text, folder / "job.py").JOB
    (outputs,) = tvfc_runtime.queries_of(spec)
    running = tvfc_runtime.Job(spark, str(folder / "checkpoint"))
    return tvfc_runtime.start(running, spec, outputs)


def test_a_batch_that_is_run_again_adds_nothing(tmp_path: Path, spark: SparkSession) -> None:
    write_feed(tmp_path / "in", files=FILES, late=True)
    counters = Counters()
    query = start(spark, tmp_path, TOGETHER)
    query.processAllAvailable()
    for progress in query.recentProgress:
        counters.update(progress)
    query.stop()
    found = table(tmp_path / "late.db", "SELECT * FROM refused ORDER BY id DESC")
    assert found[0] == (-1, "2023-11-14T22:13:19.000000Z", "2023-11-14T22:13:29.000000Z")
    assert [row[0] for row in found] == [-number for number in range(1, FILES)]
    assert sink_ids(spark, tmp_path / "out") == due_ids(FILES)
    # Rows on time that have left, and late ones.
    assert counters.rows_out == len(due_ids(FILES)) + FILES - 1
    assert counters.late == {"events": FILES - 1}

    commits = sorted(
        (int(path.name), path) for path in (tmp_path / "checkpoint/commits").glob("[0-9]*")
    )
    _, last = commits[-1]
    last.unlink()
    last.with_name(f".{last.name}.crc").unlink(missing_ok=True)
    query = start(spark, tmp_path, TOGETHER)
    query.processAllAvailable()
    query.stop()
    assert last.exists()
    assert table(tmp_path / "late.db", "SELECT * FROM refused ORDER BY id DESC") == found
    assert sink_ids(spark, tmp_path / "out") == due_ids(FILES)
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".parquet"}
