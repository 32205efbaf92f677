"""A job that stops since too many rows do not fit its source, and goes on when more are allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from run.jobs import compile_job, program, run, sink_ids

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.thorough]

QUERY = """CREATE SOURCE events (id INT) USING csv
OPTIONS (path 'in', header 'true', maxFilesPerTrigger '1', maxBadRows '{limit}');
CREATE SINK out USING parquet OPTIONS (path 'out') AS SELECT id FROM events;
CREATE SINK unread USING json OPTIONS (path 'unread') AS SELECT * FROM BAD(events);
"""


def test_stopped_and_allowed_more(tmp_path: Path, spark: SparkSession) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.csv").write_text("more,id\nx,1\ny,one\nz,two\n")
    log = tmp_path / "log"
    options = ("--available-now", "--master", "local[2]")
    job = compile_job(tmp_path, QUERY.format(limit=1))
    said = ""
    for _ in range(2):
        assert run(program(job, *options), log) == 1
        said = log.read_text(encoding="utf-8")
        assert said.count("Traceback") == 0
        assert "TVF708: 2 rows of events did not fit its columns" in said.splitlines()[-1]
    assert "warning[TVFW704]: 2 rows of events do not fit" in said
    job = compile_job(tmp_path, QUERY.format(limit=2))
    assert run(program(job, *options), log) == 0
    assert sink_ids(spark, tmp_path / "out") == [1]
    records = {row.record for row in spark.read.json(str(tmp_path / "unread")).collect()}
    assert records == {"y,one", "z,two"}


TABLE = """CREATE SOURCE events (id INT) USING json OPTIONS (path 'in');
CREATE TABLE names (id INT, name STRING NOT NULL)
USING csv OPTIONS (path 'names', maxBadRows '{limit}');
CREATE SINK out USING parquet OPTIONS (path 'out') AS SELECT id FROM events JOIN names USING (id);
"""


def test_rows_of_a_table(tmp_path: Path, spark: SparkSession) -> None:
    """They are counted before anything runs, for Spark observes streams alone."""
    for name in ("in", "names"):
        (tmp_path / name).mkdir()
    (tmp_path / "in/a.json").write_text('{"id": 1}\n{"id": 2}\n')
    (tmp_path / "names/a.csv").write_text("1,Ada\ntwo,Bob\n2,\n")
    log = tmp_path / "log"
    options = ("--available-now", "--master", "local[2]")
    assert run(program(compile_job(tmp_path, TABLE.format(limit=1)), *options), log) == 1
    said = log.read_text(encoding="utf-8")
    assert "TVF708: 2 rows of names did not fit its columns" in said.splitlines()[-1]
    assert not (tmp_path / "out").exists()
    assert run(program(compile_job(tmp_path, TABLE.format(limit=2)), *options), log) == 0
    assert "warning[TVFW704]: 2 rows of names do not fit" in log.read_text(encoding="utf-8")
    assert sink_ids(spark, tmp_path / "out") == [1]
