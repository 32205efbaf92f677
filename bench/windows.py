"""Windows under EMIT ON WINDOW CLOSE against the same by hand, in one run on the same rows.

    python bench/windows.py                      a table (half an hour)
    python bench/windows.py MODE                 the part of it for one query
    python bench/windows.py MODE WHO BATCHES     one measurement, as JSON; WHO is `tvfc` or `native`

Beside the table stands windows.json: for each query the rates of both and their ratios, by turns.

The rows are those of bench/delay.py: 200,000 a batch, ten seconds of event time, 5,000 devices.
What there is by hand, too, is run side by side with it, see turns.py.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import delay as bench
from turns import in_turn, ratio

WARM = bench.WARM
JSON = Path(__file__).with_suffix(".json")
BATCHES = {
    "tumble": WARM + 350,
    "hop": WARM + 250,
    "panes": WARM + 60,
    "cumulate": 60,
    "session": 50,
    "sort": WARM + 30,
    "lag": WARM + 30,
}
TURNS = {
    "tumble": (6, WARM),
    "hop": (8, WARM),
    "panes": (8, WARM),
    "cumulate": (16, 20),
    "session": (16, 5),
}
"""How many seconds a turn takes, and how many batches are no steady state yet.

Spark's session aggregate takes three seconds a batch, windows that hold each row 24 times two.
"""

FASTER = {"session": 6}
"""How many times as many batches tvfc is to have, so that it is not done first."""

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
    "panes": """
        SELECT device, window_start, window_end, count(*) AS n, avg(x) AS x, sum(y) AS s,
               min(x) AS least, max(y) AS most
        FROM HOP(readings, ts, INTERVAL 2 SECONDS, INTERVAL 10 SECONDS)
        GROUP BY device, window_start, window_end EMIT ON WINDOW CLOSE;""",
    "cumulate": """
        SELECT device, window_start, window_end, count(*) AS n, avg(x) AS x, max(y) AS y
        FROM CUMULATE(readings, ts, INTERVAL 5 SECONDS, INTERVAL 2 MINUTES)
        GROUP BY device, window_start, window_end EMIT ON WINDOW CLOSE;""",
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
    """Run one mode, or all, each in processes of its own."""
    match sys.argv[1:]:
        case [mode, who, batches]:
            found = tvfc(mode, int(batches)) if who == "tvfc" else by_hand(mode, int(batches))
            print(json.dumps(found))
        case modes:
            for mode in modes or BATCHES:
                show(mode, BATCHES[mode])


def show(mode: str, batches: int) -> None:
    """The lines of a query."""
    if mode not in NATIVE:
        found = bench.apart(__file__, mode, "tvfc", batches)
        print(f"{mode:<10}tvfc  {found['rows_per_s']:>12,.0f} rows/s", flush=True)
        return
    times = {"native": 1, "tvfc": FASTER.get(mode, 1)}
    runs = [[mode, who, str(batches * more)] for who, more in times.items()]
    load = os.getloadavg()[0]
    pairs = in_turn(__file__, runs, *TURNS[mode])
    for who, rates in zip(("native", "tvfc"), zip(*pairs, strict=True), strict=True):
        print(f"{mode:<10}{who:<8}{statistics.median(rates):>10,.0f} rows/s")
    print(f"{mode:<10}ratio {ratio(pairs)}, load {load:.1f} before", flush=True)
    known = json.loads(JSON.read_text()) if JSON.exists() else {}
    rates = dict(zip(("native", "tvfc"), zip(*pairs, strict=True), strict=True))
    known[mode] = {"rows_per_s": {who: statistics.median(each) for who, each in rates.items()}}
    known[mode] |= {"ratios": [round(other / one, 3) for one, other in pairs], "load": load}
    JSON.write_text(json.dumps(known, indent=1) + "\n")


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
        measures = [F.count("*").alias("n"), F.avg("x").alias("x")]
        if mode != "session":
            measures.append(F.max("y").alias("y"))
        if mode == "panes":
            measures += [F.sum("y").alias("s"), F.min("x").alias("least")]
        if mode == "cumulate":
            return growing(rows).groupBy("device", "window_start", "window_end").agg(*measures)
        return rows.groupBy("device", NATIVE[mode](F)).agg(*measures)

    return build


def growing(rows: Any) -> Any:
    """Rows once for each window that holds them; its end carries the watermark."""
    from pyspark.sql.functions import expr

    whole = rows.selectExpr("device", "x", "y", "ts", "window(ts, '2 minutes').start AS begun")
    passed = "timestampdiff(SECOND, begun, ts) div 5"
    steps = whole.selectExpr("*", f"explode(sequence({passed} + 1, 24)) AS steps")
    ends = steps.withColumn(
        "window_end", expr("timestampadd(SECOND, steps * 5, begun)")
    ).withColumnRenamed("begun", "window_start")
    return ends.withMetadata("window_end", {"spark.watermarkDelayMs": 0})


NATIVE: dict[str, Any] = {
    "tumble": lambda F: F.window("ts", "10 seconds"),  # noqa: N803
    "hop": lambda F: F.window("ts", "15 seconds", "5 seconds"),  # noqa: N803
    "panes": lambda F: F.window("ts", "10 seconds", "2 seconds"),  # noqa: N803
    "cumulate": None,
    "session": lambda F: F.session_window("ts", "200 milliseconds"),  # noqa: N803
}

if __name__ == "__main__":
    main()
