"""Whole jobs that write to tables: started again, and with a batch that comes twice."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from field.systems import SYSTEMS, System, system

from compiler import compile_script
from compiler.source import SourceText
from scenario.job_module import load_job
from tvfc_runtime import Job, start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SOURCE = """CREATE SOURCE events (id INT, k STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in');
"""
SINKS = """CREATE SINK {0}_rows {1} AS SELECT id, k, ts FROM events;
CREATE SINK {0}_live {2} AS SELECT k, id, ts FROM events;
"""


def sinks_of(lake: System) -> str:
    name = lake.format
    return SINKS.format(name, lake.using(f"{name}_rows"), lake.using(f"{name}_live", key="k"))


def write(folder: Path, number: int) -> None:
    """Four rows, a second each, with a key that is NULL."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{number}.json"
    rows = [
        {"id": at, "k": key, "ts": f"2024-01-01T00:00:{at:02}.000001Z"}
        for at, key in zip(range(number * 4, number * 4 + 4), ("a", "b", None, "a"), strict=True)
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    os.utime(path, (1_600_000_000 + number, 1_600_000_000 + number))


def run(spark: SparkSession, folder: Path, query: str) -> None:
    job = compile_script(SourceText("query.sql", query))
    spec = load_job(job.text, folder / "job.py").JOB
    of = Job(spark, str(folder / "checkpoint"))
    start(of, spec, spec.outputs, availableNow=True).awaitTermination()


def content(lake: System) -> dict[str, list[tuple[Any, ...]]]:
    return {name: lake.rows(f"{lake.format}_{name}") for name in ("rows", "live")}


def test_started_again_and_with_a_batch_that_comes_twice(
    tmp_path: Path, spark: SparkSession, postgres_url: str
) -> None:
    lakes = [system(name, tmp_path, postgres_url) for name in SYSTEMS]
    query = SOURCE + "".join(map(sinks_of, lakes))
    write(tmp_path / "in", 0)
    run(spark, tmp_path, query)
    before = [content(lake) for lake in lakes]
    commits = tmp_path / "checkpoint/commits"
    newest = max(int(path.name) for path in commits.iterdir() if path.name.isdigit())
    for path in (commits / str(newest), commits / f".{newest}.crc"):
        path.unlink(missing_ok=True)
    run(spark, tmp_path, query)
    assert [content(lake) for lake in lakes] == before
    write(tmp_path / "in", 1)
    run(spark, tmp_path, query)
    for lake in lakes:
        found = content(lake)
        assert (lake.format, sorted(row[0] for row in found["rows"])) == (lake.format, [*range(8)])
        assert (lake.format, [row[:2] for row in found["live"]]) == (
            lake.format,
            [("a", 7), ("b", 5), (None, 6)],
        )
