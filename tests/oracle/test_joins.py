"""Random trees of joins with time ranges over random rows: what comes out, and with which clock.

Each seed is one job of many sinks, which are one streaming query, so that a batch serves them all.
Whenever the job is at rest, just the rows have come out that are final by then, no others and none
too late; where rows without a partner wait for joined ones, and for groups, none is wrong, and all
are there in the end.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from oracle.batch import Row
from oracle.feeds import File
from oracle.join_trees import MILLISECOND, SECOND, Event, Query, Trees, has_exact_end
from oracle.test_oracle import Outcome
from oracle.trial import Difference, Trial
from pyspark.sql import types as t

from compiler import CompileError, compile_script
from compiler.source import SourceText
from scenario.carriers import to_carrier
from scenario.engine import Engine, line
from scenario.job_module import load_job

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STREAMS = "abcde"
KINDS: list[t.DataType] = [t.IntegerType(), t.IntegerType(), t.TimestampType()]
REFUSED = frozenset({"TVF301", "TVF302", "TVF502"})
"""What chance may bring: rows without a partner by a time that nothing bounds."""

JOINS_OF_A_JOB = 16
"""About so many: of more, Spark plans for minutes."""

Answer = Counter[tuple[Any, ...]]


def random_batches(rng: Random, streams: list[str], number: int) -> list[File]:
    """Batches whose times move on, some rows of them late; the last brings the clock far ahead."""
    numbers = iter(range(1, 10_000))
    found, now = [], 100 * SECOND
    for _ in range(number):
        rows: dict[str, list[Row]] = {
            name: [_event(rng, next(numbers), now) for _ in range(rng.choice((0, 1, 2, 3, 6)))]
            for name in streams
        }
        found.append(File(rows, waits=True, restarts=rng.random() < 0.15))
        now += rng.choice((0, 500, 1000, 2000, 6000)) * MILLISECOND
    last: dict[str, list[Row]] = {
        name: [Event(-place, -place, 10_000 * SECOND)] for place, name in enumerate(streams)
    }
    return [*found, File(last, waits=True)]


def _event(rng: Random, number: int, now: int) -> Event:
    aside = rng.choice((0, 0, 0, 0, 400, -400, 1, MILLISECOND))
    ts = now + rng.randint(-4, 8) * 500 * MILLISECOND + aside
    key = None if rng.random() < 0.1 else rng.randint(1, 3)
    return Event(key, number, None if rng.random() < 0.05 else ts)


def clocks_of(
    batches: list[File], delays: dict[str, int]
) -> tuple[list[int | None], list[dict[str, list[Event]]]]:
    """The clock after each batch, in microseconds, and the rows on time so far."""
    marks: dict[str, int] = {}
    clock: int | None = None
    clocks, there = [], []
    arrived: dict[str, list[Event]] = {name: [] for name in delays}
    for batch in batches:
        events = {name: [Event(*row) for row in rows] for name, rows in batch.rows.items()}
        on_time = {
            name: [e for e in rows if clock is None or e.ts is None or e.ts >= clock]
            for name, rows in events.items()
        }
        arrived = {name: [*rows, *on_time[name]] for name, rows in arrived.items()}
        for name, rows in on_time.items():
            times = [(e.ts - delays[name]) // MILLISECOND * MILLISECOND for e in rows if e.ts]
            marks[name] = max([marks.get(name, -1), *times])
        least = min(marks.values())
        clock = least if least > 0 else clock
        clocks.append(clock)
        there.append(arrived)
    return clocks, there


def accepted(rng: Random, streams: list[str], sources: str, number: int) -> list[Query]:
    """So many random queries that the compiler takes."""
    found: list[Query] = []
    while len(found) < number:
        query = Trees(rng).query(streams)
        try:
            compile_script(SourceText("joins.sql", f"{sources}{query.sql};"), scenario=True)
        except CompileError as error:
            if any(each.code not in REFUSED for each in error.diagnostics):
                pytest.fail(f"refused: {error}\n{query.sql}")
            continue
        found.append(query)
    return found


def run(spark: SparkSession, folder: Path, script: str, batches: list[File]) -> Outcome:
    """What comes out of the sinks of a script after each batch."""
    folder.mkdir(parents=True, exist_ok=True)
    text = compile_script(SourceText("joins.sql", script), scenario=True).text
    engine = Engine(spark, load_job(text, folder / "job.py").JOB, folder / "run")
    found = []
    try:
        engine.start()
        schemas = engine.schemas()
        for batch in batches:
            lines = [
                line(name, list(map(to_carrier, event, KINDS)), 0)
                for name, rows in batch.rows.items()
                for event in rows
            ]
            found.append(dict(engine.feed(lines).outputs))
            if batch.restarts:
                engine.stop()
                engine.start()
    finally:
        engine.stop()
    return Outcome(found, schemas)


def faults_of(
    query: Query,
    steps: list[list[tuple[Any, ...]]],
    clocks: list[int | None],
    there: list[dict[str, list[Event]]],
) -> list[str]:
    """Where what has come out of a query is not what should have."""
    is_exact = query.mode != "windows" and has_exact_end(query.tree)
    last = query.answer(there[-1], clocks[-1] or 0)
    so_far: Answer = Counter()
    faults = []
    for place, (rows, clock, arrived) in enumerate(zip(steps, clocks, there, strict=True)):
        _add(so_far, rows, changes=query.changes)
        if clock is None and query.mode != "now":
            wanted: Answer = Counter()
        elif is_exact or place == len(steps) - 1:
            wanted = query.answer(arrived, clock or 0)
        else:
            wanted = so_far & last
        if so_far != wanted:
            when = f"after batch {place}, clock {clock and clock / SECOND}"
            faults.append(f"{when}: missing {wanted - so_far}, unexpected {so_far - wanted}")
    return faults


def _add(sum_: Answer, rows: list[tuple[Any, ...]], *, changes: bool) -> None:
    for row in rows:
        if changes:
            sum_[row[:-2]] += row[-1]
        else:
            sum_[row] += 1
    for row in [row for row, number in sum_.items() if not number]:
        del sum_[row]


def trial(seed: int, *, pairs: int, batches: int = 6) -> Trial:
    """So many queries over the rows of one seed."""
    rng = Random(f"joins {seed}")
    # Each join of a stream more costs Spark more than all before it.
    streams = list(STREAMS[: rng.choice((2, 2, 2, 3, 3, 4, 5))])
    delays = {name: rng.choice((0, 0, 1000, 1500)) * MILLISECOND for name in streams}
    sources = "".join(
        f"CREATE SOURCE {name} (id INT, n INT, ts TIMESTAMP, "
        f"WATERMARK FOR ts AS ts - INTERVAL {delay // MILLISECOND} MILLISECONDS);\n"
        for name, delay in delays.items()
    )
    pairs = min(pairs, JOINS_OF_A_JOB // (len(streams) - 1))
    queries = accepted(rng, streams, sources, pairs)

    def compare(
        spark: SparkSession, folder: Path, places: list[int], files: list[File]
    ) -> dict[int, Difference]:
        asked = [queries[place] for place in places]
        sinks = (f"CREATE SINK q{number} AS {each.sql};\n" for number, each in enumerate(asked))
        outcome = run(spark, folder, sources + "".join(sinks), files)
        clocks, there = clocks_of(files, delays)
        found = {}
        for number, (place, query) in enumerate(zip(places, asked, strict=True)):
            name = f"q{number}"
            faults = faults_of(query, outcome.of(name), clocks, there)
            if faults:
                wanted = query.answer(there[-1], clocks[-1] or 0)
                found[place] = Difference(faults, wanted, outcome.schemas[name])
        return found

    return Trial(
        title=f"joins {seed}",
        sources=sources,
        queries=[each.sql for each in queries],
        pairs=pairs,
        files=random_batches(rng, streams, batches),
        times=frozenset({2}),
        table=[],
        compare=compare,
    )


@pytest.mark.spark
def test_trees_of_joins(tmp_path: Path, spark: SparkSession) -> None:
    trial(1, pairs=2, batches=2).check(spark, tmp_path)


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2, 22))
def test_more_trees_of_joins(seed: int, tmp_path: Path, spark: SparkSession) -> None:
    trial(seed, pairs=10).check(spark, tmp_path)
