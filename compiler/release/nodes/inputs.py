"""Steps that read: sources, tables, and rows that watermarks and columns refuse."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from compiler.plan.nodes import RecordFormat
from compiler.release.nodes.carries import Input


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A column as the job declares it."""

    name: str
    type: str
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A source or table. `time` and `strategy` are its watermark's, TIMESTAMPs in SQL.

    `ticks` if those of the wall clock may come with its rows; `epoch_ms` are the columns that are
    times in milliseconds; `beside_clock` if other sources move the clock; late are rows that are
    further than `allowance` behind it. `record`, `included` and `key` are as in plan.Source, `per`
    as in plan.Watermark. These and `allowance`, `idle_after`, `ticks`, `epoch_ms` and
    `beside_clock` are not in the repr: the fingerprints of jobs without them stay what they were.
    """

    name: str
    source: str
    fields: tuple[Field, ...]
    format: str | None
    options: tuple[tuple[str, str], ...]
    static: bool
    time: str | None = None
    strategy: str | None = None
    idle_after: timedelta | None = field(default=None, repr=False)
    ticks: bool = field(default=False, repr=False)
    epoch_ms: tuple[str, ...] = field(default=(), repr=False)
    beside_clock: bool = field(default=False, repr=False)
    allowance: timedelta = field(default=timedelta(0), repr=False)
    record: RecordFormat | None = field(default=None, repr=False)
    included: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    key: tuple[str, ...] = field(default=(), repr=False)
    per: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watermarked:
    """Rows of another step that a watermark admits; the others are counted under `source`.

    `epoch_ms` is the column with their time if that is in milliseconds; `allowance` as above.
    """

    name: str
    input: Input
    source: str
    time: str
    strategy: str
    epoch_ms: str | None = field(default=None, repr=False)
    allowance: timedelta = field(default=timedelta(0), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """The rows that the watermark of step `of` refuses; they are counted under `source`."""

    name: str
    of: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bad:
    """The records of a source, read by step `of`, that do not fit its columns.

    `beside_clock` if rows of the query move its clock.
    """

    name: str
    of: str
    source: str
    beside_clock: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Static:
    """A query over static tables, by Spark itself; `tables` are the steps that it reads.

    SQL that reads it calls it `view`.
    """

    name: str
    view: str
    sql: str
    tables: tuple[str, ...]
