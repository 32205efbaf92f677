"""Answers that are there without any input: a global aggregate has its row from the start."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from run.jobs import PATIENCE_S, table

import tvfc_runtime
from compiler import compile_script
from compiler.source import SourceText
from scenario.job_module import load_job

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERY = """CREATE SOURCE events (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in');
CREATE SINK out USING sqlite OPTIONS (path 'out.db', table 'totals', key 'n') AS
SELECT count(*) AS n, max(id) AS most FROM events WHERE ts <= WATERMARK_TS();
"""


@pytest.mark.spark
@pytest.mark.thorough
def test_a_table_of_an_empty_folder_has_the_row_of_a_global_aggregate(
    tmp_path: Path, spark: SparkSession
) -> None:
    (tmp_path / "in").mkdir()
    text = compile_script(SourceText("query.sql", QUERY)).text
    spec = load_job(text, tmp_path / "job.py").JOB
    for _ in range(2):
        # The checkpoint has a name that Spark takes for a pattern.
        job = tvfc_runtime.Job(spark, str(tmp_path / "cp[1]{a}*"))
        query = tvfc_runtime.start(job, spec, spec.outputs, availableNow=True)
        assert query.awaitTermination(PATIENCE_S)
        assert table(tmp_path / "out.db", "SELECT n, most FROM totals") == [(0, None)]
