"""A job under load for an hour: does what it keeps level off, and are all rows there in the end?

    python bench/endurance.py [--minutes 60] [--rate 20000] [--cycle 600] [--folder DIR]

A generated job with a delay, closed windows, a live table by a temporal filter and late rows runs
as a program of its own on its checkpoint. A feed (endurance_feed.py) writes a file a second; in
each cycle it stalls once and catches up at five times the rate, and the job is stopped once by
SIGTERM and once by SIGKILL, and started again. Files that have been read are removed as it goes.

Every ten seconds there is a line in build/endurance.csv; at the end docs/endurance.png shows them,
the figures are printed, and the sinks are compared with the feed (endurance_sinks.py). The exit
status is 1 if a row is wrong, lost or repeated.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent))

from delay import ROOT, family, resident
from endurance_feed import DISORDER, rows_of, stalls, write_closing
from endurance_plot import draw
from endurance_sinks import WATERMARK, Lags, Sinks

QUERY = """
CREATE SOURCE readings (
  id BIGINT, device INT, ts TIMESTAMP, x INT, note STRING,
  WATERMARK FOR ts AS ts - INTERVAL 5 SECONDS
) USING parquet OPTIONS (path 'in', maxFilesPerTrigger '40', cleanSource 'delete');

CREATE SINK delayed USING parquet OPTIONS (path 'delayed') AS
SELECT id, device, ts, x, note FROM readings WHERE ts + INTERVAL 30 SECONDS <= WATERMARK_TS();

CREATE SINK totals USING parquet OPTIONS (path 'totals') AS
SELECT device, window_end, count(*) AS n, sum(x) AS total
FROM TUMBLE(readings, ts, INTERVAL 10 SECONDS)
GROUP BY device, window_end
EMIT ON WINDOW CLOSE;

CREATE SINK present USING sqlite OPTIONS (path 'present.db', table 'present', key 'device') AS
SELECT device, count(*) AS n, sum(x) AS total
FROM readings
WHERE WATERMARK_TS() >= ts AND WATERMARK_TS() < ts + INTERVAL 1 MINUTE
GROUP BY device;

