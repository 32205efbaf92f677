"""When a condition on the clock is true for a row: branches, each an interval of clock values."""

from __future__ import annotations

from dataclasses import dataclass, field

from compiler.source import Span
from compiler.sql.exprs import Binding


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

    `is_timestamp` tells that its type is known to be TIMESTAMP, not merely one that can be cast;
    `about` is its magnitude, if it can get out of the range of TIMESTAMP by what it adds.
    """

    bound: str
    strict: bool
    is_timestamp: bool = False
    about: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upper:
    """`clock < bound`, or `clock <= bound` if not `strict`."""

    bound: str
    strict: bool
    is_timestamp: bool = False
    about: str | None = field(default=None, repr=False)
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
