"""What stands as its rows come and go: groups, set operations, joins, first rows, OVER."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from compiler.plan.nodes.final import OverColumn
from compiler.source import Span

if TYPE_CHECKING:
    from compiler.plan.nodes.tree import Plan


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
