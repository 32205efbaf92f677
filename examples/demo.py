"""`make demo`: runs delayed_flights.sql on the staged feed and shows what was held and released."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from stage import stage

ROOT = Path(__file__).resolve().parent.parent
QUERY = ROOT / "examples/delayed_flights.sql"
FEED = ROOT / "build/demo/flights"
SHOWN = 8
IN_THE_AIR = "tvfc run examples/in_the_air.sql --available-now"


def main() -> None:
    """Stage the feed, run the query, sum up."""
    files = stage(FEED)
    print(f"$ tvfc run {QUERY.relative_to(ROOT)} --available-now    # {files} files, one a batch")
    rows = run()
    print_rows(rows)
    print_summary(rows)


def run() -> list[dict[str, Any]]:
    """The rows that came out, in order; progress goes straight to stderr."""
    command = [sys.executable, str(ROOT / "cli.py"), "run", str(QUERY), "--available-now"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT)
    if done.returncode:
        sys.exit(done.returncode)
    return [json.loads(line) for line in done.stdout.splitlines()]


def print_rows(rows: list[dict[str, Any]]) -> None:
    """The first rows, and around the middle, where short and long delays interleave."""
    middle = len(rows) // 2
    for row in rows[:SHOWN]:
        print(json.dumps(row))
    print(f"... {middle - SHOWN} rows ...")
    for row in rows[middle : middle + SHOWN]:
        print(json.dumps(row))
    print(f"... {len(rows) - middle - SHOWN} rows")


def print_summary(rows: list[dict[str, Any]]) -> None:
    """What became of every flight that was read."""
    flights = [row for path in FEED.glob("*.parquet") for row in pq.read_table(path).to_pylist()]
    # From Kennedy and not far: due half an hour after departure, hence never if there was none.
    never = [
        row
        for row in flights
        if row["carrier"] != "HA"
        and row["origin"] == "JFK"
        and row["distance"] <= 2000
        and row["dep"] is None
    ]
    at_once = sum(row["carrier"] == "HA" for row in rows)
    by_origin = Counter(row["origin"] for row in rows if row["carrier"] != "HA")
    held_still = len(flights) - len(never) - len(rows)
    origins = ", ".join(f"{name} {count}" for name, count in sorted(by_origin.items()))
    print()
    print(f"rows in                  {len(flights):>6}")
    print(f"released at once         {at_once:>6}   (carrier HA)")
    print(f"held and then released   {len(rows) - at_once:>6}   ({origins})")
    print(f"still held               {held_still:>6}   (due after the end of the feed)")
    print(f"never due, never held    {len(never):>6}   (from JFK, cancelled: no departure)")
    print()
    print("Flights in the air by carrier, as they take off and land:")
    print(f"  {IN_THE_AIR}")


if __name__ == "__main__":
    main()
