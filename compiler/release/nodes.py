"""Release plans: when each row is in the result, and the steps that carry that out.

A predicate with a clock is, per row, the set of clock values at which it is true: a union of
intervals. A `Branch` is one of them: rows that satisfy all `guards` are in the result from the
greatest of `lowers` until before the least of `uppers`. No order of branches matters; a row that
several admit is in the result once.

A `ReleaseJob` is a list of named steps. Conditions on the clock are lifted out of them: a step
computes when its rows are due, and one delay, above all of them, makes it so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from typing import TypeAlias

from compiler.plan.conditions.branches import Branch as Branch
from compiler.plan.conditions.branches import Lower as Lower
from compiler.plan.conditions.branches import Upper as Upper
from compiler.plan.conditions.branches import guard_sql as guard_sql
from compiler.plan.nodes import Call as Call
from compiler.plan.nodes import Filling as Filling
from compiler.plan.nodes import RecordFormat as RecordFormat
from compiler.plan.nodes import Rule as Rule
from compiler.plan.nodes import SortKey as SortKey
from compiler.release.patterns import Measured, Pattern, Term
from compiler.sql.exprs import Clock as Clock
from compiler.sql.lengths import interval_apart as interval_apart

CONSOLE = "console"
"""The sink of the last bare query, and its format."""


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


class Carries(Enum):
    """What rows bring along of the clock.

    NOTHING: they are in the result from their arrival on. DUE: from `__due` on. VALIDITY: at the
    clock values in `__valid`. UPDATES: rows that come and go, by `__diff`, at `__time`. A condition
    on the clock over those has VALID_UPDATES: each counts where it is valid.
    """

    NOTHING = "nothing"
    DUE = "due"
    VALIDITY = "validity"
    UPDATES = "updates"
    VALID_UPDATES = "valid updates"

    @property
    def changes(self) -> bool:
        """Whether rows leave the result again."""
        return self not in (Carries.NOTHING, Carries.DUE)

    @property
    def has_validity(self) -> bool:
        """Whether rows have clock values at which they count."""
        return self in (Carries.VALIDITY, Carries.VALID_UPDATES)

    @property
    def has_updates(self) -> bool:
        """Whether rows come and go."""
        return self in (Carries.UPDATES, Carries.VALID_UPDATES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """Rows of another step, and what they carry."""

    step: str
    alias: str | None
    carries: Carries = Carries.NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaves:
    """When rows of an input leave the result for good; `alias` is its name."""

    alias: str


Until: TypeAlias = Lower | Leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinWith:
    """One more input of a step, joined to those before it.

    Rows of those find no more partners at the first of `left_until`, rows of the input at the first
    of `right_until`; without any, that never ends. A row of a side that an outer join keeps has a
    partner only if it satisfies `left_only_if`, or `right_only_if`. `read_first` is the side,
    `left` or `right`, whose rows go through a shuffle before; see lowering/wholly_read.py.
    """

    input: Input
    kind: str
    on: str | None
    left_only_if: str | None = field(default=None, repr=False)
    right_only_if: str | None = field(default=None, repr=False)
    using: tuple[str, ...] = ()
    left_until: tuple[Until, ...] = ()
    right_until: tuple[Until, ...] = ()
    read_first: str | None = field(default=None, repr=False)

    @property
    def has_range(self) -> bool:
        """Whether the clock ends the search for partners, of one side at least."""
        return bool(self.left_until or self.right_until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One output column, in SQL; `name` is None where Spark is to choose it."""

    sql: str
    name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Select:
    """Inputs joined, filtered and projected.

    `releases` holds one tuple of branches for each condition on the clock; a row is due when all
    of them admit it, and when those of its inputs are. `tables` are steps that its subqueries
    read. With `wholly_read` its rows go through a shuffle before `where`, as
    lowering/wholly_read.py says. If it is `netted`, updates that cancel out are left out.
    """

    name: str
    input: Input
    joins: tuple[JoinWith, ...]
    where: tuple[str, ...]
    releases: tuple[tuple[Branch, ...], ...]
    items: tuple[Item, ...]
    tables: tuple[str, ...] = ()
    wholly_read: bool = field(default=False, repr=False)
    netted: bool = field(default=False, repr=False)

    @property
    def carries(self) -> Carries:
        """What its rows carry of the clock."""
        below = {self.input.carries, *(join.input.carries for join in self.joins)}
        ends = any(branch.uppers for branches in self.releases for branch in branches)
        if any(each.has_updates for each in below):
            is_valid = bool(self.releases) or any(each.has_validity for each in below)
            return Carries.VALID_UPDATES if is_valid else Carries.UPDATES
        if ends or Carries.VALIDITY in below:
            return Carries.VALIDITY
        return Carries.DUE if self.releases or Carries.DUE in below else Carries.NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Union:
    """The rows of all inputs, columns by position."""

    name: str
    inputs: tuple[Input, ...]

    @property
    def carries(self) -> Carries:
        """What its rows carry of the clock: what all of its inputs can be made to carry."""
        below = {each.carries for each in self.inputs}
        if any(each.has_updates for each in below):
            return Carries.UPDATES
        most = (Carries.VALIDITY, Carries.DUE)
        return next((each for each in most if each in below), Carries.NOTHING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Windowed:
    """Rows with the windows that hold them; see plan.Windows."""

    name: str
    input: Input
    kind: str
    time: str
    sizes: tuple[tuple[str, timedelta], ...]
    keys: tuple[str, ...]
    later: timedelta = timedelta(0)

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


SESSION_START, SESSION_END = "__session_start", "__session_end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """One row for each session of the input, once the clock has closed it.

    A session is of the values of `keys`; `time` is that of a row, in SQL, and rows less than `gap`
    apart are of one session. Rows may come `later` than their time. Expressions name its bounds
    SESSION_START and SESSION_END, which are `without_zone` if the time is. `types` and `tables` are
    as in a grouped step.
    """

    name: str
    input: Input
    time: str
    keys: tuple[str, ...]
    gap: timedelta
    later: timedelta
    without_zone: bool = False
    items: tuple[Item, ...]
    having: str | None
    types: tuple[tuple[str, str], ...] = ()
    tables: tuple[str, ...] = ()


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedRows:
    """Rows of a source of changes, as these come and go; see plan.Changed."""

    name: str
    input: Input
    key: tuple[str, ...]


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
    | OverRows
    | FilledRows
    | ChangedRows
    | Totaled
    | CountedRows
    | UntilPartnered
    | PairedRows
    | TopRows
    | OverChanged
    | MatchRows
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What goes to a sink: the rows of `step`, by what they carry of the clock.

    `changes` if rows leave the result again.

    `emitted` is the SELECT list where it reads the clock, evaluated as rows are emitted. `in_order`
    if rows that leave in one batch do so in order of their due times. `key`, `beside`, `every`,
    `revised` and `record` are as in plan.Sink and plan.Output; not in the repr: the fingerprints of
    others stay.
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
    every: timedelta | None = field(default=None, repr=False)
    revised: Lower | None = field(default=None, repr=False)
    record: RecordFormat | None = field(default=None, repr=False)

    @property
    def is_emitted_late(self) -> bool:
        """Whether something is left to do when the rows of `step` are emitted."""
        return self.carries is not Carries.NOTHING or bool(self.emitted)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseJob:
    """A whole job: steps in order of use, outputs, and statements that create its functions."""

    steps: tuple[Step, ...]
    outputs: tuple[Output, ...]
    functions: tuple[str, ...] = field(default=(), repr=False)
