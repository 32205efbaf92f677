"""Kills jobs at random and compares what their sinks hold with a run that nothing has disturbed.

    python -m kills.campaign [--kills 200] [--seed 1] [--folder DIR] [CASE …]      # make kills

A job is started, some files of its feed arrive, and at a random moment one of its processes is
killed: the driver, the JVM, an executor or a Python worker. What is left of it is killed as well
unless it carries on, and it is started again from its checkpoint. In the end it is let finish, and
each sink must hold the same rows as after one run from the beginning.
"""

from __future__ import annotations

import argparse
import json
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path
from random import Random

import pyarrow.dataset as ds
from field.servers.kafka import Broker, broker
from field.servers.postgres import postgres
from field.systems import system
from kills.cases import CASES, TABLES_OUTSIDE, Case, write_file
from kills.victims import kill_one
from run.jobs import compile_job, kill, program, run, started

FILES_A_LIFE = 3
CATCH_UP_S = 3600
"""A file is a batch, and there are hundreds."""
MOST_S = 60
"""A life without any batch ends after this time: then the kill comes while the job starts."""


def main() -> None:
    """Run the campaign; the exit status is 1 if anything was lost or repeated."""
    options = _options()
    chosen = [case for case in CASES if not options.cases or case.name in options.cases]
    failed = 0
    for place, case in enumerate(chosen):
        kills = options.kills // len(chosen) + (place < options.kills % len(chosen))
        rng = Random(f"{options.seed} {case.name}")
        with (
            tempfile.TemporaryDirectory(dir=options.folder, prefix=f"{case.name}-") as folder,
            broker() if case.topics else nullcontext() as kafka,
            postgres() if case.system == "postgres" else nullcontext("") as url,
        ):
            faults = campaign(case, Path(folder), kills, rng, kafka, url)
        failed += bool(faults)
        print("\n".join([f"{case.name}: {'FAILED' if faults else 'equal'}", *faults]), flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--kills", type=int, default=200, help="how many, over all cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the jobs live; it is cleaned up")
    parser.add_argument("cases", nargs="*", metavar="CASE")
    return parser.parse_args()


def campaign(
    case: Case, folder: Path, kills: int, rng: Random, kafka: Broker | None = None, url: str = ""
) -> list[str]:
    """What the sinks of a case hold wrongly after so many kills."""
    feed = folder / "in"
    old = folder / "old"
    for each in (feed, old):
        each.mkdir(parents=True)
    for number in range(case.history):
        write_file(old, number, rng)
    server = "" if kafka is None else kafka.bootstrap
    script = case.script(server, f"{folder.name}-") + case.outside(folder, url)
    job = compile_job(folder, script)
    log = folder / "log"
    roles: Counter[str] = Counter()
    files = case.history
    while roles.total() < kills:
        with started(program(job, "--master", case.master), log) as process:
            carries_on = True
            while carries_on and roles.total() < kills:
                for number in range(files, files + FILES_A_LIFE):
                    write_file(feed, number, rng)
                files += FILES_A_LIFE
                _live(folder / "checkpoint", process.poll, rng)
                role = kill_one(process.pid, rng)
                roles[role or "had ended"] += 1
                # An executor is replaced, and a task that has lost its worker is tried again.
                carries_on = case.cluster and role in ("worker", "executor")
            kill(process)
    print(f"{case.name}: {kills} kills, {files} files: {dict(roles)}", flush=True)
    if code := run(program(job, "--available-now", "--master", case.master), log, CATCH_UP_S):
        return [f"exit {code} at the end", *log.read_text(encoding="utf-8").splitlines()[-25:]]
    calm = folder / "calm"
    calm.mkdir()
    for each in (feed, old):
        (calm / each.name).symlink_to(each)
    script = case.script(server, f"{folder.name}-calm-") + case.outside(calm, url)
    undisturbed = compile_job(calm, script)
    if code := run(
        program(undisturbed, "--available-now", "--master", "local[2]"), log, CATCH_UP_S
    ):
        return [f"exit {code} without any kill"]
    wanted, found = content(case, calm, url), content(case, folder, url)
    if kafka is not None:
        wanted |= in_kafka(case, kafka, f"{folder.name}-calm-")
        found |= in_kafka(case, kafka, f"{folder.name}-")
    return differences(wanted, found)


def _live(checkpoint: Path, ended: Callable[[], int | None], rng: Random) -> None:
    """Until a random moment after the next batch has begun."""
    before = _newest(checkpoint)
    deadline = time.monotonic() + MOST_S
    while _newest(checkpoint) == before and time.monotonic() < deadline:
        if ended() is not None:
            return
        time.sleep(0.02)
    # The moment is the input of the test, not a wait for anything.
    signal.sigtimedwait([], rng.choice((0.0, 0.3, 1.0, 3.0)) * rng.random())


def _newest(checkpoint: Path) -> int:
    numbers = [int(path.name) for path in checkpoint.glob("offsets/*") if path.name.isdigit()]
    return max(numbers, default=-1)


def content(case: Case, folder: Path, url: str = "") -> dict[str, Counter[str]]:
    """The rows of all sinks of a case, as text, and how often each is there."""
    found = {name: Counter(_rows_of_files(folder / name)) for name in case.files}
    if case.system is not None:
        there = system(case.system, folder, url)
        found |= {name: Counter(map(repr, there.rows(name))) for name in TABLES_OUTSIDE}
    with closing(sqlite3.connect(folder / "tables.db")) as connection:
        for name in case.tables:
            rows = connection.execute(f'SELECT * FROM "{name}"').fetchall()
            found[name] = Counter(map(repr, rows))
    return found


def in_kafka(case: Case, kafka: Broker, prefix: str) -> dict[str, Counter[str]]:
    """What the topics of a case hold for whoever reads what is committed."""
    found = {}
    for name in (*case.topics, *case.held):
        records = [(each.key, each.value) for each in kafka.read(f"{prefix}{name}")]
        kept = list(dict(records).items()) if name in case.held else records
        found[name] = Counter(map(repr, kept))
    return found


def _rows_of_files(folder: Path) -> list[str]:
    """What a reader finds: what Spark's own sink has committed, or else all that is visible."""
    log = folder / "_spark_metadata"
    paths = _committed(log) if log.exists() else sorted(folder.glob("[!._]*"))
    kind = "json" if any(path.suffix == ".json" for path in paths) else "parquet"
    filled = [str(path) for path in paths if path.stat().st_size]
    return [repr(row) for row in ds.dataset(filled, format=kind).to_table().to_pylist()]


def _committed(log: Path) -> list[Path]:
    """The files in the log of Spark's file sink: from the last compaction on."""
    whole = [path for path in log.glob("[0-9]*") if path.suffix in ("", ".compact")]
    batches = sorted(whole, key=lambda path: int(path.stem))
    compacted = [place for place, path in enumerate(batches) if path.suffix == ".compact"]
    lines = [
        line
        for path in batches[compacted[-1] if compacted else 0 :]
        for line in path.read_text(encoding="utf-8").splitlines()[1:]
    ]
    return sorted({Path(json.loads(line)["path"].removeprefix("file://")) for line in lines})


def differences(wanted: dict[str, Counter[str]], found: dict[str, Counter[str]]) -> list[str]:
    """A line for each sink whose rows are not the same, with an example of each kind."""
    faults = []
    for name, rows in wanted.items():
        lost, more = rows - found[name], found[name] - rows
        if not rows:
            faults.append(f"{name}: nothing comes out, so that nothing is compared")
        if lost or more:
            examples = f"{next(iter(lost), None)}; {next(iter(more), None)}"
            faults.append(f"{name}: {lost.total()} lost, {more.total()} too many: {examples}")
    return faults


if __name__ == "__main__":
    main()
