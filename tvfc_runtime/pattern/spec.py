"""What a job says of a MATCH_RECOGNIZE, as data: its pattern, its conditions, its measures.

A pattern is a name of a row variable, or one of the classes below, with patterns inside.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True)
class Sequence:
    """Patterns one after the other."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True)
class Choice:
    """The first of several patterns that leads to a match."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True)
class Repeat:
    """A pattern `least` to `most` times (None: any number), more rather than fewer if `greedy`.

    Of those beyond `least`, one that takes no row is none.
    """

    part: Pattern
    least: int
    most: int | None = None
    greedy: bool = True


@dataclass(frozen=True)
class Excluded:
    """A pattern whose rows are left out of ALL ROWS PER MATCH."""

    part: Pattern


Pattern: TypeAlias = str | Sequence | Choice | Repeat | Excluded


@dataclass(frozen=True)
class Pick:
    """The value that a column has in one row.

    Attributes:
        column: its name.
        of: the variables among whose rows that is; None: all rows of the match.
        first: whether it is counted from the first of them, not from the last.
        offset: how many of them lie between.
        shift: how many rows of the partition further on, or back if negative.
        final: whether the last row is that of the whole match, not the current one.
    """

    column: str
    of: tuple[str, ...] | None = None
    first: bool = False
    offset: int = 0
    shift: int = 0
    final: bool = False


@dataclass(frozen=True)
class Fold:
    """An aggregate, `count`, `sum`, `avg`, `min` or `max`, of a column; None: of rows."""

    function: str
    column: str | None = None
    of: tuple[str, ...] | None = None
    final: bool = False


@dataclass(frozen=True)
class Apply:
    """An operator of SQL with its operands; `case` has conditions and values by turns."""

    operator: str
    operands: tuple[Expression, ...]


Expression: TypeAlias = Pick | Fold | Apply


@dataclass(frozen=True)
class MatchNumber:
    """The number of the match in its partition, from 1."""


@dataclass(frozen=True)
class Classifier:
    """The variable of the current row."""


Measure: TypeAlias = Pick | Fold | MatchNumber | Classifier


@dataclass(frozen=True, kw_only=True)
class Matching:
    """A MATCH_RECOGNIZE.

    Attributes:
        partition: keys, Spark SQL.
        order: sort keys, Spark SQL, with DESC and NULLS as in ORDER BY; the first is the time.
        pattern: what the rows of a match are.
        define: what holds for the rows of a variable; a variable without takes any row.
        measures: what is computed of a match, by the names of the columns.
        output: the columns of the rows that are handed on.
        all_rows: whether a match gives its rows, not one row.
        skip: where the next match may begin: `past last`, `to next`, `first` or `last`.
        skip_to: the variables of `first` and `last`.
        omit_empty: whether a match without rows gives nothing.
        within_us: less than so many microseconds lie between the rows of a match.
    """

    partition: tuple[str, ...] = ()
    order: tuple[str, ...]
    pattern: Pattern
    define: dict[str, Expression] = field(default_factory=dict)
    measures: dict[str, Measure] = field(default_factory=dict)
    output: tuple[str, ...] = ()
    all_rows: bool = False
    skip: str = "past last"
    skip_to: tuple[str, ...] = ()
    omit_empty: bool = False
    within_us: int | None = None

    @property
    def before(self) -> int:
        """How many rows before a match are looked at."""
        places = (*self.define.values(), *self.measures.values())
        shifts = [each.shift for place in places for each in picks_of(place)]
        is_numbered = any(isinstance(each, MatchNumber) for each in self.measures.values())
        return max(0, int(is_numbered), *(-shift for shift in shifts))


def picks_of(expression: Expression | Measure) -> list[Pick]:
    """The values of single rows that an expression reads."""
    found: list[Pick] = []
    stack = [expression]
    while stack:
        each = stack.pop()
        if isinstance(each, Pick):
            found.append(each)
        elif isinstance(each, Apply):
            stack.extend(each.operands)
    return found


def folds_of(expression: Expression | Measure) -> list[Fold]:
    """The aggregates that an expression reads."""
    found: list[Fold] = []
    stack = [expression]
    while stack:
        each = stack.pop()
        if isinstance(each, Fold):
            found.append(each)
        elif isinstance(each, Apply):
            stack.extend(each.operands)
    return found
