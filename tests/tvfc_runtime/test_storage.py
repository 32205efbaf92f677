"""Small files by path and by URI."""

from __future__ import annotations

from pathlib import Path

import pytest

from tvfc_runtime.checkpoint import storage


@pytest.fixture(params=["path", "uri", "uri with one slash"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The same folder, whose name has a space and letters of other scripts, in three spellings."""
    folder = tmp_path / "a folder ü%20"
    if request.param == "path":
        return str(folder)
    return folder.as_uri() if request.param == "uri" else f"file:{folder.as_uri()[7:]}"


def test_a_text_is_written_read_listed_and_removed(root: str, tmp_path: Path) -> None:
    file = f"{root}/deep/down/7"
    assert not storage.exists(file)
    storage.write_text(file, "größe\nline two")
    assert storage.exists(file)
    assert storage.exists(f"{root}/deep")
    assert storage.read_text(file) == "größe\nline two"
    assert (tmp_path / "a folder ü%20" / "deep" / "down" / "7").is_file()
    storage.write_text(file, "again")
    assert storage.read_text(file) == "again"
    storage.remove(file)
    assert not storage.exists(file)
    storage.remove(file)


def test_only_numbers_are_listed(root: str, tmp_path: Path) -> None:
    assert storage.list_numbers(f"{root}/offsets") == []
    for name in ("0", "12", "3"):
        storage.write_text(f"{root}/offsets/{name}", "")
    folder = tmp_path / "a folder ü%20" / "offsets"
    for name in (".12.crc", "13.tmp", ".14.uuid.tmp", "compact", "-1"):
        (folder / name).write_text("")
    assert sorted(storage.list_numbers(f"{root}/offsets")) == [0, 3, 12]


def test_a_write_leaves_nothing_but_the_file(root: str, tmp_path: Path) -> None:
    storage.write_text(f"{root}/one", "1")
    assert [path.name for path in (tmp_path / "a folder ü%20").iterdir()] == ["one"]


def test_a_file_is_moved_and_its_folder_removed(root: str) -> None:
    storage.write_text(f"{root}/here", "old")
    storage.write_text(f"{root}/missing/../hidden/part", "new")
    storage.move(f"{root}/hidden/part", f"{root}/here")
    assert storage.read_text(f"{root}/here") == "new"
    storage.write_text(f"{root}/hidden/rest", "")
    storage.remove_folder(f"{root}/hidden")
    assert storage.list_names(root) == ["here"]


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("/data/x", "/data/x"),
        ("data/x y", "data/x y"),
        ("/not/there/../../data/x", "/data/x"),
        ("file:/data/x", "/data/x"),
        ("file:///data/x%20y", "/data/x y"),
        ("s3://bucket/x", None),
        ("hdfs://host:8020/x", None),
        ("abfss://c@host/x", None),
    ],
)
def test_what_is_local(location: str, path: str | None) -> None:
    assert storage.local_path(location) == (None if path is None else Path(path))