CREATE SINK refused USING json OPTIONS (path 'refused') AS
SELECT id, ts FROM LATE(readings);
"""
TERM_AT, KILL_AT = 0.55, 0.8
"""Where in a cycle the job is stopped, and where it is killed."""

SAMPLE_S = 10
RECOVERY_S = 60
"""How long after a start, a stall or a restart the lag does not count as that of calm times."""

PATIENCE_S = 600
GROWS = 1.1
MIB = 2**20


@dataclass
class Sample:
    """What is there at one moment; lags are those of the rows since the sample before."""

    minute: float
    jvm_mib: float = 0
    python_mib: float = 0
    workers_mib: float = 0
    rows_in: int = 0
    rows_held: int = 0
    checkpoint_mib: float = 0
    checkpoint_files: int = 0
    state_mib: float = 0
    logs_kib: float = 0
    scratch_mib: float = 0
    input_files: int = 0
    lag_p50_s: float = 0
    lag_p99_s: float = 0


LEVELS = {
    "jvm_mib": "memory of the JVM, MiB",
    "python_mib": "memory of the driver in Python, MiB",
    "workers_mib": "memory of Python workers, MiB",
    "rows_held": "rows held",
    "checkpoint_mib": "checkpoint, MiB",
    "checkpoint_files": "checkpoint, files",
    "state_mib": "  of it state, MiB",
    "logs_kib": "  of it logs, KiB",
    "scratch_mib": "spark.local.dir, MiB",
}


@dataclass
class Run:
    """A run in its folder, with what has happened: moments in seconds since the epoch."""

    folder: Path
    begun: float = field(default_factory=time.time)
    restarts: list[tuple[float, str]] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    before_start: int = -1

    def has_moved_on(self) -> bool:
        """Whether the job has done a batch since it was started."""
        return self.counters().get("batch", -1) > self.before_start

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        """Start the job on its checkpoint."""
        self.before_start = self.counters().get("batch", -1)
        scratch = self.folder / "scratch"
        environment = os.environ | {"SPARK_LOCAL_DIRS": str(scratch), "SPARK_LOCAL_IP": "127.0.0.1"}
        # The job must find its runtime in the zip beside it.
        environment.pop("PYTHONPATH", None)
        command = [sys.executable, "build/job.py", "--checkpoint", "checkpoint"]
        with (self.folder / "job.log").open("ab") as log:
            return subprocess.Popen(
                [*command, "--master", "local[2]", *options],
                cwd=self.folder,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def counters(self) -> dict[str, int]:
        """What the job has counted so far."""
        batches = (self.folder / "checkpoint/tvfc/batches").glob("[0-9]*")
        for place in sorted(batches, key=lambda each: -int(each.name)):
            try:
                return dict(json.loads(place.read_text(encoding="utf-8")))
            except FileNotFoundError:
                # It was removed, for there are newer ones.
                continue
        return {}

    def sample(self, job: subprocess.Popen[bytes], lags: Lags) -> None:
        """Measure everything."""
        now = Sample(round((time.time() - self.begun) / 60, 2))
        for pid in family(job.pid):
            kind = "python" if pid == job.pid else _kind(pid)
            setattr(now, f"{kind}_mib", getattr(now, f"{kind}_mib") + resident(pid) / MIB)
        counters = self.counters()
        now.rows_in = counters.get("rows_in", 0)
        now.rows_held = counters.get("rows_held", 0)
        sizes = _sizes(self.folder / "checkpoint")
        now.checkpoint_files = len(sizes)
        now.checkpoint_mib = sum(sizes.values()) / MIB
        now.state_mib = sum(size for at, size in sizes.items() if at.startswith("state")) / MIB
        now.logs_kib = sum(size for at, size in sizes.items() if not at.startswith("state")) / 1024
        now.scratch_mib = sum(_sizes(self.folder / "scratch").values()) / MIB
        now.input_files = len(list((self.folder / "in").glob("[0-9]*")))
        now.lag_p50_s, now.lag_p99_s = lags.at(0.5), lags.at(0.99)
        self.samples.append(now)


def _kind(pid: int) -> str:
    try:
        return "jvm" if "java" in Path(f"/proc/{pid}/comm").read_text() else "workers"
    except OSError:
        return "workers"


def _sizes(folder: Path) -> dict[str, int]:
    """The files below a folder, by their path in it, and what they take."""
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = Path(root) / name
            try:
                found[str(path.relative_to(folder))] = path.stat().st_size
            except FileNotFoundError:
                # Removed in the meantime.
                continue
    return found


def main() -> None:
    """Run, check, print and draw."""
    options = _options()
    seconds = round(options.minutes * 60)
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="endurance-") as place:
        folder = Path(place)
        (folder / "in").mkdir()
        (folder / "scratch").mkdir()
        (folder / "job.sql").write_text(QUERY, encoding="utf-8")
        compile_command = [
            sys.executable,
            str(ROOT / "cli.py"),
            "compile",
            "job.sql",
            "-o",
            "build",
        ]
        subprocess.run(compile_command, cwd=folder, check=True)
        run, sinks = Run(folder), Sinks(folder, options.rate, seconds)
        try:
            _carry_out(run, sinks, options, seconds)
        except RuntimeError as error:
            log = (folder / "job.log").read_text(encoding="utf-8", errors="replace")
            sys.exit("\n".join([*log.splitlines()[-30:], str(error)]))
        finally:
            _write(run, seconds, options)
        sinks.check()
    _report(run, sinks, seconds * options.rate)
    sys.exit(bool(sinks.faults))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=int, default=20_000, help="rows a second")
    parser.add_argument(
        "--cycle", type=int, default=600, help="seconds; a stall, two restarts each"
    )
    parser.add_argument("--folder", type=Path, help="where the job lives; it is cleaned up")
    parser.add_argument("--picture", type=Path, default=ROOT / "docs/endurance.png")
    return parser.parse_args()


def _carry_out(run: Run, sinks: Sinks, options: argparse.Namespace, seconds: int) -> None:
    """The whole life of the job: the load, a rest in which the table is looked at, and the end."""
    job = run.start()
    feeding = [sys.executable, str(ROOT / "bench/endurance_feed.py"), str(run.folder / "in")]
    numbers = map(str, (options.rate, seconds, options.cycle))
    feed = subprocess.Popen([*feeding, *numbers])
    run.begun = time.time()
    ends = sorted(
        (run.begun + begin + at * options.cycle, number)
        for begin in range(0, seconds, options.cycle)
        for at, number in ((TERM_AT, signal.SIGTERM), (KILL_AT, signal.SIGKILL))
        if begin + at * options.cycle < seconds
    )
    still = [(run.begun + begin, run.begun + end) for begin, end in stalls(seconds, options.cycle)]
    watermark = _last_watermark(options.rate, seconds)
    next_sample, rest_begun = run.begun + SAMPLE_S, None
    try:
        while rest_begun is None or time.time() < rest_begun + SAMPLE_S:
            time.sleep(0.5)
            if job.poll() is not None:
                raise RuntimeError(f"the job has ended by itself, with {job.returncode}")
            sinks.take(_disturbed(run, still))
            if time.time() >= next_sample:
                run.sample(job, sinks.lags)
                sinks.lags = Lags()
                next_sample += SAMPLE_S
            if ends and time.time() >= ends[0][0] and run.has_moved_on():
                job = _restarted(run, job, ends.pop(0)[1])
            if feed.poll() is None:
                continue
            if feed.returncode:
                raise RuntimeError("the feed has failed")
            if time.time() > run.begun + seconds + PATIENCE_S:
                raise RuntimeError("the job does not come to rest")
            counters = run.counters()
            all_in = counters.get("rows_in") == seconds * options.rate
            if rest_begun is None and all_in and counters["watermark_ms"] * 1000 == watermark:
                rest_begun = time.time()
        sinks.check_present(watermark)
        _end(job, signal.SIGTERM)
        write_closing(run.folder / "in", options.rate, seconds)
        job = run.start("--available-now")
        if job.wait(PATIENCE_S):
            raise RuntimeError(f"the job has failed at the end, with {job.returncode}")
        sinks.take(_disturbed(run, still))
    finally:
        _end(job, signal.SIGKILL)
        feed.kill()
        feed.wait()


def _last_watermark(rate: int, seconds: int) -> int:
    """Where the watermark stands after the feed, in whole milliseconds as microseconds."""
    last = range(max(0, seconds - 2 - DISORDER // 1_000_000), seconds)
    greatest = max(int(rows_of(number, rate).ts.max()) for number in last)
    return greatest // 1000 * 1000 - WATERMARK


def _restarted(run: Run, job: subprocess.Popen[bytes], number: int) -> subprocess.Popen[bytes]:
    run.restarts.append((time.time(), signal.Signals(number).name))
    _end(job, number)
    return run.start()


def _end(job: subprocess.Popen[bytes], number: int) -> None:
    """Stop the driver, or kill it and all that it has started."""
    if number == signal.SIGTERM and job.poll() is None:
        job.terminate()
        if job.wait(PATIENCE_S):
            raise RuntimeError(f"a job that was stopped has ended with {job.returncode}")
    with suppress(ProcessLookupError):
        os.killpg(job.pid, signal.SIGKILL)
    job.wait()


def _disturbed(run: Run, still: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """From when to when the job cannot be on time: a start, a stall or a restart, and some time."""
    starts = [run.begun, *(moment for moment, _ in run.restarts)]
    return [
        *((moment - RECOVERY_S / 4, moment + RECOVERY_S) for moment in starts),
        *((begin, end + RECOVERY_S) for begin, end in still),
    ]


def _write(run: Run, seconds: int, options: argparse.Namespace) -> None:
    """The samples as CSV and as a picture."""
    if not run.samples:
        return
    rows = [asdict(each) for each in run.samples]
    table = ROOT / "build/endurance.csv"
    table.parent.mkdir(exist_ok=True)
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({name: round(value, 3) for name, value in row.items()} for row in rows)
    restarts = [((moment - run.begun) / 60, name) for moment, name in run.restarts]
    still = [(begin / 60, end / 60) for begin, end in stalls(seconds, options.cycle)]
    title = f"A job with {options.rate:,} rows/s in, for {options.minutes:g} minutes"
    draw(rows, restarts, still, title, options.picture)


def _report(run: Run, sinks: Sinks, rows: int) -> None:
    print(f"rows in                    {rows:,}")
    for name, count in sinks.rows().items():
        print(f"rows out, {name:<17}{count:,}")
    names = [name for _, name in run.restarts]
    print(
        f"restarts                   {', '.join(f'{names.count(n)} {n}' for n in sorted({*names}))}"
    )
    for when, lags in (("in calm times", sinks.calm_lags), ("of all rows", sinks.all_lags)):
        p50, p99 = lags.at(0.5), lags.at(0.99)
        print(f"release lag {when:<15}p50 {p50:.2f} s, p99 {p99:.2f} s")
    third = len(run.samples) // 3
    for name, what in LEVELS.items():
        values = [getattr(each, name) for each in run.samples]
        middle, last = median(values[third : 2 * third]), median(values[2 * third :])
        verdict = "level" if last <= GROWS * middle else "GROWS"
        print(f"{what:<36}{middle:>12,.1f} -> {last:>12,.1f}   {verdict}")
    print("\n".join(sinks.faults or ["all sinks hold what the feed says"]))


if __name__ == "__main__":
    main()
