"""A checkpoint put together of what another one and trials have, for a query to go on with.

It is one of no query until it is whole: `tvfc/unfinished` is written before everything else and
removed after it, and no job starts where that is.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from commands.upgrading.file_sinks import list_nothing
from commands.upgrading.queries import UpgradeError
from commands.upgrading.store_files import copy_operator, files_of
from commands.upgrading.trial import NO_OFFSET, planned_of
from tvfc_runtime.checkpoint.memory import UNFINISHED
from tvfc_runtime.checkpoint.storage import (
    exists,
    list_names,
    list_numbers,
    local_path,
    read_bytes,
    read_text,
    remove,
    remove_folder,
    write_bytes,
    write_text,
)
from tvfc_runtime.checkpoint.whole import check_whole
from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.sources.first_batch import FIRST_BATCH
from tvfc_runtime.sources.from_start import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from commands.upgrading.anatomy import Leaf
    from tvfc_runtime.counters.holdings import Holding


@dataclass(frozen=True)
class Stock:
    """The state of an operator: the checkpoint that has it, its number there, and the version."""

    place: str
    number: int
    version: int


@dataclass(frozen=True)
class Wanted:
    """A checkpoint to be put together.

    Attributes:
        source: the checkpoint that it follows.
        batch: the last batch of that.
        target: where it is to lie.
        identity: what it says of the query it belongs to.
        stocks: where the state of each operator comes from, by its number.
        leaves: the sources of the old query and of the new one; a place that reads one of the same
            name goes on behind it. None: they are the same.
        renamed: the old names of sources of the new query, by its own.
        operators: what the old query called the operators whose state goes on, by what the new
            one calls them.
        held: how many rows other operators hold, by name.
        holdings: what the operators hold; None: as it was.
        unlisted: folders in which Spark's log of files is to begin.
    """

    source: str
    batch: int
    target: str
    identity: Mapping[str, Any]
    stocks: Mapping[int, Stock]
    leaves: tuple[Sequence[Leaf], Sequence[Leaf]] | None = None
    renamed: Mapping[str, str] | None = None
    operators: Mapping[str, str] | None = None
    held: Mapping[str, int] | None = None
    holdings: Sequence[Holding] | None = None
    unlisted: Sequence[str] = ()


def put_together(root: str, checkpoints: Iterable[Wanted]) -> None:
    """Put the checkpoints of a job together, which lie in a folder or are that folder.

    Raises:
        UpgradeError: something else lies there, or what is needed is not there any more.
    """
    begin(root)
    for each in checkpoints:
        assemble(each)
    end(root)


def begin(root: str) -> None:
    """Make a folder for a checkpoint; what an attempt that was cut short has left goes.

    Raises:
        UpgradeError: something else lies there.
    """
    mark = f"{root}/{UNFINISHED}"
    if exists(mark):
        below = [f"tvfc/{name}" for name in list_names(f"{root}/tvfc")]
        for name in [each for each in list_names(root) if each != "tvfc"] + below:
            if name != UNFINISHED:
                _clear(f"{root}/{name}")
    elif list_names(root):
        raise UpgradeError(
            f"TVF755: {root} is not empty; name a folder that is not there yet as --to"
        )
    write_text(mark, "tvfc upgrade has not ended\n")


def _clear(location: str) -> None:
    try:
        remove(location)
    except OSError:
        remove_folder(location)


def end(root: str) -> None:
    """Say that a checkpoint is whole."""
    remove(f"{root}/{UNFINISHED}")


def assemble(wanted: Wanted) -> None:
    """Put a checkpoint together."""
    write_bytes(f"{wanted.target}/metadata", read_bytes(f"{wanted.source}/metadata"))
    for number, stock in wanted.stocks.items():
        folder = f"{stock.place}/state/{stock.number}"
        files = files_of(folder, stock.version, wanted.batch + 1)
        copy_operator(folder, f"{wanted.target}/state/{number}", files)
    copy_sources(wanted)
    _copy_logs(wanted)
    _copy_memory(wanted)
    for folder in wanted.unlisted:
        list_nothing(folder, wanted.batch)
    check_whole(wanted.target, [])


def _copy_logs(wanted: Wanted) -> None:
    for number in list_numbers(f"{wanted.source}/offsets"):
        if number > wanted.batch:
            continue
        text = read_text(f"{wanted.source}/offsets/{number}")
        write_text(f"{wanted.target}/offsets/{number}", as_read_now(wanted, text))
    for number in list_numbers(f"{wanted.source}/commits"):
        if number <= wanted.batch:
            content = read_bytes(f"{wanted.source}/commits/{number}")
            write_bytes(f"{wanted.target}/commits/{number}", content)


def as_read_now(wanted: Wanted, text: str) -> str:
    """A batch of the offset log with the sources in the order of the new query."""
    if wanted.leaves is None:
        return text
    planned = planned_of(text)
    old, new = wanted.leaves
    if len(old) != len(planned.offsets):
        raise UpgradeError(
            f"TVF755: the offset log of {wanted.source} has {len(planned.offsets)} sources, its "
            f"query {len(old)}; please report this"
        )
    by_source = {
        (each.name, each.nth): line for each, line in zip(old, planned.offsets, strict=True)
    }
    offsets = tuple(by_source.get(_formerly(wanted, each), NO_OFFSET) for each in new)
    return replace(planned, offsets=offsets).text()


def _formerly(wanted: Wanted, leaf: Leaf) -> tuple[str, int]:
    """What a source of the new query was called in the old one."""
    what, _, name = leaf.name.partition(" ")
    renamed = wanted.renamed or {}
    return (f"{what} {renamed[name]}" if name in renamed else leaf.name), leaf.nth


def copy_sources(wanted: Wanted) -> None:
    """The logs of the sources, under the numbers that these have in the new query."""
    if wanted.leaves is None:
        numbers = {number: number for number in list_numbers(f"{wanted.source}/sources")}
    else:
        old = {(each.name, each.nth): each.log for each in wanted.leaves[0]}
        numbers = {
            each.log: old[_formerly(wanted, each)]
            for each in wanted.leaves[1]
            if _formerly(wanted, each) in old
        }
    for new, number in numbers.items():
        folder = f"{wanted.source}/sources/{number}"
        for name in list_names(folder):
            if name[0] != ".":
                content = read_bytes(f"{folder}/{name}")
                write_bytes(f"{wanted.target}/sources/{new}/{name}", _moved(wanted, content))


def _moved(wanted: Wanted, content: bytes) -> bytes:
    """Entries of a log of files, some of which may lie in the checkpoint itself."""
    if not any(f"/{folder}/".encode() in content for folder in _OWN_FILES):
        return content
    lines = []
    for line in content.decode("utf-8").split("\n"):
        entry = json.loads(line) if line.startswith("{") else {}
        path = _own_path(str(entry.get("path", "")))
        if path is not None:
            entry["path"] = f"{_absolute(wanted.target)}{path}"
            line = json.dumps(entry, separators=(",", ":"))
        lines.append(line)
    return "\n".join(lines).encode("utf-8")


_OWN_FILES = (FIRST_BATCH, TABLES)
"""Folders of the checkpoint that are read as streams."""


def _own_path(path: str) -> str | None:
    """Where a file lies in the checkpoint; None: elsewhere."""
    for folder in _OWN_FILES:
        _, found, rest = path.rpartition(f"/{folder}/")
        if found:
            return f"{found}{rest}"
    return None


def _copy_own_files(wanted: Wanted) -> None:
    """The files of the checkpoint that are read as streams."""
    for folder in (FIRST_BATCH, *(f"{TABLES}/{each}" for each in _tables(wanted.source))):
        for name in list_names(f"{wanted.source}/{folder}"):
            if name[0] not in "._":
                content = read_bytes(f"{wanted.source}/{folder}/{name}")
                write_bytes(f"{wanted.target}/{folder}/{name}", content)


def _tables(place: str) -> list[str]:
    return list_names(f"{place}/{TABLES}")


def _copy_memory(wanted: Wanted) -> None:
    """The folder `tvfc`: what the query is, and what it has counted."""
    source, target = f"{wanted.source}/tvfc", f"{wanted.target}/tvfc"
    _copy_own_files(wanted)
    for number in list_numbers(f"{source}/batches"):
        if number <= wanted.batch:
            counted = Counters.from_json(json.loads(read_text(f"{source}/batches/{number}")))
            text = json.dumps(_renamed(wanted, counted).to_json())
            write_text(f"{target}/batches/{number}", text)
    for name, was in _groups(wanted):
        for number in list_numbers(f"{source}/groups/{was}"):
            if number <= wanted.batch:
                content = read_bytes(f"{source}/groups/{was}/{number}")
                write_bytes(f"{target}/groups/{name}/{number}", content)
    if wanted.holdings is None:
        with suppress(FileNotFoundError):
            write_bytes(f"{target}/operators.json", read_bytes(f"{source}/operators.json"))
    else:
        known = {"operators": [each.to_json() for each in wanted.holdings], "folders": {}}
        write_text(f"{target}/operators.json", json.dumps(known, indent=1))
    write_text(f"{target}/query.json", json.dumps(wanted.identity, indent=1))


def _groups(wanted: Wanted) -> Iterator[tuple[str, str]]:
    """The folders of what groups of sources have reached, by their names now and before."""
    now = {quote(old, safe=""): quote(new, safe="") for new, old in (wanted.renamed or {}).items()}
    for name in list_names(f"{wanted.source}/tvfc/groups"):
        yield now.get(name, name), name


def _renamed(wanted: Wanted, counted: Counters) -> Counters:
    """Counters under the names that sources and operators have in the new query."""
    now = {old: new for new, old in (wanted.renamed or {}).items()}
    for each in ("rows", "late", "without_time", "bad", "arrived_ms", "watermarks_ms", "examples"):
        own = getattr(counted, each)
        for old, new in now.items():
            if old in own:
                own[new] = own.pop(old)
    if wanted.operators is not None:
        held = {new: counted.held.get(old, 0) for new, old in wanted.operators.items()}
        counted.held = Counter(held | dict(wanted.held or {}))
        out = {k: v for k, v in counted.out.items() if not k.startswith("delay/")}
        own = {n: counted.out[o] for n, o in wanted.operators.items() if o in counted.out}
        counted.out = Counter(out | own)
    # The timers of the new query may be others; it reads them as it starts.
    counted.wakes = None
    return counted


def _absolute(target: str) -> str:
    path = local_path(target)
    return target if path is None else path.absolute().as_uri()
