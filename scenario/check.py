"""What a step was expected to give against what it gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import types as t

from scenario.compare import Difference, Rows, difference, net
from scenario.model import Row, RowsByName, Scenario, ScenarioError, Step
from scenario.rows import nearest, normal_rows, show_row, show_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scenario.engine import StepResult

CONSOLE = "console"
UPDATE_COLUMNS = ["_time", "_diff"]
SHOWN_ROWS = 20


class Checker:
    """Compares the steps of one run, and adds up what has come out so far."""

    def __init__(self, scenario: Scenario, schemas: Mapping[str, t.StructType]) -> None:
        self._scenario = scenario
        self._schemas = schemas
        self._sinks = [name for name in schemas if not name.startswith(("late ", "bad "))]
        self.updates: dict[str, list[tuple[tuple[Any, ...], int]]] = {
            name: [] for name in self._sinks
        }

    def check(self, step: Step, result: StepResult) -> list[str]:
        """The faults of a step, as blocks of text."""
        self.add(result)
        faults = [
            *self._expected(step, result),
            *self._snapshots(step),
            *self._late(step, result),
            *self._bad(step, result),
        ]
        if step.state_rows is not None and step.state_rows != result.rows_held:
            faults.append(f"state_rows: {step.state_rows} expected, {result.rows_held} held")
        if step.never_due is not None and step.never_due != result.never_due:
            faults.append(f"never_due: {step.never_due} expected, {result.never_due} counted")
        if step.without_time is not None and step.without_time != result.without_time:
            faults.append(
                f"without_time: {step.without_time} expected, {result.without_time} counted"
            )
        clock = "none" if result.watermark_ms is None else show_seconds(result.watermark_ms * 1000)
        return [f"step {step.number} (watermark {clock}): {fault}" for fault in faults]

    def add(self, result: StepResult) -> None:
        """Take what came out of a step into the sums."""
        for name, rows in result.outputs.items():
            weighted = self._changing(name)
            self.updates[name] += [(row[:-2], row[-1]) if weighted else (row, 1) for row in rows]

    def sums(self) -> dict[str, Rows]:
        """For each sink the rows that stand in the result by now."""
        return {name: net(updates)[0] for name, updates in self.updates.items()}

    def compare_sums(self, wanted: Mapping[str, Rows], what: str) -> list[str]:
        """Faults of a run whose final sums should be those of another."""
        faults = []
        for name, rows in self.sums().items():
            found = difference(wanted[name], rows)
            if found is not None:
                text = _show(found, self._snapshot_schema(name))
                faults.append(f"splits, {what}: the final sum of `{name}` differs\n{text}")
        return faults

    def _expected(self, step: Step, result: StepResult) -> Iterator[str]:
        for name, rows in self._by_sink(step.expect, step):
            where = f"{self._scenario.where(step)}, expect"
            wanted = normal_rows(rows, self._schemas[name], where)
            found = difference(wanted, result.outputs[name], ordered=self._scenario.ordered)
            if found is not None:
                yield f"the output of `{name}` differs\n{_show(found, self._schemas[name])}"

    def _snapshots(self, step: Step) -> Iterator[str]:
        for name, rows in self._by_sink(step.snapshot, step):
            schema = self._snapshot_schema(name)
            wanted = normal_rows(rows, schema, f"{self._scenario.where(step)}, snapshot")
            present, negative = net(self.updates[name])
            found = difference(wanted, present)
            if found is not None:
                yield f"the sum of `{name}` differs\n{_show(found, schema)}"
            if negative:
                taken = "\n".join(f"    {show_row(row, schema)}" for row in negative)
                yield f"`{name}` takes away rows that it never gave\n{taken}"

    def _late(self, step: Step, result: StepResult) -> Iterator[str]:
        yield from self._kept_out(step, "late", step.late, result.late, "source with a watermark")

    def _bad(self, step: Step, result: StepResult) -> Iterator[str]:
        yield from self._kept_out(step, "bad", step.bad, result.bad, "source")

    def _kept_out(
        self,
        step: Step,
        kind: str,
        wanted: RowsByName | None,
        came: Mapping[str, Rows],
        what: str,
    ) -> Iterator[str]:
        for name, rows in (wanted or {}).items():
            if name not in came or f"{kind} {name}" not in self._schemas:
                raise ScenarioError(f"{self._scenario.where(step)}: `{name}` is no {what} here")
            schema = self._schemas[f"{kind} {name}"]
            expected = normal_rows(rows, schema, f"{self._scenario.where(step)}, {kind}")
            found = difference(expected, came[name])
            if found is not None:
                yield f"the {kind} rows of `{name}` differ\n{_show(found, schema)}"

    def _by_sink(
        self, rows: dict[str | None, list[Row]] | None, step: Step
    ) -> Iterator[tuple[str, list[Row]]]:
        for key, value in (rows or {}).items():
            name = key
            if name is None:
                name = CONSOLE if CONSOLE in self._sinks or len(self._sinks) > 1 else self._sinks[0]
            if name not in self._sinks:
                raise ScenarioError(
                    f"{self._scenario.where(step)}: no sink `{name}`; {nearest(name, self._sinks)}"
                )
            yield name, value

    def _changing(self, name: str) -> bool:
        return self._schemas[name].fieldNames()[-2:] == UPDATE_COLUMNS

    def _snapshot_schema(self, name: str) -> t.StructType:
        fields = self._schemas[name].fields
        return t.StructType(fields[:-2] if self._changing(name) else fields)


def _show(found: Difference, schema: t.StructType) -> str:
    if found.order:
        wanted = [f"    expected  {show_row(row, schema)}" for row in found.missing]
        came = [f"    came      {show_row(row, schema)}" for row in found.unexpected]
        return "\n".join(["    in this order:", *_some(wanted), *_some(came)])
    missing = sorted(f"    missing     {show_row(row, schema)}" for row in found.missing)
    unexpected = sorted(f"    unexpected  {show_row(row, schema)}" for row in found.unexpected)
    return "\n".join([*_some(missing), *_some(unexpected)])


def _some(lines: list[str]) -> list[str]:
    if len(lines) <= SHOWN_ROWS:
        return lines
    return [*lines[:SHOWN_ROWS], f"    ... and {len(lines) - SHOWN_ROWS} more"]
