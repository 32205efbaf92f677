"""The first rows of a group as its rows come and go one after another.

What decides is the order of rows alone, so that they are numbers here: their places in that order.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from tvfc_runtime.changing.heads import NO_END, Numbering

Wanted = dict[tuple[int, int], int]
"""How often a row is wanted, by its place and its number, 0 if it is not asked for."""


class Change(NamedTuple):
    """A row, by its place, is there so much more often from a clock value on."""

    at: int
    place: int
    diff: int


class Told(NamedTuple):
    """A row with its number is so much more often in the result from a clock value on."""

    at: int
    place: int
    number: int
    diff: int


class Group:
    """The rows of a group that may be wanted.

    Args:
        numbering: which rows are wanted.
        counts: how often each row is there, by its place.
        peers: by place, a number that is the same for rows that are equal in the order.
    """

    def __init__(self, numbering: Numbering, counts: dict[int, int], peers: list[int]) -> None:
        self._numbering = numbering
        self._end = NO_END if numbering.limit is None else numbering.offset + numbering.limit
        self._peers = peers
        self._counts = {place: count for place, count in counts.items() if count > 0}
        self._places = sorted(self._counts)
        self._last = -1
        self._head = self._wanted()

    def follow(self, changes: Iterable[Change]) -> Iterator[Told]:
        """What changes in the result; changes are in order of time."""
        for at, some in groupby(changes, key=itemgetter(0)):
            if self._change([each for each in some if each.diff]):
                before, self._head = self._head, self._wanted()
                for place, number in before.keys() | self._head.keys():
                    key = place, number
                    diff = self._head.get(key, 0) - before.get(key, 0)
                    if diff:
                        yield Told(at, place, number, diff)

    def _change(self, changes: list[Change]) -> bool:
        """Change counts; tells whether that may concern a wanted row."""
        for each in changes:
            before = self._counts.get(each.place, 0)
            after = before + each.diff
            self._counts[each.place] = after
            if before <= 0 < after:
                insort(self._places, each.place)
            elif after <= 0 < before:
                del self._places[bisect_left(self._places, each.place)]
        return any(each.place <= self._last for each in changes)

    def _wanted(self) -> Wanted:
        """The wanted rows. What comes behind the last place that is looked at is not."""
        by_place = self._numbering.kind == "row_number"
        found: Wanted = {}
        before = rank = dense = 0
        peer = None
        self._last = len(self._peers)
        for place in self._places:
            count = self._counts[place]
            if by_place:
                found.update(self._by_place(place, before, count))
            else:
                if self._peers[place] != peer:
                    peer, rank, dense = self._peers[place], before + 1, dense + 1
                number = rank if self._numbering.kind == "rank" else dense
                if number > self._end:
                    self._last = place
                    break
                if number > self._numbering.offset:
                    found[place, number if self._numbering.numbered else 0] = count
            before += count
            if by_place and before >= self._end:
                self._last = place
                break
        return found

    def _by_place(self, place: int, before: int, count: int) -> Wanted:
        low = max(before, self._numbering.offset)
        high = min(before + count, self._end)
        if self._numbering.numbered:
            return {(place, number): 1 for number in range(low + 1, high + 1)}
        return {(place, 0): high - low} if high > low else {}
