"""Steps whose rows come once the clock has closed them; see plan/nodes/final.py."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from compiler.plan.conditions.branches import Lower
from compiler.plan.nodes import Call, Filling
from compiler.release.nodes.carries import Carries, Input
from compiler.release.nodes.rows import Item
from compiler.release.patterns import Measured, Pattern, Term


@dataclass(frozen=True, slots=True, kw_only=True)
class Windowed:
    """Rows with the windows that hold them; see plan.Windows.

    `gap` is that of a session in SQL, where it depends on the row.
    """

    name: str
    input: Input
    kind: str
    time: str
    sizes: tuple[tuple[str, timedelta], ...]
    keys: tuple[str, ...]
    later: timedelta = timedelta(0)
    gap: str | None = field(default=None, repr=False)

    @property
    def carries(self) -> Carries:
        """What its rows carry of the clock; those of sessions have waited before."""
        return Carries.NOTHING if self.kind == "session" else self.input.carries


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped:
    """One row for each group of the input, once the clock has reached `closes`.

    `types` are names that stand in the SQL for types, each with an expression of the type. `tables`
    are steps that its subqueries read. `held` if whole groups come, each when it is final.
    """

    name: str
    input: Input
    items: tuple[Item, ...]
    group: tuple[str, ...]
    having: str | None
    closes: Lower
    types: tuple[tuple[str, str], ...] = ()
    tables: tuple[str, ...] = ()
    held: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanedRows:
    """One row for each key and window of the input, out of panes, once the clock has closed it.

    It has the keys, `window_start`, `window_end`, and the calls by their names.

    Attributes:
        kind: `hop` or `cumulate`.
        sizes: the lengths of time that the kind takes, by the names that the runtime gives them.
        time: the column with the time of a row, in SQL.
        keys: columns of the input.
        calls: aggregates of columns of the input.
        later: by how much later than its end a window closes.
    """

    name: str
    input: Input
    kind: str
    sizes: tuple[tuple[str, timedelta], ...]
    time: str
    keys: tuple[str, ...]
    calls: tuple[Call, ...]
    later: timedelta = timedelta(0)


SESSION_START, SESSION_END = "__session_start", "__session_end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """One row for each session of the input, once the clock has closed it.

    A session is of the values of `keys`; `time` is that of a row, in SQL, and rows less than `gap`
    apart are of one session; where it is in SQL, each row has its own. Rows may come `later` than
    their time. Expressions name its bounds SESSION_START and SESSION_END, which are `without_zone`
    if the time is. `types` and `tables` are
    as in a grouped step.
    """

    name: str
    input: Input
    time: str
    keys: tuple[str, ...]
    gap: timedelta | str
    later: timedelta
    without_zone: bool = False
    items: tuple[Item, ...]
    having: str | None
    types: tuple[tuple[str, str], ...] = ()
    tables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TotaledSessions:
    """The same, of which the runtime keeps a row for each session; see plan.SessionTotals.

    `rows` are the columns that it needs, and whether the input has them `as_they_are`; `gap` is one
    of them where each row has its own.
    """

    name: str
    input: Input
    rows: tuple[Item, ...]
    as_they_are: bool
    time: str
    keys: tuple[str, ...]
    gap: timedelta | str
    later: timedelta
    calls: tuple[Call, ...]
    items: tuple[Item, ...]
    having: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Framed:
    """A window specification; see plan.Frame."""

    partition: tuple[str, ...]
    order: tuple[str, ...]
    before: int | None
    after: int
    until: Lower | None
    last: int = field(default=0, repr=False)
    where: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OverItem:
    """A window function; `over` are the clauses in its OVER, None: it has none."""

    name: str
    call: str
    over: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OverRows:
    """Rows of the input with window functions, once those are final; see plan.Over."""

    name: str
    input: Input
    columns: tuple[OverItem, ...]
    frames: tuple[Framed, ...]
    closes: Lower
    complete: tuple[Lower, ...]
    release: Lower | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledRows:
    """Groups of the input, and those of windows without rows; see plan.Filled."""

    name: str
    input: Input
    keys: tuple[str, ...]
    starts: str | None
    ends: str | None
    values: tuple[str, ...]
    how: Filling
    size: timedelta
    later: timedelta
    silence: timedelta | None
    slide: timedelta | None = field(default=None, repr=False)
    step: timedelta | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRows:
    """Matches of a row pattern in the input, once they are final; see plan.Match."""

    name: str
    input: Input
    partition: tuple[str, ...]
    order: tuple[str, ...]
    pattern: Pattern
    defines: tuple[tuple[str, Term], ...]
    measures: tuple[tuple[str, Measured], ...]
    output: tuple[str, ...]
    all_rows: bool
    omit_empty: bool
    skip: str
    skip_to: tuple[str, ...]
    within_us: int | None
    time: str
    closes: Lower
    ends: Lower | None
