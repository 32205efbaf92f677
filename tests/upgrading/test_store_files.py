"""Which files of a state store a version needs, without Spark."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from commands.upgrading.queries import UpgradeError
from commands.upgrading.store_files import copy_operator, files_of

if TYPE_CHECKING:
    from pathlib import Path


def store(folder: Path, changelogs: range, snapshots: dict[int, list[str]]) -> None:
    """The files of one partition of an operator."""
    (folder / "SSTs").mkdir(parents=True)
    for version in changelogs:
        (folder / f"{version}.changelog").write_text(f"changes {version}")
        (folder / f".{version}.changelog.crc").write_text("")
    for version, tables in snapshots.items():
        for table in tables:
            (folder / "SSTs" / table).write_text(table)
        known = {"sstFiles": [{"dfsSstFileName": table} for table in tables]}
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w") as file:
            file.writestr("metadata", f"v1\n{json.dumps(known)}")
        (folder / f"{version}.zip").write_bytes(whole.getvalue())


def needed(operator: Path, version: int, target: int | None = None) -> list[str]:
    """The files of a version under their new names."""
    found = files_of(str(operator), version, version if target is None else target)
    return sorted(each.target for each in found)


def test_the_last_snapshot_and_what_has_changed_since(tmp_path: Path) -> None:
    store(tmp_path / "0", range(1, 9), {3: ["a.sst"], 6: ["a.sst", "b.sst"]})
    assert needed(tmp_path, 2) == ["0/1.changelog", "0/2.changelog"]
    assert needed(tmp_path, 5) == ["0/3.zip", "0/4.changelog", "0/5.changelog", "0/SSTs/a.sst"]
    assert needed(tmp_path, 6) == ["0/6.zip", "0/SSTs/a.sst", "0/SSTs/b.sst"]
    assert needed(tmp_path, 7)[:2] == ["0/6.zip", "0/7.changelog"]


def test_what_is_not_kept_any_more_is_told(tmp_path: Path) -> None:
    store(tmp_path / "0", range(5, 9), {6: []})
    for version in (4, 5, 9):
        with pytest.raises(UpgradeError, match=f"not kept as of version {version}"):
            needed(tmp_path, version)


def test_only_a_whole_snapshot_has_another_version(tmp_path: Path) -> None:
    store(tmp_path / "0/left-keyToNumValues", range(1, 3), {2: ["a.sst"]})
    name = "0/left-keyToNumValues"
    assert needed(tmp_path, 2, 40) == [f"{name}/40.zip", f"{name}/SSTs/a.sst"]
    with pytest.raises(UpgradeError, match="no snapshot"):
        needed(tmp_path, 1, 40)


def test_an_operator_is_told_its_number_and_where_its_schemas_are(tmp_path: Path) -> None:
    old, new = tmp_path / "cp/state/0", tmp_path / "cp2/state/3"
    (old / "_metadata/v2").mkdir(parents=True)
    (old / "_stateSchema/default").mkdir(parents=True)
    (old / "_stateSchema/default/0_id").write_text("a schema")
    paths = [f"file:{old}/_stateSchema/default/0_id"]
    known = {
        "operatorInfo": {"operatorId": 0, "operatorName": "x"},
        "stateStoreInfo": [{"stateSchemaFilePaths": paths}],
    }
    (old / "_metadata/v2/0").write_text(f"v2\n{json.dumps(known)}")
    copy_operator(str(old), str(new), [])
    version, _, text = (new / "_metadata/v2/0").read_text().partition("\n")
    moved = json.loads(text)
    assert version == "v2"
    assert moved["operatorInfo"]["operatorId"] == 3
    assert moved["stateStoreInfo"][0]["stateSchemaFilePaths"] == [
        f"file:{new}/_stateSchema/default/0_id"
    ]
    assert (new / "_stateSchema/default/0_id").read_text() == "a schema"
