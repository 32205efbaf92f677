"""A batch of a result as upserts and deletes by key."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tvfc_runtime.sinks.errors import SinkError

Row: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What a batch does to a table with a key.

    Attributes:
        upserts: rows by key that are to be there, in place of what had their key.
        new: the keys of those that nobody may have yet; None: nobody knows, the last row wins.
        deletes: keys whose row goes.
    """

    upserts: dict[Row, Row]
    new: frozenset[Row] | None
    deletes: frozenset[Row]


def grown(rows: Iterable[Row], key: Sequence[int]) -> Changes:
    """Rows of a result that only grows: the last row of a key takes the place of those before."""
    upserts = {tuple(row[place] for place in key): row for row in rows}
    return Changes(upserts=upserts, new=None, deletes=frozenset())


def changed(
    updates: Iterable[tuple[Row, int]], key: Sequence[int], names: Sequence[str]
) -> Changes:
    """Updates of a result that changes, (row, +1 or -1) in any order, net of what cancels.

    Raises:
        SinkError: a key would have two rows.
    """
    net: Counter[Row] = Counter()
    for row, diff in updates:
        net[row] += diff
    rows: defaultdict[Row, list[Row]] = defaultdict(list)
    gone: set[Row] = set()
    for row, number in net.items():
        own = tuple(row[place] for place in key)
        rows[own] += [row] * number
        if number < 0:
            gone.add(own)
    for own, found in rows.items():
        if len(found) > 1:
            raise two_rows(own, names)
    upserts = {own: found[0] for own, found in rows.items() if found}
    return Changes(
        upserts=upserts,
        new=frozenset(upserts.keys() - gone),
        deletes=frozenset(gone - upserts.keys()),
    )


def two_rows(key: Row, names: Sequence[str]) -> SinkError:
    """The error of a key that two rows have."""
    shown = ", ".join(f"{name} = {value!r}" for name, value in zip(names, key, strict=True))
    return SinkError(
        f"TVF706: two rows of the result have the key {shown}; a key names one row: add the "
        "columns that tell them apart, and begin with a new table and checkpoint"
    )
