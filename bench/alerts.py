"""Alerts: nothing has followed within a minute, by the wall clock; how long batches take.

    python bench/alerts.py                       a table (some minutes)
    python bench/alerts.py QUERY RATE SECONDS    one measurement, as JSON

Rows come all the time, so many a second, from sensors that report every ten seconds, but for one of
a hundred that does so once an hour. Beside the alert in SQL's words there are the same by the
newest row of each sensor, and a delay of all rows, for comparison.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import delay as bench

SECONDS = 120
WARM = 15
"""The first batches with rows, in which the JVM compiles, do not count."""

REPORTS_EVERY_S = 10
SOURCE = "CREATE SOURCE readings (id BIGINT, ts TIMESTAMP, note STRING);"
QUERIES = {
    "not exists": """
        SELECT id, ts, note FROM readings AS a
        WHERE a.ts + INTERVAL 1 MINUTE <= mz_now() AND NOT EXISTS (
          SELECT 1 FROM readings AS b
          WHERE b.id = a.id AND b.ts > a.ts AND b.ts <= a.ts + INTERVAL 1 MINUTE)""",
    "having max": """
        SELECT id, max(ts) AS seen FROM readings GROUP BY id
        HAVING max(ts) + INTERVAL 1 MINUTE <= mz_now()""",
    "delay": "SELECT * FROM readings WHERE ts + INTERVAL 1 MINUTE <= mz_now()",
}


def main() -> None:
    """Run one query, or all in turn, each in a process of its own."""
    if len(sys.argv) > 1:
        name, rate, seconds = sys.argv[1:]
        print(json.dumps(measured(name, int(rate), int(seconds))))
        return
    print(f"{'query':<14}{'rows/s':>8}{'median':>11}{'90 %':>11}{'longest':>11}{'in a batch':>13}")
    for name in QUERIES:
        for rate in (2_000, 20_000):
            found = bench.apart(__file__, name, rate, SECONDS)
            times = "".join(f"{found[each]:>8,.0f} ms" for each in ("median", "p90", "longest"))
            print(f"{name:<14}{rate:>8,}{times}{found['rows']:>8,.0f} rows", flush=True)


def measured(name: str, rate: int, seconds: int) -> dict[str, float]:
    """Run a query on rows as they come."""
    from compiler import compile_script
    from compiler.source import SourceText
    from scenario.job_module import load_job
    from tvfc_runtime import Job

    script = compile_script(SourceText("alerts.sql", SOURCE + QUERIES[name] + ";"), scenario=True)
    spec = load_job(script.text, bench.ROOT / "bench" / "job.py").JOB
    spark = bench.session()
    with tempfile.TemporaryDirectory() as folder:
        job = Job(spark, f"{folder}/checkpoint", read=lambda _: readings(spark, rate))
        writer = spec.outputs[0].build(job).writeStream.format("noop")
        query = writer.option("checkpointLocation", f"{folder}/checkpoint").start()
        query.awaitTermination(seconds)
        if query.exception() is not None:
            raise query.exception()
        done = {each["batchId"]: each for each in query.recentProgress}
        query.stop()
    spark.stop()
    return summary([each for each in done.values() if each["numInputRows"]][WARM:])


def readings(spark: Any, rate: int) -> Any:
    """So many rows a second; every hundredth sensor is silent for most of the time."""
    rows = spark.readStream.format("rate").option("rowsPerSecond", rate).option("numPartitions", 2)
    sensors = rate * REPORTS_EVERY_S
    silent = f"value % {sensors} % 100 = 0 AND value div {sensors} % 360 > 0"
    return (
        rows.load()
        .where(f"NOT ({silent})")
        .selectExpr(
            f"value % {sensors} AS id", "timestamp AS ts", "concat('reading ', value) AS note"
        )
    )


def summary(progress: list[Any]) -> dict[str, float]:
    """How long batches with rows took, in milliseconds."""
    if not progress:
        raise SystemExit("no batch after those that warm up: give it more seconds")
    times = sorted(each["durationMs"]["triggerExecution"] for each in progress)
    return {
        "median": statistics.median(times),
        "p90": times[int(len(times) * 0.9)],
        "longest": times[-1],
        "rows": statistics.median(each["numInputRows"] for each in progress),
    }


if __name__ == "__main__":
    main()
