"""The scenario files beside this folder, each a test of its own, on the shared session."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scenario import Scenario, load_file, run_scenario

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDER = Path(__file__).parent.parent / "scenarios"


def scenarios_in(folder: Path) -> list[Scenario]:
    paths = sorted(folder.glob("*.scenario.yaml"))
    return [scenario for path in paths for scenario in load_file(path)]


SCENARIOS = scenarios_in(FOLDER)
THOROUGH = scenarios_in(FOLDER / "thorough")


def name_of(scenario: Scenario) -> str:
    return f"{scenario.path.name.removesuffix('.scenario.yaml')}: {scenario.title}"


SPLIT = [
    next(each for each in SCENARIOS if each.invariant and each.path.name.startswith(topic))
    for topic in ("temporal", "windows")
]
"""Of those that hold for any splits, some for `make test`: one takes as long as six others."""


@pytest.mark.spark
@pytest.mark.parametrize("scenario", SCENARIOS, ids=name_of)
def test_scenario(scenario: Scenario, spark: SparkSession) -> None:
    run(replace(scenario, invariant=False), spark)


@pytest.mark.spark
@pytest.mark.parametrize("scenario", SPLIT, ids=name_of)
def test_scenario_in_other_splits(scenario: Scenario, spark: SparkSession) -> None:
    run(scenario, spark)


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize(
    "scenario",
    [*(each for each in SCENARIOS if each.invariant and each not in SPLIT), *THOROUGH],
    ids=name_of,
)
def test_scenario_of_the_thorough_kind(scenario: Scenario, spark: SparkSession) -> None:
    run(scenario, spark)


def run(scenario: Scenario, spark: SparkSession) -> None:
    outcome = run_scenario(scenario, lambda: spark)
    assert outcome.passed, "\n".join(outcome.faults)


def test_titles_are_told_apart() -> None:
    names = [name_of(scenario) for scenario in SCENARIOS + THOROUGH]
    assert len(names) == len(set(names))
