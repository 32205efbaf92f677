"""What the groups of a source have reached, batch by batch, and what is found after a crash."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tvfc_runtime.checkpoint.storage import list_numbers
from tvfc_runtime.clock.group_marks import Groups, groups_folder, holding_group
from tvfc_runtime.clock.groups import KEPT, count_batch


def begin(checkpoint: Path, batch: int, watermark_ms: int = 0) -> None:
    """A batch as Spark notes it before it runs."""
    facts = {"batchWatermarkMs": watermark_ms, "batchTimestampMs": 1_000 * batch}
    (checkpoint / "offsets").mkdir(parents=True, exist_ok=True)
    (checkpoint / f"offsets/{batch}").write_text(f"v1\n{json.dumps(facts)}\n{{}}")


def test_the_least_of_the_groups_counts(tmp_path: Path) -> None:
    place = str(tmp_path)
    begin(tmp_path, 0)
    assert count_batch(place, "s", [("a", 50, 0), ("b", 20, 0), ("c", None, 0)], None) == 20
    begin(tmp_path, 1, 20)
    assert count_batch(place, "s", [("b", 30, 1_000), ("b", 25, 1_000)], None) == 30
    holding = holding_group(place, "s")
    assert holding is not None
    assert (holding.name, holding.watermark_ms, holding.ahead_ms) == ("b", 30, 20)


def test_a_batch_that_is_run_again_finds_what_it_found(tmp_path: Path) -> None:
    place = str(tmp_path)
    begin(tmp_path, 0)
    count_batch(place, "s", [("a", 50, 0), ("b", 20, 0)], None)
    begin(tmp_path, 1, 20)
    for _ in range(3):
        assert count_batch(place, "s", [("b", 30, 1_000)], None) == 30
    # Begun anew with less: what the first try had counted is forgotten.
    assert count_batch(place, "s", [("b", 25, 1_000)], None) == 25


def test_an_idle_group_is_left_out_until_its_next_row(tmp_path: Path) -> None:
    place = str(tmp_path)
    begin(tmp_path, 0)
    assert count_batch(place, "s", [("a", 50, 0), ("b", 20, 0)], 5_000) == 20
    begin(tmp_path, 1)
    assert count_batch(place, "s", [("a", 60, 4_999)], 5_000) == 20
    begin(tmp_path, 2)
    assert count_batch(place, "s", [("a", 70, 5_000)], 5_000) == 70
    begin(tmp_path, 3)
    assert count_batch(place, "s", [("b", 40, 6_000)], 5_000) == 40


def test_old_files_go(tmp_path: Path) -> None:
    for batch in range(20):
        begin(tmp_path, batch, batch)
        count_batch(str(tmp_path), "a/b", [("a", batch + 1, 0)], None)
    folder = groups_folder(str(tmp_path), "a/b")
    assert sorted(list_numbers(folder)) == list(range(20 - KEPT, 20))


def test_lost_files_stop_the_job(tmp_path: Path) -> None:
    begin(tmp_path, 7, 12_345)
    with pytest.raises(RuntimeError, match="TVF753"):
        count_batch(str(tmp_path), "s", [("a", 1, 0)], None)


def test_a_name_may_be_missing() -> None:
    groups = Groups().after([(None, 5, 1), ("None", 6, 1)])
    assert Groups.of_json(groups.to_json(None)) == groups
    assert groups.least(1, None) == 5
