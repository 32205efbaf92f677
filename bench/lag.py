"""Release lag: from the moment the clock reaches a row's due time until the row is in the sink.

    python bench/lag.py [--rates 1000,20000] [--queries delay,sliding,windows,unanswered]
                        [--warm 40] [--seconds 40] [--conf KEY=VALUE] [--json FILE]

Each query runs as a program of its own and writes files of JSON. A feed writes a file of rows each
100 ms. A row is in the sink when the log of the sink says so. The wall clock reaches a due time by
itself; a watermark does when the first file with such a row has come.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from bisect import bisect_left
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parent))

from running import Processors, batches, running

EACH_S = 0.1
LOOK_S = 1.0
DELAY_MS = 3_000
KEYS = 50
SOURCE = """
CREATE SOURCE events (id BIGINT, k INT, ts TIMESTAMP{watermark}) USING parquet OPTIONS (path 'in');
"""
ON_WALL_CLOCK = SOURCE.format(watermark="")
ON_WATERMARK = SOURCE.format(watermark=", WATERMARK FOR ts AS ts")
SINK = "CREATE SINK out USING json OPTIONS (path 'out') AS\n"
QUERIES = {
    "delay": f"""{ON_WALL_CLOCK}{SINK}
SELECT id, ts + INTERVAL 3 SECONDS AS due FROM events WHERE ts + INTERVAL 3 SECONDS <= mz_now();""",
    "sliding": f"""{ON_WALL_CLOCK}{SINK}
SELECT k, count(*) AS n FROM events WHERE mz_now() >= ts AND mz_now() < ts + INTERVAL 3 SECONDS
GROUP BY k;""",
    "windows": f"""{ON_WATERMARK}{SINK}
SELECT k, window_end AS due, count(*) AS n FROM TUMBLE(events, ts, INTERVAL 1 SECOND)
GROUP BY k, window_end EMIT ON WINDOW CLOSE;""",
    "unanswered": f"""{ON_WALL_CLOCK}
CREATE SOURCE answers (id BIGINT, ts TIMESTAMP) USING parquet OPTIONS (path 'answers');{SINK}
SELECT id, ts + INTERVAL 3 SECONDS AS due FROM events AS e
WHERE ts + INTERVAL 3 SECONDS <= mz_now() AND NOT EXISTS (SELECT 1 FROM answers AS a
  WHERE a.id = e.id AND a.ts BETWEEN e.ts AND e.ts + INTERVAL 3 SECONDS);""",
    "delay by watermark": f"""{ON_WATERMARK}{SINK}
SELECT id, ts + INTERVAL 3 SECONDS AS due FROM events
WHERE ts + INTERVAL 3 SECONDS <= WATERMARK_TS();""",
}
BY_WATERMARK = ("windows", "delay by watermark")


def main() -> None:
    """Measure queries at rates, one after the other."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rates", default="1000,20000")
    parser.add_argument("--queries", default=",".join(QUERIES))
    parser.add_argument("--warm", type=float, default=40)
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--conf", action="append", default=[])
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = []
    print("rows/s  query                p50 ms   p99 ms  batch ms  cores  load", flush=True)
    for rate in map(int, given.rates.split(",")):
        for name in given.queries.split(","):
            with tempfile.TemporaryDirectory() as folder:
                one = measured(Path(folder), name, rate, given)
            found.append(one)
            print(
                f"{rate:>6}  {name:<20} {one['p50_ms']:>6.0f}   {one['p99_ms']:>6.0f}"
                f"    {one['batch_ms']:>6.0f}  {one['cores']:>5.2f}  {one['load']:.1f}",
                flush=True,
            )
    text = json.dumps({"conf": given.conf, "measured": found})
    print(text)
    if given.json is not None:
        given.json.write_text(text + "\n", encoding="utf-8")


