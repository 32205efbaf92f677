"""Whether a match begins at a row: the most preferred one, as far as the rows at hand can tell.

A way that needs a row beyond the last one is not known to fail before that row has come; then
nothing that is preferred less is taken. So what is found is what would be found with all rows that
ever come, however they were cut into batches.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from pyspark.sql.types import DataType

from tvfc_runtime.clock.of_batch import END_OF_TIME_MS
from tvfc_runtime.pattern.folds import Folded, folded
from tvfc_runtime.pattern.path import Path, UnknownRowError, Value
from tvfc_runtime.pattern.program import Op, Program, compiled
from tvfc_runtime.pattern.spec import Fold, Matching, folds_of, picks_of
from tvfc_runtime.pattern.values import Reads, condition_of, reads_of

STEPS, STEPS_A_ROW = 10_000_000, 10_000
"""How many instructions the rows of one partition may take in a batch."""


class TooManyStepsError(Exception):
    """A pattern that has too many ways over the rows of a partition."""


class Outcome(Enum):
    """What is known of a row at which no match was found."""

    NONE = "none"
    """No match begins there."""
    OPEN = "open"
    """Rows that may come decide."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The rows of a match: of each its variable, and whether it is left out of ALL ROWS."""

    variables: tuple[str, ...]
    excluded: tuple[bool, ...]


@dataclass(slots=True)
class Partition:
    """The rows of a partition that are at hand, in order.

    Attributes:
        columns: their values by column.
        times: in microseconds since the epoch.
        ends: when no row can come any more that is of a match which begins with a row.
        count: how many there are.
        now: the clock.
    """

    columns: dict[str, list[Any]]
    times: list[int]
    ends: list[int]
    count: int
    now: int

    @property
    def ended(self) -> bool:
        """Whether the clock is at the end of time, so that no more rows will come."""
        return self.now >= END_OF_TIME_MS


class Search:
    """What the matches of a MATCH_RECOGNIZE are looked for with, made ready once.

    Attributes:
        program: the pattern.
        within: less than so many microseconds lie between the rows of a match; None: any number.
        conditions: of each variable; None: it takes any row.
        remembers: whether a way that has failed need not be gone again from the same row.
        keeps_failures: whether it fails for matches that begin later, too.
        folds: the aggregates that conditions read.
        sets: of each variable, the sets of variables with it whose rows are looked for.
        folded: of each variable, the aggregates that its rows are of.

    Args:
        matching: what is looked for.
        types: those of the columns that conditions read.

    Raises:
        NotComputedError: a condition is not computed.
    """

    def __init__(self, matching: Matching, types: dict[str, DataType]) -> None:
        self.program: Program = compiled(matching.pattern)
        self.within = matching.within_us
        names = self.program.variables
        self.conditions: list[Value | None] = [
            condition_of(matching.define[name], types) if name in matching.define else None
            for name in names
        ]
        defined = [matching.define[name] for name in names if name in matching.define]
        reads = max((reads_of(each) for each in defined), default=Reads.ROW)
        self.remembers = reads is not Reads.PATH
        self.keeps_failures = reads is Reads.ROW and self.within is None
        self.folds: dict[Fold, Folded] = {
            fold: folded(fold.function, None if fold.column is None else types[fold.column])
            for each in defined
            for fold in folds_of(each)
        }
        sets = {each.of for one in defined for each in picks_of(one) if each.of is not None}
        self.sets = [tuple(each for each in sets if name in each) for name in names]
        self.all_sets = sets
        self.folded = [
            tuple(
                (fold, self.folds[fold])
                for fold in self.folds
                if fold.of is None or name in fold.of
            )
            for name in names
        ]

    def begin(self, rows: Partition) -> Attempts:
        """Attempts to find matches in a partition."""
        return Attempts(self, rows)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of the pattern."""
        return self.program.variables


class Attempts:
    """Attempts at the rows of one partition, in order."""

    def __init__(self, search: Search, rows: Partition) -> None:
        self._search = search
        self._rows = rows
        self._left = STEPS + STEPS_A_ROW * rows.count
        self._failed: set[int] = set()
        self._path = Path(rows.columns, rows.count, rows.ended)

    def at(self, start: int) -> Taken | Outcome:
        """The match that begins at a row, or why there is none.

        Raises:
            TooManyStepsError: the pattern has too many ways.
        """
        search = self._search
        if not search.keeps_failures:
            self._failed.clear()
        path = self._path
        path.start = start
        path.places = {each: [] for each in search.all_sets}
        path.states = {fold: [each.begin] for fold, each in search.folds.items()}
        labels: list[int] = []
        try:
            found = self._run(start, labels)
        except UnknownRowError:
            return Outcome.OPEN
        if found is None:
            return Outcome.NONE
        self._failed.clear()
        names = search.variables
        return Taken(
            tuple(names[each >> 1] for each in found), tuple(bool(each & 1) for each in found)
        )

    def _run(self, start: int, labels: list[int]) -> list[int] | None:  # noqa: C901  the one loop
        search, rows = self._search, self._rows
        code, conditions = search.program.code, search.conditions
        remembers, failed, width = search.remembers, self._failed, len(code)
        last = self._last(start)
        ways = [(search.program.begin, 0)]
        while ways:
            place, taken = ways.pop()
            self._go_back(labels, taken)
            while True:
                self._count_step()
                position = start + len(labels)
                if remembers:
                    state = position * width + place
                    if state in failed:
                        break
                    failed.add(state)
                instruction = code[place]
                op = instruction.op
                if op is Op.SPLIT:
                    ways.append((instruction.second, len(labels)))
                    place = instruction.first
                elif op is Op.TAKE:
                    if position >= last:
                        if position >= rows.count and rows.now < rows.ends[start]:
                            raise UnknownRowError
                        break
                    self._take(labels, instruction.variable, excluded=instruction.excluded)
                    condition = conditions[instruction.variable]
                    if condition is not None and condition(self._path) is not True:
                        break
                    place = instruction.first
                elif op is Op.ACCEPT:
                    return labels
                else:
                    break
        return None

    def _last(self, start: int) -> int:
        """The first row that is no more of a match which begins with one."""
        within, times = self._search.within, self._rows.times
        if within is None or times[-1] - times[start] < within:
            return self._rows.count
        end = times[start] + within
        low, high = start, self._rows.count
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if times[middle] < end else (low, middle)
        return low

    def _count_step(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooManyStepsError

    def _take(self, labels: list[int], variable: int, *, excluded: bool) -> None:
        path = self._path
        path.position = path.start + len(labels)
        labels.append(variable * 2 + excluded)
        for each in self._search.sets[variable]:
            path.places[each].append(path.position)
        for fold, functions in self._search.folded[variable]:
            value = None if fold.column is None else path.columns[fold.column][path.position]
            states = path.states[fold]
            states.append(functions.step(states[-1], value))

    def _go_back(self, labels: list[int], taken: int) -> None:
        path = self._path
        while len(labels) > taken:
            variable = labels.pop() >> 1
            for each in self._search.sets[variable]:
                path.places[each].pop()
            for fold, _ in self._search.folded[variable]:
                path.states[fold].pop()
