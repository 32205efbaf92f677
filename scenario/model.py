"""What a scenario is, as data: values are still as YAML gave them, names are checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = list[Any] | dict[str, Any]
"""A row as written: values in order of the columns, or by name."""

RowsByName: TypeAlias = dict[str, list[Row]]
"""Rows by source or by sink."""


class ScenarioError(Exception):
    """The scenario file is at fault; the message says where and what to write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Rows that arrive, then the clock moves, then what must have come out.

    An expectation that is None is not checked. `expect` and `snapshot` are rows of the only
    output, under the key None, or rows by sink.
    """

    number: int
    rows: RowsByName = field(default_factory=dict)
    now: Any = None
    restart: bool = False
    expect: dict[str | None, list[Row]] | None = None
    snapshot: dict[str | None, list[Row]] | None = None
    late: RowsByName | None = None
    bad: RowsByName | None = None
    state_rows: int | None = None
    never_due: int | None = None
    without_time: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One document of a scenario file: steps, or the `error` that compiling must end in."""

    path: Path
    title: str
    query: str
    steps: tuple[Step, ...] = ()
    tables: RowsByName = field(default_factory=dict)
    error: str | None = None
    warnings: tuple[str, ...] = ()
    ordered: bool = False
    invariant: bool = False
    parameters: dict[str, str] = field(default_factory=dict)

    def where(self, step: Step | None = None) -> str:
        """How messages name a place in this scenario."""
        place = f"{self.path}: `{self.title}`"
        return place if step is None else f"{place}, step {step.number}"

    @property
    def late_sources(self) -> tuple[str, ...]:
        """Sources whose late rows some step asks for."""
        return tuple(dict.fromkeys(name for step in self.steps for name in step.late or ()))

    @property
    def bad_sources(self) -> tuple[str, ...]:
        """Sources whose bad rows some step asks for."""
        return tuple(dict.fromkeys(name for step in self.steps for name in step.bad or ()))
