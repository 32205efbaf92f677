"""Random row patterns over random relations: nothing comes that is no match, and all do in the end.

Each seed is one job of many sinks, which are one streaming query, so that a batch serves them all.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from oracle.batch import Row
from oracle.feeds import File
from oracle.join_trees import MILLISECOND, SECOND, Event
from oracle.row_patterns import END_S, Answer, Matches, random_matches
from oracle.test_joins import clocks_of, random_batches, run
from oracle.trial import Difference, Trial
from patterns.by_hand import TooManyError

from compiler import CompileError, compile_script
from compiler.source import SourceText

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENDS = [Event(key, 5 * number, END_S * SECOND) for number, key in enumerate((None, 1, 2, 3), 2000)]
"""The last row of each key, which makes no condition true."""

REFUSED = frozenset({"TVF510"})
"""What chance may bring: NEXT of the row that a pattern looks for."""


def batches_of(rng: Random, streams: list[str], number: int) -> list[File]:
    """Batches, the last but one of which ends each key."""
    *found, last = random_batches(rng, streams, number)
    ends: dict[str, list[Row]] = {name: [*ENDS] for name in streams}
    return [*found, File(ends, waits=True), last]


def random_queries(rng: Random, streams: list[str], sources: str, number: int) -> list[Matches]:
    """So many that the compiler takes, which read all streams, so that they have one clock."""
    found: list[Matches] = []
    while len(found) < number:
        query = random_matches(rng, streams)
        try:
            compile_script(SourceText("m.sql", f"{sources}{query.sql};"), scenario=True)
        except CompileError as error:
            if any(each.code not in REFUSED for each in error.diagnostics):
                pytest.fail(f"refused: {error}\n{query.sql}")
            continue
        found.append(query)
    return found


def faults_of(
    steps: list[list[tuple[object, ...]]], wanted: Answer, *, have_ended: bool
) -> list[str]:
    """What has come that is no match, and what is missing in the end, if all matches are over."""
    so_far: Answer = Counter()
    faults = []
    for place, rows in enumerate(steps):
        so_far.update(rows)
        if so_far - wanted:
            faults.append(f"after batch {place}: unexpected {so_far - wanted}")
    if have_ended and wanted - so_far:
        faults.append(f"in the end: missing {wanted - so_far}")
    return faults


def trial(seed: int, *, pairs: int, batches: int = 6) -> Trial:
    """So many queries over the rows of one seed."""
    rng = Random(f"row patterns {seed}")
    streams = rng.choice((["a"], ["a", "b"]))
    delays = {name: rng.choice((0, 0, 1000, 1500)) * MILLISECOND for name in streams}
    sources = "".join(
        f"CREATE SOURCE {name} (id INT, n INT, ts TIMESTAMP, "
        f"WATERMARK FOR ts AS ts - INTERVAL {delay // MILLISECOND} MILLISECONDS);\n"
        for name, delay in delays.items()
    )
    queries = random_queries(rng, streams, sources, pairs)

    def compare(
        spark: SparkSession, folder: Path, places: list[int], files: list[File]
    ) -> dict[int, Difference]:
        asked = [queries[place] for place in places]
        sinks = (f"CREATE SINK q{number} AS {each.sql};\n" for number, each in enumerate(asked))
        outcome = run(spark, folder, sources + "".join(sinks), files)
        _, there = clocks_of(files, delays)
        have_ended = all(set(ENDS) <= {*there[-1][name]} for name in streams)
        found = {}
        for number, (place, query) in enumerate(zip(places, asked, strict=True)):
            name = f"q{number}"
            try:
                wanted = query.answer(there[-1])
            except TooManyError:
                continue
            faults = faults_of(outcome.of(name), wanted, have_ended=have_ended)
            if faults:
                found[place] = Difference(faults, wanted, outcome.schemas[name])
        return found

    return Trial(
        title=f"row patterns {seed}",
        sources=sources,
        queries=[each.sql for each in queries],
        pairs=pairs,
        files=batches_of(rng, streams, batches),
        times=frozenset({2}),
        table=[],
        compare=compare,
    )


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(1, 7))
def test_row_patterns(seed: int, tmp_path: Path, spark: SparkSession) -> None:
    trial(seed, pairs=8).check(spark, tmp_path)
