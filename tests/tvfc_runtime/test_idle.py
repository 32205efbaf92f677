"""When a source is idle, and what the offset log tells of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tvfc_runtime.clock import idle
from tvfc_runtime.clock.idle import IdleReader, OffsetLog, Silence

AFTER_MS = 10_000


def write_batch(checkpoint: Path, number: int, began_ms: int, *offsets: str) -> None:
    folder = checkpoint / "offsets"
    folder.mkdir(parents=True, exist_ok=True)
    facts = json.dumps({"batchWatermarkMs": 0, "batchTimestampMs": began_ms})
    (folder / str(number)).write_text("\n".join(["v1", facts, *offsets]), encoding="utf-8")


def ticks_of(source: str, watermark_ms: int = 0) -> str:
    return json.dumps({"idle": source, "w": watermark_ms})


def test_idle_after_so_long_without_a_row() -> None:
    silence = Silence(AFTER_MS)
    assert silence.look(1_000, arrived=False) is None
    assert silence.look(10_999, arrived=False) is None
    assert silence.look(11_000, arrived=False) is None
    assert silence.look(12_000, arrived=False) == 1_000
    assert silence.look(12_500, arrived=False) == 2_000


def test_a_row_ends_the_silence() -> None:
    silence = Silence(AFTER_MS, since_ms=0, looked_ms=20_000)
    assert silence.look(21_000, arrived=False) == 10_000
    assert silence.look(22_000, arrived=True) is None
    assert silence.look(32_000, arrived=False) is None
    assert silence.look(33_000, arrived=False) == 22_000


def test_a_long_batch_is_no_silence() -> None:
    """What came while nobody looked is found by the batch that follows the look."""
    silence = Silence(AFTER_MS)
    silence.look(0, arrived=False)
    assert silence.look(60_000, arrived=False) is None
    assert silence.look(60_100, arrived=True) is None
    assert silence.look(60_200, arrived=False) is None


def test_down_time_is_silence_if_nothing_had_come() -> None:
    silence = Silence(AFTER_MS, since_ms=1_000)
    assert silence.look(500_000, arrived=False) is None
    assert silence.look(500_100, arrived=False) == 490_000


def test_the_line_before_the_ticks_is_the_source(tmp_path: Path) -> None:
    write_batch(tmp_path, 0, 100, "-", '{"logOffset":0}', ticks_of("orders"))
    log = OffsetLog(str(tmp_path), "orders")
    assert not log.has_moved()
    write_batch(tmp_path, 1, 200, '{"other":5}', '{"logOffset":0}', ticks_of("orders"))
    assert not log.has_moved(), "another source moved"
    write_batch(tmp_path, 2, 300, '{"other":5}', '{"logOffset":1}', ticks_of("orders"))
    assert log.has_moved()
    assert not log.has_moved(), "it has moved once"
    write_batch(tmp_path, 3, 400, '{"other":6}', '{"logOffset":1}', ticks_of("orders", 350))
    assert not log.has_moved(), "a tick is no row"
    assert OffsetLog(str(tmp_path), "orders").last_arrival_ms() == 300


def test_the_first_offset_is_an_arrival(tmp_path: Path) -> None:
    log = OffsetLog(str(tmp_path), "orders")
    assert not log.has_moved()
    assert log.last_arrival_ms() is None
    write_batch(tmp_path, 0, 100, '{"logOffset":0}', ticks_of("orders"))
    assert log.has_moved()
    assert OffsetLog(str(tmp_path), "orders").last_arrival_ms() == 100


def test_two_sources_with_ticks(tmp_path: Path) -> None:
    both = ('{"a":1}', ticks_of("one"), '{"b":1}', ticks_of("two"))
    write_batch(tmp_path, 0, 100, *both)
    one, two = (OffsetLog(str(tmp_path), name) for name in ("one", "two"))
    write_batch(tmp_path, 1, 200, '{"a":1}', ticks_of("one", 5), '{"b":2}', ticks_of("two"))
    assert not one.has_moved()
    assert two.has_moved()


def test_a_tick_is_its_own_offset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now_ms = 1_000_000
    monkeypatch.setattr(idle, "now_ms", lambda: now_ms)
    write_batch(tmp_path, 0, 900_000, '{"a":1}', ticks_of("orders"))
    reader = IdleReader(str(tmp_path), "orders", AFTER_MS)
    start = reader.initialOffset()
    assert reader.read(start)[1] == start, "the first look finds nothing out"
    now_ms += 50
    assert reader.read(start)[1] == start, "too soon for a look"
    now_ms += 50
    rows, end = reader.read(start)
    assert end == {"idle": "orders", "w": 1_000_000 - AFTER_MS}
    assert list(rows) == [(end["w"],)]
    assert list(reader.readBetweenOffsets(start, end)) == [(end["w"],)]
    now_ms += 500
    assert reader.read(end)[1] == end, "less than a step later"
    now_ms += 1_000
    reader.read(end)
    now_ms += 100
    rows, later = reader.read(end)
    assert later["w"] - end["w"] >= idle.LEAST_STEP_MS
    assert list(rows) == [(later["w"],)]
