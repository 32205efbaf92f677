"""The rows that a match has so far, as conditions see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tvfc_runtime.pattern.spec import Fold


class UnknownRowError(Exception):
    """A row that is looked at and has not come yet."""


@dataclass(slots=True)
class Path:
    """Rows of a partition, and which of them a match has so far.

    Attributes:
        columns: the values of the rows by column.
        count: how many rows there are.
        ended: whether no more will come.
        start: the first row of the match.
        position: its last one.
        places: the rows of some variables, by their names, in order.
        states: of aggregates, after each of the rows that they are of.
    """

    columns: Mapping[str, list[Any]]
    count: int
    ended: bool = False
    start: int = 0
    position: int = 0
    places: dict[tuple[str, ...], list[int]] = field(default_factory=dict)
    states: dict[Fold, list[Any]] = field(default_factory=dict)


Value = Callable[[Path], Any]
