"""Temporal filters: rows in and retractions out, flatness, and what a live row costs, in one run.

    python bench/temporal.py                        a table (some minutes)
    python bench/temporal.py MODE BATCHES SECONDS   one measurement, as JSON

The rows are those of bench/delay.py, 20,000 for a second of event time, in batches of twenty
seconds. In mode `live` a row is in the result from its arrival until so many seconds after its
time; in `later` it enters twenty seconds after its time; in `burst` all rows of so many seconds
leave at one instant.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import delay as bench

BATCHES = 10
bench.BATCH_MS = 20_000
bench.BATCH_ROWS = 400_000


def main() -> None:
    """Run one mode, or all in turn, each in a process of its own."""
    if len(sys.argv) > 1:
        mode, *numbers = sys.argv[1:]
        print(json.dumps(measured(mode, *map(int, numbers))))
        return
    few = bench.apart(__file__, "live", BATCHES, 20)
    show("live for 20 s", few)
    most = bench.apart(__file__, "live", 13 + BATCHES, 260)
    show("live for 260 s", most)
    print(f"{'  a batch against the former':<42}{most['last_ms'] / few['last_ms']:>11.2f}")
    print(f"{'  state for a live row':<42}{most['bytes_per_row']:>11,.0f} bytes")
    show("from 20 s after their time to 60 s", bench.apart(__file__, "later", BATCHES, 60))
    burst = bench.apart(__file__, "burst", 12, 100)
    show("all of 100 s leave at once", burst)
    print(f"{'  the batch in which 2,000,000 leave':<42}{burst['longest_ms']:>11,.0f} ms")


def show(what: str, found: dict[str, Any]) -> None:
    """A line for one measurement."""
    rate, held, memory = found["rows_per_s"], found["held"], found["memory_mib"]
    print(f"{what:<42}{rate:>11,.0f} rows/s   {held:>9,} held   {memory:,.0f} MiB", flush=True)


def measured(mode: str, batches: int, seconds: int) -> dict[str, Any]:
    """Run a filter over the rows by itself."""
    from datetime import timedelta

    import tvfc_runtime as tvfc

    source = tvfc.Source(name="readings", columns=bench.COLUMNS)
    time = timedelta(seconds=seconds)
    valid = {
        "live": lambda: tvfc.until(tvfc.reached("ts", plus=time)),
        "later": lambda: tvfc.between(
            tvfc.reached("ts", plus=timedelta(seconds=20)), tvfc.reached("ts", plus=time)
        ),
        "burst": lambda: tvfc.until(
            tvfc.sql(f"(unix_millis(ts) div {seconds * 1000} + 1) * {seconds * 1000}")
        ),
    }

    def build(spark: Any, checkpoint: str) -> Any:
        job = tvfc.Job(spark, checkpoint, read=lambda _: bench.readings(spark))
        rows = job.watermarked(source, tvfc.Watermark(time="ts"))
        return job.temporal(rows.drop("__proc_time").withColumn("__valid", valid[mode]()))

    return bench.run(build, batches)


if __name__ == "__main__":
    main()
