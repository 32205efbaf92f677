"""Which node of the graph holds the rows that an operator of the counters holds.

Counters know operators by a number, the plan by what they do. An operator is put to a node only
where no other one can be meant: by its kind, by the output for which it was built, and by the
columns that it holds. Where that leaves several, it is put to none, and stands in the list alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from tvfc_runtime.counters.holdings import Holding
from tvfc_runtime.counters.progress import SPARK
from tvfc_runtime.page.graph import Part, inputs_of

OPERATORS: Mapping[str, tuple[str, ...]] = {
    "over": ("window functions",),
    "match": ("row pattern",),
    "fill": ("fill",),
    "panes": ("panes of hop windows", "panes of cumulate windows"),
    "sessions": ("sessions",),
    "totals": ("totals",),
    "multiplicity": ("multiplicity", "rows without partner"),
    "join": ("join of changing rows",),
    "first rows": ("first rows",),
    "partitions": ("window functions of changing rows",),
}
"""By kind of holding, what the description calls it."""

OPERATORS_OF_SPARK: Mapping[str, tuple[str, ...]] = {
    "join": ("join",),
    "groups": ("groups",),
    "sessions": ("sessions", "session windows"),
}
"""The same of Spark's operators, as tvfc_runtime/counters/progress.py names them."""

BY_DUE = ("delay", "temporal")
"""What holds the rows of a part that says when they are due."""


def holders(
    parts: Sequence[Part], held: Sequence[Holding], names: Collection[str]
) -> dict[str, int]:
    """By operator, the place of the part that holds its rows; without those that are in doubt.

    Args:
        parts: the description of the query's state.
        held: what operators of the runtime hold.
        names: of all operators that hold rows.
    """
    known = {each.operator: each for each in held}
    found = {
        name: _candidates(parts, known[name]) if name in known else _of_spark(parts, name, names)
        for name in names
    }
    return {name: places[0] for name, places in found.items() if len(places) == 1}


def _candidates(parts: Sequence[Part], holding: Holding) -> list[int]:
    """The places that an operator of the runtime may mean."""
    below = _below(parts, holding.output)
    if holding.kind in BY_DUE:
        due = [place for place in below if parts[place].get("due")]
        return [place for place in due if _has_columns(parts[place], holding)]
    operators = OPERATORS.get(holding.kind, ())
    return [place for place in below if parts[place].get("operator") in operators]


def _of_spark(parts: Sequence[Part], name: str, names: Collection[str]) -> list[int]:
    """The places that an operator of Spark may mean; none if there are more of its kind."""
    kind = name.rpartition("/")[0]
    operators = OPERATORS_OF_SPARK.get(kind.removeprefix(f"{SPARK}/"), ())
    states = {
        place: _states(parts, part)
        for place, part in enumerate(parts)
        if part.get("operator") in operators
    }
    number = sum(other.rpartition("/")[0] == kind for other in names)
    return (
        [place for place, each in states.items() if each] if sum(states.values()) == number else []
    )


def _states(parts: Sequence[Part], part: Part) -> int:
    """How many operators of Spark a part is: a join is one for each stream that it is with."""
    if part.get("operator") != "join":
        return 1
    return sum(_streams(parts, parts[each["rows"]]) for each in part.get("with", []))


def _streams(parts: Sequence[Part], part: Part) -> bool:
    inputs = [place for place in inputs_of(part) if 0 <= place < len(parts)]
    return part.get("operator") == "source" or any(
        _streams(parts, parts[place]) for place in inputs
    )


def _below(parts: Sequence[Part], output: str) -> list[int]:
    """The places of all that an output reads."""
    found: set[int] = set()
    waiting = [place for place, part in enumerate(parts) if part.get("sink") == output]
    while waiting:
        place = waiting.pop()
        if place not in found and 0 <= place < len(parts):
            found.add(place)
            waiting.extend(inputs_of(parts[place]))
    return sorted(found)


def _has_columns(part: Part, holding: Holding) -> bool:
    """Whether the columns of a part are those that an operator holds, names of ours left out."""
    given = {_name(each) for each in part.get("columns", [])}
    own = {each.name.lower() for each in holding.columns}
    return not given or _plain(given) == _plain(own)


def _name(column: str) -> str:
    """The name under which a column is selected: `#1.ts`, `count(*) as n`."""
    last = re.split(r"\s+as\s+", column)[-1]
    return re.sub(r"^#\d+\.", "", last).strip("`").lower()


def _plain(names: Iterable[str]) -> set[str]:
    return {each for each in names if not each.startswith("__")}
