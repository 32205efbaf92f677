"""The examples compile, and on the feed they give what a batch query gives at every instant."""

from __future__ import annotations

import shutil
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from feed.expected import EXPECTED, answer_at, feed
from run.jobs import ROOT, table
from stage import stage

import tvfc_runtime
from commands.files import compile_file
from scenario.job_module import load_job

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EXAMPLES = sorted((ROOT / "examples").glob("*.sql"))

MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize("query", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_compiles(query: Path, tmp_path: Path) -> None:
    assert "tvfc.JobSpec" in compile_file(query, tmp_path).text


def test_every_changing_example_has_an_oracle() -> None:
    assert {path.stem for path in EXAMPLES} == EXPECTED.keys() | {"delayed_flights"}


@pytest.mark.spark
def test_flights_in_the_air(spark: SparkSession, tmp_path: Path) -> None:
    check("in_the_air", run(spark, tmp_path, "in_the_air"))


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(EXPECTED.keys() - {"in_the_air", "live_table"}))
def test_other_examples(spark: SparkSession, tmp_path: Path, name: str) -> None:
    check(name, run(spark, tmp_path, name))


@pytest.mark.spark
@pytest.mark.thorough
def test_the_live_table(spark: SparkSession, tmp_path: Path) -> None:
    run(spark, tmp_path, "live_table")
    held = table(tmp_path / "build/demo/live.db", "SELECT carrier, flights FROM in_the_air")
    last = max(flight.published for flight in feed()) - MINUTE
    assert Counter(held) == answer_at("in_the_air", last)


def run(spark: SparkSession, folder: Path, name: str) -> list[dict[str, Any]]:
    """The changes that an example gives on the feed, in a copy of its folder."""
    (folder / "examples").mkdir()
    query = Path(shutil.copy(ROOT / f"examples/{name}.sql", folder / "examples"))
    stage(folder / "build/demo/flights")
    target = folder / "build" / name
    spec = load_job(compile_file(query, target).text, target / "job.py").JOB
    (outputs,) = tvfc_runtime.queries_of(spec)
    found: list[dict[str, Any]] = []

    def keep(batch: DataFrame, _number: int) -> None:
        found.extend(batch.toArrow().to_pylist())

    job = tvfc_runtime.Job(spark, str(folder / "checkpoint"))
    running = tvfc_runtime.start(job, spec, outputs, {"console": keep}, availableNow=True)
    running.awaitTermination()
    return found


def check(name: str, changes: list[dict[str, Any]]) -> None:
    """The sum of the changes is the batch query's answer at every instant that is told apart.

    Groups change when the clock moves, hence at the times of their changes; rows come and go at
    any minute.
    """
    times = sorted({row["_time"] for row in changes})
    is_grouped, _ = EXPECTED[name]
    instants = times if is_grouped else minutes(times[0], times[-1])
    assert len(instants) > (8 if is_grouped else 3000)
    total: Counter[tuple[Any, ...]] = Counter()
    waiting = sorted(changes, key=lambda row: row["_time"], reverse=True)
    for instant in instants:
        while waiting and waiting[-1]["_time"] <= instant:
            *values, _, diff = waiting.pop().values()
            total[tuple(values)] += diff
        assert +total == answer_at(name, instant), instant
        assert min(total.values(), default=0) >= 0
    assert not waiting


def minutes(first: datetime, last: datetime) -> list[datetime]:
    """Every minute until the last one, some a millisecond before or after it."""
    count = int((last - first) / MINUTE)
    near = [first + n * MINUTE + timedelta(milliseconds=n % 3 - 1) for n in range(1, count)]
    return [*near, last]
