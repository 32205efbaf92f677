"""Random queries over random rows: at every clock value the updates add up to the batch answer.

Each seed is one job of many sinks, which are one streaming query, so that a batch serves them all.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from oracle.batch import Batch, Row, plain_row
from oracle.dialects import SECOND, Pair, both, listed
from oracle.duck import DuckBatch
from oracle.feeds import (
    STREAMS,
    File,
    Story,
    by_watermark,
    on_wall_clock,
    random_files,
    random_table,
)
from oracle.language import Language
from oracle.queries import Queries, Rows
from oracle.settings import PLAIN, Setting, random_names
from oracle.trial import Difference, Trial
from pyspark.sql import types as t

from compiler import CompileError, compile_script
from compiler.diagnostics import render_all
from compiler.source import SourceText
from scenario.carriers import to_carrier
from scenario.engine import Engine, line, wall_clock_tick
from scenario.job_module import load_job

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DDL = "id INT, k STRING, v INT, p BOOLEAN, ts TIMESTAMP, te TIMESTAMP"
KINDS: list[t.DataType] = [
    t.IntegerType(),
    t.StringType(),
    t.IntegerType(),
    t.BooleanType(),
    t.TimestampType(),
    t.TimestampType(),
]

REFUSED = frozenset({"TVF301", "TVF401"})
"""What chance may bring: the clock where only `b` is read, which then has no watermark; a condition
that expands too far. Another query takes its place."""


@dataclass(frozen=True)
class Way:
    """How the clock of a script goes: by ticks, or by the watermarks of streams.

    Attributes:
        name: of the way.
        clock: the clock in both dialects.
        delays: how far the watermark of a stream is behind, in seconds.
    """

    name: str
    clock: Pair
    delays: dict[str, int] = field(default_factory=dict)

    @property
    def sources(self) -> str:
        """The declarations."""
        found = [f"CREATE SOURCE {name} ({DDL}{self._watermark(name)});" for name in STREAMS]
        return "\n".join([*found, f"CREATE TABLE c ({DDL});"])

    def _watermark(self, name: str) -> str:
        if name not in self.delays:
            return ""
        return f", WATERMARK FOR ts AS ts - INTERVAL {self.delays[name]} SECONDS"

    def story(self, files: list[File]) -> Story:
        """What becomes of files."""
        if not self.delays:
            return on_wall_clock(files)
        return by_watermark(files, {name: each * SECOND for name, each in self.delays.items()})


WALL = Way("wall", Pair("mz_now()", "clock()"))
ONE_WATERMARK = Way("one watermark", Pair("WATERMARK_TS()", "clock()"), {"a": 1})
TWO_WATERMARKS = Way("two watermarks", Pair("WATERMARK_TS()", "clock()"), {"a": 2, "b": 1})
WAYS = (WALL, ONE_WATERMARK, TWO_WATERMARKS)


def random_queries(rng: Random, way: Way, operators: int) -> list[Rows]:
    """Queries of all kinds, with so many operators in all."""
    return _random(lambda: Queries(rng, way.clock).query(), way, operators)


def random_asked(rng: Random, way: Way, operators: int) -> list[Rows]:
    """Queries of values of subqueries and of window functions, with so many operators in all."""
    return _random(lambda: Queries(rng, way.clock).asked(), way, operators)


def random_language(rng: Random, way: Way, operators: int) -> list[Rows]:
    """Queries of the rest of the language, with so many operators in all."""
    return _random(lambda: Language(rng, way.clock).whole(), way, operators)


def _random(query_of: Callable[[], Rows], way: Way, operators: int) -> list[Rows]:
    found: list[Rows] = []
    misses = 0
    # Of what needs many operators, none may fit into the rest.
    while operators >= LEAST and not (found and misses > MOST_MISSES):
        query = query_of()
        text = job_text(way, query)
        used = operators_of(text) if text else 0
        if 0 < used <= operators:
            operators -= used
            found.append(query)
        else:
            misses += 1
    return found


MOST_MISSES = 30


def random_union(rng: Random, way: Way, number: int) -> list[Rows]:
    """One UNION ALL of so many queries that one operator can answer together."""
    legs: list[Rows] = []
    while len(legs) < number:
        leg = Queries(rng, way.clock).rows(rng.choice((1, 1, 2)))
        if job_text(way, leg):
            legs.append(leg)
    sides = [
        both(f"SELECT {n} AS q, * FROM ({{}}) AS q{n}", leg.text) for n, leg in enumerate(legs)
    ]
    return [Rows(listed(sides, " UNION ALL "))]


def job_text(way: Way, query: Rows) -> str | None:
    """The job of a query; None if it does not read what moves the clock, or expands too far."""
    if way.clock.spark not in query.text.spark or not query.reads >= way.delays.keys():
        return None
    try:
        return compile_script(_source(way, [query]), scenario=True).text
    except CompileError as error:
        if all(each.code in REFUSED for each in error.diagnostics):
            return None
        text = render_all(error.diagnostics, _source(way, [query]))
        pytest.fail(f"refused\n{text}")


HOSTILE = 0.2
"""How many of the scripts have columns of names that mean something else elsewhere."""

LEAST = 2
"""No query with fewer operators is worth a search."""


def operators_of(job: str) -> int:
    """How many operators of ours a job has; a step that is read twice is there twice."""
    bodies = dict(
        re.findall(r"^def (\w+)\(job: tvfc.Job\) -> DataFrame:\n((?:(?: .*)?\n)+)", job, re.M)
    )

    @cache
    def within(name: str) -> int:
        body = bodies[name]
        own = len(
            re.findall(
                r"job\.(?:aggregate|multiplicity|join|top|windows|updates|delay|changelog)\(", body
            )
        )
        return own + sum(
            within(each) for each in re.findall(r"(\w+)\(job\)", body) if each in bodies
        )

    (result,) = re.findall(r"build=(\w+)", job)
    return within(result)


def _source(way: Way, queries: list[Rows], setting: Setting = PLAIN) -> SourceText:
    sinks = [f"CREATE SINK q{place} AS {each.text.spark};" for place, each in enumerate(queries)]
    return SourceText("oracle.sql", setting.written("\n".join([way.sources, *sinks])))


def feed(
    engine: Engine, files: list[File], kinds: list[t.DataType] = KINDS
) -> list[dict[str, list[Row]]]:
    """What has come out whenever the job was at rest."""
    found = []
    for file in files:
        lines = [
            line(name, list(map(to_carrier, row, kinds)), 0)
            for name, rows in file.rows.items()
            for row in rows
        ]
        if file.now is not None:
            lines.append(wall_clock_tick(file.now))
        if not file.waits:
            if lines:
                engine.arrive(lines)
                # Spark reads files in order of their times, which are whole milliseconds.
                time.sleep(0.003)
            continue
        found.append(dict(engine.feed(lines).outputs))
        if file.restarts:
            engine.stop()
            engine.start()
    return found


@dataclass(frozen=True)
class Outcome:
    """What has come out of the sinks of a job whenever it was at rest, and their columns."""

    steps: list[dict[str, list[Row]]]
    schemas: dict[str, t.StructType]

    def changes(self, name: str) -> bool:
        """Whether what comes out are updates."""
        return self.schemas[name].fieldNames()[-2:] == ["_time", "_diff"]

    def of(self, name: str) -> list[list[Row]]:
        """What has come out of one sink."""
        return [step[name] for step in self.steps]


def run(
    spark: SparkSession,
    folder: Path,
    text: str,
    files: list[File],
    table: list[Row],
    kinds: list[t.DataType] = KINDS,
) -> Outcome:
    """Run a job over files; the columns of streams are of these kinds."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = {"c": [line("c", list(map(to_carrier, row, KINDS)), None) for row in table]}
    job = load_job(text, folder / "job.py").JOB
    engine = Engine(spark, job, folder / "run", tables=tables if table else {})
    try:
        engine.start()
        schemas = engine.schemas()
        return Outcome(feed(engine, files, kinds), schemas)
    finally:
        engine.stop()


