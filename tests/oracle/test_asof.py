"""Random ASOF JOINs over random rows, against a search row by row, whenever the job is at rest."""

from __future__ import annotations

from collections import Counter
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
Arrived = dict[str, list[Event]]


@dataclass(frozen=True)
class Asof:
    """`left ASOF [LEFT] JOIN right MATCH_CONDITION (left.ts OP right.ts + shift)`.

    Attributes:
        op: `>=` or `>`; as it stands also `<=` and `<`.
        shift: what is added to the right time, microseconds.
        keeps: LEFT.
        by: ON: `=`, `<=>`, or nothing.
        is_final: EMIT ON WINDOW CLOSE.
    """

    op: str
    shift: int
    keeps: bool
    by: str
    is_final: bool

    @property
    def sql(self) -> str:
        """The query; of rows of one time any may be found, so that their number is not asked."""
        time = f"b.ts + INTERVAL {self.shift // MILLISECOND} MILLISECONDS" if self.shift else "b.ts"
        on = f" ON a.id {self.by} b.id" if self.by else ""
        return (
            f"SELECT a.n, a.id, b.ts AS found FROM a ASOF {'LEFT ' if self.keeps else ''}JOIN b "
            f"MATCH_CONDITION (a.ts {self.op} {time}){on}"
            f"{' EMIT ON WINDOW CLOSE' if self.is_final else ''}"
        )

    def answer(self, arrived: Arrived, clock: int) -> Answer:
        """The rows that are there at a clock value, microseconds."""
        found: Answer = Counter()
        for row in arrived["a"]:
            if self.is_final:
                last = None if row.ts is None else row.ts + max(0, -self.shift)
                if last is None or not clock > last:
                    continue
            times = [each.ts for each in arrived["b"] if self._matches(row, each)]
            known = [each for each in times if each is not None]
            best = max(known, default=None) if self.op in (">=", ">") else min(known, default=None)
            if best is not None or self.keeps:
                found[row.number, row.id, best] += 1
        return found

    def _matches(self, row: Event, other: Event) -> bool:
        if row.ts is None or other.ts is None:
            return False
        if self.by == "=" and (row.id is None or row.id != other.id):
            return False
        if self.by == "<=>" and row.id != other.id:
            return False
        time = other.ts + self.shift
        return {
            ">=": row.ts >= time,
            ">": row.ts > time,
            "<=": row.ts <= time,
            "<": row.ts < time,
        }[self.op]


def random_asof(rng: Random) -> Asof:
    is_final = rng.random() < 0.7
    return Asof(
        op=rng.choice((">=", ">") if is_final else (">=", ">", "<=", "<")),
        shift=rng.choice((0, 0, 0, 1500, -1500, 4000)) * MILLISECOND,
        keeps=rng.random() < 0.6,
        by=rng.choice(("=", "=", "=", "<=>", "")),
        is_final=is_final,
    )


def trial(seed: int, *, pairs: int, batches: int = 6) -> Trial:
    """So many queries over the rows of one seed."""
    rng = Random(f"asof {seed}")
    delays = {name: rng.choice((0, 0, 1000, 1500)) * MILLISECOND for name in "ab"}
    sources = "".join(
        f"CREATE SOURCE {name} (id INT, n INT, ts TIMESTAMP, "
        f"WATERMARK FOR ts AS ts - INTERVAL {delay // MILLISECOND} MILLISECONDS);\n"
        for name, delay in delays.items()
    )
    queries = [random_asof(rng) for _ in range(pairs)]

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
            faults = _faults(query, outcome.of(name), clocks, there)
            if faults:
                wanted = query.answer(there[-1], clocks[-1] or 0)
                found[place] = Difference(faults, wanted, outcome.schemas[name])
        return found

    return Trial(
        title=f"asof {seed}",
        sources=sources,
        queries=[each.sql for each in queries],
        pairs=pairs,
        files=random_batches(rng, ["a", "b"], batches),
        times=frozenset({2}),
        table=[],
        compare=compare,
    )


def _faults(
    query: Asof, steps: list[list[tuple[Any, ...]]], clocks: list[int | None], there: list[Arrived]
) -> list[str]:
    so_far: Answer = Counter()
    faults = []
    for place, (rows, clock, arrived) in enumerate(zip(steps, clocks, there, strict=True)):
        for row in rows:
            if query.is_final:
                so_far[row] += 1
            else:
                so_far[row[:-2]] += row[-1]
        sum_ = +so_far
        waits = query.is_final and clock is None
        wanted: Answer = Counter() if waits else query.answer(arrived, clock or 0)
        if sum_ != wanted or any(number < 0 for number in so_far.values()):
            when = f"after batch {place}, clock {clock and clock / SECOND}"
            faults.append(f"{when}: missing {wanted - sum_}, unexpected {sum_ - wanted}")
    return faults


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(1, 7))
def test_asof_joins(seed: int, tmp_path: Path, spark: SparkSession) -> None:
    trial(seed, pairs=8).check(spark, tmp_path)
