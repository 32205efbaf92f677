"""Temporal filters on real Spark: by a wall clock that is moved by hand, and by the real one."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import DataFrame

import tvfc_runtime as tvfc
from scenario.engine import PATIENCE_S, Engine, StepResult, line, wall_clock_tick

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

FLIGHTS = tvfc.Source(
    name="flights", columns={"id": "STRING", "dep": "BIGINT", "arr": "BIGINT", "again": "BIGINT"}
)
CHANGES = tvfc.Source(name="changes", columns={"id": "STRING", "until": "BIGINT", "d": "INT"})


def flights_in_the_air(job: tvfc.Job) -> DataFrame:
    """Each flight from its departure to its arrival, and for a second at another time."""
    valid = tvfc.any_of(
        tvfc.between(tvfc.reached("timestamp_millis(dep)"), tvfc.reached("timestamp_millis(arr)")),
        tvfc.when(
            "id <> 'never again'",
            tvfc.between(
                tvfc.reached("timestamp_millis(again)"),
                tvfc.reached("timestamp_millis(again + 1000)"),
            ),
        ),
    )
    flights = job.on_wall_clock(FLIGHTS).select(
        # Two columns of one name, of a type that Arrow does not carry.
        "id",
        "id",
        tvfc.sql("make_ym_interval(1, 2)").alias("iv"),
        valid.alias("__valid"),
    )
    return updates(job.temporal(flights))


def changes_until(job: tvfc.Job) -> DataFrame:
    """A changelog whose rows have an end, from the second source of a query."""
    until = tvfc.until(tvfc.passed("timestamp_millis(until)"))
    rows = job.on_wall_clock(FLIGHTS).selectExpr("id", "arr AS until", "1 AS `__diff`")
    rows = rows.unionByName(job.on_wall_clock(CHANGES).selectExpr("id", "until", "d AS `__diff`"))
    rows = rows.withColumn("__time", tvfc.sql("CAST(NULL AS BIGINT)"))
    return updates(job.temporal(rows.withColumn("__valid", until)))


def updates(rows: DataFrame) -> DataFrame:
    """With `_time` in milliseconds, which a test reads best."""
    return rows.withColumnsRenamed({"__time": "_time", "__diff": "_diff"})


Feed = Callable[..., StepResult]


@pytest.fixture
def feed(spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Feed]:
    """A running job; rows by source and where the clock then moves to, in milliseconds."""
    spec = tvfc.JobSpec(
        name="test",
        query="",
        fingerprint="",
        protocol=tvfc.PROTOCOL,
        outputs=(tvfc.Output(name="console", build=request.param),),
    )
    engine = Engine(spark, spec, tmp_path)

    def step(now: int | None = None, *, restart: bool = False, **rows: list[Any]) -> StepResult:
        if restart:
            engine.stop()
            engine.start()
        lines = [
            line(source, [None if value is None else str(value) for value in row], None)
            for source, found in rows.items()
            for row in found
        ]
        return engine.feed(lines if now is None else [*lines, wall_clock_tick(now)])

    engine.start()
    yield step
    engine.stop()


def came(result: StepResult) -> list[Any]:
    """The updates of a step in the order of their times: first column, time, difference."""
    return sorted(
        ((row[0], *row[-2:]) for row in result.outputs["console"]),
        key=lambda row: row[1:] + row[:1],
    )


@pytest.mark.parametrize("feed", [flights_in_the_air], indirect=True)
def test_rows_enter_and_leave_by_the_clock_alone(feed: Feed) -> None:
    # Before the clock has a value nothing comes; `early` is over by then.
    waiting = feed(flights=[["a", 1_000, 5_000, None], ["early", 1_000, 2_000, None]])
    assert (came(waiting), waiting.rows_held, waiting.watermark_ms) == ([], 2, None)
    first = feed(now=3_000)
    assert (came(first), first.rows_held) == ([("a", 3_000, 1)], 1)
    # Rows arrive under the clock of the step before.
    step = feed(
        flights=[
            ["b", 2_000, 4_000, 9_000],
            ["over", 1_000, 3_000, None],
            ["crossed", 9_000, 8_000, None],
            ["null", None, 8_000, None],
            ["never again", 3_000, 4_000, 20_000],
        ],
        now=4_000,
    )
    assert came(step) == [
        ("b", 3_000, 1),
        ("never again", 3_000, 1),
        ("b", 4_000, -1),
        ("never again", 4_000, -1),
    ]
    assert step.rows_held == 2
    # The clock jumps over an interval as a whole, and over a restart.
    jump = feed(now=30_000, restart=True)
    assert came(jump) == [("a", 5_000, -1), ("b", 9_000, 1), ("b", 10_000, -1)]
    assert jump.outputs["console"][0][:3] == (*[jump.outputs["console"][0][0]] * 2, 14)
    assert jump.rows_held == 0
    # It never falls.
    back = feed(now=20_000, flights=[["c", 10_000, 25_000, None]])
    assert (came(back), back.watermark_ms) == ([], 30_000)


@pytest.mark.parametrize("feed", [changes_until], indirect=True)
def test_updates_are_taken_back_when_they_end(feed: Feed) -> None:
    feed(now=1_000)
    both = feed(flights=[["a", 0, 5_000, None]], changes=[["b", 3_000, 2], ["c", 999, 1]])
    assert came(both) == [("a", 1_000, 1), ("b", 1_000, 2)]
    less = feed(now=3_000, changes=[["b", 3_000, -1]])
    assert came(less) == [("b", 1_000, -1)]
    assert came(feed(now=3_001)) == [("b", 3_001, -1)]
    assert came(feed(now=6_000)) == [("a", 5_001, -1)]


def test_the_real_clock_moves_a_query_without_input(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    found: list[tuple[int, int, int]] = []
    begun = int(time.time() * 1000)
    query = visits(spark, tmp_path, found)
    try:
        wait_for(query, lambda: query.lastProgress is not None)
        now = int(time.time() * 1000)
        write_visits(tmp_path, {1: now + 12_500, 2: now + 90_000_000})
        wait_for(query, lambda: len(found) == 3)
    finally:
        query.stop()
    assert [(row, diff) for row, _, diff in sorted(found)] == [(1, 1), (1, -1), (2, 1)]
    (left,) = (moment for _, moment, diff in found if diff < 0)
    assert left == now + 12_500
    # A whole second, at which the rows were there.
    (entered,) = {moment for _, moment, diff in found if diff > 0}
    assert entered % 1_000 == 0
    assert begun - 1_000 <= entered < left


def visits(spark: SparkSession, folder: Path, found: list[tuple[int, int, int]]) -> Any:
    """A query for visits until they end; its updates go to `found`."""
    source = tvfc.Source(
        name="visits",
        columns={"id": "INT", "till": "BIGINT"},
        format="json",
        options={"path": str(folder / "in")},
    )
    job = tvfc.Job(spark, str(folder / "checkpoint"))
    valid = tvfc.until(tvfc.reached("timestamp_millis(till)"))
    rows = job.temporal(job.on_wall_clock(source).withColumn("__valid", valid))
    return (
        rows.select("id", "__time", "__diff")
        .writeStream.option("checkpointLocation", job.checkpoint)
        .foreachBatch(lambda frame, _: found.extend(tuple(row) for row in frame.collect()))
        .start()
    )


def write_visits(folder: Path, till: dict[int, int]) -> None:
    """Visits by number, with their ends."""
    hidden = folder / "in/.visits"
    lines = [json.dumps({"id": number, "till": end}) for number, end in till.items()]
    hidden.write_text("\n".join(lines), encoding="utf-8")
    hidden.rename(folder / "in/visits.json")


def wait_for(query: Any, done: Callable[[], bool]) -> None:
    """Wait until something holds of a running query."""
    deadline = time.monotonic() + PATIENCE_S
    while not done():
        assert query.exception() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
