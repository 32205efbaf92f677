"""The sinks of a job, as its checkpoint tells of them: their formats, and where they lie.

What a sink is stands in `tvfc/query.json`, where it lies in `tvfc/operators.json`. Passwords stand
in neither: they come from variables of the environment, or are given once more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tvfc_runtime.checkpoint.storage import exists, local_path, read_text
from tvfc_runtime.sources.at_start import AtStart, StartError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tvfc_runtime.reports.query_status import QueryStatus


class CompareError(Exception):
    """Two jobs, or two sinks, cannot be compared; the message says why, and what to do."""


@dataclass(frozen=True)
class Sink:
    """A sink of a query.

    Attributes:
        name: its name.
        place: the checkpoint of its query.
        format: a format of Spark's or of the runtime, in small letters.
        options: its OPTIONS, names in small letters.
        key: the columns of its key; none: rows are appended.
        changes: whether its rows are changes, with `_time` and `_diff`.
    """

    name: str
    place: str
    format: str
    options: Mapping[str, str] = field(repr=False)
    key: tuple[str, ...]
    changes: bool

    @property
    def table(self) -> str:
        """The table, where it is one."""
        return self.options.get("table", self.name)

    @property
    def path(self) -> str:
        """Where it lies.

        Raises:
            CompareError: the checkpoint does not tell.
        """
        path = self.options.get("path", "")
        local = local_path(path)
        if not path or (local is not None and not local.is_absolute()):
            raise CompareError(
                f"{self.place} does not tell where the sink {self.name} lies: start its job once "
                f"more with this version of tvfc, or say it: {self.name}.path=…"
            )
        return path


def sinks_of(queries: Iterable[QueryStatus], options: Sequence[str]) -> dict[str, Sink]:
    """The sinks of a job by name.

    Args:
        queries: its queries.
        options: `NAME.OPTION=VALUE`, as the job was started with.

    Raises:
        CompareError: a variable of the environment is not set, or there is no such sink.
    """
    found: dict[str, Sink] = {}
    for query in queries:
        places = places_of(query.place)
        for part in query.parts:
            if "sink" in part:
                found[part["sink"]] = _sink(query.place, part, places.get(part["sink"], {}))
    given = _given(options, found)
    return {name: _filled(each, given.get(name, {})) for name, each in found.items()}


def places_of(place: str) -> dict[str, dict[str, str]]:
    """Where the sinks of a query lie, by name; nothing that its job has not written down."""
    file = f"{place}/tvfc/operators.json"
    try:
        known: Any = json.loads(read_text(file)) if exists(file) else {}
        return {str(name): dict(each) for name, each in known.get("sinks", {}).items()}
    except (ValueError, TypeError, AttributeError, OSError):
        return {}


GIVEN = "given at the start, "
"""How the mark begins that stands for a value of which nothing is to be seen."""


def _sink(place: str, part: Mapping[str, Any], lies: Mapping[str, str]) -> Sink:
    declared = {key.lower(): str(value) for key, value in part.get("options", {}).items()}
    known = {key: value for key, value in declared.items() if not value.startswith(GIVEN)}
    return Sink(
        name=part["sink"],
        place=place,
        format=str(part["format"]).lower(),
        options={**known, **lies},
        key=tuple(part.get("key") or ()),
        changes=part.get("changes") == "yes",
    )


def _given(options: Sequence[str], sinks: Mapping[str, Sink]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for each in options:
        place, equals, value = each.partition("=")
        # A name may have dots in it.
        fitting = [name for name in sinks if place.lower().startswith(f"{name.lower()}.")]
        name = max(fitting, key=len, default="")
        if not equals or not name:
            known = ", ".join(sinks)
            raise CompareError(f"{place} names no option of a sink; NAME.OPTION=VALUE, of {known}")
        found.setdefault(name, {})[place[len(name) + 1 :].lower()] = value
    return found


def _filled(sink: Sink, given: Mapping[str, str]) -> Sink:
    at_start = AtStart()
    try:
        options = {
            key: at_start.filled(value, f"the option `{key}` of {sink.name}")
            for key, value in sink.options.items()
            if key not in given
        }
    except StartError as error:
        raise CompareError(str(error)) from None
    return replace(sink, options={**options, **given})
