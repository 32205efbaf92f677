"""What the sinks of bench/endurance.py hold, against the feed; read files are removed.

A file is read once the batch that it belongs to is committed: then no restart writes it again. Of
each row is kept that it has come, as a bit, and its part of a checksum.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj
import pyarrow.parquet as pq
from endurance_feed import BEGIN, DEVICES, LOG, SECOND, notes, rows_of

WATERMARK = 5 * SECOND
DELAY = 30 * SECOND
WINDOW = 10 * SECOND
VALID = 60 * SECOND
LAG_STEP_S, LAG_STEPS = 0.01, 100_000
FILES = {"delayed": 0, "totals": 0, "refused": 0}


@dataclass
class Lags:
    """How long after they were due rows came out, counted in steps of ten milliseconds."""

    counts: np.ndarray = field(default_factory=lambda: np.zeros(LAG_STEPS, np.int64))

    def add(self, seconds: np.ndarray) -> None:
        """Count some rows."""
        steps = np.clip(seconds / LAG_STEP_S, 0, LAG_STEPS - 1).astype(np.int64)
        self.counts += np.bincount(steps, minlength=LAG_STEPS)

    def at(self, share: float) -> float:
        """The lag that so many of the rows do not exceed, in seconds; not a number without rows."""
        summed = self.counts.cumsum()
        if not summed[-1]:
            return float("nan")
        return float(np.searchsorted(summed, share * summed[-1]) + 1) * LAG_STEP_S


class Sinks:
    """All sinks of the job.

    Attributes:
        lags: of rows of the delay and of windows since they were last taken away.
        all_lags: of all of them.
        calm_lags: of those that were due while nothing disturbed the job.
    """

    def __init__(self, folder: Path, rate: int, seconds: int) -> None:
        self._folder = folder
        self._rate = rate
        self._seconds = seconds
        self.lags, self.all_lags, self.calm_lags = Lags(), Lags(), Lags()
        self.faults: list[str] = []
        self._came = {name: np.zeros(seconds * rate, np.bool_) for name in ("delayed", "refused")}
        self._checksum = 0
        windows = seconds * SECOND // WINDOW + 30
        self._counts = np.zeros((windows, DEVICES), np.int64)
        self._sums = np.zeros((windows, DEVICES), np.int64)

    def take(self, disturbed: list[tuple[float, float]]) -> None:
        """Read the files of committed batches and remove them.

        Args:
            disturbed: from when to when something kept the job from being on time.
        """
        commits = [int(at.name) for at in self._folder.glob("checkpoint/commits/[0-9]*")]
        known = self._known_times()
        for name in FILES:
            for path in sorted((self._folder / name).glob("part-*")):
                if int(path.name.split("-")[1]) > max(commits, default=-1):
                    continue
                # The file was moved to its place then.
                came = path.stat().st_ctime
                due = getattr(self, f"_take_{name}")(path)
                path.unlink()
                if due is not None and len(due) and known is not None:
                    self._count_lags(due, came, known, disturbed)

    def _known_times(self) -> tuple[np.ndarray, np.ndarray] | None:
        """How far the watermark comes by each file of the feed, and when that was there."""
        log = self._folder / LOG
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        whole = [line.split(",") for line in lines if line.count(",") == 2]
        if not whole:
            return None
        greatest = np.maximum.accumulate([int(each[2]) // 1000 * 1000 for each in whole])
        return greatest - WATERMARK, np.array([float(each[1]) for each in whole])

    def _count_lags(
        self,
        due: np.ndarray,
        came: float,
        known: tuple[np.ndarray, np.ndarray],
        disturbed: list[tuple[float, float]],
    ) -> None:
        watermarks, walls = known
        place = np.searchsorted(watermarks, due)
        # The closing row, which is no part of the log, is what the last rows wait for.
        walls_due = walls[place[place < len(walls)]]
        lags = came - walls_due
        calm = np.ones(len(lags), np.bool_)
        for begin, end in disturbed:
            calm &= (walls_due < begin) | (walls_due > end)
        self.lags.add(lags)
        self.all_lags.add(lags)
        self.calm_lags.add(lags[calm])

    def _take_delayed(self, path: Path) -> np.ndarray:
        rows = pq.read_table(path)
        ids, ts = _numbers(rows, "id"), _micros(rows, "ts")
        self._mark("delayed", ids)
        with np.errstate(over="ignore"):
            sums = _checksum(ids, _numbers(rows, "device"), ts, _numbers(rows, "x"))
        self._checksum = (self._checksum + sums) % 2**64
        if not pc.all(pc.equal(rows["note"], notes(ids)), min_count=0).as_py():
            self.faults.append(f"delayed: a note in {path.name} is another row's")
        return ts + DELAY

    def _take_refused(self, path: Path) -> None:
        if path.stat().st_size:
            self._mark("refused", _numbers(pj.read_json(path), "id"))

    def _mark(self, sink: str, ids: np.ndarray) -> None:
        came = self._came[sink]
        again = int(came[ids].sum()) + len(ids) - len(np.unique(ids))
        if again:
            self.faults.append(f"{sink}: {again} rows come again")
        came[ids] = True

    def _take_totals(self, path: Path) -> np.ndarray:
        rows = pq.read_table(path)
        ends = _micros(rows, "window_end")
        places = (_window(ends - WINDOW), _numbers(rows, "device"))
        flat = places[0] * DEVICES + places[1]
        again = int((self._counts[places] > 0).sum()) + len(flat) - len(np.unique(flat))
        if again:
            self.faults.append(f"totals: {again} rows come again")
        self._counts[places] = _numbers(rows, "n")
        self._sums[places] = _numbers(rows, "total")
        return ends

    def check_present(self, watermark: int) -> None:
        """See that the table holds the rows that are valid now."""
        counts, sums = np.zeros(DEVICES, np.int64), np.zeros(DEVICES, np.int64)
        for number in range(max(0, self._seconds - 80), self._seconds):
            rows = rows_of(number, self._rate)
            now = ~rows.late & (rows.ts <= watermark) & (rows.ts + VALID > watermark)
            counts += np.bincount(rows.device[now], minlength=DEVICES)
            sums += np.bincount(rows.device[now], rows.x[now], DEVICES).astype(np.int64)
        wanted = {(d, int(counts[d]), int(sums[d])) for d in range(DEVICES) if counts[d]}
        with closing(sqlite3.connect(self._folder / "present.db")) as connection:
            found = set(connection.execute("SELECT device, n, total FROM present"))
        if wanted != found:
            odd = next(iter(wanted ^ found))
            self.faults.append(
                f"present: {len(wanted - found)} rows wrong or lost of {len(wanted)}, such as {odd}"
            )

    def check(self) -> None:
        """See that the sinks hold all that the feed says, after its closing row."""
        counts, sums = np.zeros_like(self._counts), np.zeros_like(self._sums)
        lost, checksum = {"delayed": 0, "refused": 0}, 0
        for number in range(self._seconds):
            rows = rows_of(number, self._rate)
            for sink, wanted in (("delayed", ~rows.late), ("refused", rows.late)):
                lost[sink] += int((self._came[sink][rows.id] != wanted).sum())
            kept = ~rows.late
            with np.errstate(over="ignore"):
                checksum += _checksum(
                    *(each[kept] for each in (rows.id, rows.device, rows.ts, rows.x))
                )
            places = (_window(rows.ts[kept]), rows.device[kept])
            np.add.at(counts, places, 1)
            np.add.at(sums, places, rows.x[kept])
        self.faults += [f"{sink}: {rows} rows wrong or lost" for sink, rows in lost.items() if rows]
        if checksum % 2**64 != self._checksum:
            self.faults.append("delayed: values differ")
        wrong = int(((counts != self._counts) | (sums != self._sums)).sum())
        if wrong:
            self.faults.append(f"totals: {wrong} of {int((counts > 0).sum())} wrong or lost")

    def rows(self) -> dict[str, int]:
        """How many rows have come."""
        return {
            "delayed": int(self._came["delayed"].sum()),
            "refused": int(self._came["refused"].sum()),
            "totals": int((self._counts > 0).sum()),
        }


def _numbers(rows: pa.Table, name: str) -> np.ndarray:
    return rows[name].to_numpy().astype(np.int64)


def _micros(rows: pa.Table, name: str) -> np.ndarray:
    return rows[name].cast(pa.timestamp("us", tz="UTC")).cast(pa.int64()).to_numpy()


def _window(ts: np.ndarray) -> np.ndarray:
    """The number of the window of a time; rows of the beginning may be a little before it."""
    return ts // WINDOW - BEGIN // WINDOW + 15


def _checksum(*columns: np.ndarray) -> int:
    """A number that differs if a value does, whatever the order of the rows."""
    mixed = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(29)
    return int(mixed.sum(dtype=np.uint64))