def measured(folder: Path, name: str, rate: int, given: argparse.Namespace) -> dict[str, Any]:
    """The lags of one query at one rate."""
    feed = Feed(folder, rate, answers=name == "unanswered")
    checkpoint = folder / "checkpoint"
    with feed, running(folder, QUERIES[name], given.conf) as job:
        while batches(checkpoint) < 1:
            if job.poll() is not None:
                raise SystemExit((folder / "job.log").read_text(encoding="utf-8"))
            time.sleep(EACH_S)
        time.sleep(given.warm)
        taken = 0.0
        processors = Processors(job.pid)
        begun, spent, before = time.time(), processors.seconds(), batches(checkpoint)
        while time.time() < begun + given.seconds:
            time.sleep(LOOK_S)
            taken = processors.seconds() - spent
        ended = time.time()
        done = batches(checkpoint) - before
        load = os.getloadavg()[0]
    released = in_the_sink(folder / "out", begun * 1000, ended * 1000)
    if not len(released):
        raise SystemExit(f"nothing came out of {name}: {(folder / 'job.log').read_text()[-2000:]}")
    due, at = released[:, 0], released[:, 1]
    reached = feed.seen(due) if name in BY_WATERMARK else due
    p50, p99 = np.percentile(at - reached, [50, 99])
    return {
        "query": name,
        "rate": rate,
        "p50_ms": round(float(p50)),
        "p99_ms": round(float(p99)),
        "batch_ms": round((ended - begun) * 1000 / max(1, done)),
        "cores": round(taken / (ended - begun), 2),
        "rows": len(due),
        "load": round(load, 1),
    }


class Feed:
    """Writes rows from now on; those of a file have the times since the last one."""

    def __init__(self, folder: Path, rate: int, *, answers: bool) -> None:
        self._folder, self._answers = folder, answers
        self._rows = max(1, int(rate * EACH_S))
        self._next = 0
        self._written: list[tuple[int, float]] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> None:
        for name in ("in", "answers"):
            (self._folder / name).mkdir()
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def seen(self, due: np.ndarray) -> np.ndarray:
        """When the first file came with a row as late as that, milliseconds since the epoch."""
        last, came = zip(*self._written, strict=True)
        return np.array([came[min(bisect_left(last, each), len(came) - 1)] for each in due])

    def _run(self) -> None:
        begun = time.time()
        number = 0
        while not self._ended.wait(max(0.0, begun + number * EACH_S - time.time())):
            number += 1
            self._write(int((begun + (number - 1) * EACH_S) * 1000))

    def _write(self, now_ms: int) -> None:
        ids = np.arange(self._next, self._next + self._rows)
        self._next += self._rows
        times = now_ms - int(EACH_S * 1000) + (ids - ids[0]) * int(EACH_S * 1000) // len(ids)
        ts = pa.array(times * 1000, pa.timestamp("us", tz="UTC"))
        rows = {"id": pa.array(ids), "k": pa.array((ids % KEYS).astype(np.int32)), "ts": ts}
        self._put("in", pa.table(rows))
        if self._answers:
            # Nine of ten are answered.
            answered = ids % 10 != 0
            self._put("answers", pa.table(rows).select(["id", "ts"]).filter(pa.array(answered)))
        self._written.append((int(times[-1]), time.time() * 1000))

    def _put(self, name: str, rows: pa.Table) -> None:
        hidden = self._folder / name / f".{self._next:012}"
        pq.write_table(rows, hidden)
        hidden.rename(hidden.with_name(f"{self._next:012}.parquet"))


def in_the_sink(folder: Path, begun_ms: float, ended_ms: float) -> np.ndarray:
    """Due times, and when rows of these were in the sink, milliseconds since the epoch."""
    found = []
    known: set[str] = set()
    logs = (folder / "_spark_metadata").glob("[0-9]*")
    for log in sorted(logs, key=lambda each: each.stat().st_mtime_ns):
        at = log.stat().st_mtime_ns / 1e6
        files = [json.loads(line)["path"] for line in log.read_text().splitlines()[1:]]
        for file in files:
            if file not in known and begun_ms <= at < ended_ms:
                found += [(due, at) for due in due_times(Path(file.removeprefix("file://")))]
            known.add(file)
    return np.array(found)


def due_times(file: Path) -> list[float]:
    """When the rows of a file were due, or have changed."""
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [millis(row.get("due") or row["_time"]) for row in rows]


def millis(moment: str) -> float:
    """A moment in milliseconds since the epoch."""
    return datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp() * 1000


if __name__ == "__main__":
    main()
