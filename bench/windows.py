"""Windows under EMIT ON WINDOW CLOSE against the same by hand, in one run on the same rows.

    python bench/windows.py                      a table (half an hour)
    python bench/windows.py MODE WHO BATCHES     one measurement, as JSON; WHO is `tvfc` or `native`

The rows are those of bench/delay.py: 200,000 a batch, ten seconds of event time, 5,000 devices.
Both are run in turn, since the speed of a machine that others use changes within minutes.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import delay as bench

WARM = bench.WARM + 30
BATCHES = {"tumble": WARM, "hop": WARM, "session": 30, "sort": WARM, "lag": 30}
PAIRS = {"tumble": 3, "hop": 3, "session": 2}
"""How often both are run; Spark's session aggregate takes three seconds a batch."""

SOURCE = """
CREATE SOURCE readings (
  id BIGINT, ts TIMESTAMP, device STRING, x DOUBLE, y BIGINT, note STRING,
  WATERMARK FOR ts AS ts
);
"""
QUERIES = {
    "tumble": """
        SELECT device, window_start, count(*) AS n, avg(x) AS x, max(y) AS y
        FROM TUMBLE(readings, ts, INTERVAL 10 SECONDS)
        GROUP BY device, window_start EMIT ON WINDOW CLOSE;""",
    "hop": """
        SELECT device, window_start, count(*) AS n, avg(x) AS x, max(y) AS y
        FROM HOP(readings, ts, INTERVAL 5 SECONDS, INTERVAL 15 SECONDS)
        GROUP BY device, window_start EMIT ON WINDOW CLOSE;""",
    "session": """
        SELECT device, window_start, window_end, count(*) AS n, avg(x) AS x
        FROM SESSION(readings, ts, device, INTERVAL 200 MILLISECONDS)
        GROUP BY device, window_start, window_end EMIT ON WINDOW CLOSE;""",
    "sort": "SELECT device, x, y FROM readings EMIT ON WINDOW CLOSE;",
    "lag": """
        SELECT device, ts, x - lag(x) OVER w AS change, lead(y) OVER w AS next
        FROM readings WINDOW w AS (PARTITION BY device ORDER BY ts) EMIT ON WINDOW CLOSE;""",
}


def main() -> None:
    """Run one mode, or all in turn, each in a process of its own."""
    if len(sys.argv) > 1:
        mode, who, batches = sys.argv[1], sys.argv[2], int(sys.argv[3])
        print(json.dumps(tvfc(mode, batches) if who == "tvfc" else by_hand(mode, batches)))
        return
    for mode, batches in BATCHES.items():
        runs = []
        for _ in range(PAIRS.get(mode, 1)):
            runs.append([bench.apart(__file__, mode, who, batches) for who in whom(mode)])
        for who, found in zip(whom(mode), zip(*runs, strict=True), strict=True):
            rate = statistics.median(each["rows_per_s"] for each in found)
            print(f"{mode:<10}{who:<8}{rate:>12,.0f} rows/s", flush=True)
        if mode in NATIVE:
            ratios = sorted(ours["rows_per_s"] / theirs["rows_per_s"] for theirs, ours in runs)
            print(f"{'':<10}ratios  {' '.join(f'{each:.2f}' for each in ratios)}", flush=True)


def whom(mode: str) -> list[str]:
    """Who can run a query."""
    return ["native", "tvfc"] if mode in NATIVE else ["tvfc"]


def by_hand(mode: str, batches: int) -> dict[str, Any]:
    """The job by hand for a query."""
    return bench.run(native(mode), batches)


def tvfc(mode: str, batches: int) -> dict[str, Any]:
    """Tvfc's job for a query."""
    return bench.run_query(SOURCE + QUERIES[mode], lambda spark, _: bench.readings(spark), batches)


def native(mode: str) -> Any:
    """The same by hand."""

    def build(spark: Any, _checkpoint: str) -> Any:
        from pyspark.sql import functions as F  # noqa: N812

        rows = bench.readings(spark).withWatermark("ts", "0 seconds")
        window = NATIVE[mode](F)
        measures = [F.count("*").alias("n"), F.avg("x").alias("x")]
        if mode != "session":
            measures.append(F.max("y").alias("y"))
        return rows.groupBy("device", window).agg(*measures)

    return build


NATIVE: dict[str, Any] = {
    "tumble": lambda F: F.window("ts", "10 seconds"),  # noqa: N803
    "hop": lambda F: F.window("ts", "15 seconds", "5 seconds"),  # noqa: N803
    "session": lambda F: F.session_window("ts", "200 milliseconds"),  # noqa: N803
}

if __name__ == "__main__":
    main()
