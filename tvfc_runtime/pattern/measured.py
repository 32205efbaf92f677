"""What a match gives: for each row that leaves, its place, and the measures beside it.

A measure that is the value of a row, or a least or greatest one, is the place of that row: its
value is taken from the column as it is, whatever its type.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql.types import DataType, LongType, StringType

from tvfc_runtime.pattern.folds import Folded, folded
from tvfc_runtime.pattern.path import UnknownRowError
from tvfc_runtime.pattern.search import Partition, Taken
from tvfc_runtime.pattern.spec import Classifier, Fold, Matching, MatchNumber, Measure, Pick

Places = Sequence[int]


def place_in(measure: Measure) -> str | None:
    """The column of which a measure is a value as it stands in a row; None: it is computed."""
    if isinstance(measure, Fold):
        return measure.column if measure.function in ("min", "max") else None
    return measure.column if isinstance(measure, Pick) else None


def type_of(measure: Measure, types: dict[str, DataType]) -> DataType:
    """The type of a measure.

    Raises:
        NotComputedError: there is no such aggregate of such values.
    """
    match measure:
        case Pick(column=column):
            return types[column]
        case Fold(function=function, column=column):
            kind = types[column] if column is not None else None
            found = folded(function, kind).type
            return found if found is not None else types[str(column)]
        case MatchNumber():
            return LongType()
        case Classifier():
            return StringType()


@dataclass(slots=True)
class Given:
    """The rows that leave, column by column: places, and for each measure values or places."""

    places: list[int] = field(default_factory=list)
    measures: list[list[Any]] = field(default_factory=list)


@dataclass(slots=True)
class _Match:
    """A match whose measures are computed; `states` are those of aggregates, row by row."""

    rows: Partition
    base: int
    start: int
    taken: Taken
    number: int
    sets: dict[tuple[str, ...] | None, Places] = field(default_factory=dict)
    states: dict[Fold, list[Any]] = field(default_factory=dict)

    @property
    def last(self) -> int:
        """Its last row; the one before its start if it has none."""
        return self.start + len(self.taken.variables) - 1

    def places(self, of: tuple[str, ...] | None) -> Places:
        """Its rows of some variables, in order."""
        if of is None:
            return range(self.start, self.last + 1)
        if of not in self.sets:
            self.sets[of] = [
                self.start + n for n, name in enumerate(self.taken.variables) if name in of
            ]
        return self.sets[of]


class Measured:
    """Computes what matches give.

    Args:
        matching: the measures, and which rows leave.
        types: those of the columns that they read.

    Raises:
        NotComputedError: there is no such aggregate of such values.
    """

    def __init__(self, matching: Matching, types: dict[str, DataType]) -> None:
        self._all_rows, self._omit_empty = matching.all_rows, matching.omit_empty
        self._measures = tuple(matching.measures.values())
        self._folds: dict[Fold, Folded] = {
            each: folded(each.function, None if each.column is None else types[each.column])
            for each in self._measures
            if isinstance(each, Fold)
        }

    def nothing(self) -> Given:
        """No rows yet."""
        return Given(measures=[[] for _ in self._measures])

    def add(
        self, given: Given, rows: Partition, base: int, start: int, taken: Taken, number: int
    ) -> None:
        """Add what a match gives.

        Args:
            given: takes it.
            rows: the partition.
            base: where that begins among all rows.
            start: the first row of the match, in the partition.
            taken: its rows.
            number: the number of the match.

        Raises:
            UnknownRowError: a measure is of a row that has not come; nothing has been added.
        """
        match = _Match(rows, base, start, taken, number)
        leaving = self._leaving(match)
        found = [[self._value(each, match, at) for each in self._measures] for at in leaving]
        given.places += [base + (start if at is None else at) for at in leaving]
        for values, column in zip(zip(*found, strict=True), given.measures, strict=False):
            column += values

    def _leaving(self, match: _Match) -> list[int | None]:
        """The rows of a match that leave; None: the one that stands for a match without rows."""
        if not match.taken.variables:
            return [] if self._omit_empty else [None]
        if not self._all_rows:
            return [match.last]
        excluded = match.taken.excluded
        return [match.start + n for n, is_out in enumerate(excluded) if not is_out]

    def _value(self, measure: Measure, match: _Match, at: int | None) -> Any:
        match measure:
            case MatchNumber():
                return match.number
            case Classifier():
                return None if at is None else match.taken.variables[at - match.start]
            case Pick():
                last = match.last if measure.final or at is None else at
                place = _picked(measure, match, last)
                return None if place is None else match.base + place
            case Fold():
                last = match.last if measure.final or at is None else at
                return self._folded(measure, match, last)

    def _folded(self, fold: Fold, match: _Match, last: int) -> Any:
        places = match.places(fold.of)
        if fold not in match.states:
            match.states[fold] = self._states(fold, places, match)
        state = match.states[fold][bisect_right(places, last)]
        if place_in(fold):
            return None if state is None else match.base + state[1]
        return self._folds[fold].end(state)

    def _states(self, fold: Fold, places: Places, match: _Match) -> list[Any]:
        """The states of an aggregate before the first row, and after each; see folds.py."""
        functions = self._folds[fold]
        values = match.rows.columns[fold.column] if fold.column is not None else None
        is_place = place_in(fold) is not None
        step = _with_place(functions.step) if is_place else functions.step
        states = [functions.begin]
        for place in places:
            value = values[place] if values is not None else None
            states.append(step(states[-1], (value, place) if is_place else value))
        return states


def _picked(pick: Pick, match: _Match, last: int) -> int | None:
    """The row that a value is of, of the match up to a row; None: there is none."""
    places = match.places(pick.of)
    count = bisect_right(places, last)
    number = pick.offset if pick.first else count - 1 - pick.offset
    if not 0 <= number < count:
        return None
    place = places[number] + pick.shift
    if place >= match.rows.count:
        if match.rows.ended:
            return None
        raise UnknownRowError
    return place if place >= 0 else None


def _with_place(step: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The step of min() or max() that keeps the row of the value."""

    def with_place(best: Any, given: tuple[Any, int]) -> Any:
        value, _ = given
        if value is None:
            return best
        if best is None:
            return given
        return given if step(best[0], value) is not best[0] else best

    return with_place
