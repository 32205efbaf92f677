"""Delayed emission: speed, flatness, memory and compile time, all from one run.

    python bench/delay.py              everything, as a table (some minutes)
    python bench/delay.py MODE …       one measurement, as JSON

All modes read the same rows: Spark's `rate-micro-batch`, 200,000 rows of about 100 bytes a batch
that cover ten seconds of event time. The native rival is written by hand: a window by second of
event time, closed five seconds later, collect_list and explode.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

BATCH_ROWS = 200_000
BATCH_MS = 10_000
BATCHES = 10
"""Two million rows. On two cores the JVM compiles for much longer than that."""

WARM = 50
"""Batches after which it has compiled nearly all; the figures of the steady state begin here."""
COLUMNS = {
    "id": "BIGINT",
    "ts": "TIMESTAMP",
    "device": "STRING",
    "x": "DOUBLE",
    "y": "BIGINT",
    "note": "STRING",
}
QUERY = """
CREATE SOURCE readings (
  id BIGINT, ts TIMESTAMP, device STRING, x DOUBLE, y BIGINT, note STRING,
  WATERMARK FOR ts AS ts
);
SELECT * FROM readings WHERE ts + INTERVAL {delay} SECONDS <= WATERMARK_TS();
"""


def main() -> None:
    """Run one mode, or all in turn, each in a process of its own."""
    if len(sys.argv) > 1:
        mode, *numbers = sys.argv[1:]
        print(json.dumps(MODES[mode](*(int(number) for number in numbers))))
        return
    passed = measure("pass", WARM + 30)
    # In turn, since the speed of a machine that others use changes within minutes.
    pairs = [(measure("native", WARM + 30), measure("delay", WARM + 30, 5)) for _ in range(3)]
    few = measure("delay", BATCHES + 4, 10)
    many = measure("delay", 25 + 10, 250)
    most = measure("delay", 50 + 4, 500)
    compiled = compile_seconds()
    rows: list[tuple[str, str, str]] = [
        ("stateless pass-through, the ceiling", f"{passed['rows_per_s']:,.0f} rows/s", ""),
        *against(pairs, "rows_per_s", "steady"),
        *against(pairs, "first_rows_per_s", "first 2 M rows"),
        (f"batch with {few['held']:,} held", f"{few['last_ms']:,.0f} ms", ""),
        (f"batch with {many['held']:,} held", f"{many['last_ms']:,.0f} ms", ""),
        ("  against the former", f"{many['last_ms'] / few['last_ms']:.2f}", "<= 1.20"),
        (f"memory with {most['held']:,} held", f"{most['memory_mib']:,.0f} MiB", "< 3,072"),
        ("compile of the main query, whole process", f"{compiled:.2f} s", "< 0.5"),
    ]
    for what, value, bar in rows:
        print(f"{what:<42}{value:>18}   {bar}")


def against(pairs: list[Any], figure: str, when: str) -> list[tuple[str, str, str]]:
    """Lines for native and tvfc, each the median of the runs, and the ratios of all pairs."""
    native, ours = ([run[figure] for run in runs] for runs in zip(*pairs, strict=True))
    ratios = [mine / theirs for mine, theirs in zip(ours, native, strict=True)]
    return [
        (f"native window + collect_list, {when}", f"{statistics.median(native):,.0f} rows/s", ""),
        (f"tvfc delay of 5 s, {when}", f"{statistics.median(ours):,.0f} rows/s", ""),
        ("  against native", " ".join(f"{each:.2f}" for each in sorted(ratios)), ">= 0.90"),
    ]


def measure(mode: str, *numbers: int) -> dict[str, Any]:
    """One mode in a fresh process."""
    return apart(__file__, mode, *numbers)


def apart(script: str, *arguments: str | int) -> dict[str, Any]:
    """What a bench prints for one measurement, in a fresh process."""
    command = [sys.executable, script, *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def readings(spark: Any) -> Any:
    """The rows, the same in every mode; two partitions, for two cores."""
    return ticking(spark, BATCH_ROWS).selectExpr(
        "value AS id",
        "ts",
        "concat('device-', value % 5000) AS device",
        "value / 7 AS x",
        "value * 2 AS y",
        "concat(hex(value * 1103515245), hex(value * 69069), 'abcdefghijklmnopqrstuvwxyz') AS note",
    )


def ticking(spark: Any, rows: int) -> Any:
    """So many rows a batch, numbered by `value`, with `ts` spread over the time of the batch."""
    ticks = (
        spark.readStream.format("rate-micro-batch")
        .option("rowsPerBatch", rows)
        .option("advanceMillisPerBatch", BATCH_MS)
        .option("startTimestamp", 1_700_000_000_000)
        .option("numPartitions", 2)
        .load()
    )
    micros = BATCH_MS * 1000 // rows
    time = f"timestamp_micros(unix_micros(timestamp) + value % {rows} * {micros})"
    return ticks.selectExpr("value", f"{time} AS ts")


def delay(batches: int, seconds: int) -> dict[str, Any]:
    """Tvfc's job for the query above."""
    return run_query(QUERY.format(delay=seconds), lambda spark, _: readings(spark), batches)


