"""Spark understands every job of the goldens: it analyses their plans, without running them."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

import tvfc_runtime as tvfc
from tvfc_runtime.cdc.records import changes_of
from tvfc_runtime.rows.sql_text import quote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

GOLDEN = Path(__file__).parents[2] / "golden"
JOBS = sorted(GOLDEN.glob("*/*/job.py"))

RECORD = (
    "CAST(NULL AS STRING) AS value, CAST(NULL AS STRING) AS key, CAST(NULL AS STRING) AS __file, "
    "named_struct('at', 0L, 'place', '', 'part', 0L, 'line', 0L) AS __order"
)
"""A record as sources of changes have it before it is taken apart."""


def module_of(job: Path) -> ModuleType:
    """The job as a module; its place on the path for imports is not kept."""
    module = ModuleType("job")
    module.__dict__["__file__"] = str(job)
    before = list(sys.path)
    try:
        exec(compile(job.read_text(encoding="utf-8"), str(job), "exec"), module.__dict__)
    finally:
        sys.path[:] = before
    return module


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    tvfc.attach(spark, Path(tvfc.__file__).parent)
    # Functions of the user's own, which the job makes as it starts, or which the session has.
    for signature in (
        "known_to_the_session(a INT)",
        "of_a_class(a INT)",
        "area(a DOUBLE, b DOUBLE)",
    ):
        spark.sql(f"CREATE OR REPLACE TEMPORARY FUNCTION {signature} RETURN a")
    return spark


@pytest.mark.spark
@pytest.mark.parametrize("job", JOBS, ids=lambda job: f"{job.parent.parent.name}/{job.parent.name}")
def test_spark_takes_the_plan(job: Path, session: SparkSession, tmp_path: Path) -> None:
    def read(source: tvfc.Source) -> DataFrame:
        form = "plain" if source.record is None else source.record.form
        if form in ("debezium", "maxwell", "upsert"):
            return changes_of(session.sql(f"SELECT {RECORD}"), source)
        columns = [
            f"CAST(NULL AS {kind}) AS {quote(name)}" for name, kind in source.columns.items()
        ]
        columns += ["1L AS __diff"] if form == "changelog" else []
        return session.sql(f"SELECT {', '.join(columns)}")

    spec: tvfc.JobSpec = module_of(job).JOB
    for output in spec.outputs:
        rows = output.build(tvfc.Job(session, str(tmp_path), read))
        assert "__due" not in rows.columns
        assert "__watermark" not in rows.columns
