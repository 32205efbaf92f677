"""Which checkpoints a query may continue on, and what is said of the others."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tvfc_runtime.checkpoint.memory import Memory
from tvfc_runtime.checkpoint.whole import CheckpointDamagedError, CheckpointError, check_whole

BATCHES = 12
ENTRIES = 14


def write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkpoint as Spark leaves it after twelve batches, the first logs compacted, and a sink.

    Its second source is a file source; the first one has nothing to say of its offset yet.
    """
    write(tmp_path / "cp/metadata", '{"id":"1b761add"}')
    for batch in range(BATCHES):
        offset = f'{{"logOffset":{batch + 2}}}'
        write(tmp_path / f"cp/offsets/{batch}", f'v1\n{{"batchWatermarkMs":0}}\n-\n{offset}')
        write(tmp_path / f"cp/commits/{batch}", 'v1\n{"nextBatchWatermarkMs":0}')
        name = f"{batch}.compact" if batch == 9 else f"{batch}"
        write(
            tmp_path / f"out/_spark_metadata/{name}", "v1" + '\n{"path":"file:///a"}' * (batch % 2)
        )
    for entry in range(9, ENTRIES):
        name = f"{entry}.compact" if entry == 9 else f"{entry}"
        write(tmp_path / f"cp/sources/1/{name}", 'v1\n{"path":"file:///b","batchId":1}')
    return tmp_path


def check(folder: Path) -> None:
    check_whole(str(folder / "cp"), [str(folder / "out")])


def test_what_spark_leaves_is_whole(folder: Path) -> None:
    check(folder)
    (folder / f"cp/commits/{BATCHES - 1}").unlink()
    check(folder)


def test_what_has_not_begun_is_whole(tmp_path: Path) -> None:
    check(tmp_path)
    write(tmp_path / "cp/metadata", '{"id":"1b761add"}')
    check(tmp_path)
    write(tmp_path / "cp/offsets/0", 'v1\n{"batchWatermarkMs":0}\n-')
    check(tmp_path)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def halved(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def removed(path: Path) -> None:
    path.unlink()


TORN = (emptied, halved)
ANY = (*TORN, removed)
NEEDED = {
    "cp/metadata": ANY,
    "cp/offsets/11": ANY,
    # Without it the last batch runs again.
    "cp/commits/11": TORN,
    "cp/sources/1/13": ANY,
    "cp/sources/1/9.compact": ANY,
    "out/_spark_metadata/11": (emptied, removed),
    "out/_spark_metadata/9.compact": ANY,
}


@pytest.mark.parametrize(
    ("name", "harm"), [(name, harm) for name, harms in NEEDED.items() for harm in harms]
)
def test_harm_is_named(folder: Path, name: str, harm: Callable[[Path], None]) -> None:
    harm(folder / name)
    place, _, file = name.partition("/")
    file = file.removesuffix(".compact")
    said = rf"^TVF711: {re.escape(str(folder / place))} is not whole: .*{re.escape(file)}.*; "
    with pytest.raises(CheckpointDamagedError, match=said):
        check(folder)


def test_a_sink_without_its_list_is_named(folder: Path) -> None:
    for path in (folder / "out/_spark_metadata").iterdir():
        path.unlink()
    with pytest.raises(CheckpointDamagedError, match=r"_spark_metadata/11 is missing"):
        check(folder)


def read_twice(folder: Path, *, beside: bool) -> None:
    """The file source is read in two places of the query, `beside` another one with its own log."""
    offsets = folder / "cp/offsets"
    for batch in range(BATCHES):
        offset = f'{{"logOffset":{batch + 2}}}\n' * (3 if beside else 2)
        write(offsets / f"{batch}", f'v1\n{{"batchWatermarkMs":0}}\n{offset}')
    log = folder / "cp/sources/1"
    log.rename(log.with_name("0"))
    if beside:
        shutil.copytree(log.with_name("0"), log)


@pytest.mark.parametrize("beside", [False, True])
def test_a_source_that_is_read_twice_has_one_log(folder: Path, *, beside: bool) -> None:
    read_twice(folder, beside=beside)
    check(folder)
    halved(folder / f"cp/sources/{int(beside)}/13")
    with pytest.raises(CheckpointDamagedError, match=rf"sources/{int(beside)}/13 is torn"):
        check(folder)
    removed(folder / f"cp/sources/{int(beside)}/13")
    with pytest.raises(CheckpointDamagedError, match=rf"sources/{int(beside)}/13 is missing"):
        check(folder)


def test_first_offsets_of_other_sources_are_no_log_of_files(folder: Path) -> None:
    read_twice(folder, beside=True)
    shutil.rmtree(folder / "cp/sources/1")
    write(folder / "cp/sources/1/0", 'v1\n{"topic":{"0":0}}')
    check(folder)


def test_a_gap_between_plan_and_commit_is_named(folder: Path) -> None:
    for batch in (10, 11):
        (folder / f"cp/commits/{batch}").unlink()
    with pytest.raises(CheckpointDamagedError, match=r"commits/10 is missing"):
        check(folder)


def test_what_can_simply_be_removed_is_said(folder: Path) -> None:
    halved(folder / "cp/commits/11")
    with pytest.raises(
        CheckpointDamagedError, match=r"remove that file, .*, and batch 11 runs again"
    ):
        check(folder)
    (folder / "cp/commits/11").unlink()
    halved(folder / "cp/offsets/11")
    with pytest.raises(CheckpointDamagedError, match=r"offsets/11 is torn; restore"):
        check(folder)
    (folder / "out/_spark_metadata/11").unlink()
    with pytest.raises(
        CheckpointDamagedError, match=r"remove that file, .*, and the batch is planned"
    ):
        check(folder)
    (folder / "cp/offsets/11").unlink()
    check(folder)


def test_a_torn_query_is_named_and_torn_counts_are_left_out(folder: Path) -> None:
    checkpoint = str(folder / "cp")
    for batch in (10, 11):
        write(folder / f"cp/tvfc/batches/{batch}", '{"rows_in": 7, "late": {}, "bad": {}}')
    halved(folder / "cp/tvfc/batches/11")
    memory = Memory(checkpoint)
    assert memory.counters.rows_in == 7
    write(folder / "cp/tvfc/query.json", '{"fingerprint": "f1", "que')
    with pytest.raises(CheckpointDamagedError, match=r"TVF711: .*tvfc/query.json is torn"):
        memory.claim("f1", "SELECT 1", 2)


def test_a_sink_that_is_ahead_is_of_another_run(folder: Path) -> None:
    """Spark would pass over the batches of a new checkpoint up to those that the sink has."""
    out = str(folder / "out")
    with pytest.raises(CheckpointError, match=f"TVF705: the folder {out} has batch {BATCHES - 1}"):
        check_whole(str(folder / "new"), [out])
    check_whole(str(folder / "new"), [str(folder / "elsewhere")])
    write(folder / f"out/_spark_metadata/{BATCHES}", "v1")
    with pytest.raises(CheckpointError, match="TVF705"):
        check(folder)
    # A batch that was planned and written, and not yet noted as done, is its own.
    offset = f'{{"logOffset":{ENTRIES - 1}}}'
    write(folder / f"cp/offsets/{BATCHES}", f'v1\n{{"batchWatermarkMs":0}}\n-\n{offset}')
    check(folder)
