"""What comes once the clock has closed it: windows, groups, OVER, MATCH_RECOGNIZE, FILL."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from typing import TYPE_CHECKING

from compiler.plan.nodes.rows import Item
from compiler.plan.patterns import Measured, Pattern, Term
from compiler.source import Span
from compiler.sql.exprs import Expr

if TYPE_CHECKING:
    from compiler.plan.nodes.changing import Call
    from compiler.plan.nodes.tree import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Windows:
    """Rows of `input` once for each window that holds them, with its start and end.

    Attributes:
        kind: `tumble`, `hop`, `cumulate` or `session`.
        time: the time column as a moment, Spark SQL.
        sizes: the lengths of time that the kind takes, by the names that the runtime gives them.
        keys: what a session is of.
        without_zone: whether starts and ends are TIMESTAMP_NTZ.
        later: by how much later than their time rows of a session may come.
        gap: how long a session goes on after each of its rows, where that depends on the row; then
            it is none of the sizes.
    """

    input: Plan
    kind: str
    time: str
    sizes: tuple[tuple[str, timedelta], ...]
    keys: tuple[Expr, ...] = ()
    without_zone: bool = False
    later: timedelta = timedelta(0)
    gap: Expr | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTotals:
    """What is kept of sessions, and what becomes of it: a row for each session, and not its rows.

    Attributes:
        rows: the columns of the rows.
        time: the time of a row, one of these columns.
        keys: what a session is of, likewise.
        calls: aggregates of these columns.
        items: the SELECT list, of the keys, the bounds of a session and the calls.
        having: which sessions come, likewise.
        gap: a column with the gap, where that depends on the row.
    """

    rows: tuple[Item, ...]
    time: str
    keys: tuple[str, ...]
    calls: tuple[Call, ...]
    items: tuple[Item, ...]
    having: tuple[Expr, ...] = ()
    gap: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """How groups of windows are put together from those of shorter ones; see count_in_panes.

    Attributes:
        rows: the keys, what is aggregated and the time of the rows below, each under a name.
        time: their time as a moment, Spark SQL over those.
        keys: those of the keys, windows left out.
        calls: the aggregates of the rows.
        items: the items of the groups, over keys, calls and the bounds of windows.
        having: their condition, likewise.
        later: by how much later than its end a window closes.
    """

    rows: tuple[Item, ...]
    time: str
    keys: tuple[str, ...]
    calls: tuple[Call, ...]
    items: tuple[Item, ...]
    having: Expr | None
    later: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """One row for each group of `input`, once the clock has reached `closes`; then it is final.

    `group` is what follows GROUP BY; `alias` qualifies columns in the expressions; `reads` as in a
    projection. `whole_sessions` tells that the groups are the sessions of the input, no more and no
    less. `types` are names that stand in items for types, each with an expression of the type.
    `held` if its rows wait for rows that follow them, and come as whole groups. `totals` are the
    same in other words, where what is known of a session needs not all of its rows.

    `parts` tell how a group of a window is put together, where it can be, and `whole` what keeps it
    from that; with `pane`, the length of those shorter windows, it is.
    """

    input: Plan
    alias: str | None
    group: tuple[Expr, ...]
    items: tuple[Item, ...]
    having: Expr | None
    closes: Expr
    closes_after: bool
    reads: tuple[Plan, ...] = ()
    whole_sessions: bool = False
    types: tuple[tuple[str, Expr], ...] = ()
    held: bool = False
    parts: Parts | None = field(default=None, repr=False)
    whole: str | None = field(default=None, repr=False)
    pane: timedelta | None = field(default=None, repr=False)
    totals: SessionTotals | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A window specification over rows in order of time, and how far its frames look.

    Attributes:
        partition: its keys.
        order: its sort keys with DESC and NULLS, Spark SQL; the first is the time.
        before: how many rows before the row itself; None: all of them.
        after: how many rows after it.
        until: for frames that look back by time, up to when rows may look at a row.
        last: how many of the rows up to the row itself it looks back at, of those with `where`.
        where: which rows these are, Spark SQL; None: there are none.
    """

    partition: tuple[str, ...]
    order: tuple[str, ...]
    before: int | None
    after: int
    until: Expr | None
    last: int = field(default=0, repr=False)
    where: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OverColumn:
    """A window function under a name; `over` are the clauses in its OVER, None: it has none.

    `shown` is the function as the query has it.
    """

    name: str
    call: str
    over: tuple[str, ...] | None
    shown: str = ""

    @property
    def sql(self) -> str:
        """Its text."""
        return self.call if self.over is None else f"{self.call} OVER ({' '.join(self.over)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Over:
    """Rows of `input` with window functions as further columns, once those are final.

    Attributes:
        alias: qualifies columns in the expressions.
        columns: the window functions, each under a name.
        frames: what they need, in order of their numbers; none where whole windows come at once.
        closes: when a row is closed; `closes_after` if the clock must have passed that.
        complete: when all that it looks at by time is closed, likewise; all of them.
        kept: the columns that close as before; None: all of them.
        later: by how much the others close later; None: they close no more.
        release: when all rows that are to leave with a row are closed; `release_after` if the clock
            must have passed that. None: each leaves by itself.
    """

    input: Plan
    alias: str | None
    columns: tuple[OverColumn, ...]
    frames: tuple[Frame, ...]
    closes: Expr
    closes_after: bool
    complete: tuple[Expr, ...]
    kept: frozenset[str] | None = None
    later: timedelta | None = None
    release: Expr | None = None
    release_after: bool = False
    span: Span = field(default=Span(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureColumn:
    """What is computed of a match, under a name; `shown` is that as the query has it."""

    name: str
    measure: Measured
    shown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Matches of a row pattern in `input`, each once no row that may come can change it.

    Attributes:
        partition: the keys of its partitions.
        order: sort keys with DESC and NULLS, Spark SQL; the first is the time.
        pattern: what the rows of a match are.
        defines: what holds for rows of a variable; one that is not there takes any row.
        measures: what is computed.
        output: the columns of the input that it hands on.
        all_rows: whether a match gives its rows, not one row.
        omit_empty: whether a match without rows gives nothing.
        skip: where the next match may begin: `past last`, `to next`, `first` or `last`.
        skip_to: the variables of `first` and `last`.
        within: less than that lies between the rows of a match; None: any time.
        time: a TIMESTAMP, by which that is meant.
        closes: when a row is closed; `closes_after` if the clock must have passed that.
        ends: when no more rows can come of a match that begins with a row; None: never.
    """

    input: Plan
    partition: tuple[str, ...]
    order: tuple[str, ...]
    pattern: Pattern
    defines: tuple[tuple[str, Term], ...]
    measures: tuple[MeasureColumn, ...]
    output: tuple[str, ...]
    all_rows: bool
    omit_empty: bool
    skip: str
    skip_to: tuple[str, ...]
    within: timedelta | None
    time: Expr
    closes: Expr
    closes_after: bool
    ends: Expr | None
    span: Span = field(default=Span(0, 0), compare=False, repr=False)


class Filling(Enum):
    """What aggregates are in windows without rows."""

    ZERO = "0"
    NULL = "NULL"
    PREVIOUS = "PREVIOUS"
    LINEAR = "LINEAR"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """Groups of windows, final as they come, and those of the windows of a key that have no rows.

    Attributes:
        keys: columns of which each has windows of its own.
        starts: the column with the start of the window, if there is one.
        ends: the column with its end, likewise; there is one of both.
        values: the aggregates.
        how: what these are where there are no rows.
        size: of a window.
        slide: from the start of a window to that of the next one; None: they do not overlap.
        step: by how much windows of one start grow up to the size; None: they do not.
        later: by how much later than its end a window is final.
        silence: how long after the last window with rows of a key one may end; None: for ever.
    """

    input: Plan
    keys: tuple[str, ...]
    starts: str | None
    ends: str | None
    values: tuple[str, ...]
    how: Filling
    size: timedelta
    later: timedelta
    silence: timedelta | None
    slide: timedelta | None = None
    step: timedelta | None = field(default=None, repr=False)
    span: Span = field(default=Span(0, 0), compare=False, repr=False)
