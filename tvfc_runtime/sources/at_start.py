"""What a job learns when it starts: environment variables in OPTIONS, and options given anew.

`${NAME}` in the value of an option is the environment variable NAME, `$${` stands for `${`. Values
are put in where a source is read or a sink is written and nowhere else: what a job says of itself,
in messages and in its checkpoint, has the names.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, TypeVar

from tvfc_runtime.checkpoint.state import Part
from tvfc_runtime.checkpoint.storage import local_path
from tvfc_runtime.spec.job import JobSpec, Output
from tvfc_runtime.spec.source import Source

MAY_BE_ADDED = (
    *("maxFilesPerTrigger", "maxBytesPerTrigger", "maxOffsetsPerTrigger", "minOffsetsPerTrigger"),
    *("maxTriggerDelay", "badRows", "maxBadRows"),
)
"""Options of sources that say how much is read at a time, or what becomes of what does not fit."""

OF_PIECES = frozenset({"maxfilespertrigger", "maxbytespertrigger"})
"""Options that spread files that were written at the same moment over batches, in any order."""

_FREE = frozenset({"path", *(each.lower() for each in MAY_BE_ADDED)})
_READS = ("source", "table")
_VARIABLE = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}")

Place = TypeVar("Place", Source, Output)


class StartError(Exception):
    """A job is not told what it needs, or something that it does not take; nothing was read."""


@dataclass(frozen=True, kw_only=True)
class AtStart:
    """What stands in OPTIONS in place of what the query has there.

    Attributes:
        options: values by name of the source, table or sink, and by name of the option.
        environment: the environment variables; None: they are left as they are written.
    """

    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    environment: Mapping[str, str] | None = field(default_factory=lambda: os.environ, repr=False)

    def settled(self, place: Place) -> Place:
        """A source or sink with the options that it has in this run.

        Raises:
            StartError: an environment variable is not set, or it has no such option.
        """
        given = _by_declared_name(place, self.options.get(place.name, {}))
        options = {
            key: self.filled(value, f"the option `{key}` of {place.name}")
            for key, value in place.options.items()
            if key not in given
        } | given
        place = place if options == place.options else replace(place, options=options)
        if place.record is None:
            return place
        encoded = {
            key: self.filled(value, f"the option `{key}` of ENCODE of {place.name}")
            for key, value in place.record.options.items()
        }
        if encoded == place.record.options:
            return place
        return replace(place, record=replace(place.record, options=encoded))

    def filled(self, text: str, what: str) -> str:
        """A text with the values of its variables.

        Raises:
            StartError: one of them is not set.
        """

        def value_of(found: re.Match[str]) -> str:
            name = found[1]
            if name is None:
                return "${"
            if self.environment is None:
                return found[0]
            if name not in self.environment:
                raise StartError(
                    f"TVF731: the environment variable {name} is not set; {what} needs it"
                )
            return self.environment[name]

        return _VARIABLE.sub(value_of, text)

    def path_of(self, source: Source) -> str | None:
        """Where a source of files lies; variables stay as they are written."""
        given = {key.lower(): value for key, value in self.options.get(source.name, {}).items()}
        return given.get("path", source.option("path"))

    def place_of(self, output: Output) -> dict[str, str]:
        """Where a sink lies, for those who look into a checkpoint; nothing in it is secret.

        That is its path, whole, and its table. Variables stay as they are written, so that of an
        option that is one alone, such as a password, the name is known as well.
        """
        options = replace(self, environment=None).settled(output).options
        given = {key.lower() for key in self.options.get(output.name, {})}
        found = {
            key.lower(): value
            for key, value in options.items()
            if key.lower() in ("path", "table")
            or (key.lower() not in given and _VARIABLE.fullmatch(value))
        }
        path = None if _VARIABLE.match(found.get("path", "")) else local_path(found.get("path", ""))
        return found if path is None or not path.name else {**found, "path": str(path.absolute())}

    def check(self, spec: JobSpec) -> None:
        """See that all variables of a job are set, before any of its queries runs.

        Raises:
            StartError: one is not.
        """
        for part in _places_of(spec):
            name = str(part.get("name", part.get("sink")))
            given = {key.lower() for key in self.options.get(name, {})}
            for key, value in dict(part.get("options", {})).items():
                if key not in given:
                    self.filled(str(value), f"the option `{key}` of {name}")
            for key, value in dict(part.get("record options", {})).items():
                self.filled(str(value), f"the option `{key}` of ENCODE of {name}")

    def state(self, parts: Sequence[Part]) -> list[Part]:
        """What a query keeps, if it is read or written with these options.

        Where something lies may change, and how much of it is read at a time. Of other values
        there is a mark to compare by, as they may be secret.
        """
        return [self._with_given(part) for part in parts]

    def _with_given(self, part: Part) -> Part:
        given = self.options.get(str(part.get("name", part.get("sink"))), {})
        kept: dict[str, Any] = dict(part.get("options", {}))
        for key, value in given.items():
            if key.lower() in kept and not _is_free(key.lower()):
                digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
                kept[key.lower()] = f"given at the start, {digest}"
        return {**part, "options": kept} if "options" in part else part


def _is_free(key: str) -> bool:
    """Whether an option says where something lies, how it is reached or how much is read of it."""
    return key in _FREE or key.startswith("kafka.")


def _by_declared_name(place: Source | Output, given: Mapping[str, str]) -> dict[str, str]:
    may_be = (*(MAY_BE_ADDED if isinstance(place, Source) else ()), *place.options)
    names = {key.lower(): key for key in may_be}
    if isinstance(place, Source) and place.format == "kafka" and "subscribe" in names:
        names.setdefault("topic", names["subscribe"])
    for key in given:
        if isinstance(place, Source) and place.key and key.lower() in OF_PIECES:
            raise StartError(
                f"TVF732: with `{key}` the changes of {place.name} may come out of order, as files "
                "of one moment have an order within a batch alone; leave it out"
            )
        if key.lower() not in names:
            raise StartError(
                f"TVF732: {place.name} declares no option `{key}`; "
                f"{_nearest(key, list(place.options), 'it declares')}"
            )
    return {names[key.lower()]: value for key, value in given.items()}


def _nearest(name: str, known: Sequence[str], has: str) -> str:
    lower = {each.lower(): each for each in known}
    near = get_close_matches(name.lower(), lower, n=1)
    if near:
        return f"did you mean `{lower[near[0]]}`?"
    return f"{has} {', '.join(known) or 'none'}"


def given_options(texts: Sequence[str], spec: JobSpec) -> dict[str, dict[str, str]]:
    """`NAME.KEY=VALUE`, each by name of the source or sink and by key.

    Raises:
        StartError: a text has no such form, or there is nothing of that name, or two things are.
    """
    known = sorted(_names_of(spec), key=len, reverse=True)
    found: dict[str, dict[str, str]] = {}
    for text in texts:
        # A name may have dots in it, and so may the key of an option.
        place, equals, value = text.partition("=")
        name = next((each for each in known if place.lower().startswith(f"{each.lower()}.")), "")
        key = place[len(name) + 1 :]
        if not equals or "." not in place or not key:
            raise StartError(f"TVF732: --option {place} is not of the form NAME.OPTION=VALUE")
        if not name:
            which = _nearest(place.split(".")[0], sorted(known), "there are")
            raise StartError(
                f"TVF732: no source, table or sink is called as in --option {place}; {which}"
            )
        if known.count(name) > 1:
            raise StartError(
                f"TVF732: {name} is a source and a sink; one of them needs another name for "
                f"--option {place}"
            )
        found.setdefault(name, {})[key] = value
    return found


def _names_of(spec: JobSpec) -> list[str]:
    sources = {str(part["name"]) for part in _places_of(spec) if "name" in part}
    return [*sources, *(output.name for output in spec.outputs)]


def _places_of(spec: JobSpec) -> Iterator[Part]:
    """What the queries of a job say of its sources, tables and sinks."""
    queries: Iterable[Sequence[Part]] = json.loads(spec.state).values() if spec.state else ()
    for parts in queries:
        yield from (each for each in parts if each.get("operator") in _READS or "sink" in each)
