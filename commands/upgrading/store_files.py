"""The files of Spark's state stores that one version of their state needs.

    state/<operator>/<partition>[/<store>]/V.zip        a snapshot: what batch V - 1 has left
    state/<operator>/<partition>[/<store>]/V.changelog  what batch V - 1 has changed
    state/<operator>/<partition>[/<store>]/SSTs/*       tables that snapshots name
    state/<operator>/_metadata, _stateSchema            what the operator is, by batch

A version is the last snapshot up to it with all changelogs after that.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commands.upgrading.queries import UpgradeError
from tvfc_runtime.checkpoint.storage import list_names, local_path, read_bytes, write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILE = re.compile(r"(\d+)\.(zip|changelog)")
_TABLES = "SSTs"


@dataclass(frozen=True)
class Copied:
    """A file of an operator, from where to where, below the folder of the operator."""

    source: str
    target: str


def files_of(operator: str, version: int, target_version: int) -> list[Copied]:
    """The files that a version of the state of an operator needs.

    Args:
        operator: the folder of the operator.
        version: that version.
        target_version: what it is to be called.

    Raises:
        UpgradeError: some of them are not there.
    """
    found = []
    for store in _stores(operator):
        found += [
            Copied(f"{store}/{each}", f"{store}/{_renumbered(each, version, target_version)}")
            for each in _files_of_store(f"{operator}/{store}", version)
        ]
    return found


def bytes_of(operator: str, version: int, size: Any) -> int:
    """What the state of an operator takes on disk."""
    return sum(size(f"{operator}/{each.source}") for each in files_of(operator, version, version))


def _stores(operator: str) -> Iterator[str]:
    """The folders of the stores of an operator; a join has four in each partition."""
    for partition in sorted(list_names(operator)):
        if not partition.isdigit():
            continue
        names = list_names(f"{operator}/{partition}")
        if any(_FILE.fullmatch(name) for name in names):
            yield partition
        for name in sorted(names):
            if name[0] not in "._" and name != _TABLES and not _FILE.fullmatch(name):
                yield f"{partition}/{name}"


def _files_of_store(store: str, version: int) -> list[str]:
    found: dict[str, set[int]] = {"zip": set(), "changelog": set()}
    for name in list_names(store):
        if matched := _FILE.fullmatch(name):
            found[matched[2]].add(int(matched[1]))
    snapshot = max((each for each in found["zip"] if each <= version), default=0)
    after = range(snapshot + 1, version + 1)
    missing = [each for each in after if each not in found["changelog"]]
    if missing or not (snapshot or after):
        raise UpgradeError(
            f"TVF755: the state in {store} is not kept as of version {version}; start the old job "
            "once more, stop it, and try again"
        )
    tables = [f"{_TABLES}/{each}" for each in _tables_of(store, snapshot)] if snapshot else []
    own = [f"{snapshot}.zip"] if snapshot else []
    schema = [f"_metadata/{each}" for each in list_names(f"{store}/_metadata") if each[0] != "."]
    return [*own, *tables, *(f"{each}.changelog" for each in after), *schema]


def _tables_of(store: str, snapshot: int) -> list[str]:
    """The tables that a snapshot names."""
    with zipfile.ZipFile(io.BytesIO(read_bytes(f"{store}/{snapshot}.zip"))) as whole:
        text = whole.read("metadata").decode("utf-8")
    known = json.loads(text.partition("\n")[2])
    return [each["dfsSstFileName"] for each in known["sstFiles"]]


def _renumbered(name: str, version: int, target: int) -> str:
    """A file of a version under another one; only a snapshot of just that version has two."""
    if version == target or not _FILE.fullmatch(name):
        return name
    if name != f"{version}.zip":
        raise UpgradeError("TVF755: a trial has left no snapshot of its state; please report this")
    return f"{target}.zip"


def copy_operator(source: str, target: str, files: list[Copied]) -> None:
    """Copy the files of an operator to the folder of another checkpoint, under another number.

    What Spark knows of an operator has its number and the place of its schemas in it.
    """
    for each in files:
        write_bytes(f"{target}/{each.target}", read_bytes(f"{source}/{each.source}"))
    for name in _below(source, "_stateSchema"):
        write_bytes(f"{target}/{name}", read_bytes(f"{source}/{name}"))
    for name in _below(source, "_metadata"):
        text = read_bytes(f"{source}/{name}").decode("utf-8")
        write_bytes(f"{target}/{name}", _moved(text, target).encode("utf-8"))


def _below(folder: str, name: str) -> Iterator[str]:
    """The files in a folder and all below it."""
    names = [each for each in list_names(f"{folder}/{name}") if each[0] != "."]
    if not names:
        return
    for each in names:
        deeper = list(_below(folder, f"{name}/{each}"))
        yield from deeper or [f"{name}/{each}"]


def _moved(text: str, target: str) -> str:
    """The metadata of an operator, as those of the operator in another folder."""
    version, _, line = text.partition("\n")
    known = json.loads(line)
    number = int(target.rpartition("/")[2])
    known["operatorInfo"]["operatorId"] = number
    for store in known["stateStoreInfo"]:
        paths = store.get("stateSchemaFilePaths", [])
        if paths:
            store["stateSchemaFilePaths"] = [_schema_path(each, target) for each in paths]
    return f"{version}\n{json.dumps(known, separators=(',', ':'))}"


def _schema_path(path: str, target: str) -> str:
    """Where a file of a schema lies in another folder, as Spark writes it."""
    local = local_path(target)
    place = target if local is None else f"file:{local.absolute()}"
    return f"{place}/_stateSchema/{path.rpartition('/_stateSchema/')[2]}"
