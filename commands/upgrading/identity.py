"""What tells a stateful operator from others that keep something else, by descriptions of state.

A description names parts by their places; here each is told with all that is below it. Left out is
what no state depends on: how far a watermark is behind, how views are called, and columns of a
source that only one of the queries declares. Whether an operator keeps such a column is told by
what it holds.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commands.upgrading.queries import UpgradeError
from tvfc_runtime.sources.at_start import MAY_BE_ADDED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commands.upgrading.anatomy import Operator
    from commands.upgrading.queries import Query
    from tvfc_runtime.checkpoint.state import Part

PLACES = ("of", "rows", "tables")
"""Facts that are places in a description."""

MOVES_THE_CLOCK = ("watermark", "idle after", "per")
"""Facts of sources that say how their clock moves, and not what is kept."""

OF_A_TARGET = ("sink", "format", "options", "records", "record options")
"""Facts of sinks that say where rows go, and not which."""

WAITS = ("delay", "temporal")
"""What holds the rows of the function below it as they are, until they are due."""

_FREE = {each.lower() for each in MAY_BE_ADDED}


@dataclass(frozen=True)
class Pair:
    """Two queries whose parts are compared.

    Attributes:
        old: the query of the checkpoint.
        new: the one that is to go on.
        renamed: the old names of sources of the new query, by its own.
    """

    old: Query
    new: Query
    renamed: Mapping[str, str]


def pair_of(old: Query, new: Query) -> Pair:
    """Two queries, with the sources found that only have another name."""
    renamed: dict[str, str] = {}
    gone = [part for name, part in old.sources.items() if name not in new.sources]
    for name, part in new.sources.items():
        if name not in old.sources:
            alike = [each["name"] for each in gone if _read_alike(each, part)]
            if len(alike) == 1 and alike[0] not in renamed.values():
                renamed[name] = alike[0]
    return Pair(old, new, renamed)


def _read_alike(one: Part, other: Part) -> bool:
    """Whether two sources read the same records of the same place."""
    return bool(one.get("options")) and reading(one) == reading(other)


def reading(part: Part) -> dict[str, Any]:
    """What a source reads, whatever it makes of that."""
    options = {k: v for k, v in dict(part.get("options", {})).items() if k not in _FREE}
    return {
        "format": part.get("format"),
        "options": options,
        **{each: part.get(each) for each in ("records", "record options", "primary key")},
    }


class Told:
    """The parts of one of two queries in words that can be compared with those of the other.

    Args:
        pair: the two.
        new: which of them.
    """

    def __init__(self, pair: Pair, *, new: bool) -> None:
        self._query = pair.new if new else pair.old
        other = pair.old if new else pair.new
        self._renamed = pair.renamed if new else {}
        called = {old: own for own, old in pair.renamed.items()} if new else pair.renamed
        self._others = {called.get(name, name): part for name, part in other.sources.items()}

    def key(self, operator: Operator) -> str:
        """What tells an operator from others.

        Raises:
            UpgradeError: it is not known what has made it.
        """
        sinks = {each["sink"]: each for each in self._query.parts if "sink" in each}
        own = {each.build.__name__: sinks[each.name] for each in self._query.outputs}
        places = self._query.places
        sink = {} if operator.function in places else own.get(operator.function)
        below = operator.below if operator.kind in WAITS else operator.function
        if sink is None or not operator.kind or (operator.kind in WAITS and below not in places):
            raise UpgradeError(
                f"TVF755: what {operator.place} keeps is not understood; please report this"
            )
        if operator.kind in WAITS:
            of: Any = [self.at(places[below]), sink.get("told every")]
        else:
            of = self.sink(sink) if sink else self.at(places[below])
        return json.dumps([operator.kind, of, operator.nth, self._functions()], sort_keys=True)

    def sink(self, part: Part) -> dict[str, Any]:
        """A sink, whatever its target."""
        return self._whole({k: v for k, v in part.items() if k not in OF_A_TARGET})

    def at(self, place: int, *, typed: bool = True) -> dict[str, Any]:
        """The part at a place with all below it; a source with types of its columns or without."""
        found = self._whole(self._query.parts[place])
        return found if typed else {k: v for k, v in found.items() if k != "columns"}

    def _functions(self) -> list[Part]:
        return [each for each in self._query.parts if "function" in each]

    def _whole(self, part: Part) -> dict[str, Any]:
        found = {key: self._fact(key, fact) for key, fact in part.items()}
        if part.get("operator") in ("source", "table"):
            found = self._source(found)
        elif part.get("operator") == "watermark":
            found.pop("name", None)
        return {k: v for k, v in found.items() if k not in MOVES_THE_CLOCK}

    def _source(self, part: dict[str, Any]) -> dict[str, Any]:
        other = types_of(self._others.get(part["name"], {}))
        kinds = [
            f"{name} {kind}"
            for name, kind in types_of(part).items()
            if name in other and other[name] != kind
        ]
        own = {"name": self._renamed.get(part["name"], part["name"]), "columns": kinds}
        options = {k: v for k, v in dict(part.get("options", {})).items() if k not in _FREE}
        return {**part, **own, "options": options}

    def _fact(self, key: str, fact: Any) -> Any:
        if key in PLACES:
            if isinstance(fact, dict):
                return {name: self.at(place) for name, place in fact.items()}
            return [self.at(each) for each in fact] if isinstance(fact, list) else self.at(fact)
        if isinstance(fact, list):
            return [self._whole(each) if isinstance(each, dict) else each for each in fact]
        return fact


def types_of(part: Mapping[str, Any]) -> dict[str, str]:
    """The declared types of a source by name of the column, in lower case."""
    columns = (str(each).removesuffix(" NOT NULL") for each in part.get("columns") or ())
    pairs = (each.split(" ", 1) for each in columns)
    return {name.lower(): kind for name, kind in pairs}
