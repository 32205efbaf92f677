"""What the filter of late rows saves: half of the rows are late, grouped into windows.

    python bench/late.py              a table (some minutes)
    python bench/late.py WHO          one measurement, as JSON; WHO: filter, without, no_late

The rows are those of bench/delay.py; of each batch but the first, every second row is an hour old.
`without` is the same job in which nothing is late: Spark's aggregate then drops those rows itself,
behind the shuffle. `no_late` is the job on rows that are all on time.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import delay as bench

BATCHES = 12
QUERY = """
CREATE SOURCE readings (
  id BIGINT, ts TIMESTAMP, device STRING, x DOUBLE, y BIGINT, note STRING,
  WATERMARK FOR ts AS ts
);
SELECT device, window_start, count(*) AS n, avg(x) AS x, collect_list(note) AS notes
FROM TUMBLE(readings, ts, INTERVAL 10 SECONDS)
GROUP BY device, window_start EMIT ON WINDOW CLOSE;
"""
WHO = ("filter", "without", "no_late")


def main() -> None:
    """Run one of them, or all in turn, each in a process of its own."""
    if len(sys.argv) > 1:
        print(json.dumps(measure(sys.argv[1])))
        return
    for who in WHO:
        found = bench.apart(__file__, who)
        print(f"{who:<10}{found['last_ms']:>8,.0f} ms a batch", flush=True)


def measure(who: str) -> dict[str, Any]:
    """Batch times of one of them."""
    from pyspark.sql import functions as F  # noqa: N812

    from tvfc_runtime.job import building as job

    if who == "without":
        job.is_late = lambda *_: F.lit(False)  # noqa: FBT003
    read = lambda spark, _: rows(spark, half_late=who != "no_late")  # noqa: E731
    return bench.run_query(QUERY, read, BATCHES)


def rows(spark: Any, *, half_late: bool) -> Any:
    """The rows of a batch."""
    found = bench.readings(spark)
    if not half_late:
        return found
    old = f"id % 2 = 1 AND id >= {bench.BATCH_ROWS}"
    ts = f"CASE WHEN {old} THEN timestamp_micros(unix_micros(ts) - 3600000000) ELSE ts END AS ts"
    return found.selectExpr("id", ts, "device", "x", "y", "note")


if __name__ == "__main__":
    main()
