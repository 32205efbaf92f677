"""Where a value comes from: columns of sources, and how each takes part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, TypeAlias


class How(Enum):
    """How a column takes part, by the names that OpenLineage has; the first three give the value.

    The others decide whether there is a row, which one, or how rows are put together.
    """

    IDENTITY = "identity"
    TRANSFORMATION = "transformation"
    AGGREGATION = "aggregation"
    CONDITIONAL = "conditional"
    WINDOW = "window"
    FILTER = "filter"
    JOIN = "join"
    GROUP_BY = "group by"
    SORT = "sort"

    @property
    def is_direct(self) -> bool:
        """Whether the value is made of it."""
        return self in _DIRECT


_DIRECT = (How.IDENTITY, How.TRANSFORMATION, How.AGGREGATION)


class Origin(NamedTuple):
    """A column of a source or table, and how it takes part."""

    source: str
    column: str
    how: How


Origins: TypeAlias = frozenset[Origin]
NONE: Origins = frozenset()


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a column comes from; `fields` are the same of its parts, where it is a known struct."""

    origins: Origins = NONE
    fields: Mapping[str, Trace] = field(default_factory=dict)

    def used(self, how: How) -> Trace:
        """The trace of what is made of the column in this way."""
        return Trace(taken(self.origins, how), {k: v.used(how) for k, v in self.fields.items()})


def taken(origins: Origins, how: How) -> Origins:
    """Origins of what is made in some way of what has these origins.

    What only decides stays what it is; what a value is made of takes part in the more involved of
    the two ways, and if it now only decides, in that one.
    """
    return frozenset(Origin(each.source, each.column, _after(each.how, how)) for each in origins)


def _after(first: How, then: How) -> How:
    if not first.is_direct:
        return first
    if not then.is_direct:
        return then
    return max(first, then, key=_DIRECT.index)


def together(traces: Iterable[Trace]) -> Trace:
    """The trace of a column that comes from any of several."""
    origins: Origins = NONE
    fields: dict[str, Trace] = {}
    for each in traces:
        origins |= each.origins
        for name, part in each.fields.items():
            fields[name] = together([fields[name], part]) if name in fields else part
    return Trace(origins, fields)


def all_origins(traces: Iterable[Trace]) -> Origins:
    """The origins of several columns."""
    return frozenset().union(*(each.origins for each in traces))