def run_query(text: str, read: Any, batches: int) -> dict[str, Any]:
    """Tvfc's job for a query; `read` gives the rows of a source, from a session and the source."""
    from compiler import compile_script
    from compiler.source import SourceText
    from scenario.job_module import load_job
    from tvfc_runtime import Job

    job = compile_script(SourceText("bench.sql", text), scenario=True)
    spec = load_job(job.text, ROOT / "bench" / "job.py").JOB

    def build(spark: Any, checkpoint: str) -> Any:
        return spec.outputs[0].build(Job(spark, checkpoint, read=lambda each: read(spark, each)))

    return run(build, batches)


def native(batches: int) -> dict[str, Any]:
    """The same delay by hand: windows of one second that close five seconds later."""

    def build(spark: Any, _checkpoint: str) -> Any:
        from pyspark.sql import functions as F  # noqa: N812

        rows = readings(spark).withWatermark("ts", "5 seconds")
        grouped = rows.groupBy(F.window("ts", "1 second")).agg(F.collect_list(F.struct("*")))
        return grouped.toDF("window", "rows").selectExpr("inline(rows)")

    return run(build, batches)


def passing(batches: int) -> dict[str, Any]:
    """Rows straight to the sink."""
    return run(lambda spark, _checkpoint: readings(spark), batches)


def run(build: Any, batches: int) -> dict[str, Any]:
    """Run a query for some batches and measure them."""
    spark = session()
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory()
        frame = build(spark, f"{folder}/checkpoint")
        query = (
            frame.writeStream.format("noop")
            .option("checkpointLocation", f"{folder}/checkpoint")
            .start()
        )
        # Seldom, and the last progress alone: asking costs the driver a part of a core.
        while (query.lastProgress or {"batchId": -1})["batchId"] < batches:
            time.sleep(0.5)
            if query.exception() is not None:
                raise query.exception()
        done = {each["batchId"]: each for each in query.recentProgress if each["numInputRows"]}
        query.stop()
        spark.stop()
    return summary(list(done.values())[:batches], memory.stop())


def summary(progress: list[Any], memory_mib: float) -> dict[str, Any]:
    """The figures of a run; batches without data in between count for their time."""
    times = [each["durationMs"]["triggerExecution"] for each in progress[2:]]
    starts = [datetime.fromisoformat(each["timestamp"]).timestamp() * 1000 for each in progress[2:]]
    return {
        "batches": list(zip(starts, times, strict=True)),
        "rows_per_s": rate(times[WARM:] or times),
        "first_rows_per_s": rate(times[:BATCHES]),
        "last_ms": statistics.median(times[-5:]),
        "longest_ms": max(times),
        "held": held(progress),
        "state_bytes": state_bytes(progress[-1]),
        "bytes_per_row": state_bytes(progress[-1]) / max(1, held(progress)),
        "memory_mib": memory_mib,
    }


def rate(times: list[int]) -> float:
    """Rows a second of batches that took so many milliseconds."""
    return BATCH_ROWS * len(times) / sum(times) * 1000


def held(progress: list[Any]) -> int:
    """Rows that the delay operator holds after the last batch."""
    from tvfc_runtime.counters.progress import Counters

    counters = Counters()
    for each in progress:
        counters.update(each)
    return counters.rows_of_runtime


def state_bytes(progress: Any) -> int:
    """What RocksDB has in memory and in its files after a batch."""
    operators = progress["stateOperators"]
    files = sum(each["customMetrics"].get("rocksdbSstFileSize", 0) for each in operators)
    return files + sum(each["memoryUsedBytes"] for each in operators)


def session() -> Any:
    """Two cores, the settings of a job, nothing on the terminal."""
    from pyspark.sql import SparkSession

    import tvfc_runtime

    builder = tvfc_runtime.configure(SparkSession.builder.appName("bench").master("local[2]"), ROOT)
    settings = {
        "spark.ui.enabled": "false",
        "spark.log.level": "OFF",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.streaming.numRecentProgressUpdates": "1000",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    tvfc_runtime.attach(spark, ROOT)
    return spark


class Memory:
    """Peak of the resident memory of this process and all below it, sampled."""

    def __init__(self) -> None:
        self._peak = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """The peak in MiB."""
        self._ended.set()
        self._thread.join()
        return self._peak / 2**20

    def _watch(self) -> None:
        while not self._ended.wait(0.5):
            self._peak = max(self._peak, sum(map(resident, family(os.getpid()))))


def family(root: int) -> list[int]:
    """A process and all below it."""
    children: dict[int, list[int]] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(place.parent.name))
    found, open_ends = [], [root]
    while open_ends:
        found.append(open_ends.pop())
        open_ends.extend(children.get(found[-1], []))
    return found


def resident(pid: int) -> int:
    """Memory that a process has for itself, plus its share of what it has in common."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def compile_seconds() -> float:
    """`tvfc compile` of the main example as a whole process, the median of five."""
    query = ROOT / "examples" / "delayed_flights.sql"
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(5):
            begun = time.perf_counter()
            subprocess.run(
                [sys.executable, str(ROOT / "cli.py"), "compile", str(query), "-o", folder],
                check=True,
                capture_output=True,
            )
            times.append(time.perf_counter() - begun)
    return statistics.median(times)


MODES = {"delay": delay, "native": native, "pass": passing}

if __name__ == "__main__":
    main()
