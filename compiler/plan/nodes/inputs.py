"""What a query reads: sources, tables, and rows that watermarks and columns refuse."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from compiler.source import Span
from compiler.sqltypes import SqlType

if TYPE_CHECKING:
    from compiler.plan.nodes.tree import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a relation; `required` if it was declared NOT NULL."""

    name: str
    type: SqlType
    required: bool = False
    span: Span = field(default=Span(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watermark:
    """`WATERMARK FOR column AS strategy`: `time` and `strategy` as TIMESTAMPs, Spark SQL.

    When the source has been silent for `idle_after`, the wall clock less that moves it, too. Rows
    are late once the watermark is further than `allowance` ahead of them. With `per`, rows are
    grouped by that column, each group has a watermark of its own, and the least of them counts.
    """

    column: str
    time: str
    strategy: str
    idle_after: timedelta | None = None
    allowance: timedelta = field(default=timedelta(0), repr=False)
    per: str | None = field(default=None, repr=False)
    span: Span = field(default=Span(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFormat:
    """`FORMAT form ENCODE encode (options)`: how records are written (records.py)."""

    form: str
    encode: str
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A declared source (a stream) or table (static).

    `record` is how its records are written, None if that is not said. `included` are those of its
    columns that are none of a record's value, each with what of the record it is. `key` are the
    columns of PRIMARY KEY.
    """

    name: str
    columns: tuple[Column, ...]
    format: str | None
    options: tuple[tuple[str, str], ...]
    watermark: Watermark | None
    static: bool
    record: RecordFormat | None = field(default=None, repr=False)
    included: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    key: tuple[str, ...] = field(default=(), repr=False)
    span: Span = field(default=Span(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """The rows of a source, without those that its watermark refuses.

    `ticks` if those of the wall clock may come with them; `beside_clock` if other sources of their
    query move its clock.
    """

    source: Source
    ticks: bool = False
    beside_clock: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """Rows of a source of changes, as these come and go (bind/sources/changes.py).

    With a `key` it is the last row of each; else the records tell themselves which rows go.
    """

    input: Scan
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watermarked:
    """Rows of `input`, without those that `watermark` refuses; they move it.

    `source` is the name under which refused rows are counted, `epoch_ms` the column with their
    time if that is in milliseconds.
    """

    input: Plan
    source: str
    watermark: Watermark
    epoch_ms: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """The rows that the watermark of `input` refuses, and `_watermark`, by which it did.

    `source` is the name under which they are counted.
    """

    input: Scan | Watermarked
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bad:
    """The records of a source that do not fit its columns: `record`, `reason` and `file`.

    `beside_clock` if rows of their query move its clock; these do not.
    """

    input: Scan
    beside_clock: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRows:
    """Rows of a table, or of a query over tables, that are there from the start.

    What has changed in it comes and goes each time the job starts. `table` is what it is called;
    `beside_clock` if rows of its query move its clock, as these do not.
    """

    input: Plan
    table: str
    beside_clock: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticQuery:
    """A query over static tables; Spark runs it as it is written, `reads` visible by name."""

    sql: str
    reads: tuple[Plan, ...]
