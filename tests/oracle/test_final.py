"""Random queries of final rows over random rows: whenever a job is at rest, just those rows have
come that are final by the clock: none is missing, none too early, none twice.

Each seed is one job of many sinks, which are one streaming query, so that a batch serves them all.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from oracle.batch import Batch, Row
from oracle.dialects import SECOND
from oracle.feeds import File, Story, by_watermark, moving_files
from oracle.final import FinalRows, Question
from oracle.further_final import FurtherFinalRows
from oracle.revised import RevisedGroups
from oracle.settings import PLAIN, Setting, random_setting
from oracle.test_oracle import DDL, KINDS, run, total, updates_of
from oracle.trial import Difference, Trial
from pyspark.sql import types as t

from compiler import CompileError, compile_script
from compiler.diagnostics import render_all
from compiler.source import SourceText

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REFUSED = frozenset({"TVF501", "TVF502"})
"""What chance may bring: window functions by time beside those of windows that overlap; an ASOF
JOIN with seconds, whose times the clock closes otherwise than rows."""
ALWAYS = -(2**62)
NAMES: dict[type[FinalRows], str] = {
    FinalRows: "final",
    FurtherFinalRows: "further final",
    RevisedGroups: "revised",
}
TIME = 4
"""The place of the event time in a row."""


def sources(delays: dict[str, int]) -> str:
    """The streams, each with its watermark so many microseconds behind."""
    return "".join(
        f"CREATE SOURCE {name} ({DDL},"
        f" WATERMARK FOR ts AS ts - INTERVAL {delay // 1000} MILLISECONDS);\n"
        for name, delay in delays.items()
    )


def random_questions(
    rng: Random,
    delays: dict[str, int],
    number: int,
    make: type[FinalRows] = FinalRows,
    setting: Setting = PLAIN,
) -> list[Question]:
    """So many queries that read all streams, so that they have one clock."""
    found: list[Question] = []
    while len(found) < number:
        question = make(rng, "".join(delays)).question()
        if question.reads == delays.keys() and job_of(delays, [question], setting):
            found.append(question)
    return found


def script(
    delays: dict[str, int], questions: list[Question], setting: Setting = PLAIN
) -> SourceText:
    """The job of some queries."""
    sinks = [f"CREATE SINK q{n} AS {each.text.spark};\n" for n, each in enumerate(questions)]
    return SourceText("final.sql", setting.written("".join([sources(delays), *sinks])))


def job_of(
    delays: dict[str, int], questions: list[Question], setting: Setting = PLAIN
) -> str | None:
    """The text of a job; None if the compiler does not take it."""
    source = script(delays, questions, setting)
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


def answer(question: Question, story: Story, end: int, batch: Batch) -> Counter[Row]:
    """What must have come by a file; nothing is final before there is a clock."""
    clock = story.clock[end]
    return Counter() if clock is None else batch.answer(question.text.lite, clock, end)


def faults_of(
    question: Question, steps: list[list[Row]], story: Story, ends: list[int], batch: Batch
) -> list[str]:
    """Where what has come is not what should have."""
    faults = []
    so_far: list[tuple[Row, int, int]] = []
    for rows, end in zip(steps, ends, strict=True):
        so_far += updates_of(rows, changing=question.changes)
        found, wanted = total(so_far, 2**62), answer(question, story, end, batch)
        if found != wanted:
            clock = story.clock[end]
            when = f"at rest after file {end}, clock {clock and clock / SECOND}"
            faults.append(
                f"{when}: missing {minus(wanted, found)}, unexpected {minus(found, wanted)}"
            )
    return faults


def minus(rows: Counter[Row], others: Counter[Row]) -> dict[Row, int]:
    """What there is more of; less than nothing is never right."""
    return {row: n - others[row] for row, n in rows.items() if n > others[row] or n < 0}


def trial(seed: int, *, size: int, files: int, make: type[FinalRows] = FinalRows) -> Trial:
    """One seed of so many queries; further ones are in any setting."""
    title = f"{NAMES[make]} {seed}"
    rng = Random(title)
    setting = PLAIN if make is FinalRows else random_setting(rng)
    kinds: list[t.DataType] = list(KINDS)
    if setting.time == "TIMESTAMP_NTZ":
        kinds[TIME] = t.TimestampNTZType()
    streams = rng.choice(("a", "ab", "ab"))
    delays = {name: rng.choice((0, 500, 1000, 2000)) * 1000 for name in streams}
    questions = random_questions(rng, delays, size, make, setting)

    def compare(
        spark: SparkSession, folder: Path, places: list[int], files: list[File]
    ) -> dict[int, Difference]:
        asked = [questions[place] for place in places]
        text = job_of(delays, asked, setting) or ""
        outcome = run(spark, folder, text, files, [], kinds)
        story = by_watermark(files, delays)
        batch = database(story)
        ends = [place for place, file in enumerate(files) if file.waits]
        found = {}
        for number, (place, question) in enumerate(zip(places, asked, strict=True)):
            name = f"q{number}"
            faults = faults_of(question, outcome.of(name), story, ends, batch)
            if faults:
                wanted = answer(question, story, len(files) - 1, batch)
                found[place] = Difference(faults, wanted, outcome.schemas[name])
        return found

    return Trial(
        title=title,
        sources=setting.written(sources(delays)),
        queries=[setting.written(each.text.spark) for each in questions],
        pairs=size,
        files=moving_files(rng, files, streams, setting.begin),
        times=frozenset({TIME, 5}),
        table=[],
        compare=compare,
        local=frozenset({TIME} if kinds[TIME] != KINDS[TIME] else ()),
    )


@pytest.mark.spark
def test_final_rows(tmp_path: Path, spark: SparkSession) -> None:
    trial(1, size=3, files=3).check(spark, tmp_path)


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2, 32))
def test_more_final_rows(seed: int, tmp_path: Path, spark: SparkSession) -> None:
    trial(seed, size=10, files=8).check(spark, tmp_path)


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(1, 9))
def test_further_final_rows(seed: int, tmp_path: Path, spark: SparkSession) -> None:
    trial(seed, size=10, files=4, make=FurtherFinalRows).check(spark, tmp_path)


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(1, 5))
def test_revised_groups(seed: int, tmp_path: Path, spark: SparkSession) -> None:
    trial(seed, size=6, files=5, make=RevisedGroups).check(spark, tmp_path)
