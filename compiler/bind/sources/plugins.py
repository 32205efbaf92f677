"""What installed packages bring, by entry points `tvfc.sources`, `tvfc.sinks` and `tvfc.formats`.

What an entry point stands for says of itself, in attributes:

    options   the names of the options that it reads; without it, any are taken
    modes     of a sink: append, changelog, upsert; the first is that of a sink that names none
    reader    of a format: it reads records; `writer`: it writes them

The rest of it is the runtime's, which finds it in the same way where the job runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from compiler.plan.nodes import SinkKind

SOURCES, SINKS, FORMATS = "tvfc.sources", "tvfc.sinks", "tvfc.formats"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """What a package says of a source, a sink or a format of records.

    Attributes:
        package: the package.
        options: the options that it reads; None: it takes any.
        modes: what a sink makes of a result; the first one if the query does not say.
        reads: whether a format reads records.
        writes: whether it writes them.
        fault: why it cannot be used; None: it can.
    """

    package: str
    options: tuple[str, ...] | None = None
    modes: tuple[SinkKind, ...] = ()
    reads: bool = False
    writes: bool = False
    fault: str | None = None


def names_of(group: str) -> tuple[str, ...]:
    """The names that packages have."""
    return tuple(_found(group))


@cache
def plugin_of(group: str, form: str | None) -> Plugin | None:
    """What a package has under a name; None: none has."""
    entry = _found(group).get((form or "").lower())
    return None if entry is None else _described(group, entry)


@cache
def _found(group: str) -> dict[str, EntryPoint]:
    return {each.name.lower(): each for each in entry_points(group=group)}


def _described(group: str, entry: EntryPoint) -> Plugin:
    package = entry.dist.name if entry.dist is not None else entry.value
    try:
        # A package is code of others: whatever it raises is its own fault.
        found = entry.load()
        options = getattr(found, "options", None)
        named = None if options is None else tuple(map(str, options))
        modes = tuple(SinkKind(str(each).lower()) for each in getattr(found, "modes", ()))
        reads, writes = (callable(getattr(found, each, None)) for each in ("reader", "writer"))
    except Exception as error:
        return Plugin(package=package, fault=f"{type(error).__name__}: {error}")
    if group == SINKS and not modes:
        return Plugin(package=package, fault="it names no modes")
    if group == FORMATS and not (reads or writes):
        return Plugin(package=package, fault="it has neither reader nor writer")
    return Plugin(package=package, options=named, modes=modes, reads=reads, writes=writes)
