"""The feed of bench/endurance.py: rows that are the same in every run, as a file for each second.

    python bench/endurance_feed.py FOLDER RATE SECONDS CYCLE

Each cycle has a stall of some tens of seconds; what has piled up then comes at five times the rate.
A program that checks a sink asks `rows_of` what the feed has said, file by file.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

SECOND = 1_000_000
"""Times are whole microseconds."""

BEGIN = 1_700_000_000 * SECOND
DEVICES = 500
DISORDER = 3 * SECOND
"""Rows are out of order by less than this, which is less than the watermark waits for them."""

LATE_BY = 120 * SECOND
LATE_FROM_FILE = 150
"""Rows are late by more than a batch may hold; there are none before the watermark has come as far
as that."""

LATE_ONE_IN = 1000
STALL_AT, STALL_S = 0.3, 40
"""Where in a cycle the feed stalls, and for how long at most."""

BURST = 5
"""How many times the rate comes what has piled up."""

LOG = "feed.csv"


@dataclass(frozen=True)
class Rows:
    """The rows of one file, column by column; `late` says which the watermark must refuse."""

    id: np.ndarray
    device: np.ndarray
    ts: np.ndarray
    x: np.ndarray
    late: np.ndarray


def rows_of(number: int, rate: int) -> Rows:
    """The rows of a second."""
    ids = np.arange(number * rate, (number + 1) * rate, dtype=np.int64)
    # Bits in no order, from a multiplication that overflows as it should.
    mixed = (ids.astype(np.uint64) + 1) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(20)
    mixed = mixed.astype(np.int64)
    late = (mixed // 7 % LATE_ONE_IN == 0) & (number >= LATE_FROM_FILE)
    ts = BEGIN + ids * SECOND // rate - mixed % DISORDER - late * LATE_BY
    return Rows(ids, mixed // 11 % DEVICES, ts, mixed // 13 % 1000, late)


def notes(ids: np.ndarray) -> pa.Array:
    """A word that each row has."""
    return pc.binary_join_element_wise("reading", pa.array(ids).cast(pa.string()), "-")


def closing_time(seconds: int) -> int:
    """The time of a row that comes after all others, so late that everything else is over then."""
    return BEGIN + (seconds + 1000) * SECOND


def write_closing(folder: Path, rate: int, seconds: int) -> None:
    """The last file."""
    one = np.array([seconds * rate])
    _write(folder, seconds, Rows(one, one % DEVICES, np.array([closing_time(seconds)]), one, one))


def stalls(seconds: int, cycle: int) -> list[tuple[float, float]]:
    """From when to when nothing comes, in seconds from the start of the feed."""
    length = min(STALL_S, cycle / 6)
    begins = [number * cycle + STALL_AT * cycle for number in range(seconds // cycle + 1)]
    return [(begin, begin + length) for begin in begins if begin + 2 * length < seconds]


def main() -> None:
    """Write the files when they are due, and when each was there and its greatest time in a log."""
    folder = Path(sys.argv[1])
    rate, seconds, cycle = map(int, sys.argv[2:])
    still = stalls(seconds, cycle)
    begun = time.time()
    with (folder.parent / LOG).open("w", encoding="utf-8") as log:
        for number in range(seconds):
            _wait_until(begun + number + 1)
            for begin, end in still:
                if begun + begin <= time.time() < begun + end:
                    _wait_until(begun + end)
            written = time.time()
            rows = rows_of(number, rate)
            there = _write(folder, number, rows)
            print(f"{number},{there:.3f},{rows.ts.max()}", file=log, flush=True)
            _wait_until(written + 1 / BURST)


def _write(folder: Path, number: int, rows: Rows) -> float:
    """A file, moved to its place once it is whole; answers when that was."""
    table = pa.table(
        {
            "id": rows.id,
            "device": rows.device.astype(np.int32),
            "ts": pa.array(rows.ts, pa.timestamp("us", tz="UTC")),
            "x": rows.x.astype(np.int32),
            "note": notes(rows.id),
        }
    )
    hidden = folder / f".{number:06}"
    pq.write_table(table, hidden)
    hidden.rename(folder / f"{number:06}.parquet")
    return time.time()


def _wait_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.time()))


if __name__ == "__main__":
    main()
