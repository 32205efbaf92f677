"""What `tvfc state`, `status` and `why` tell of running scenarios is what these know."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from run.test_scenarios import SCENARIOS, THOROUGH, name_of

import scenario.runner
from commands.checkpoint import status_of
from commands.inside.held import sentence, waiting
from commands.inside.named import described
from commands.inside.relation import held_rows
from commands.inside.state_store import newest_batch
from scenario import Scenario, run_scenario
from scenario.engine import Engine, Running, StepResult
from tvfc_runtime.clock.of_batch import clock_ms, noted_of_batch
from tvfc_runtime.reports.query_status import QueryStatus

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from commands.inside.relation import HeldRows

RUNNING = [each for each in SCENARIOS if each.error is None]
OF_EACH_FILE = list({each.path: each for each in reversed(RUNNING)}.values())
COUNTED = {
    "delay", "over", "match", "temporal", "pending", "multiplicity", "join", "first rows",
    "partitions", "sessions", "panes", "fill", "last rows",
}  # fmt: skip
"""Kinds of operators whose count is that of the rows which are shown."""


def chosen(*titles: str) -> list[Scenario]:
    found = [each for title in titles for each in RUNNING if title in name_of(each)]
    assert len(found) == len(titles)
    return found


@pytest.mark.spark
@pytest.mark.parametrize(
    "one", chosen("types: times with", "types: arrays, maps", "temporal: far and"), ids=name_of
)
def test_state_is_what_is_counted(
    one: Scenario, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_at(one, spark, monkeypatch)


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize(
    "one",
    [*OF_EACH_FILE, *{each.path: each for each in THOROUGH if each.error is None}.values()],
    ids=name_of,
)
def test_state_is_what_is_counted_in_each_file(
    one: Scenario, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_at(one, spark, monkeypatch)


def look_at(one: Scenario, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    seen: dict[Path, Counter[str]] = {}

    class Looking(Engine):
        """Looks into the checkpoints after each step."""

        def feed(self, lines: list[str]) -> StepResult:
            found = super().feed(lines)
            looks.extend(look(spark, query) for query in self._queries)
            late = {f"late {name}": len(rows) for name, rows in found.late.items()}
            given = seen.setdefault(self._folder, Counter())
            given.update(Counter(map(source_of, lines)) + Counter(late))
            compare_status(self._queries, given)
            return found

    monkeypatch.setattr(scenario.runner, "Engine", Looking)
    outcome = run_scenario(one, lambda: spark)
    assert outcome.passed, "\n".join(outcome.faults)
    assert looks


def look(spark: SparkSession, query: Running) -> int:
    """Compare what is found with what is counted; how many rows that were."""
    place, counters = query.job.checkpoint, query.job.memory.counters
    batch = newest_batch(place)
    parts = held_rows(spark, place, batch)
    assert described(place).holdings == tuple(query.job.held)
    kinds = {each.operator: each.kind for each in query.job.held}
    found = rows_by_operator(parts)
    if counters.batch == batch:
        compare(+counters.held, found, kinds)
    told = status(query)
    assert told.batch == batch
    assert told.held_by == +counters.held
    clock = clock_ms(int(noted_of_batch(place, batch)["batchWatermarkMs"]))
    for part in parts:
        why = waiting(part, told.parts)
        known = sorted(dues(part)) if "_due" in part.own else []
        assert why.rows == part.rows.num_rows
        assert [why.next_ms, why.last_ms] == ([known[0], known[-1]] if known else [None, None])
        assert sentence(why, clock)
        if part.kind in ("delay", "temporal", "pending"):
            assert all(due > clock for due in dues(part)), part.title
    return sum(found.values())


def source_of(line: str) -> str:
    """The source of a row that arrives; of a tick what is before it, which is no JSON."""
    name = line.partition("\t")[0]
    return f"rows of {json.loads(name)}" if name.startswith('"') else name


def compare_status(queries: list[Running], given: Counter[str]) -> None:
    """See that `tvfc status` tells of as many rows as have come, and as many late ones."""
    for told in map(status, queries):
        changes = {each["name"] for each in told.parts if "records" in each}
        for source in told.sources if told.counted == told.batch else ():
            if f"late {source.name}" in given:
                assert source.late == given[f"late {source.name}"], source.name
            # What is a view's comes from its sources, and of changes a record may be two rows.
            if f"rows of {source.name}" in given and source.name not in changes:
                assert (source.rows or 0) + source.bad == given[f"rows of {source.name}"]


def status(query: Running) -> QueryStatus:
    """What `tvfc status` tells of a query."""
    place = query.job.checkpoint
    (found,) = [each for each in status_of(place) if each.place == place]
    assert isinstance(found, QueryStatus)
    return found


def rows_by_operator(parts: list[HeldRows]) -> Counter[tuple[int, tuple[str, ...]]]:
    found: Counter[tuple[int, tuple[str, ...]]] = Counter()
    for part in parts:
        assert part.operators, part.title
        found[part.number, part.operators] += part.rows.num_rows
    return found


def compare(
    counted: Counter[str], found: Counter[tuple[int, tuple[str, ...]]], kinds: dict[str, str]
) -> None:
    for (number, operators), rows in found.items():
        if all(kinds.get(each, "delay") in COUNTED for each in operators):
            assert rows == counted[operators[0]], (number, operators, found, counted)
    # Of values that only grow no more than the ends are kept, and those are not counted.
    assert sum(found.values()) >= sum(counted.values()), (found, counted)


def dues(part: HeldRows) -> list[Any]:
    return list(part.rows.column("_due").cast("int64").drop_null().to_pylist())
