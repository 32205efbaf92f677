"""Random sessions over random rows, against a search row by row, whenever the job is at rest."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from oracle.feeds import File
from oracle.join_trees import MILLISECOND, SECOND, Event
from oracle.test_joins import clocks_of, random_batches, run
from oracle.trial import Difference, Trial

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Answer = Counter[tuple[Any, ...]]

PARTITIONS = "spark.sql.shuffle.partitions"
KEPT = "count(*), count(id), sum(n), min(n), max(id)"
BY_SPARK = f"{KEPT}, bit_xor(n)"


@dataclass(frozen=True)
class Sessions:
    """Sessions of `id`, or of all rows.

    Attributes:
        is_keyed: whether they are of `id`.
        gap: of all rows, microseconds; None: of a row, `n % 4 - 1` seconds.
        form: `kept` by the runtime, `by spark`, or the `rows` of closed sessions.
    """

    is_keyed: bool
    gap: int | None
    form: str

    @property
    def sql(self) -> str:
        """The query."""
        gap = "make_dt_interval(0, 0, 0, n % 4 - 1)"
        if self.gap is not None:
            gap = f"INTERVAL {self.gap // MILLISECOND} MILLISECONDS"
        rows = f"FROM SESSION(a, ts, {'id' if self.is_keyed else '0'}, {gap})"
        if self.form == "rows":
            return f"SELECT n, window_start, window_end {rows} EMIT ON WINDOW CLOSE"
        totals = KEPT if self.form == "kept" else BY_SPARK
        if self.is_keyed:
            keys = "id, window_start, window_end"
            return f"SELECT {keys}, {totals} {rows} GROUP BY {keys} EMIT ON WINDOW CLOSE"
        return (
            f"SELECT session_window.start AS s, session_window.end AS e, {totals} FROM a "
            f"GROUP BY session_window(ts, {gap}) EMIT ON WINDOW CLOSE"
        )

    def answer(self, arrived: list[Event], clock: int) -> Answer:
        """The rows that are there at a clock value, microseconds."""
        keys: dict[Any, list[tuple[int, int, Event]]] = defaultdict(list)
        for row in arrived:
            gap = (row.number % 4 - 1) * SECOND if self.gap is None else self.gap
            if row.ts is not None and gap > 0:
                keys[row.id if self.is_keyed else None].append((row.ts, row.ts + gap, row))
        found: Answer = Counter()
        for key, rows in keys.items():
            for start, end, members in _merged(rows):
                if end <= clock:
                    found.update(self._told(key, start, end, members))
        return found

    def _told(self, key: Any, start: int, end: int, rows: list[Event]) -> list[tuple[Any, ...]]:
        if self.form == "rows":
            return [(row.number, start, end) for row in rows]
        numbers = [row.number for row in rows]
        ids = [row.id for row in rows if row.id is not None]
        totals = (len(rows), len(ids), sum(numbers), min(numbers), max(ids, default=None))
        bits = 0
        for number in numbers:
            bits ^= number
        keys = (key,) if self.is_keyed else ()
        return [(*keys, start, end, *totals, *((bits,) if self.form == "by spark" else ()))]


def _merged(rows: list[tuple[int, int, Event]]) -> list[tuple[int, int, list[Event]]]:
    found: list[tuple[int, int, list[Event]]] = []
    for start, end, row in sorted(rows, key=lambda each: each[0]):
        if found and start < found[-1][1]:
            first, last, members = found.pop()
            found.append((first, max(last, end), [*members, row]))
        else:
            found.append((start, end, [row]))
    return found


def random_sessions(rng: Random) -> Sessions:
    return Sessions(
        is_keyed=rng.random() < 0.7,
        gap=rng.choice((None, *(each * MILLISECOND for each in (500, 1000, 1500, 4000)))),
        form=rng.choice(("kept", "kept", "kept", "by spark", "rows")),
    )


def trial(seed: int, *, pairs: int, batches: int = 8) -> Trial:
    """So many queries over the rows of one seed."""
    rng = Random(f"sessions {seed}")
    delay = rng.choice((0, 0, 1000, 1500)) * MILLISECOND
    sources = (
        "CREATE SOURCE a (id INT, n INT, ts TIMESTAMP, "
        f"WATERMARK FOR ts AS ts - INTERVAL {delay // MILLISECOND} MILLISECONDS);\n"
    )
    shards = rng.choice((1, 2, 5))
    queries = [random_sessions(rng) for _ in range(pairs)]

    def compare(
        spark: SparkSession, folder: Path, places: list[int], files: list[File]
    ) -> dict[int, Difference]:
        asked = [queries[place] for place in places]
        sinks = (f"CREATE SINK q{number} AS {each.sql};\n" for number, each in enumerate(asked))
        before = str(spark.conf.get(PARTITIONS))
        spark.conf.set(PARTITIONS, shards)
        try:
            outcome = run(spark, folder, sources + "".join(sinks), files)
        finally:
            spark.conf.set(PARTITIONS, before)
        clocks, there = clocks_of(files, {"a": delay})
        found = {}
        for number, (place, query) in enumerate(zip(places, asked, strict=True)):
            name = f"q{number}"
            arrived = [each["a"] for each in there]
            faults = _faults(query, outcome.of(name), clocks, arrived)
            if faults:
                wanted = query.answer(arrived[-1], clocks[-1] or 0)
                found[place] = Difference(faults, wanted, outcome.schemas[name])
        return found

    return Trial(
        title=f"sessions {seed}",
        sources=sources,
        queries=[each.sql for each in queries],
        pairs=pairs,
        files=random_batches(rng, ["a"], batches),
        times=frozenset({2}),
        table=[],
        compare=compare,
    )


def _faults(
    query: Sessions,
    steps: list[list[tuple[Any, ...]]],
    clocks: list[int | None],
    there: list[list[Event]],
) -> list[str]:
    so_far: Answer = Counter()
    faults = []
    for place, (rows, clock, arrived) in enumerate(zip(steps, clocks, there, strict=True)):
        so_far.update(rows)
        wanted: Answer = Counter() if clock is None else query.answer(arrived, clock)
        if so_far != wanted:
            when = f"after batch {place}, clock {clock and clock / SECOND}"
            faults.append(f"{when}: missing {wanted - so_far}, unexpected {so_far - wanted}")
    return faults


@pytest.mark.spark
def test_sessions(tmp_path: Path, spark: SparkSession) -> None:
    trial(0, pairs=4, batches=5).check(spark, tmp_path)


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(1, 13))
def test_more_sessions(seed: int, tmp_path: Path, spark: SparkSession) -> None:
    trial(seed, pairs=6).check(spark, tmp_path)
