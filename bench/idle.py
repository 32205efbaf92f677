"""What a job on the wall clock costs while nothing comes and nothing is due.

    python bench/idle.py [--seconds 60] [--warm 30] [--conf KEY=VALUE] [--json FILE]

A job holds 1,000 rows that are due in a day. Its processor time is that of all its processes: the
program, the JVM and the Python workers.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from running import Processors, batches, running

ROWS = 1_000
DAY_S = 86_400
QUERY = """
CREATE SOURCE events (id BIGINT, ts TIMESTAMP) USING json OPTIONS (path 'in');
CREATE SINK out USING json OPTIONS (path 'out') AS
SELECT id, ts FROM events WHERE ts + INTERVAL 1 DAY <= mz_now();
"""
LOOK_S = 0.2


def main() -> None:
    """Let a job be idle, and say what that took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--warm", type=float, default=30)
    parser.add_argument("--conf", action="append", default=[])
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measured(Path(folder), given.warm, given.seconds, given.conf)
    print(f"cores                     {found['cores']:>8.3f}")
    print(f"batches a minute          {found['batches_a_minute']:>8.1f}")
    print(f"files written a minute    {found['files_a_minute']:>8.1f}")
    text = json.dumps(found)
    print(text)
    if given.json is not None:
        given.json.write_text(text + "\n", encoding="utf-8")


def measured(folder: Path, warm: float, seconds: float, settings: list[str]) -> dict[str, Any]:
    """What a job takes once it has been idle for `warm` seconds."""
    write_rows(folder / "in")
    checkpoint = folder / "checkpoint"
    with running(folder, QUERY, settings) as job:
        while batches(checkpoint) < 1:
            if job.poll() is not None:
                raise SystemExit((folder / "job.log").read_text(encoding="utf-8"))
            time.sleep(LOOK_S)
        time.sleep(warm)
        processors = Processors(job.pid)
        before, spent, begun = batches(checkpoint), processors.seconds(), time.monotonic()
        known = files_of(checkpoint)
        written, taken = 0, 0.0
        while time.monotonic() < begun + seconds:
            time.sleep(LOOK_S)
            now = files_of(checkpoint)
            written += len(now - known)
            known = now
            taken = processors.seconds() - spent
        took = time.monotonic() - begun
        return {
            "cores": taken / took,
            "batches_a_minute": (batches(checkpoint) - before) * 60 / took,
            "files_a_minute": written * 60 / took,
            "seconds": took,
            "held": ROWS,
            "conf": settings,
        }


def write_rows(folder: Path) -> None:
    """Rows that are due in a day from now on, a second apart."""
    folder.mkdir()
    now = time.time()
    rows = [{"id": each, "ts": moment(now + each)} for each in range(ROWS)]
    (folder / "rows.json").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def moment(seconds: float) -> str:
    """Seconds since the epoch as a TIMESTAMP of whole milliseconds."""
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{whole}.{int(seconds * 1000) % 1000:03}Z"


def files_of(folder: Path) -> set[tuple[str, int]]:
    """The files below a folder; one that is written anew is another one."""
    found = set()
    for each in folder.rglob("*"):
        try:
            found.add((str(each), each.stat().st_ino))
        except OSError:
            continue
    return found


if __name__ == "__main__":
    main()
