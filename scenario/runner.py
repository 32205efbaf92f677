"""One scenario from end to end: compile, feed the steps, compare, try other splits."""

from __future__ import annotations

import tempfile
import time
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql import types as t

from compiler import CompileError, compile_script
from compiler.diagnostics import render, render_all
from compiler.source import SourceText
from compiler.syntax import ParameterError, with_parameters
from scenario.carriers import columns_of, to_carrier
from scenario.causes import cause_of
from scenario.changes import records_of
from scenario.check import Checker
from scenario.document import STEP_KEYS
from scenario.engine import Engine, line, record_line, wall_clock_tick
from scenario.idle import IdleSources
from scenario.job_module import load_job
from scenario.model import RowsByName, Scenario, ScenarioError, Step
from scenario.report import Outcome
from scenario.rows import nearest, normal_rows
from scenario.splits import variants
from scenario.values import ValueFault, normal
from tvfc_runtime.cdc.changelog import TOLD
from tvfc_runtime.reports.reasons import FAILURES, root_cause

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

    from compiler import Job
    from compiler.job import SourceInfo

CHANGELOG = "changelog"
PARTITIONS = "spark.sql.shuffle.partitions"
OTHER_PARTITIONS = 2
"""The splits of a scenario run on this many, as the result must not depend on it."""


def run_scenario(
    scenario: Scenario, session: Callable[[], SparkSession], *, strict: bool = False
) -> Outcome:
    """Run a scenario; `session` is asked for Spark only if the scenario needs it.

    With `strict`, a warning that the scenario does not expect is a fault.
    """
    began = time.monotonic()
    try:
        faults = _faults(scenario, session, strict=strict)
    except ScenarioError as error:
        faults = [str(error)]
    except PySparkException as error:
        faults = [f"the job failed: {cause_of(str(error), root_cause(error))}"]
    except FAILURES as error:
        faults = [f"the job failed: {error}"]
    seconds = time.monotonic() - began
    return Outcome(title=scenario.title, seconds=seconds, faults=tuple(faults))


def _faults(scenario: Scenario, session: Callable[[], SparkSession], *, strict: bool) -> list[str]:
    source = SourceText(f"{scenario.title}.sql", scenario.query)
    try:
        source, _ = with_parameters(source, scenario.parameters)
    except ParameterError as error:
        raise ScenarioError(f"{scenario.where()}: {error}") from None
    try:
        job = compile_script(source, scenario=True)
    except CompileError as error:
        return _compile_faults(scenario, error, source)
    if scenario.error is not None:
        return [f"{scenario.error} expected, but the query compiles"]
    faults = _warning_faults(scenario, job, source)
    faults += _strict_faults(scenario, job, source) if strict else []
    return faults + Run(scenario, job, session()).faults()


def _compile_faults(scenario: Scenario, error: CompileError, source: SourceText) -> list[str]:
    codes = [diagnostic.code for diagnostic in error.diagnostics]
    if scenario.error is None:
        return [f"the query does not compile\n{render_all(error.diagnostics, source)}"]
    if any(code.startswith(scenario.error) for code in codes):
        return []
    text = render_all(error.diagnostics, source)
    return [f"{scenario.error} expected, but compiling ended in {', '.join(codes)}\n{text}"]


def _warning_faults(scenario: Scenario, job: Job, source: SourceText) -> list[str]:
    faults = []
    for wanted in scenario.warnings:
        if not any(warning.code.startswith(wanted) for warning in job.warnings):
            given = "".join(render(warning, source) for warning in job.warnings) or "none was given"
            faults.append(f"warning {wanted} expected: {given}")
    return faults


def _strict_faults(scenario: Scenario, job: Job, source: SourceText) -> list[str]:
    return [
        f"a warning, under --strict\n{render(warning, source)}"
        for warning in job.warnings
        if not any(warning.code.startswith(wanted) for wanted in scenario.warnings)
    ]


