"""Row by row: names, joins by Spark, conditions, SELECT lists, unions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from compiler.diagnostics import InternalError
from compiler.plan.conditions.branches import Branch, Lower
from compiler.plan.conditions.predicates import Predicate
from compiler.source import Span
from compiler.sql.exprs import Expr

if TYPE_CHECKING:
    from compiler.plan.nodes.tree import Plan


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
    """Rows of `input`, at the clock values at which `predicate` is true: those of `branches`.

    With `closes`, no condition of the query: rows wait until no others come before them.
    """

    input: Plan
    predicate: Predicate
    branches: tuple[Branch, ...]
    closes: bool = field(default=False, compare=False, repr=False)
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
