"""Bounded runs: with the clock at the end of time all that is held has left, as in a batch."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from run.jobs import PATIENCE_S

import tvfc_runtime
from compiler import compile_script
from compiler.source import SourceText
from scenario.job_module import load_job
from tvfc_runtime.job.bookkeeper import Bookkeeper
from tvfc_runtime.job.ending import FLUSH, Ending, EndingError, check_ending, plan_end, until
from tvfc_runtime.job.program import phases
from tvfc_runtime.reports.log import Log

SOURCE = """CREATE SOURCE o (id BIGINT, k STRING, ts TIMESTAMP, v BIGINT,
  WATERMARK FOR ts AS ts - INTERVAL 1 HOUR) USING json OPTIONS (path 'in', maxFilesPerTrigger '1');
CREATE SOURCE quiet (id BIGINT, at TIMESTAMP, WATERMARK FOR at AS at) USING json
OPTIONS (path 'quiet');
"""
MINUTE = "'2026-01-01 12:%02d:00'"
ROWS = [
    # id, k, minute, v; in three files.
    [(1, "a", 0, 10), (2, "b", 1, 20), (3, "a", 3, 30)],
    [(4, "a", 7, 40), (5, "b", 7, 50), (6, "c", 30, 60)],
    [(7, "b", 8, 70), (8, "a", 59, 80)],
]

QUERIES = {
    # What a query is, and the batch query whose rows are there in the end.
    "delay": (
        "SELECT id FROM o WHERE ts + INTERVAL 5 MINUTES <= WATERMARK_TS()",
        "SELECT id FROM o",
    ),
    "delay by guard": (
        "SELECT id FROM o WHERE (v > 30 AND ts + INTERVAL 100 YEARS <= WATERMARK_TS()) "
        "OR (v < 20 AND ts <= WATERMARK_TS())",
        "SELECT id FROM o WHERE v > 30 OR v < 20",
    ),
    "windows": (
        "SELECT window_start, k, sum(v) AS s FROM TUMBLE(o, ts, INTERVAL 5 MINUTES) "
        "GROUP BY window_start, k EMIT ON WINDOW CLOSE",
        "SELECT window.start AS window_start, k, sum(v) AS s FROM o "
        "GROUP BY window(ts, '5 minutes'), k",
    ),
    "windows over a delay": (
        "SELECT window_start, count(*) AS n FROM TUMBLE((SELECT * FROM o WHERE ts + "
        "INTERVAL 7 MINUTES <= WATERMARK_TS()), ts, INTERVAL 5 MINUTES) "
        "GROUP BY window_start EMIT ON WINDOW CLOSE",
        "SELECT window.start AS window_start, count(*) AS n FROM o "
        "GROUP BY window(ts, '5 minutes')",
    ),
    "sessions": (
        "SELECT k, window_start, window_end, count(*) AS n FROM SESSION(o, ts, k, "
        "INTERVAL 4 MINUTES) GROUP BY k, window_start, window_end EMIT ON WINDOW CLOSE",
        "SELECT k, session_window.start AS window_start, session_window.end + INTERVAL 1 SECOND AS "
        "window_end, "
        "count(*) AS n FROM o GROUP BY k, session_window(ts, '239 seconds')",
    ),
    "rows that follow": (
        "SELECT id, LEAD(id) OVER w AS next, sum(v) OVER (PARTITION BY k ORDER BY ts "
        "ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING) AS s FROM o "
        "WINDOW w AS (PARTITION BY k ORDER BY ts) EMIT ON WINDOW CLOSE",
        "SELECT id, LEAD(id) OVER w AS next, sum(v) OVER (PARTITION BY k ORDER BY ts "
        "ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING) AS s FROM o "
        "WINDOW w AS (PARTITION BY k ORDER BY ts)",
    ),
    "outer join": (
        "SELECT a.id, b.id AS other FROM o AS a LEFT JOIN o AS b ON a.k = b.k AND b.ts > a.ts "
        "AND b.ts <= a.ts + INTERVAL 5 MINUTES EMIT ON WINDOW CLOSE",
        "SELECT a.id, b.id AS other FROM o AS a LEFT JOIN o AS b ON a.k = b.k AND b.ts > a.ts "
        "AND b.ts <= a.ts + INTERVAL 5 MINUTES",
    ),
    "a source without rows": (
        "SELECT id FROM o WHERE ts + INTERVAL 5 MINUTES <= WATERMARK_TS() UNION ALL "
        "SELECT id FROM quiet WHERE at <= WATERMARK_TS()",
        "SELECT id FROM o",
    ),
    "the wall clock": (
        "SELECT id FROM o WHERE ts + INTERVAL 100 YEARS <= mz_now()",
        "SELECT id FROM o",
    ),
    "filled windows": (
        "SELECT window_start, count(*) AS n FROM TUMBLE(o, ts, INTERVAL 20 MINUTES) "
        "FILL (0) FOR INTERVAL 60 MINUTES GROUP BY window_start EMIT ON WINDOW CLOSE",
        "SELECT * FROM VALUES (TIMESTAMP '2026-01-01 12:00:00', 6L), "
        "(TIMESTAMP '2026-01-01 12:20:00', 1L), (TIMESTAMP '2026-01-01 12:40:00', 1L), "
        "(TIMESTAMP '2026-01-01 13:00:00', 0L), (TIMESTAMP '2026-01-01 13:20:00', 0L), "
        "(TIMESTAMP '2026-01-01 13:40:00', 0L) AS t(window_start, n)",
    ),
    "a pattern": (
        "SELECT * FROM o MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES first(u.id) AS a, "
        "last(u.id) AS z, next(last(u.id)) AS beyond PATTERN (u+) DEFINE u AS u.v > 0)",
        "SELECT * FROM VALUES ('a', 1L, 8L, NULL), ('b', 2L, 7L, NULL), ('c', 6L, 6L, NULL) "
        "AS t(k, a, z, beyond)",
    ),
    "rows that come and go": (
        "SELECT id FROM o WHERE v > 50 AND WATERMARK_TS() < ts + INTERVAL 5 MINUTES",
        "SELECT id, d AS _diff FROM o, VALUES (1L), (-1L) AS t(d) WHERE v > 50",
    ),
}


def write(folder: Path, files: list[list[tuple[int, str, int, int]]], number: int = 0) -> None:
    (folder / "in").mkdir(exist_ok=True)
    (folder / "quiet").mkdir(exist_ok=True)
    for rows in files:
        number += 1
        lines = [
            json.dumps({"id": i, "k": k, "ts": f"2026-01-01 12:{minute:02}:00", "v": v})
            for i, k, minute, v in rows
        ]
        (folder / f"in/{number}.json").write_text("\n".join(lines), encoding="utf-8")


def spec_of(folder: Path, query: str) -> tvfc_runtime.JobSpec:
    sink = "CREATE SINK out USING json OPTIONS (path 'out', mode 'changelog') AS "
    job = compile_script(SourceText("q.sql", f"{SOURCE}{sink}{query};"))
    spec: tvfc_runtime.JobSpec = load_job(job.text, folder / "job.py").JOB
    return spec


def run(
    spark: SparkSession, spec: tvfc_runtime.JobSpec, folder: Path, ending: Ending | None
) -> tvfc_runtime.Job:
    job = None
    for trigger, wanted in phases(spec, str(folder / "cp"), {"availableNow": True}, ending):
        for outputs, place in wanted:
            job = tvfc_runtime.Job(spark, place, sessions=spec.sessions)
            bookkeeper = Bookkeeper(Log())
            spark.streams.addListener(bookkeeper)
            try:
                query = tvfc_runtime.start(job, spec, outputs, **trigger)
                bookkeeper.watch(query, job)
                assert query.awaitTermination(PATIENCE_S)
                bookkeeper.catch_up([query])
            finally:
                spark.streams.removeListener(bookkeeper)
    assert job is not None
    return job


def texts(rows: DataFrame) -> list[str]:
    line = "to_json(struct(*), map('ignoreNullFields', 'false'))"
    return sorted(str(row[0]) for row in rows.selectExpr(line).collect())


@contextmanager
def batch(spark: SparkSession) -> Iterator[Any]:
    rows = [(i, k, f"2026-01-01 12:{minute:02}:00", v) for each in ROWS for i, k, minute, v in each]
    frame = spark.createDataFrame(rows, "id BIGINT, k STRING, at STRING, v BIGINT")
    frame.selectExpr("id", "k", "CAST(at AS TIMESTAMP) AS ts", "v").createOrReplaceTempView("o")
    try:
        yield spark.sql
    finally:
        spark.catalog.dropTempView("o")


SHORT = ("delay", "rows that follow", "a pattern")


@pytest.mark.spark
@pytest.mark.parametrize(
    "name",
    [each if each in SHORT else pytest.param(each, marks=pytest.mark.field) for each in QUERIES],
)
def test_all_leaves_that_is_held(spark: SparkSession, tmp_path: Path, name: str) -> None:
    query, oracle = QUERIES[name]
    write(tmp_path, ROWS)
    run(spark, spec_of(tmp_path, query), tmp_path, FLUSH)
    with batch(spark) as sql:
        expected = sql(oracle)
        rows = texts(expected)
    there = spark.read.schema(expected.schema).json(str(tmp_path / "out"))
    assert texts(there) == rows


@pytest.mark.spark
def test_a_flushed_checkpoint_is_not_continued(spark: SparkSession, tmp_path: Path) -> None:
    query, _ = QUERIES["delay"]
    spec = spec_of(tmp_path, query)
    write(tmp_path, ROWS[:1])
    run(spark, spec, tmp_path, None)
    place = tmp_path / "cp"
    # Cut short once the mark was written, and once the batch was planned.
    assert plan_end(str(place), FLUSH, sessions=False)
    planned = max(place.glob("offsets/[0-9]*"), key=lambda each: int(each.name))
    planned.unlink()
    write(tmp_path, ROWS[1:], number=1)
    for ending in (None, Ending(clock_ms=0)):
        with pytest.raises(tvfc_runtime.CheckpointError, match=r"TVF733: .* was cut short"):
            run(spark, spec, tmp_path, ending)
    # It ends with what was read before, since whatever comes later would be late.
    run(spark, spec, tmp_path, FLUSH)
    assert ids(spark, tmp_path) == [1, 2, 3]
    for ending in (None, FLUSH):
        with pytest.raises(tvfc_runtime.CheckpointError, match=r"TVF733: .* has ended"):
            run(spark, spec, tmp_path, ending)
    assert ids(spark, tmp_path) == [1, 2, 3]


@pytest.mark.spark
@pytest.mark.field
def test_a_clock_that_was_moved_goes_on(spark: SparkSession, tmp_path: Path) -> None:
    spec = spec_of(tmp_path, QUERIES["delay"][0])
    write(tmp_path, ROWS[:2])
    run(spark, spec, tmp_path, until("2026-01-01 12:08:00"))
    # Those of minutes up to 3 are due.
    assert ids(spark, tmp_path) == [1, 2, 3]
    write(tmp_path, [[(7, "b", 8, 70), (8, "a", 7, 80)]], number=2)
    job = run(spark, spec, tmp_path, until("2026-01-01T13:00:00+00:00"))
    assert ids(spark, tmp_path) == [1, 2, 3, 4, 5, 6, 7]
    assert job.memory.counters.late == {"o": 1}
    # A clock that is further already stays where it is.
    batches = len(list((tmp_path / "cp/commits").glob("[0-9]*")))
    run(spark, spec, tmp_path, until("2026-01-01 12:30:00"))
    assert len(list((tmp_path / "cp/commits").glob("[0-9]*"))) == batches


def ids(spark: SparkSession, folder: Path) -> list[int]:
    rows = spark.read.schema("id BIGINT").json(str(folder / "out")).collect()
    return sorted(row.id for row in rows)


def test_what_has_no_end_is_not_flushed(tmp_path: Path) -> None:
    bounded = QUERIES["filled windows"][0]
    endless = bounded.replace(" FOR INTERVAL 60 MINUTES", "")
    check_ending(spec_of(tmp_path, bounded), FLUSH)
    check_ending(spec_of(tmp_path, endless), until("2026-01-02"))
    check_ending(spec_of(tmp_path, endless.replace("(0)", "(LINEAR)")), FLUSH)
    with pytest.raises(EndingError, match="TVF735"):
        check_ending(spec_of(tmp_path, endless), FLUSH)


def test_moments() -> None:
    assert until("1970-01-01 00:00:01.0019").clock_ms == 1001
    assert until("1970-01-01T02:00:00+02:00").clock_ms == 0
    with pytest.raises(argparse.ArgumentTypeError):
        until("tomorrow")
