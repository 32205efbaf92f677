"""Random queries over random rows of all kinds, compared with SQLite and plain Python, for long.

    python -m oracle.soak [--pairs 2000] [--seed 1] [--kinds NAME …] [--minutes M]   # make soak

Each job has many queries, random cuts and restarts, and 1, 2 or 5 partitions; two run at a time,
unless `--at-a-time` says otherwise. A query that differs is kept as a scenario in build/soak, with
as few rows as still show it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from itertools import count, cycle, islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from oracle import (
    test_asof,
    test_changes,
    test_final,
    test_joins,
    test_oracle,
    test_row_patterns,
    test_sessions,
)
from oracle.feeds import File
from oracle.further_final import FurtherFinalRows
from oracle.processor_time import used_s
from oracle.revised import RevisedGroups
from oracle.shrink import scenario_text, shrink
from oracle.test_oracle import (
    WAYS,
    random_asked,
    random_language,
    random_queries,
    random_union,
)
from oracle.trial import Difference, Trial
from pyspark.errors import PySparkException
from warm_workers import use_warm_workers

from commands.local_spark import FAST_STEPS, local_session
from scenario.runner import partitions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOUND = Path(__file__).parents[2] / "build" / "soak"
JOBS_OF_A_PROCESS = 25
"""What Spark keeps of each job adds up: after so many a new process has a new JVM."""
ATTEMPTS = 40
"""Jobs that may be run to make one failing query small."""
SHRUNK = 3
"""Queries of one job that are made small; the others are likely of the same fault."""

KINDS: dict[str, Callable[[int], Trial]] = {
    "conditions": lambda seed: test_oracle.trial(
        seed, WAYS[seed % 3], random_union, size=12, files=_files(seed)
    ),
    "changing": lambda seed: test_oracle.trial(
        seed, WAYS[seed % 3], random_queries, size=10, files=_files(seed)
    ),
    "asked": lambda seed: test_oracle.trial(
        seed, WAYS[seed % 3], random_asked, size=12, files=_files(seed)
    ),
    "language": lambda seed: test_oracle.trial(
        seed, WAYS[seed % 3], random_language, size=12, files=_files(seed)
    ),
    "joins": lambda seed: test_joins.trial(seed, pairs=10, batches=_files(seed)),
    "final": lambda seed: test_final.trial(seed, size=8, files=_files(seed)),
    "further": lambda seed: test_final.trial(
        seed, size=8, files=_files(seed), make=FurtherFinalRows
    ),
    "revised": lambda seed: test_final.trial(seed, size=8, files=_files(seed), make=RevisedGroups),
    "sessions": lambda seed: test_sessions.trial(seed, pairs=8, batches=_files(seed)),
    "asof": lambda seed: test_asof.trial(seed, pairs=8, batches=_files(seed)),
    "row patterns": lambda seed: test_row_patterns.trial(seed, pairs=8, batches=_files(seed)),
    "changes": lambda seed: test_changes.trial(seed, pairs=6),
}


def _files(seed: int) -> int:
    """In how many files the rows of a job arrive: mostly few, as each costs a batch of Spark."""
    return Random(seed).choice((2, 3, 3, 3, 4, 4, 8))


@dataclass(frozen=True)
class Job:
    """One job of a soak."""

    kind: str
    seed: int
    partitions: int

    @property
    def name(self) -> str:
        """Also the name of the files that are written of it."""
        return f"{self.kind}-{self.seed}-on-{self.partitions}"


@dataclass(frozen=True)
class Result:
    """What has come of a job.

    Attributes:
        job: the job.
        pairs: how many it had.
        differences: how many of them differ.
        files: what is written of those.
        seconds: how long it took.
        processor_s: of processors, on which other work may run as well.
    """

    job: Job
    pairs: int
    differences: int
    files: tuple[str, ...]
    seconds: float
    processor_s: float


def main() -> None:
    """Run the soak; the exit status is 1 if anything differs."""
    options = _options()
    end = time.monotonic() + 60 * options.minutes if options.minutes else None
    pairs: Counter[str] = Counter()
    differences: Counter[str] = Counter()
    processor_s: Counter[str] = Counter()
    jobs = _jobs(options.kinds, options.seed)
    # A process of its own has the session: once it ends, so does its JVM.
    with ProcessPoolExecutor(
        max_workers=options.at_a_time,
        mp_context=multiprocessing.get_context("spawn"),
        max_tasks_per_child=JOBS_OF_A_PROCESS,
    ) as processes:
        running = {processes.submit(run, job) for job in islice(jobs, options.at_a_time)}
        while running:
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for result in (each.result() for each in ended):
                pairs[result.job.kind] += result.pairs
                differences[result.job.kind] += result.differences
                processor_s[result.job.kind] += round(result.processor_s)
                print(
                    f"{result.job.name}: {result.pairs} pairs, {result.differences} differences,"
                    f" {result.seconds:.0f} s, {result.processor_s:.0f} s of a processor;"
                    f" {pairs.total()} pairs in all",
                    *(f"\n  {each}" for each in result.files),
                    flush=True,
                )
            if pairs.total() < options.pairs and (end is None or time.monotonic() < end):
                running |= {processes.submit(run, job) for job in islice(jobs, len(ended))}
    for kind, number in pairs.items():
        minutes = max(processor_s[kind], 1) / 60
        print(
            f"{kind}: {number} pairs, {differences[kind]} differences,"
            f" {number / minutes:.1f} pairs a processor minute"
        )
    print(f"{pairs.total()} pairs, {differences.total()} differences")
    sys.exit(differences.total() > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=2000, help="how many in all, at the least")
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--minutes", type=float, help="begin no further job after so many")
    parser.add_argument("--at-a-time", type=int, default=2, help="jobs, each in its own process")
    return parser.parse_args()


def _jobs(kinds: list[str], seed: int) -> Iterator[Job]:
    """The kinds in turn, each seed on another number of partitions."""
    numbers = cycle((1, 2, 5))
    for each in count(seed):
        number = next(numbers)
        yield from (Job(kind, each, number) for kind in kinds)


def run(job: Job) -> Result:
    """One job, and what differs made small and written down."""
    begin, used = time.monotonic(), used_s()
    pairs = 1
    try:
        trial = KINDS[job.kind](job.seed)
        pairs = trial.pairs
        spark = _session()
        with tempfile.TemporaryDirectory() as folder, partitions(spark, job.partitions):
            found = trial.differences(spark, Path(folder))
            files = _written(job, trial, found, spark)
        differences = len(found)
    except (Exception, pytest.fail.Exception):
        # A job that fails, or a query that is refused, is a difference as well.
        path = _file(f"{job.name}.txt", traceback.format_exc())
        files, differences = (path,), 1
    return Result(job, pairs, differences, files, time.monotonic() - begin, used_s() - used)


@cache
def _session() -> SparkSession:
    use_warm_workers()
    return local_session("tvfc soak", "local[2]", FAST_STEPS)


def _written(
    job: Job, trial: Trial, found: dict[int, Difference], spark: SparkSession
) -> tuple[str, ...]:
    paths = []
    for place, first in list(found.items())[:SHRUNK]:
        files, difference = _small(trial, place, first, spark)
        text = scenario_text(
            f"{trial.title}: q{place} on {job.partitions} partitions",
            f"{trial.sources}{trial.queries[place]};",
            files,
            times=trial.times,
            local=trial.local,
            table=trial.table,
            snapshot=difference.snapshot(),
        )
        faults = "".join(f"# {fault}\n" for fault in difference.faults)
        paths.append(_file(f"{job.name}-q{place}.scenario.yaml", faults + text))
    return tuple(paths)


def _small(
    trial: Trial, place: int, first: Difference, spark: SparkSession
) -> tuple[list[File], Difference]:
    """Fewer files and rows with which one query still differs, and how."""
    latest = first

    def fails(files: list[File]) -> bool:
        nonlocal latest
        try:
            with tempfile.TemporaryDirectory() as folder:
                difference = trial.compare(spark, Path(folder), [place], files).get(place)
        except PySparkException:
            # Another fault than the one that is made small.
            return False
        latest = difference or latest
        return difference is not None

    return shrink(trial.files, fails, ATTEMPTS), latest


def _file(name: str, text: str) -> str:
    FOUND.mkdir(parents=True, exist_ok=True)
    path = FOUND / name
    path.write_text(text, encoding="utf-8")
    return str(path)


if __name__ == "__main__":
    main()
