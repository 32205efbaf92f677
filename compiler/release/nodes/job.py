"""A whole job: its steps, and what goes to its sinks."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeAlias

from compiler.plan.conditions.branches import Lower
from compiler.plan.nodes import RecordFormat, SortKey
from compiler.release.nodes.carries import Carries
from compiler.release.nodes.changing import (
    ChangedRows,
    CountedRows,
    OverChanged,
    PairedRows,
    TableRows,
    TopRows,
    Totaled,
    UntilPartnered,
)
from compiler.release.nodes.final import (
    FilledRows,
    Grouped,
    MatchRows,
    OverRows,
    PanedRows,
    Sessions,
    TotaledSessions,
    Windowed,
)
from compiler.release.nodes.inputs import Bad, Late, Read, Static, Watermarked
from compiler.release.nodes.rows import Item, Select, Union
from compiler.sql.exprs import Clock

CONSOLE = "console"
"""The sink of the last bare query, and its format."""


Step: TypeAlias = (
    Read
    | Watermarked
    | Late
    | Bad
    | Static
    | Select
    | Union
    | Windowed
    | Grouped
    | Sessions
    | TotaledSessions
    | OverRows
    | FilledRows
    | ChangedRows
    | TableRows
    | Totaled
    | CountedRows
    | UntilPartnered
    | PairedRows
    | TopRows
    | OverChanged
    | MatchRows
    | PanedRows
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What goes to a sink: the rows of `step`, by what they carry of the clock.

    `changes` if rows leave the result again.

    `emitted` is the SELECT list where it reads the clock, evaluated as rows are emitted; `clocks`
    are those that it reads, under the names of their columns. `in_order`
    if rows that leave in one batch do so in order of their due times. `key`, `beside`, `order`,
    `hidden`, `every`, `revised` and `record` are as in plan.Sink and plan.Output; not in the repr:
    the fingerprints of others stay.
    """

    name: str
    step: str
    carries: Carries
    emitted: tuple[Item, ...]
    format: str
    options: tuple[tuple[str, str], ...]
    changes: bool = False
    in_order: bool = False
    key: tuple[str, ...] = field(default=(), repr=False)
    beside: str | None = field(default=None, repr=False)
    order: tuple[SortKey, ...] = field(default=(), repr=False)
    hidden: tuple[str, ...] = field(default=(), repr=False)
    every: timedelta | None = field(default=None, repr=False)
    revised: Lower | None = field(default=None, repr=False)
    record: RecordFormat | None = field(default=None, repr=False)
    clocks: tuple[Clock, ...] = field(default=(), repr=False)

    @property
    def is_emitted_late(self) -> bool:
        """Whether something is left to do when the rows of `step` are emitted."""
        return self.carries is not Carries.NOTHING or bool(self.emitted or self.order)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseJob:
    """A whole job: steps in order of use, outputs, and statements that create its functions."""

    steps: tuple[Step, ...]
    outputs: tuple[Output, ...]
    functions: tuple[str, ...] = field(default=(), repr=False)
