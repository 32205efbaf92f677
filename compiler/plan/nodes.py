"""The typed logical plan: what a query means, names resolved, before anyone asks when.

Rules: nodes are frozen, no node is a subclass of another, a node that cannot be is not built.
Columns are named as Spark will name them; expressions are the user's SQL (exprs.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import Enum
from typing import TypeAlias, assert_never

from compiler.diagnostics import InternalError
from compiler.memo import remembered
from compiler.plan.conditions.branches import Branch, Lower
from compiler.plan.conditions.predicates import Predicate
from compiler.plan.patterns import Measured, Pattern, Term
from compiler.source import Span
from compiler.sql.exprs import Expr
from compiler.sqltypes import SqlType


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
class StaticQuery:
    """A query over static tables; Spark runs it as it is written, `reads` visible by name."""

    sql: str
    reads: tuple[Plan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A view or CTE: rows of `input` under a name that the job keeps.

    `is_made` if the query has no view of the name: it is a part of a join, named after its tables.
    """

    name: str
    input: Plan
    is_made: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """Rows of `input`; columns may be qualified by `name`."""

    name: str
    input: Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """Pairs of rows of `left` and `right` that satisfy `on`; `kind` as Spark's join() takes it.

    A row of the left side finds no more partners at the first of `left_until`, one of the right
    side at the first of `right_until`; without any, that never ends. A row of a side that an outer
    join keeps has a partner only if it satisfies `left_only_if`, or `right_only_if`.
    """

    left: Plan
    right: Plan
    kind: str
    on: Expr | None
    left_only_if: Expr | None = None
    right_only_if: Expr | None = None
    using: tuple[str, ...] = ()
    left_until: tuple[Lower, ...] = ()
    right_until: tuple[Lower, ...] = ()
    span: Span = field(default=Span(0, 0), compare=False, repr=False)

    @property
    def has_range(self) -> bool:
        """Whether the clock ends the search for partners, of one side at least."""
        return bool(self.left_until or self.right_until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Rows of `input` whose `predicate` is true; it does not read the clock."""

    input: Plan
    predicate: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class TemporalFilter:
    """Rows of `input`, at the clock values at which `predicate` is true: those of `branches`."""

    input: Plan
    predicate: Predicate
    branches: tuple[Branch, ...]
    span: Span = field(default=Span(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One output column; `name` is None where Spark is to choose it."""

    expr: Expr
    name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """`items` of each row of `input`; `reads` are the static relations that subqueries name.

    If it is `netted`, a row that was and one that is cancel out where these items are alike.
    """

    input: Plan
    items: tuple[Item, ...]
    reads: tuple[Plan, ...] = ()
    netted: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        if not self.items:
            raise InternalError("a projection without columns")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnionAll:
    """The rows of all inputs, columns by position."""

    inputs: tuple[Plan, ...]


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
    """

    input: Plan
    kind: str
    time: str
    sizes: tuple[tuple[str, timedelta], ...]
    keys: tuple[Expr, ...] = ()
    without_zone: bool = False
    later: timedelta = timedelta(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """One row for each group of `input`, once the clock has reached `closes`; then it is final.

    `group` is what follows GROUP BY; `alias` qualifies columns in the expressions; `reads` as in a
    projection. `whole_sessions` tells that the groups are the sessions of the input, no more and no
    less. `types` are names that stand in items for types, each with an expression of the type.
    `held` if its rows wait for rows that follow them, and come as whole groups.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """An aggregate function over columns of the input; `where` is one of them, a BOOLEAN.

    `limit` is how many values max_by() and min_by() give, if not one; `constants` are what else a
    call has: shares of all values, or what stands between texts; `descending` tells of the values
    that they are in descending order. These are not in the repr: the fingerprints of jobs without
    them stay what they were.
    """

    name: str
    function: str
    arguments: tuple[str, ...] = ()
    where: str | None = None
    distinct: bool = False
    limit: int | None = field(default=None, repr=False)
    constants: tuple[float | str, ...] = field(default=(), repr=False)
    descending: bool = field(default=False, repr=False)

    @property
    def is_at_end(self) -> bool:
        """Whether it asks for the first or the last of the values in order."""
        return self.limit is None and self.function.lower() in _AT_END


_AT_END = frozenset({"min", "max", "any_value", "min_by", "max_by"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """One row for each group of `input` as it stands now; it changes whenever its group does.

    Without keys everything is one group, which is there from the start.
    """

    input: Plan
    keys: tuple[str, ...]
    calls: tuple[Call, ...]


class Rule(Enum):
    """How often a row stands in a set operation, by how often it stands in each input."""

    DISTINCT = "distinct"
    INTERSECT = "intersect"
    INTERSECT_ALL = "intersect_all"
    EXCEPT = "except"
    EXCEPT_ALL = "except_all"
    MATCHED = "semi"
    UNMATCHED = "anti"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Rows of the first input, as often as `rule` says; columns by position.

    `shares` if the pairs that it counts are in the result as well.
    """

    inputs: tuple[Plan, ...]
    rule: Rule
    shares: bool = False
    span: Span = field(default=Span(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """A join of rows of `left` and `right`, as rows of either come and go; `kind` as of a join.

    `keys` are equal in the rows of a pair, and not NULL: SQL for the one side and for the other.
    """

    left: Plan
    right: Plan
    kind: str
    keys: tuple[tuple[str, str], ...]
    span: Span = field(default=Span(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SortKey:
    """A column to sort by."""

    column: str
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Top:
    """The first rows of each partition, as they stand now.

    Attributes:
        limit: how many; None: not known yet, a filter on `number` will say.
        kind: `row_number`, `rank` or `dense_rank`: what is counted.
        number: the column for the count, if it is asked for.
        hidden: columns of the input that are there to sort by only.
    """

    input: Plan
    partition: tuple[str, ...]
    order: tuple[SortKey, ...]
    limit: int | None
    offset: int = 0
    kind: str = "row_number"
    number: str | None = None
    hidden: tuple[str, ...] = ()
    span: Span = field(default=Span(0, 0), compare=False, repr=False)


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
class OverChanges:
    """Rows of `input` with window functions as further columns, as the rows come and go.

    Attributes:
        partition: columns of a partition; none: all rows are one.
        order: columns to sort by; rows that are equal in them stand by their other columns.
        columns: the functions; what is in their OVER is the frame alone.
    """

    input: Plan
    partition: tuple[str, ...]
    order: tuple[SortKey, ...]
    columns: tuple[OverColumn, ...]
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
    span: Span = field(default=Span(0, 0), compare=False, repr=False)


Plan: TypeAlias = (
    Scan
    | Changed
    | Watermarked
    | Late
    | Bad
    | StaticQuery
    | Named
    | Alias
    | Join
    | Filter
    | TemporalFilter
    | Project
    | UnionAll
    | Windows
    | Aggregate
    | Over
    | Filled
    | Totals
    | Counted
    | Paired
    | Top
    | OverChanges
    | Match
)


def children(node: Plan) -> tuple[Plan, ...]:
    """The inputs of a node, left to right."""
    match node:
        case Scan() | StaticQuery():
            return ()
        case (
            Named()
            | Alias()
            | Filter()
            | TemporalFilter()
            | Project()
            | Windows()
            | Aggregate()
            | Over()
            | Filled()
            | Totals()
            | Top()
            | OverChanges()
            | Match()
            | Watermarked()
            | Late()
            | Bad()
            | Changed()
        ):
            return (node.input,)
        case Join(left=left, right=right) | Paired(left=left, right=right):
            return (left, right)
        case UnionAll(inputs=inputs) | Counted(inputs=inputs):
            return inputs
        case _:
            assert_never(node)


def with_children(node: Plan, change: Callable[[Plan], Plan]) -> Plan:
    """A node with other inputs."""
    match node:
        case Scan() | StaticQuery():
            return node
        case Join(left=left, right=right) | Paired(left=left, right=right):
            return replace(node, left=change(left), right=change(right))
        case UnionAll(inputs=inputs) | Counted(inputs=inputs):
            return replace(node, inputs=tuple(change(each) for each in inputs))
        case Late(input=inner):
            changed = change(inner)
            if not isinstance(changed, Scan | Watermarked):
                raise InternalError("late rows of what has no watermark")
            return replace(node, input=changed)
        case Bad(input=inner) | Changed(input=inner):
            changed = change(inner)
            if not isinstance(changed, Scan):
                raise InternalError("records of what is no source")
            return replace(node, input=changed)
        case _:
            return replace(node, input=change(node.input))


def walk(node: Plan) -> Iterator[Plan]:
    """A node and all below it, inputs after a user of theirs; what several read comes once."""
    return _each_once(node, children)


_OWN_ROWS = (Aggregate, Over, Filled, Totals, Counted, Paired, Top, OverChanges, Match)


def held_by(node: Plan) -> Iterator[Plan]:
    """A node and those below it that hold rows of it; some nodes give rows of their own."""

    def held(each: Plan) -> tuple[Plan, ...]:
        return () if isinstance(each, _OWN_ROWS) else children(each)

    return _each_once(node, held)


def _each_once(node: Plan, below: Callable[[Plan], tuple[Plan, ...]]) -> Iterator[Plan]:
    seen: set[int] = set()
    stack = [node]
    while stack:
        each = stack.pop()
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            stack.extend(reversed(below(each)))


@remembered
def tree_size(node: Plan) -> int:
    """The number of nodes below a node and itself, each as often as it is read."""
    return 1 + sum(map(tree_size, children(node)))


@remembered
def has_updates(node: Plan) -> bool:
    """Whether rows of a node come and go by what others do, not by times of their own."""
    if isinstance(node, Changed | Totals | Counted | Paired | Top | OverChanges):
        return True
    own = Aggregate | Over | Filled | Match
    return not isinstance(node, own) and any(map(has_updates, children(node)))


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
        every: how far apart in time changes are told, each of them net of what is between.
        revised: when a row of it changes no more, of its last column, which is not for the sink;
            None: there is no such column.
    """

    sink: Sink
    plan: Plan
    in_order: bool = False
    changes: Span | None = field(default=None, compare=False, repr=False)
    why: str | None = field(default=None, compare=False, repr=False)
    beside: str | None = None
    every: timedelta | None = field(default=None, repr=False)
    revised: Lower | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A whole script: its declared sources, used or not, its outputs, and functions to create."""

    sources: tuple[Source, ...]
    outputs: tuple[Output, ...]
    functions: tuple[str, ...] = ()
