"""What `tvfc state` finds in checkpoints of running scenarios is what their jobs have counted."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from run.test_scenarios import SCENARIOS, THOROUGH, name_of

import scenario.runner
from commands.inside.named import described
from commands.inside.relation import held_rows
from commands.inside.state_store import newest_batch
from scenario import Scenario, run_scenario
from scenario.engine import Engine, Running, StepResult
from tvfc_runtime.clock import clock_ms, noted_of_batch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from commands.inside.relation import HeldRows

RUNNING = [each for each in SCENARIOS if each.error is None]
OF_EACH_FILE = list({each.path: each for each in reversed(RUNNING)}.values())
COUNTED = {
    "delay", "over", "match", "temporal", "pending", "multiplicity", "join", "first rows",
    "partitions", "sessions",
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

    class Looking(Engine):
        """Looks into the checkpoints after each step."""

        def feed(self, lines: list[str]) -> StepResult:
            found = super().feed(lines)
            looks.extend(look(spark, query) for query in self._queries)
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
    clock = clock_ms(int(noted_of_batch(place, batch)["batchWatermarkMs"]))
    for part in parts:
        if part.kind in ("delay", "temporal", "pending"):
            assert all(due > clock for due in dues(part)), part.title
    return sum(found.values())


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
