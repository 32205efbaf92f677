"""Random queries of final rows over random rows: whenever a job is at rest, just those rows have
come that are final by the clock: none is missing, none too early, none twice.

Each seed is one job of many sinks, which are one streaming query, so that a batch serves them all.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from oracle.batch import Batch, Row
from oracle.dialects import SECOND
from oracle.feeds import File, Story, by_watermark, moving_files
from oracle.final import FinalRows, Question
from oracle.test_oracle import DDL, KINDS, feed, total, updates_of

from compiler import CompileError, compile_script
from compiler.diagnostics import render_all
from compiler.source import SourceText
from scenario.engine import Engine
from scenario.job_module import load_job

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REFUSED = frozenset({"TVF501"})
"""What chance may bring: window functions by time beside those of windows that overlap."""
ALWAYS = -(2**62)


def sources(delays: dict[str, int]) -> str:
    """The streams, each with its watermark so many microseconds behind."""
    return "".join(
        f"CREATE SOURCE {name} ({DDL},"
        f" WATERMARK FOR ts AS ts - INTERVAL {delay // 1000} MILLISECONDS);\n"
        for name, delay in delays.items()
    )


def random_questions(rng: Random, delays: dict[str, int], number: int) -> list[Question]:
    """So many queries that read all streams, so that they have one clock."""
    found: list[Question] = []
    while len(found) < number:
        question = FinalRows(rng, "".join(delays)).question()
        if question.reads == delays.keys() and job_of(delays, [question]):
            found.append(question)
    return found


def script(delays: dict[str, int], questions: list[Question]) -> SourceText:
    """The job of some queries."""
    sinks = [f"CREATE SINK q{n} AS {each.text.spark};\n" for n, each in enumerate(questions)]
    return SourceText("final.sql", "".join([sources(delays), *sinks]))


def job_of(delays: dict[str, int], questions: list[Question]) -> str | None:
    """The text of a job; None if the compiler does not take it."""
    source = script(delays, questions)
    try:
        return compile_script(source, scenario=True).text
    except CompileError as error:
        if all(each.code in REFUSED for each in error.diagnostics):
            return None
        pytest.fail(f"refused\n{render_all(error.diagnostics, source)}")


def database(story: Story) -> Batch:
    """What has arrived; when rows come is said by each query."""
    rows = story.arrived | {f"late_{name}": each for name, each in story.late.items()}
    return Batch(
        {name: [(row, ALWAYS, file) for row, _, file in each] for name, each in rows.items()}, []
    )


def run(
    spark: SparkSession, folder: Path, text: str, files: list[File], streams: set[str]
) -> list[dict[str, list[Row]]]:
    """What has come out of the sinks of a job whenever it was at rest."""
    engine = Engine(spark, load_job(text, folder / "job.py").JOB, folder / "run")
    try:
        engine.start()
        read = [replace(f, rows={n: r for n, r in f.rows.items() if n in streams}) for f in files]
        return feed(engine, read)
    finally:
        engine.stop()


def faults_of(
    question: Question, steps: list[list[Row]], story: Story, ends: list[int], batch: Batch
) -> list[str]:
    """Where what has come is not what should have."""
    faults = []
    so_far: list[tuple[Row, int, int]] = []
    for rows, end in zip(steps, ends, strict=True):
        so_far += updates_of(rows, changing=question.changes)
        found, clock = total(so_far, 2**62), story.clock[end]
        wanted: Counter[Row] = Counter()
        if clock is not None:
            wanted = batch.answer(question.text.lite, clock, end)
        if found != wanted:
            when = f"at rest after file {end}, clock {clock and clock / SECOND}"
            faults.append(f"{when}: missing {wanted - found}, unexpected {found - wanted}")
    return faults


def check(spark: SparkSession, folder: Path, seed: int, *, size: int, files: int) -> None:
    """One seed of so many queries."""
    rng = Random(f"final {seed}")
    streams = rng.choice(("a", "ab", "ab"))
    delays = {name: rng.choice((0, 500, 1000, 2000)) * 1000 for name in streams}
    questions = random_questions(rng, delays, size)
    feeds = moving_files(rng, files)
    story = by_watermark(feeds, delays)
    batch = database(story)
    steps = run(spark, folder, job_of(delays, questions) or "", feeds, set(streams))
    ends = [place for place, file in enumerate(feeds) if file.waits]
    found = []
    for place, question in enumerate(questions):
        own = [each[f"q{place}"] for each in steps]
        faults = faults_of(question, own, story, ends, batch)
        if faults:
            found.append("\n".join([f"q{place}: {question.text.spark}", *faults[:3]]))
    assert not found, "\n\n".join([sources(delays), *found])


@pytest.mark.spark
def test_final_rows(tmp_path: Path, spark: SparkSession) -> None:
    check(spark, tmp_path, 1, size=6, files=4)


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2, 32))
def test_more_final_rows(seed: int, tmp_path: Path, spark: SparkSession) -> None:
    check(spark, tmp_path, seed, size=10, files=8)
