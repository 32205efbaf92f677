"""The ticks of the wall clock: what a reader gives, and what a restart makes of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tvfc_runtime.clock import ticks
from tvfc_runtime.clock.ticks import WallClockReader

STEP_MS = 1_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The system's clock: its last entry, in milliseconds."""
    moments = [1_700_000_000_400]
    monkeypatch.setattr(ticks, "now_ms", lambda: moments[-1])
    return moments


def test_a_tick_for_each_step(clock: list[int]) -> None:
    reader = WallClockReader(STEP_MS)
    start = reader.initialOffset()
    rows, first = reader.read(start)
    assert first == {"clock": "wall", "w": 1_700_000_000_000}
    assert list(rows) == [(first["w"],)]
    clock.append(1_700_000_000_999)
    rows, same = reader.read(first)
    assert (list(rows), same) == ([], first)
    clock.append(1_700_000_001_000)
    assert reader.read(first)[1]["w"] == 1_700_000_001_000


def test_one_tick_leads_to_the_present(clock: list[int]) -> None:
    _, before = WallClockReader(STEP_MS).read({"clock": "wall", "w": 0})
    clock.append(clock[0] + 86_400_000)
    rows, after = WallClockReader(STEP_MS).read(before)
    assert list(rows) == [(before["w"] + 86_400_000,)]
    assert after["w"] == before["w"] + 86_400_000


@pytest.mark.parametrize("step_ms", [STEP_MS, 60_000])
def test_ticks_never_fall(clock: list[int], step_ms: int) -> None:
    """The system's clock is set back, also while the job is down, and its steps become longer."""
    _, last = WallClockReader(STEP_MS).read({"clock": "wall", "w": 0})
    clock.append(clock[0] - 3_600_000)
    for reader in (WallClockReader(STEP_MS), WallClockReader(step_ms)):
        rows, same = reader.read(last)
        assert (list(rows), same) == ([], last)
    clock.append(clock[0] + 60_000)
    assert WallClockReader(step_ms).read(last)[1]["w"] > last["w"]


def test_a_batch_that_is_run_again_has_the_same_tick(clock: list[int]) -> None:
    reader = WallClockReader(STEP_MS)
    start = reader.initialOffset()
    rows, end = reader.read(start)
    clock.append(clock[0] + 500_000)
    again = WallClockReader(STEP_MS).readBetweenOffsets(start, end)
    assert list(again) == list(rows)


def test_a_run_that_ends_with_its_input_has_one_tick(clock: list[int]) -> None:
    reader = WallClockReader(STEP_MS)
    reader.prepareForTriggerAvailableNow()
    clock.append(clock[0] + 60_000)
    _, end = reader.read(reader.initialOffset())
    assert end["w"] == 1_700_000_000_000
    assert reader.read(end)[1] == end


def test_ticks_are_those_that_are_asked_for(clock: list[int], tmp_path: Path) -> None:
    place = tmp_path / "tick"
    reader = WallClockReader(STEP_MS, str(place))
    ticks.asked_for(str(place), 0)
    start = reader.initialOffset()
    assert reader.read(start)[1] == start
    ticks.asked_for(str(place), clock[-1])
    rows, end = reader.read(start)
    assert (list(rows), end["w"]) == ([(clock[-1],)], clock[-1])
    assert reader.read(end)[1] == end


def test_where_nobody_asks_any_more_there_is_a_tick_each_step(
    clock: list[int], tmp_path: Path
) -> None:
    place = tmp_path / "tick"
    reader = WallClockReader(STEP_MS, str(place))
    assert reader.read(reader.initialOffset())[1]["w"] == 1_700_000_000_000
    ticks.asked_for(str(place), 0)
    os.utime(place, (1, 1))
    clock.append(clock[-1] + 5_000)
    assert reader.read(reader.initialOffset())[1]["w"] == 1_700_000_005_000


def test_a_run_that_ends_with_its_input_is_asked_for_nothing(
    clock: list[int], tmp_path: Path
) -> None:
    place = tmp_path / "tick"
    ticks.asked_for(str(place), 0)
    reader = WallClockReader(STEP_MS, str(place))
    reader.prepareForTriggerAvailableNow()
    assert reader.read(reader.initialOffset())[1]["w"] == clock[-1] // STEP_MS * STEP_MS
