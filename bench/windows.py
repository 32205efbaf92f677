"""Windows under EMIT ON WINDOW CLOSE against the same by hand, in one run on the same rows.

    python bench/windows.py              a table (some minutes)
    python bench/windows.py MODE WHO     one measurement, as JSON; WHO is `tvfc` or `native`

The rows are those of bench/delay.py: 200,000 a batch, ten seconds of event time, 5,000 devices.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import delay as bench

BATCHES = bench.WARM + 30
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
        mode, who = sys.argv[1:]
        print(json.dumps(tvfc(mode) if who == "tvfc" else bench.run(native(mode), BATCHES)))
        return
    for mode in QUERIES:
        ours = bench.apart(__file__, mode, "tvfc")
        line = f"{mode:<10}{ours['rows_per_s']:>12,.0f} rows/s"
        if mode in NATIVE:
            theirs = bench.apart(__file__, mode, "native")
            ratio = ours["rows_per_s"] / theirs["rows_per_s"]
            line += f"   native {theirs['rows_per_s']:>12,.0f} rows/s   ratio {ratio:.2f}"
        print(line, flush=True)


def tvfc(mode: str) -> dict[str, Any]:
    """Tvfc's job for a query."""
    return bench.run_query(SOURCE + QUERIES[mode], lambda spark, _: bench.readings(spark), BATCHES)


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