class Run:
    """The runs of a scenario's job: the one that is checked step by step, then the splits."""

    def __init__(self, scenario: Scenario, job: Job, spark: SparkSession) -> None:
        self._scenario = scenario
        self._spark = spark
        self._spec = load_job(job.text, scenario.path.with_name("job.py")).JOB
        self._columns = {source.name: columns_of(_ddl(_fed(source))) for source in job.sources}
        self._changes = {source.name: source for source in job.sources if source.changes}
        self._static = {source.name for source in job.sources if source.is_static}
        self._check_names()
        self._tables = {
            name: self._lines(name, rows, None, f"{scenario.where()}, tables")
            for name, rows in scenario.tables.items()
        }

    def faults(self) -> list[str]:
        """Everything that is not as expected."""
        faults, checker = self._run(self._scenario.steps, checked=True)
        if self._scenario.invariant and not faults:
            wanted = checker.sums()
            for what, steps in variants(self._scenario.steps).items():
                with partitions(self._spark, OTHER_PARTITIONS):
                    found, other = self._run(steps, checked=False)
                faults += found + other.compare_sums(wanted, what)
        return faults

    def _run(self, steps: tuple[Step, ...], *, checked: bool) -> tuple[list[str], Checker]:
        # Spark may still write into it, as its store of state is tidied up aside.
        with tempfile.TemporaryDirectory(
            prefix="tvfc-scenario-", ignore_cleanup_errors=True
        ) as folder:
            engine = Engine(
                self._spark,
                self._spec,
                Path(folder),
                late_sources=self._scenario.late_sources if checked else (),
                bad_sources=self._scenario.bad_sources if checked else (),
                tables=self._tables,
            )
            try:
                engine.start()
                checker = Checker(self._scenario, engine.schemas())
                faults = self._steps(engine, checker, steps, checked=checked)
            finally:
                engine.stop()
        return faults, checker

    def _steps(
        self, engine: Engine, checker: Checker, steps: tuple[Step, ...], *, checked: bool
    ) -> list[str]:
        faults: list[str] = []
        now: int | None = None
        idle = IdleSources(engine.idle_after)
        for step in steps:
            if step.restart:
                engine.stop()
                engine.start()
                continue
            arrival = now if now is not None else time.time_ns() // 1000
            lines = self._step_lines(step, arrival)
            idle.arrive([name for name, rows in step.rows.items() if rows], now)
            if step.now is not None:
                now = self._clock_value(step)
                lines.append(wall_clock_tick(now // 1000))
                lines += idle.ticks(now)
            result = engine.feed(lines)
            if checked:
                faults += checker.check(step, result)
            else:
                checker.add(result)
        return faults

    def _step_lines(self, step: Step, arrival: int) -> list[str]:
        where = self._scenario.where(step)
        return [
            text
            for name, rows in step.rows.items()
            for text in self._lines(name, rows, arrival, f"{where}, {name}")
        ]

    def _lines(self, name: str, rows: Any, arrival: int | None, where: str) -> list[str]:
        schema, changes = self._columns[name], self._changes.get(name)
        if changes is not None and changes.changes != CHANGELOG:
            records = records_of(str(changes.changes), rows, schema, changes.key, where)
            return [record_line(name, each.value, each.key) for each in records]
        kinds = [field.dataType for field in schema.fields]
        return [
            line(name, list(map(to_carrier, row, kinds)), arrival)
            for row in normal_rows(rows, schema, where)
        ]

    def _clock_value(self, step: Step) -> int:
        try:
            micros = int(normal(step.now, t.TimestampType()))
        except ValueFault as fault:
            raise ScenarioError(f"{self._scenario.where(step)}: `now`: {fault}") from None
        if Decimal(micros) % 1000:
            raise ScenarioError(
                f"{self._scenario.where(step)}: `now` is a whole number of milliseconds"
            )
        return micros

    def _check_names(self) -> None:
        streams = self._columns.keys() - self._static
        for step in self._scenario.steps:
            where = self._scenario.where(step)
            self._known(step.rows, streams, where, "source", STEP_KEYS)
            self._known(step.late or {}, streams, f"{where}, late", "source")
            self._known(step.bad or {}, streams, f"{where}, bad", "source")
        self._known(self._scenario.tables, self._static, self._scenario.where(), "static table")

    def _known(
        self,
        given: RowsByName,
        known: set[str],
        where: str,
        what: str,
        keys: tuple[str, ...] = (),
    ) -> None:
        for name in given:
            if name not in known:
                advice = nearest(name, sorted(known | set(keys)))
                raise ScenarioError(f"{where}: `{name}` is no {what} of the query; {advice}")


@contextmanager
def partitions(spark: SparkSession, number: int) -> Iterator[None]:
    """Run stateful operators on so many partitions."""
    before = spark.conf.get(PARTITIONS)
    spark.conf.set(PARTITIONS, str(number))
    try:
        yield
    finally:
        spark.conf.set(PARTITIONS, str(before))


def _fed(source: SourceInfo) -> tuple[tuple[str, str], ...]:
    """The columns of the rows that a scenario gives a source."""
    if source.changes is None:
        return source.columns
    if source.changes == CHANGELOG:
        return (*source.columns, (TOLD, "INT"))
    return tuple(each for each in source.columns if each[0] not in source.included)


def _ddl(columns: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in columns)
