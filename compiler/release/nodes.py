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
from typing import TypeAlias

from compiler.plan.exprs import Binding
from compiler.source import Span

CONSOLE = "console"
"""The sink of the last bare query, and its format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A condition on a row, in SQL; `binding` is that of its outermost operator."""

    sql: str
    binding: Binding = Binding.ATOM

    def inside(self, outer: Binding) -> str:
        """The text as an operand of an operator, in parentheses if need be."""
        return self.sql if self.binding > outer else f"({self.sql})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lower:
    """`clock >= bound`, or `clock > bound` if `strict`; `bound` is a moment, in SQL.

    `is_timestamp` tells that its type is known to be TIMESTAMP, not merely one that can be cast.
    """

    bound: str
    strict: bool
    is_timestamp: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Upper:
    """`clock < bound`, or `clock <= bound` if not `strict`."""

    bound: str
    strict: bool
    span: Span = field(default=Span(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One interval of clock values, for the rows that satisfy all guards."""

    guards: tuple[Guard, ...] = ()
    lowers: tuple[Lower, ...] = ()
    uppers: tuple[Upper, ...] = ()


def guard_sql(branch: Branch) -> list[str]:
    """The guards of a branch, each fit to stand under AND."""
    several = len(branch.guards) > 1
    return [each.inside(Binding.OR) if several else each.sql for each in branch.guards]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A column as the job declares it."""

    name: str
    type: str
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A source or table. `time` and `strategy` are its watermark's, TIMESTAMPs in SQL.

    `idle_after` is not in the repr: the fingerprints of jobs without it stay what they were.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Watermarked:
    """Rows of another step that a watermark admits; the others are counted under `source`."""

    name: str
    input: Input
    source: str
    time: str
    strategy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """The rows that the watermark of step `of` refuses; they are counted under `source`."""

    name: str
    of: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Static:
    """A query over static tables, by Spark itself; `tables` are the steps that it reads.

    SQL that reads it calls it `view`.
    """

    name: str
    view: str
    sql: str
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """Rows of another step; `held` if they carry a due time.

    `event` is when, on the clock, a row is past, where a join compares that; `lags` if Spark's
    watermark is to lag behind that join.
    """

    step: str
    alias: str | None
    held: bool
    event: str | None = None
    lags: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinWith:
    """One more input of a step, joined to those before it."""

    input: Input
    kind: str
    on: str | None
    using: tuple[str, ...] = ()
    bounds: tuple[str, ...] = ()


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
    read.
    """

    name: str
    input: Input
    joins: tuple[JoinWith, ...]
    where: tuple[str, ...]
    releases: tuple[tuple[Branch, ...], ...]
    items: tuple[Item, ...]
    tables: tuple[str, ...] = ()

    @property
    def held(self) -> bool:
        """Whether the rows carry a due time."""
        joined = any(join.input.held for join in self.joins)
        return bool(self.releases) or self.input.held or joined


@dataclass(frozen=True, slots=True, kw_only=True)
class Union:
    """The rows of all inputs, columns by position."""

    name: str
    inputs: tuple[Input, ...]

    @property
    def held(self) -> bool:
        """Whether the rows carry a due time."""
        return any(each.held for each in self.inputs)


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
    def held(self) -> bool:
        """Whether the rows carry a due time; those of sessions have waited before."""
        return self.input.held and self.kind != "session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped:
    """One row for each group of the input, once the clock has reached `closes`.

    `types` are names that stand in the SQL for types, each with an expression of the type. `tables`
    are steps that its subqueries read.
    """

    name: str
    input: Input
    items: tuple[Item, ...]
    group: tuple[str, ...]
    having: str | None
    closes: Lower
    types: tuple[tuple[str, str], ...] = ()
    tables: tuple[str, ...] = ()

    held = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """One row for each session of the input, once the clock has closed it.

    A session is of the values of `keys`; `time` is that of a row, in SQL, and rows less than `gap`
    apart are of one session. Rows may come `later` than their time. `types` and `tables` are as in
    a grouped step.
    """

    name: str
    input: Input
    time: str
    keys: tuple[str, ...]
    gap: timedelta
    later: timedelta
    items: tuple[Item, ...]
    having: str | None
    types: tuple[tuple[str, str], ...] = ()
    tables: tuple[str, ...] = ()

    held = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Framed:
    """A window specification; see plan.Frame."""

    partition: tuple[str, ...]
    order: tuple[str, ...]
    before: int | None
    after: int
    until: Lower | None


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

    held = False


Step: TypeAlias = (
    Read | Watermarked | Late | Static | Select | Union | Windowed | Grouped | Sessions | OverRows
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What goes to a sink: the rows of `step`, delayed if `held`.

    `emitted` is the SELECT list where it reads the clock, evaluated as rows are emitted. `in_order`
    if rows that leave in one batch do so in order of their due times.
    """

    name: str
    step: str
    held: bool
    emitted: tuple[Item, ...]
    format: str
    options: tuple[tuple[str, str], ...]
    in_order: bool = False

    @property
    def is_emitted_late(self) -> bool:
        """Whether something is left to do when the rows of `step` are emitted."""
        return self.held or bool(self.emitted)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseJob:
    """A whole job: steps in order of use, and outputs."""

    steps: tuple[Step, ...]
    outputs: tuple[Output, ...]
