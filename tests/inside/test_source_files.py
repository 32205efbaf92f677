"""Which batch has read which file, by the logs of a checkpoint as Spark writes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands.inside.source_files import FileLog, ReadBy, plain_path

MINUTE_MS = 60_000


def checkpoint(
    folder: Path, files: dict[str, tuple[int, int]], *batches: list[int], done: int, first: int = 0
) -> FileLog:
    """Batches a minute apart, from `first` on, with how far each source had come in each."""
    for name, (source, number) in files.items():
        log = folder / f"sources/{source}/{number}"
        log.parent.mkdir(parents=True, exist_ok=True)
        before = log.read_text() if log.exists() else "v1"
        entry = {"path": f"file:///in/{name}", "timestamp": 5, "batchId": number}
        log.write_text(f"{before}\n{json.dumps(entry)}")
    for log_name in ("offsets", "commits"):
        (folder / log_name).mkdir(exist_ok=True)
    for batch, offsets in enumerate(batches, first):
        noted = {"batchWatermarkMs": batch * MINUTE_MS, "batchTimestampMs": batch + 5}
        lines = ["v1", json.dumps(noted), *(json.dumps({"logOffset": each}) for each in offsets)]
        (folder / f"offsets/{batch}").write_text("\n".join(lines))
    for batch in range(done + 1):
        (folder / f"commits/{batch}").write_text("v1\n{}")
    return FileLog(str(folder))


def read(batch: int, *, done: bool = True) -> ReadBy:
    clock = batch * MINUTE_MS
    return ReadBy(batch, done, clock, clock, batch + 5)


def test_the_batch_that_has_read_a_file(tmp_path: Path) -> None:
    files = {"a": (0, 0), "b": (0, 0), "c": (0, 1), "d": (0, 2)}
    log = checkpoint(tmp_path, files, [0], [0], [1], [2], done=2)
    assert log.read_by("file:/in/a") == read(0)
    assert log.read_by("/in/b") == read(0)
    assert log.read_by("file:///in/c") == read(2)
    assert log.read_by("file:///in/d") == read(3, done=False)
    assert log.read_by("file:///in/e") is None


def test_a_source_that_is_read_in_several_places(tmp_path: Path) -> None:
    log = checkpoint(tmp_path, {"a": (0, 1)}, [0, 0, 0], [1, 1, 1], done=1)
    assert log.read_by("/in/a") == read(1)


def test_several_sources_have_an_offset_each(tmp_path: Path) -> None:
    files = {"a": (0, 1), "b": (1, 1)}
    log = checkpoint(tmp_path, files, [0, 0], [0, 1], [1, 1], done=2)
    assert (log.read_by("/in/a"), log.read_by("/in/b")) == (read(2), read(1))


def test_several_sources_some_read_twice_are_not_guessed(tmp_path: Path) -> None:
    log = checkpoint(tmp_path, {"a": (0, 1), "b": (1, 0)}, [0, 0, 0], [1, 0, 0], done=1)
    found = log.read_by("/in/a")
    assert found == ReadBy(None, True, None, MINUTE_MS, None)  # noqa: FBT003


def test_a_batch_that_is_not_kept_any_more(tmp_path: Path) -> None:
    """Batch 7 is the oldest that is kept, and may not be the first that has come so far."""
    log = checkpoint(tmp_path, {"a": (0, 3), "b": (0, 4)}, [3], [4], done=8, first=7)
    assert log.read_by("/in/a") == ReadBy(None, True, None, 7 * MINUTE_MS, None)  # noqa: FBT003
    assert log.read_by("/in/b") == read(8)


def test_compacted_logs_and_torn_ones(tmp_path: Path) -> None:
    log = checkpoint(tmp_path, {"a": (0, 0), "b": (0, 1)}, [0], [1], done=1)
    (tmp_path / "sources/0/0").rename(tmp_path / "sources/0/0.compact")
    (tmp_path / "sources/0/1").write_text('v1\n{"path')
    (tmp_path / "sources/0/.2.tmp").write_text("")
    (tmp_path / "offsets/2").write_text("v1")
    assert log.read_by("/in/a") == read(0)
    assert log.read_by("/in/b") is None


@pytest.mark.parametrize(
    ("location", "plain"),
    [
        ("file:/in/a%20b.json", "/in/a b.json"),
        ("file:///in/a%20b.json", "/in/a b.json"),
        ("/in/a b.json", "/in/a b.json"),
        ("s3a://bucket/in/a%20b", "s3a://bucket/in/a b"),
    ],
)
def test_locations_of_one_file_are_the_same(location: str, plain: str) -> None:
    assert plain_path(location) == plain
