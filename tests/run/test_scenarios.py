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


def split_in(scenarios: list[Scenario], *, first: bool) -> list[Scenario]:
    """Scenarios that hold for any splits: of each file the first one, or the others."""
    found, files = [], set()
    for each in scenarios:
        if each.invariant and (each.path not in files) == first:
            found.append(each)
        if each.invariant:
            files.add(each.path)
    return found


@pytest.mark.spark
@pytest.mark.parametrize("scenario", SCENARIOS, ids=name_of)
def test_scenario(scenario: Scenario, spark: SparkSession) -> None:
    run(replace(scenario, invariant=False), spark)


@pytest.mark.spark
@pytest.mark.parametrize("scenario", split_in(SCENARIOS, first=True), ids=name_of)
def test_scenario_in_other_splits(scenario: Scenario, spark: SparkSession) -> None:
    run(scenario, spark)


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("scenario", [*split_in(SCENARIOS, first=False), *THOROUGH], ids=name_of)
def test_scenario_of_the_thorough_kind(scenario: Scenario, spark: SparkSession) -> None:
    run(scenario, spark)


def run(scenario: Scenario, spark: SparkSession) -> None:
    outcome = run_scenario(scenario, lambda: spark)
    assert outcome.passed, "\n".join(outcome.faults)


def test_titles_are_told_apart() -> None:
    names = [name_of(scenario) for scenario in SCENARIOS + THOROUGH]
    assert len(names) == len(set(names))
