"""A checkpoint is continued by what keeps the same, on however many cores, and by nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from run.jobs import table

from compiler import compile_script
from compiler.source import SourceText
from scenario.job_module import load_job
from tvfc_runtime import Job, start
from tvfc_runtime.checkpoint.memory import CheckpointMismatchError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SHOPS = [f"shop {number}" for number in range(12)]
QUERY = """CREATE SOURCE orders (shop STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in', maxFilesPerTrigger '1');
CREATE VIEW live AS SELECT shop AS s FROM orders AS o
WHERE o.ts <= WATERMARK_TS() AND WATERMARK_TS() < o.ts + INTERVAL 1 DAY;
CREATE SINK counted USING sqlite OPTIONS (path 'counted.db', table 'counted', key 's') AS
SELECT s, count(*) AS n FROM live GROUP BY s;
"""
RESPELLED = """-- The same in other words.
CREATE SOURCE orders (shop STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in', maxFilesPerTrigger '1000');
CREATE VIEW there AS SELECT SHOP s FROM orders entry
WHERE WATERMARK_TS()>=entry.ts AND WATERMARK_TS()<`entry`.ts+INTERVAL '1' DAYS;
CREATE SINK counted USING sqlite OPTIONS (path 'counted.db', table 'counted', key 's') AS
SELECT s, COUNT( * ) AS n
FROM there GROUP BY `s`;
"""


def write(folder: Path, number: int) -> None:
    """A file with a row of each shop, and one that moves the clock past them."""
    lines = [{"shop": shop, "ts": f"2024-01-01T0{number}:00:00Z"} for shop in SHOPS]
    lines.append({"shop": "the clock", "ts": f"2024-01-01T0{number}:30:00Z"})
    folder.mkdir(exist_ok=True)
    text = "\n".join(map(json.dumps, lines))
    (folder / f"{number}.json").write_text(text, encoding="utf-8")


def run(spark: SparkSession, folder: Path, query: str, partitions: int) -> None:
    """Read all that is there on a checkpoint in the folder."""
    job = compile_script(SourceText("query.sql", query))
    spec = load_job(job.text, folder / "job.py").JOB
    spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
    of = Job(spark, str(folder / "checkpoint"))
    start(of, spec, spec.outputs, availableNow=True).awaitTermination()


def test_the_same_state_is_continued(tmp_path: Path, spark: SparkSession) -> None:
    before = spark.conf.get("spark.sql.shuffle.partitions")
    try:
        for number, (query, partitions) in enumerate([(QUERY, 2), (RESPELLED, 3), (QUERY, 1)], 1):
            write(tmp_path / "in", number)
            run(spark, tmp_path, query, partitions)
            found = table(tmp_path / "counted.db", "SELECT s, n FROM counted ORDER BY s")
            assert found == sorted([*((shop, number) for shop in SHOPS), ("the clock", number)])
        with pytest.raises(CheckpointMismatchError, match="rows of orders: due was `at") as told:
            run(spark, tmp_path, QUERY.replace("1 DAY", "2 DAYS"), 2)
        assert "o.ts + INTERVAL 2 DAYS;" in str(told.value)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", str(before))
