"""Lays out examples/flights as a feed: one file for every few hours, in order of publication.

Spark's file source takes files in order of modification time, which a checkout does not keep;
so the feed is written anew, each file a second younger than the one before.
"""

from __future__ import annotations

import os
import shutil
import sys
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

FLIGHTS = Path(__file__).parent / "flights"
HOURS_A_FILE = 6


def stage(target: Path) -> int:
    """Write the feed to an empty folder `target`; answers how many files there are."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    days = [pq.read_table(path) for path in sorted(FLIGHTS.glob("*.parquet"))]
    flights = pa.concat_tables(days).sort_by("published")
    begin = flights["published"][0].as_py().replace(hour=0, minute=0)
    last = flights["published"][-1].as_py()
    number = 0
    while begin <= last:
        end = begin + timedelta(hours=HOURS_A_FILE)
        published = flights["published"]
        inside = pc.and_(pc.greater_equal(published, begin), pc.less(published, end))
        part = flights.filter(inside)
        if part.num_rows:
            path = target / f"{begin:%Y-%m-%d-%H}.parquet"
            pq.write_table(part, path)
            moment = 1_500_000_000 + number
            os.utime(path, (moment, moment))
            number += 1
        begin = end
    return number


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FLIGHTS.parents[1] / "build/demo/flights"
    print(f"{stage(folder)} files in {folder}")
