"""Where results go, and a whole script."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum

from compiler.plan.conditions.branches import Lower
from compiler.plan.nodes.changing import SortKey
from compiler.plan.nodes.inputs import RecordFormat, Source
from compiler.plan.nodes.rows import Item
from compiler.plan.nodes.tree import Plan
from compiler.source import Span
from compiler.sql.exprs import Clock


class SinkKind(Enum):
    """What a sink makes of a result that changes."""

    APPEND = "append"
    """It takes rows for good, and no others."""
    CHANGELOG = "changelog"
    """It takes every change as a row with `_time` and `_diff`."""
    UPSERT = "upsert"
    """It holds the result as it stands, a row for each key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sink:
    """Where a result goes; `format` is None if the query does not say.

    `kind` is what it makes of a result that changes (sinks.py). `key` are the columns that tell its
    rows apart, where it holds one row for each key. `record` is how its records are written.
    """

    name: str
    format: str | None
    options: tuple[tuple[str, str], ...]
    kind: SinkKind = SinkKind.CHANGELOG
    key: tuple[str, ...] = ()
    record: RecordFormat | None = field(default=None, repr=False)
    span: Span = field(default=Span(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A query and its sink.

    Attributes:
        in_order: whether rows leave a batch in order of their due time.
        changes: what makes rows leave the result again; None: they stay.
        why: the same as text.
        beside: the sink of the output whose streaming query writes this one, too; None: its own.
        order: by what rows leave in order, the first of which is a time; each batch is sorted.
        hidden: columns of these that are not for the sink.
        every: how far apart in time changes are told, each of them net of what is between.
        revised: when a row of it changes no more, of its last column, which is not for the sink;
            None: there is no such column.
        clock: what it runs on.
        emitted: the SELECT list where it reads the clock, over the columns of the plan; its rows
            wait for it until they leave. Empty: nothing is left to do then.
    """

    sink: Sink
    plan: Plan
    in_order: bool = False
    changes: Span | None = field(default=None, compare=False, repr=False)
    why: str | None = field(default=None, compare=False, repr=False)
    beside: str | None = None
    order: tuple[SortKey, ...] = field(default=(), repr=False)
    hidden: tuple[str, ...] = field(default=(), repr=False)
    every: timedelta | None = field(default=None, repr=False)
    revised: Lower | None = field(default=None, repr=False)
    clock: Clock = Clock.WATERMARK
    emitted: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A whole script: its declared sources, used or not, its outputs, and functions to create."""

    sources: tuple[Source, ...]
    outputs: tuple[Output, ...]
    functions: tuple[str, ...] = ()