def updates_of(rows: list[Row], *, changing: bool) -> list[tuple[Row, int, int]]:
    """Rows, when they change, and by how much."""
    if not changing:
        return [(plain_row(row), 0, 1) for row in rows]
    return [(plain_row(row[:-2]), row[-2] or 0, row[-1]) for row in rows]


def total(updates: list[tuple[Row, int, int]], until: int) -> Counter[Row]:
    """The sum of updates up to a clock value."""
    found: Counter[Row] = Counter()
    for row, at, diff in updates:
        if at <= until:
            found[row] += diff
    return Counter({row: number for row, number in found.items() if number})


def probes(story: Story) -> list[int]:
    """The clock values at which updates are added up: all where something may change, and beside.

    They begin with the first one: what comes before it has no time, or an earlier one.
    """
    known = sorted({each for each in story.clock if each is not None})
    if not known:
        return known
    halves = range(0, known[-1] + SECOND, SECOND // 2)
    near = {each + aside for each in halves for aside in (-1000, 0, 1000, 2000)}
    return sorted({*known, *(each for each in near if known[0] <= each <= known[-1])})


def faults_of(
    query: Rows,
    steps: list[list[Row]],
    story: Story,
    ends: list[int],
    batch: Batch | DuckBatch,
    *,
    changing: bool,
) -> list[str]:
    """Where the updates of a query do not add up to the batch answer."""
    faults = []
    so_far: list[tuple[Row, int, int]] = []
    for rows, end in zip(steps, ends, strict=True):
        so_far += updates_of(rows, changing=changing)
        clock = story.clock[end]
        if clock is not None:
            faults += _compare(query, total(so_far, 2**62), batch, clock, end)
    if changing:
        for clock in probes(story):
            faults += _compare(query, total(so_far, clock), batch, clock)
    return faults


ALL_FILES = 1_000_000


def _compare(
    query: Rows, found: Counter[Row], batch: Batch | DuckBatch, clock: int, end: int | None = None
) -> list[str]:
    wanted = batch.answer(query.text.lite, clock, ALL_FILES if end is None else end)
    if found == wanted:
        return []
    missing = {row: n - found[row] for row, n in wanted.items() if n > found[row]}
    unexpected = {
        row: n - wanted[row]
        for row, n in found.items()
        if (n != wanted[row] and n > wanted[row]) or n < 0
    }
    when = "" if end is None else f"at rest after file {end}, "
    return [f"{when}clock {clock / SECOND}: missing {missing}, unexpected {unexpected}"]


Choose = Callable[[Random, Way, int], list[Rows]]


def database_of(choose: Choose) -> type[Batch | DuckBatch]:
    """The database that knows the queries."""
    return DuckBatch if choose is random_language else Batch


def trial(seed: int, way: Way, choose: Choose, *, size: int, files: int) -> Trial:
    """One seed: `size` is how many queries, or operators, are chosen."""
    rng = Random(f"{way.name} {seed}")
    chosen = choose(rng, way, size)
    setting = Setting(names=random_names(rng)) if rng.random() < HOSTILE else PLAIN
    feeds = random_files(rng, files, ticks=not way.delays)
    table = random_table(rng)

    def compare(
        spark: SparkSession, folder: Path, places: list[int], files: list[File]
    ) -> dict[int, Difference]:
        queries = [chosen[place] for place in places]
        text = compile_script(_source(way, queries, setting), scenario=True).text
        outcome = run(spark, folder, text, files, table)
        story = way.story(files)
        batch = database_of(choose)(story.arrived, table)
        ends = [place for place, file in enumerate(files) if file.waits]
        found = {}
        for number, (place, query) in enumerate(zip(places, queries, strict=True)):
            name = f"q{number}"
            rows, changing = outcome.of(name), outcome.changes(name)
            faults = faults_of(query, rows, story, ends, batch, changing=changing)
            if faults:
                wanted = batch.answer(query.text.lite, story.clock[-1] or 0, len(files))
                found[place] = Difference(faults, wanted, outcome.schemas[name])
        return found

    return Trial(
        title=f"{choose.__name__} {way.name} {seed}",
        sources=setting.written(way.sources),
        queries=[setting.written(each.text.spark) for each in chosen],
        pairs=size if choose is random_union else len(chosen),
        files=feeds,
        times=frozenset({4, 5}),
        table=table,
        compare=compare,
    )


by_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)


@pytest.mark.spark
def test_conditions_on_the_clock(tmp_path: Path, spark: SparkSession) -> None:
    trial(1, WALL, random_union, size=5, files=4).check(spark, tmp_path)


@pytest.mark.spark
@pytest.mark.thorough
@by_way
@pytest.mark.parametrize("seed", range(1, 12))
def test_more_conditions(seed: int, way: Way, tmp_path: Path, spark: SparkSession) -> None:
    trial(seed, way, random_union, size=30, files=8).check(spark, tmp_path)


@pytest.mark.spark
@pytest.mark.thorough
@by_way
@pytest.mark.parametrize("seed", range(1, 12))
def test_more_queries(seed: int, way: Way, tmp_path: Path, spark: SparkSession) -> None:
    trial(seed, way, random_queries, size=8, files=6).check(spark, tmp_path)


@pytest.mark.spark
@pytest.mark.thorough
@by_way
@pytest.mark.parametrize("seed", range(1, 6))
def test_the_language(seed: int, way: Way, tmp_path: Path, spark: SparkSession) -> None:
    trial(seed, way, random_language, size=10, files=4).check(spark, tmp_path)
