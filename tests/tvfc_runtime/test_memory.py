"""What a checkpoint remembers: whose it is, and what was counted up to the last committed batch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Row

from tvfc_runtime.checkpoint.memory import KEPT, CheckpointMismatchError, Memory
from tvfc_runtime.checkpoint.state import differences
from tvfc_runtime.clock.column import Clock
from tvfc_runtime.clock.of_batch import watermark_ms
from tvfc_runtime.counters.progress import Counters


def progress(
    batch: int, watermark: str | None = None, **observed: dict[str, Any]
) -> dict[str, Any]:
    """What Spark reports of a batch; metrics by name, `__` for a slash."""
    return {
        "batchId": batch,
        "timestamp": f"2024-01-01T00:00:{batch:02}.250Z",
        "durationMs": {"triggerExecution": 100 + batch},
        "eventTime": {} if watermark is None else {"watermark": watermark},
        "observedMetrics": {
            name.replace("__", "/"): Row(**metrics) for name, metrics in observed.items()
        },
        "stateOperators": [],
    }


def source(rows: int, late: int = 0, watermark: int | None = None) -> dict[str, Any]:
    return {"rows": rows, "late": late, "without_time": rows // 2, "watermark": watermark}


def commit(checkpoint: Path, *batches: int) -> None:
    for batch in batches:
        (checkpoint / "commits").mkdir(parents=True, exist_ok=True)
        (checkpoint / "commits" / str(batch)).write_text("v1\n{}")


def test_a_new_checkpoint_is_claimed_and_known_again(tmp_path: Path) -> None:
    checkpoint = str(tmp_path / "cp")
    Memory(checkpoint).claim("f1", "SELECT 1", 2)
    Memory(checkpoint).claim("f1", "SELECT 1 -- with another comment", 2)


def test_another_query_is_refused_with_what_differs(tmp_path: Path) -> None:
    checkpoint = str(tmp_path / "cp")
    Memory(checkpoint).claim("f1", "SELECT id\nFROM orders\nWHERE a", 2)
    before = (tmp_path / "cp" / "tvfc" / "query.json").read_bytes()
    with pytest.raises(CheckpointMismatchError) as caught:
        Memory(checkpoint).claim("f2", "SELECT id\nFROM orders\nWHERE b", 2)
    message = str(caught.value)
    assert message.startswith("TVF701")
    assert checkpoint in message
    assert "\n-WHERE a" in message
    assert "\n+WHERE b" in message
    assert "SELECT id" not in message
    assert (tmp_path / "cp" / "tvfc" / "query.json").read_bytes() == before


KEEPS: list[dict[str, Any]] = [
    {"version": 1},
    {"operator": "source", "name": "orders", "columns": ["id INT", "k INT"]},
    {"operator": "totals", "of": 1, "key": ["k"], "totals": ["count() as n"]},
    {"sink": "console", "rows": 2},
]


def keeps(**changed: Any) -> list[dict[str, Any]]:
    """The same with other totals."""
    return [{**each, **changed} if each.get("operator") == "totals" else each for each in KEEPS]


def known(checkpoint: Path) -> dict[str, Any]:
    return dict(json.loads((checkpoint / "tvfc" / "query.json").read_text(encoding="utf-8")))


def test_what_keeps_the_same_goes_on_whatever_its_fingerprint(tmp_path: Path) -> None:
    Memory(str(tmp_path)).claim("f1", "SELECT k, count(*) AS n", 2, KEEPS)
    before = known(tmp_path)
    assert before["state"] == KEEPS
    Memory(str(tmp_path)).claim("f2", "SELECT k,COUNT(*)n", 2, keeps())
    assert known(tmp_path) == before


def test_what_keeps_something_else_is_refused_in_words(tmp_path: Path) -> None:
    Memory(str(tmp_path)).claim("f1", "SELECT count(*)\nGROUP BY k", 2, KEEPS)
    before = known(tmp_path)
    with pytest.raises(CheckpointMismatchError) as caught:
        Memory(str(tmp_path)).claim("f1", "SELECT count(*)\nGROUP BY id", 2, keeps(key=["id"]))
    first, second, *others = str(caught.value).splitlines()
    assert first.startswith("TVF701: the checkpoint")
    assert second == "  the totals of orders: key was `k`, is `id`"
    assert others[-2:] == ["-GROUP BY k", "+GROUP BY id"]
    assert known(tmp_path) == before


def test_a_checkpoint_of_an_earlier_version_is_known_and_says_more_from_then_on(
    tmp_path: Path,
) -> None:
    Memory(str(tmp_path)).claim("f1", "SELECT 1", 2)
    before = (tmp_path / "tvfc" / "query.json").read_bytes()
    with pytest.raises(CheckpointMismatchError):
        Memory(str(tmp_path)).claim("f2", "SELECT 2", 2, KEEPS)
    with pytest.raises(CheckpointMismatchError, match=r"version 2 .*version 3"):
        Memory(str(tmp_path)).claim("f1", "SELECT 1", 3, KEEPS)
    assert (tmp_path / "tvfc" / "query.json").read_bytes() == before
    Memory(str(tmp_path)).claim("f1", "SELECT 1", 2, KEEPS)
    Memory(str(tmp_path)).claim("f2", "SELECT  1", 2, KEEPS)
    with pytest.raises(CheckpointMismatchError, match="key has `id`, which is new"):
        Memory(str(tmp_path)).claim("f1", "SELECT 1", 2, keeps(key=["k", "id"]))


@pytest.mark.parametrize(
    ("new", "words"),
    [
        (
            [{"version": 2}, *KEEPS[1:]],
            ["its state is described in version 1, that of this job in version 2"],
        ),
        (KEEPS[:2] + KEEPS[3:], ["the totals of orders is gone"]),
        (keeps(key=["k", "id"]), ["the totals of orders: key has `id`, which is new"]),
        (keeps(key=[]), ["the totals of orders: key had `k`, which is gone"]),
        (keeps(limit=3), ["the totals of orders: limit is new: `3`"]),
    ],
)
def test_each_difference_has_words(new: list[dict[str, Any]], words: list[str]) -> None:
    assert set(words) <= set(differences(KEEPS, new))
    assert differences(new, KEEPS)
    assert differences(new, new) == []


def test_a_checkpoint_of_another_version_of_the_runtime_is_refused(tmp_path: Path) -> None:
    Memory(str(tmp_path)).claim("f1", "SELECT 1", 2)
    with pytest.raises(CheckpointMismatchError, match=r"TVF701.*version 2 .*version 3"):
        Memory(str(tmp_path)).claim("f1", "SELECT 1", 3)


def test_a_checkpoint_of_another_program_is_refused_and_not_touched(tmp_path: Path) -> None:
    (tmp_path / "offsets").mkdir()
    (tmp_path / "offsets" / "0").write_text("v1")
    with pytest.raises(CheckpointMismatchError, match=r"TVF701.*not written by a tvfc job"):
        Memory(str(tmp_path)).claim("f1", "SELECT 1", 2)
    assert [path.name for path in tmp_path.iterdir()] == ["offsets"]


def test_counters_come_back_up_to_the_last_committed_batch(tmp_path: Path) -> None:
    memory = Memory(str(tmp_path))
    for batch in range(3):
        memory.counters.update(
            progress(
                batch,
                tvfc__source__orders__0=source(10, watermark=100 * batch),
                tvfc__source__refunds__0=source(1, watermark=7),
            )
        )
        memory.remember(memory.counters)
    commit(tmp_path, 0, 1)
    again = Memory(str(tmp_path))
    assert again.counters.batch == 1
    assert again.counters.rows_in == 22
    assert again.watermark_ms("orders") == 100
    assert again.watermark_ms("payments") is None
    # Batch 2 is run again, and counts once.
    again.counters.update(progress(2, tvfc__source__orders__0=source(10, watermark=200)))
    assert again.counters.rows_in == 32
    # What a source had reached before the start is not what it reaches after it.
    assert again.watermark_ms("orders") == 100


def test_without_a_committed_batch_nothing_has_been_counted(tmp_path: Path) -> None:
    memory = Memory(str(tmp_path))
    memory.counters.update(progress(0, tvfc__source__orders__0=source(10)))
    memory.remember(memory.counters)
    assert Memory(str(tmp_path)).counters == Counters()


def test_only_the_last_few_batches_are_kept(tmp_path: Path) -> None:
    memory = Memory(str(tmp_path))
    for batch in range(20):
        memory.counters.update(progress(batch, tvfc__source__orders__0=source(1)))
        memory.remember(memory.counters)
    kept = sorted(int(path.name) for path in (tmp_path / "tvfc" / "batches").iterdir())
    assert kept == list(range(20 - KEPT, 20))


def test_a_batch_counts_once() -> None:
    counters = Counters()
    report = progress(
        4,
        "2024-01-01T00:00:00.500Z",
        tvfc__source__orders__0=source(5, late=2, watermark=70),
        tvfc__source__orders__9=source(5, late=2, watermark=70),
        tvfc__source__pay__3=source(1, watermark=None),
        tvfc__bad__orders__1={"rows": 3},
        tvfc__delay__0={"taken": 7, "released": 4},
        tvfc__delay__0__failed={"rows": 2},
        tvfc__temporal__8__failed={"rows": 1},
        tvfc__changing__9__failed={"rows": 4},
        tvfc__untimed__parsed__10={"rows": 5},
        tvfc__on_time__orders__2={"rows": 1_000},
        other={"rows": 1_000},
    )
    counters.update(report)
    once = counters.to_json()
    counters.update(report)
    counters.update(progress(3, tvfc__out={"rows": 50}))
    counters.update(None)
    assert counters.to_json() == once
    # A source that is read twice is one source.
    assert (counters.rows_in, counters.rows_held, counters.rows_out) == (6, 3, 4)
    assert (counters.late, counters.bad) == ({"orders": 2, "pay": 0}, {"orders": 3})
    assert counters.never_due == 12
    assert counters.without_time == {"orders": 2, "pay": 0}
    assert counters.watermarks_ms == {"orders": 70}
    assert counters.watermark_ms == 1_704_067_200_500


def test_rows_that_no_delay_has_counted_are_counted_at_the_end() -> None:
    counters = Counters()
    for batch in range(2):
        counters.update(progress(batch, tvfc__out={"rows": 4}))
    assert (counters.rows_out, counters.rows_held) == (8, 0)


def test_rows_of_state_are_held() -> None:
    counters = Counters()
    for batch, rows in enumerate([5, -2]):
        counters.update(progress(batch, tvfc__changing__1__held={"rows": rows}))
    assert counters.rows_held == 3


def test_rows_are_held_by_operator() -> None:
    counters = Counters()
    for batch, rows in enumerate([5, 7]):
        report = progress(batch, tvfc__delay__2={"taken": 3, "released": 1})
        report["stateOperators"] = [
            {"operatorName": "symmetricHashJoin", "numRowsTotal": rows},
            {"operatorName": "transformWithStateInPandasExec", "numRowsTotal": 99},
            {"operatorName": "stateStoreSave", "numRowsTotal": 1},
            {"operatorName": "symmetricHashJoin", "numRowsTotal": 10},
        ]
        counters.update(report)
    wanted = {"delay/2": 4, "spark/join/0": 7, "spark/groups/0": 1, "spark/join/1": 10}
    assert counters.held == wanted
    assert counters.held_by_kind() == {"delay": 4, "join": 17, "groups": 1}
    assert (counters.rows_held, counters.rows_of_runtime) == (22, 4)
    data = counters.to_json()
    assert (data["held"], data["rows_held"]) == (wanted, 22)
    assert Counters.from_json(data) == counters
    # As an earlier version wrote it.
    assert Counters.from_json({"late": {}, "bad": {}, "rows_held": 6}).rows_of_runtime == 6


def test_rows_out_are_counted_by_sink_and_by_delay() -> None:
    counters = Counters()
    for batch in range(2):
        delayed = {"taken": 3, "released": 1}
        counters.update(progress(batch, tvfc__delay__2=delayed, tvfc__out__late={"rows": 4}))
    assert counters.out == {"delay/2": 2, "late": 8}
    assert counters.rows_out == 10
    assert Counters.from_json(counters.to_json()) == counters
    # An earlier version has not counted them so.
    earlier = {name: each for name, each in counters.to_json().items() if name != "out"}
    assert Counters.from_json(earlier).out == {}


def test_where_the_time_of_a_batch_goes_and_what_state_takes() -> None:
    counters = Counters()
    report = progress(0, tvfc__out={"rows": 4})
    report["durationMs"] = {"triggerExecution": 90, "addBatch": 70, "walCommit": 5}
    sizes: list[dict[str, int]] = [{"rocksdbSstFileSize": 7}, {}, {"rocksdbSstFileSize": 4}]
    report["stateOperators"] = [
        {"operatorName": "dedupe", "numRowsTotal": 1, "customMetrics": each} for each in sizes
    ]
    counters.update(report)
    assert (counters.took_ms, counters.state_bytes) == (90, 11)
    assert counters.phases_ms == {"addBatch": 70, "walCommit": 5}
    counters.update(progress(1, tvfc__out={"rows": 4}))
    assert counters.state_bytes is None


def test_watermarks_do_not_fall_and_none_stays_none() -> None:
    counters = Counters()
    for batch, value in enumerate([None, 50, 20, None]):
        counters.update(
            progress(batch, "1970-01-01T00:00:00.000Z", tvfc__source__orders__0=source(1, 0, value))
        )
    assert counters.watermarks_ms == {"orders": 50}
    assert counters.watermark_ms is None


def test_counters_survive_json() -> None:
    counters = Counters(rows_in=3, watermark_ms=5, watermarks_ms={"a": 7}, batch=2)
    counters.late["a"] += 4
    back = Counters.from_json(counters.to_json())
    assert back == counters
    back.late["b"] += 1
    assert back.late["b"] == 1


def offsets(checkpoint: Path, **watermarks: int) -> None:
    folder = checkpoint / "offsets"
    folder.mkdir(exist_ok=True)
    for batch, watermark in watermarks.items():
        metadata = f'{{"batchWatermarkMs":{watermark},"batchTimestampMs":9,"conf":{{}}}}'
        (folder / batch.removeprefix("batch_")).write_text(f'v1\n{metadata}\n{{"logOffset":0}}')


def test_the_clock_is_that_of_the_newest_batch(tmp_path: Path) -> None:
    assert watermark_ms(str(tmp_path)) is None
    offsets(tmp_path, batch_0=0)
    assert watermark_ms(str(tmp_path)) is None
    offsets(tmp_path, batch_9=1_000, batch_10=1_500)
    (tmp_path / "offsets" / ".11.tmp").write_text("half")
    assert watermark_ms(str(tmp_path)) == 1_500
    assert watermark_ms(tmp_path.as_uri()) == 1_500
    assert Clock(str(tmp_path)).call() == "1500"


def test_an_idle_query_does_not_take_the_place_of_its_next_batch() -> None:
    counters = Counters()
    counters.update(progress(0, tvfc__source__orders__0=source(5)))
    counters.update(progress(1))
    counters.update(progress(1, tvfc__source__orders__0=source(7)))
    assert counters.rows_in == 12
