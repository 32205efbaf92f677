"""Operators on rows that come and go; see plan/nodes/changing.py."""

from __future__ import annotations

from dataclasses import dataclass, field

from compiler.plan.nodes import Call, Rule, SortKey
from compiler.release.nodes.carries import Input
from compiler.release.nodes.final import OverItem


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedRows:
    """Rows of a source of changes, as these come and go; see plan.Changed."""

    name: str
    input: Input
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRows:
    """Rows of tables that are there from the start; see plan.TableRows.

    `table` tells them from others of the query, in its checkpoint; `beside_clock` if rows of the
    query move its clock.
    """

    name: str
    input: Input
    table: str
    beside_clock: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Totaled:
    """One row for each group of the input as it stands; see plan.Totals.

    `per_batch`, here and below, if only the answer at the end of a batch counts; not in the repr,
    as it leaves the state what it is.
    """

    name: str
    input: Input
    keys: tuple[str, ...]
    calls: tuple[Call, ...]
    per_batch: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedRows:
    """Rows of the first input, as often as the rule says; see plan.Counted.

    `waits`, here and below, if nothing is to come before there is a clock.
    """

    name: str
    inputs: tuple[Input, ...]
    rule: Rule
    per_batch: bool = field(default=False, repr=False)
    waits: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class UntilPartnered:
    """Rows of the first input, each until it is in the second; see plan/facts/first_partners.py."""

    name: str
    inputs: tuple[Input, Input]

    @property
    def input(self) -> Input:
        """The input whose rows it gives."""
        return self.inputs[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedRows:
    """A join of both inputs, as their rows come and go; see plan.Paired."""

    name: str
    inputs: tuple[Input, Input]
    kind: str
    keys: tuple[tuple[str, str], ...]
    per_batch: bool = field(default=False, repr=False)
    waits: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopRows:
    """The first rows of each partition; see plan.Top."""

    name: str
    input: Input
    partition: tuple[str, ...]
    order: tuple[SortKey, ...]
    limit: int
    offset: int
    kind: str
    number: str | None
    hidden: tuple[str, ...] = ()
    per_batch: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OverChanged:
    """Rows of the input with window functions, as they come and go; see plan.OverChanges."""

    name: str
    input: Input
    partition: tuple[str, ...]
    order: tuple[SortKey, ...]
    columns: tuple[OverItem, ...]
    per_batch: bool = field(default=False, repr=False)
