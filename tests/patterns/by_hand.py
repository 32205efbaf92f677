"""Matches of row patterns as SQL defines them: all ways in order of preference, the first one.

Written without a look at the runtime, which has to find the same: every way is enumerated, over all
rows at once. For a few rows only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from tvfc_runtime.pattern import spec

Way = tuple[tuple[str, bool], ...]
"""Of the rows from the start on: the variable, and whether it is excluded."""

Condition = Callable[[Sequence["Row"], int, list[str]], bool]
"""Whether the last of the variables may stand for its row, given rows and the start."""

MOST_WAYS = 20_000


@dataclass(frozen=True)
class Row:
    """A row of a partition; no value makes no condition true."""

    time: int
    value: int | None


class TooManyError(Exception):
    """Too many ways for an enumeration."""


@dataclass
class Enumeration:
    """The ways of a pattern over the rows of a partition."""

    rows: Sequence[Row]
    conditions: dict[str, Condition]
    within: int | None
    seen: int = field(default=0)

    def first(self, pattern: spec.Pattern, start: int) -> Way | None:
        """The most preferred way from a row."""
        return next(self.ways(pattern, start, (), excluded=False), None)

    def ways(  # noqa: C901  a line or two for each kind
        self, pattern: spec.Pattern, start: int, way: Way, *, excluded: bool
    ) -> Iterator[Way]:
        """The longer ways that a pattern makes of one, those preferred first."""
        self.seen += 1
        if self.seen > MOST_WAYS:
            raise TooManyError
        match pattern:
            case str():
                place = start + len(way)
                if place >= len(self.rows) or not self._is_within(start, place):
                    return
                longer = (*way, (pattern, excluded))
                condition = self.conditions.get(pattern)
                names = [name for name, _ in longer]
                if condition is None or condition(self.rows, start, names):
                    yield longer
            case spec.Excluded(part=part):
                yield from self.ways(part, start, way, excluded=True)
            case spec.Choice(parts=parts):
                for part in parts:
                    yield from self.ways(part, start, way, excluded=excluded)
            case spec.Sequence(parts=()):
                yield way
            case spec.Sequence(parts=parts):
                first, *others = parts
                rest = spec.Sequence(tuple(others))
                for begun in self.ways(first, start, way, excluded=excluded):
                    yield from self.ways(rest, start, begun, excluded=excluded)
            case spec.Repeat():
                yield from self._rounds(pattern, start, way, 0, excluded=excluded)

    def _rounds(
        self, repeat: spec.Repeat, start: int, way: Way, done: int, *, excluded: bool
    ) -> Iterator[Way]:
        if done >= repeat.least and not repeat.greedy:
            yield way
        if repeat.most is None or done < repeat.most:
            for longer in self.ways(repeat.part, start, way, excluded=excluded):
                if done < repeat.least or len(longer) > len(way):
                    yield from self._rounds(repeat, start, longer, done + 1, excluded=excluded)
        if done >= repeat.least and repeat.greedy:
            yield way

    def _is_within(self, start: int, place: int) -> bool:
        return self.within is None or self.rows[place].time - self.rows[start].time < self.within


def matches(
    pattern: spec.Pattern, found: Enumeration, skip: str, skip_to: tuple[str, ...] = ()
) -> list[tuple[int, Way]]:
    """All matches: the first row of each, and what its rows are."""
    start, all_of_them = 0, []
    while start < len(found.rows):
        way = found.first(pattern, start)
        if way is None:
            start += 1
            continue
        all_of_them.append((start, way))
        places = [n for n, (name, _) in enumerate(way) if name in skip_to]
        if not way or skip == "to next":
            start += 1
        elif skip == "past last":
            start += len(way)
        else:
            start += places[0] if skip == "first" else places[-1]
    return all_of_them
