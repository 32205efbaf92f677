"""State stays within what is still open: rate x (window + lateness), however long a job runs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiler import compile_script
from compiler.source import SourceText
from scenario.job_module import load_job
from tvfc_runtime import Job
from tvfc_runtime.counters.progress import Counters

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

ROWS_A_SECOND = 40
WINDOW_S, LATENESS_S, WAIT_S, GAP_S, KEYS = 4, 2, 3, 2, 8
SLACK_S = 3
"""The watermark is that of the batch before, and the last batch is in the state already."""

QUERY = f"""
CREATE SOURCE s (id BIGINT, k INT, ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL {LATENESS_S} SECONDS);
SELECT id, window_end AS t FROM TUMBLE(s, ts, INTERVAL {WINDOW_S} SECONDS) GROUP BY id, window_end
UNION ALL
SELECT id, window_end FROM SESSION(s, ts, id, INTERVAL {GAP_S} SECONDS) GROUP BY id, window_end
UNION ALL
SELECT id - lag(id) OVER (PARTITION BY k ORDER BY ts, id), ts FROM s
UNION ALL
SELECT one.id, one.ts FROM s AS one JOIN s AS two
  ON one.id = two.id AND two.ts BETWEEN one.ts AND one.ts + INTERVAL {WINDOW_S} SECONDS
WHERE one.ts + INTERVAL {WAIT_S} SECONDS <= WATERMARK_TS()
EMIT ON WINDOW CLOSE;
"""


def rows(spark: SparkSession) -> DataFrame:
    """A second of event time in every batch; each row has a key of its own."""
    feed = (
        spark.readStream.format("rate-micro-batch")
        .option("rowsPerBatch", ROWS_A_SECOND)
        .option("advanceMillisPerBatch", 1000)
        .option("startTimestamp", 1_700_000_000_000)
        .option("numPartitions", 1)
        .load()
    )
    return feed.selectExpr("value AS id", f"CAST(value % {KEYS} AS INT) AS k", "timestamp AS ts")


def run(spark: SparkSession, folder: Path, batches: int) -> list[Any]:
    """The progress of all batches of the query."""
    job = compile_script(SourceText("query.sql", QUERY), scenario=True)
    spec = load_job(job.text, folder / "job.py").JOB
    checkpoint = str(folder / "checkpoint")
    frame = spec.outputs[0].build(Job(spark, checkpoint, read=lambda _: rows(spark)))
    before = spark.conf.get("spark.sql.streaming.numRecentProgressUpdates")
    spark.conf.set("spark.sql.streaming.numRecentProgressUpdates", str(10 * batches))
    query = (
        frame.writeStream.format("noop")
        .outputMode("append")
        .option("checkpointLocation", checkpoint)
        .start()
    )
    try:
        while (query.lastProgress or {"batchId": -1})["batchId"] < batches:
            time.sleep(0.2)
            assert query.exception() is None, query.exception()
        return [each for each in query.recentProgress if each["observedMetrics"]]
    finally:
        query.stop()
        spark.conf.set("spark.sql.streaming.numRecentProgressUpdates", str(before))


def check(spark: SparkSession, folder: Path, batches: int) -> None:
    """Run so many batches and look at the state after each of them."""
    progress = run(spark, folder, batches)
    counters = Counters()
    most: dict[str, int] = {}
    held = 0
    for each in progress:
        counters.update(each)
        held = max(held, counters.rows_of_runtime)
        for operator in each["stateOperators"]:
            name = operator["operatorName"]
            assert operator["numRowsDroppedByWatermark"] == 0, name
            most[name] = max(most.get(name, 0), operator["numRowsTotal"])
    longest = max(WINDOW_S, GAP_S, WAIT_S) + LATENESS_S + SLACK_S
    assert most["stateStoreSave"] <= ROWS_A_SECOND * longest
    # The join keeps both sides; each row stands in two stores, by number and by key.
    assert most["symmetricHashJoin"] <= 4 * ROWS_A_SECOND * longest
    # Rows wait for their own time before lag() and after the join, as do sessions, one a row, for
    # their end; lag() keeps a row a key.
    assert held <= 4 * ROWS_A_SECOND * longest + KEYS
    assert held >= KEYS


def test_state_of_some_batches(spark: SparkSession, tmp_path: Path) -> None:
    check(spark, tmp_path, 14)


@pytest.mark.thorough
def test_state_of_200_batches(spark: SparkSession, tmp_path: Path) -> None:
    check(spark, tmp_path, 200)
