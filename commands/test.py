"""`tvfc test`: scenario files on real local Spark."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commands.files import PARAMETERS, STRICT, parameter_values
from commands.local_spark import FAST_STEPS, local_session
from commands.spark_settings import Settings, with_spark_settings
from compiler.escapes import visible
from scenario import Outcome, Scenario, ScenarioError, load_file
from scenario.report import outcome_lines, summary_line
from scenario.runner import run_scenario

if TYPE_CHECKING:
    from collections.abc import Iterable

PATTERN = "*.scenario.yaml"


@click.command()
@click.argument(
    "paths",
    metavar="PATH...",
    type=click.Path(exists=True, path_type=Path),
    nargs=-1,
    required=True,
)
@with_spark_settings
@PARAMETERS
@STRICT
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    settings: Settings,
    parameters: tuple[str, ...],
    strict: bool,  # noqa: FBT001
) -> None:
    """Run the scenarios of each PATH: a file, or a folder with *.scenario.yaml files."""
    outcomes: list[Outcome] = []
    session = cache(lambda: local_session("tvfc test", "local[2]", FAST_STEPS | settings))
    values = parameter_values(parameters)
    for path in files_of(paths):
        for scenario in _scenarios(path, outcomes):
            outcome = run_scenario(_with_values(scenario, values), session, strict=strict)
            _tell(outcome, outcomes)
    click.echo(summary_line(outcomes))
    if not all(outcome.passed for outcome in outcomes):
        ctx.exit(1)


def files_of(paths: Iterable[Path]) -> list[Path]:
    """The scenario files that the paths stand for."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.rglob(PATTERN)) if path.is_dir() else [path]
        if not inside:
            raise click.UsageError(f"{visible(str(path))} holds no {PATTERN}")
        found += inside
    return list(dict.fromkeys(found))


def _scenarios(path: Path, outcomes: list[Outcome]) -> list[Scenario]:
    try:
        return load_file(path)
    except ScenarioError as error:
        _tell(Outcome(title=str(path), seconds=0.0, faults=(str(error),)), outcomes)
        return []


def _tell(outcome: Outcome, outcomes: list[Outcome]) -> None:
    outcomes.append(outcome)
    click.echo(outcome_lines(outcome))


def _with_values(scenario: Scenario, values: dict[str, str]) -> Scenario:
    """What is given on the command line comes before what the scenario has."""
    return replace(scenario, parameters=scenario.parameters | values) if values else scenario
