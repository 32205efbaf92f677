"""Row patterns and what is computed of their matches, as data; and what follows from a pattern."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from compiler.sql.names import is_ours


@dataclass(frozen=True, slots=True)
class Sequence:
    """Patterns one after the other; none: no row."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several patterns, those before preferred."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A pattern `least` to `most` times; `most` is None: any number."""

    part: Pattern
    least: int
    most: int | None
    greedy: bool


@dataclass(frozen=True, slots=True)
class Excluded:
    """A pattern whose rows are left out of ALL ROWS PER MATCH."""

    part: Pattern


Pattern: TypeAlias = str | Sequence | Choice | Repeat | Excluded
"""A string is a variable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """The value of a column in one row of a match, or near it.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """An aggregate of a column; None: of rows. The rest as of a Pick."""

    function: str
    column: str | None
    of: tuple[str, ...] | None = None
    final: bool = False


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator with its operands; `case` has conditions and values by turns."""

    operator: str
    operands: tuple[Term, ...]


Term: TypeAlias = Pick | Fold | Apply


@dataclass(frozen=True, slots=True)
class MatchNumber:
    """MATCH_NUMBER()."""


@dataclass(frozen=True, slots=True)
class Classifier:
    """CLASSIFIER()."""


Measured: TypeAlias = Pick | Fold | MatchNumber | Classifier


def variables_of(pattern: Pattern) -> tuple[str, ...]:
    """The variables of a pattern, in order of their first places."""
    return tuple(dict.fromkeys(_variables(pattern)))


def _variables(pattern: Pattern) -> Iterator[str]:
    match pattern:
        case str():
            yield pattern
        case Sequence(parts=parts) | Choice(parts=parts):
            for part in parts:
                yield from _variables(part)
        case Repeat(part=part) | Excluded(part=part):
            yield from _variables(part)


def size_of(pattern: Pattern) -> int:
    """How many places for variables a pattern has once its counted parts are written out."""
    match pattern:
        case str():
            return 1
        case Sequence(parts=parts) | Choice(parts=parts):
            return 1 + sum(map(size_of, parts))
        case Repeat(part=part, least=least, most=most):
            return size_of(part) * max(least + 1 if most is None else most, 1)
        case Excluded(part=part):
            return size_of(part)


def most_rows(pattern: Pattern) -> int | None:
    """How many rows a match has at most; None: any number."""
    match pattern:
        case str():
            return 1
        case Sequence(parts=parts):
            counts = [most_rows(part) for part in parts]
            return None if None in counts else sum(filter(None, counts))
        case Choice(parts=parts):
            counts = [most_rows(part) for part in parts]
            return None if None in counts else max(filter(None, counts), default=0)
        case Repeat(part=part, most=most):
            count = most_rows(part)
            if count is None or most is None:
                return 0 if count == 0 else None
            return count * most
        case Excluded(part=part):
            return most_rows(part)


class Shape(NamedTuple):
    """Of a match: whether it has rows, and whether the first or a later one is of some variables.

    That is all that must be known of the parts of a pattern to know it of the whole.
    """

    has_rows: bool = False
    first: bool = False
    later: bool = False

    def then(self, other: Shape) -> Shape:
        """The shape of both, one after the other."""
        if not (self.has_rows and other.has_rows):
            return other if other.has_rows else self
        return Shape(True, self.first, self.later or other.first or other.later)  # noqa: FBT003


def shapes_of(pattern: Pattern, names: frozenset[str]) -> frozenset[Shape]:
    """All shapes of matches, with regard to some variables."""
    match pattern:
        case str():
            return frozenset({Shape(has_rows=True, first=pattern in names)})
        case Sequence(parts=parts):
            found = frozenset({Shape()})
            for part in parts:
                found = _one_after_the_other(found, shapes_of(part, names))
            return found
        case Choice(parts=parts):
            return frozenset().union(*(shapes_of(part, names) for part in parts))
        case Repeat(part=part, least=least, most=most):
            return _repeated(shapes_of(part, names), least, most)
        case Excluded(part=part):
            return shapes_of(part, names)


def _one_after_the_other(ones: frozenset[Shape], others: frozenset[Shape]) -> frozenset[Shape]:
    return frozenset(one.then(other) for one in ones for other in others)


_ROUNDS = 8
"""After so many rounds of the same no new shape comes: there are five."""


def _repeated(part: frozenset[Shape], least: int, most: int | None) -> frozenset[Shape]:
    found = frozenset({Shape()})
    for _ in range(min(least, _ROUNDS)):
        found = _one_after_the_other(found, part)
    more = _ROUNDS if most is None else min(most - least, _ROUNDS)
    all_of_them = found
    for _ in range(more):
        found = _one_after_the_other(found, part)
        all_of_them |= found
    return all_of_them


def shown(pattern: Pattern) -> str:
    """A pattern as SQL."""
    match pattern:
        case str():
            return pattern
        case Sequence(parts=parts):
            return " ".join(_inside(part) for part in parts) or "()"
        case Choice(parts=parts):
            return " | ".join(map(shown, parts))
        case Excluded(part=part):
            return f"{{- {shown(part)} -}}"
        case Repeat(part=part, least=least, most=most, greedy=greedy):
            times = _TIMES.get((least, most)) or _counted(least, most)
            inner = f"({shown(part)})" if isinstance(part, Sequence | Repeat) else _inside(part)
            return f"{inner}{times}{'' if greedy else '?'}"


_TIMES = {(0, None): "*", (1, None): "+", (0, 1): "?"}


def _counted(least: int, most: int | None) -> str:
    if least == most:
        return f"{{{least}}}"
    return f"{{{least},{'' if most is None else most}}}"


def _inside(pattern: Pattern) -> str:
    return f"({shown(pattern)})" if isinstance(pattern, Choice) else shown(pattern)


def term_text(term: Apply | Measured) -> str:
    """A term as SQL would have it."""
    match term:
        case Pick():
            return _pick(term)
        case Fold(function=function, column=column, of=of):
            return f"{function}({_of(of, column or '*')})"
        case MatchNumber():
            return "match_number()"
        case Classifier():
            return "classifier()"
        case Apply(operator=operator, operands=operands):
            texts = [term_text(each) for each in operands]
            if operator.isalpha() and operator not in ("and", "or"):
                return f"{operator}({', '.join(texts)})"
            if len(texts) == 1:
                return f"{operator}({texts[0]})"
            return f"({f' {operator} '.join(texts)})"


def _pick(pick: Pick) -> str:
    text = _of(pick.of, pick.column)
    if pick.first or pick.offset:
        offset = f", {pick.offset}" if pick.offset else ""
        text = f"{'first' if pick.first else 'last'}({text}{offset})"
    if not pick.shift:
        return text
    word, count = ("prev", -pick.shift) if pick.shift < 0 else ("next", pick.shift)
    return f"{word}({text}{f', {count}' if count > 1 else ''})"


def _of(of: tuple[str, ...] | None, column: str) -> str:
    """A column of the rows of some variables; one that has a name of ours is an expression."""
    if of is None:
        return column
    names = of[0] if len(of) == 1 else f"({', '.join(of)})"
    return f"{column} of {names}" if is_ours(column) else f"{names}.{column}"
