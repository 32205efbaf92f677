"""When a live clock asks for a tick, and what Spark's watermark is set to."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tvfc_runtime.clock import live as live_clock
from tvfc_runtime.clock.live import BEATS_A_LOOK, LiveClock
from tvfc_runtime.counters.progress import Counters

STEP_MS, NOON = 1_000, 1_700_000_000_000


class FakeQuery:
    """A query whose tracker notes the watermarks that it is given."""

    def __init__(self) -> None:
        self.watermarks: list[int] = []
        self.last: Any = None

    def streamingQuery(self) -> FakeQuery:  # noqa: N802
        return self

    def watermarkTracker(self) -> FakeQuery:  # noqa: N802
        return self

    def setWatermark(self, watermark: int) -> None:  # noqa: N802
        self.watermarks.append(watermark)

    def isActive(self) -> bool:  # noqa: N802
        return True

    def lastProgress(self) -> Any:  # noqa: N802
        return self.last


class Moments:
    """A clock that goes along a query when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, checkpoint: Path, era_ms: int = 0) -> None:
        self.now, self.query = NOON, FakeQuery()
        monkeypatch.setattr(live_clock, "now_ms", lambda: self.now)
        self.clock = LiveClock(str(checkpoint), STEP_MS, era_ms)
        self.clock.prepare(sleeps=True)
        self.clock._query = self.query

    def at(self, moment: int) -> int:
        """The last tick that it has asked for once the system's clock is there."""
        self.now = moment
        self.clock._goes_on()
        self.clock._beat()
        return int(Path(self.clock.place).read_text(encoding="utf-8"))

    def told(self, batch: int, wakes: list[list[int]] | None) -> None:
        self.clock.told(Counters(batch=batch, wakes=wakes))


@pytest.fixture
def moments(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Moments:
    return Moments(monkeypatch, tmp_path)


def test_while_nothing_is_known_there_is_a_tick_each_step(moments: Moments) -> None:
    assert [moments.at(NOON + each) for each in (0, 900, 1_000, 1_500, 2_100)] == [
        *(NOON, NOON),
        *(NOON + 1_000, NOON + 1_000),
        NOON + 2_100,
    ]
    moments.told(0, None)
    assert moments.at(NOON + 3_100) == NOON + 3_100


def test_it_sleeps_until_something_is_due(moments: Moments) -> None:
    moments.at(NOON)
    moments.told(0, [[NOON + 86_400_000] * 2])
    assert moments.at(NOON + 86_399_999) == NOON
    assert moments.at(NOON + 86_400_000) == NOON + 86_400_000


def test_without_anything_to_come_it_sleeps_for_ever(moments: Moments) -> None:
    moments.at(NOON)
    moments.told(0, [])
    assert moments.at(NOON + 10**12) == NOON


def test_the_watermark_goes_on_while_it_sleeps(moments: Moments) -> None:
    moments.at(NOON)
    moments.told(0, [])
    moments.at(NOON + 5_000)
    moments.at(NOON + 5_100)
    assert moments.query.watermarks == [NOON, NOON + 5_000, NOON + 5_100]


def test_it_never_falls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The system's clock is set back while the job is down, and once more."""
    for folder, text in (
        ("offsets/7", f'v1\n{{"batchWatermarkMs":{NOON + 50}}}\n-'),
        ("commits/7", f'v1\n{{"nextBatchWatermarkMs":{NOON + 60}}}'),
    ):
        (tmp_path / folder).parent.mkdir()
        (tmp_path / folder).write_text(text, encoding="utf-8")
    moments = Moments(monkeypatch, tmp_path)
    moments.at(NOON)
    moments.at(NOON + 90)
    moments.at(NOON - 3_600_000)
    assert moments.query.watermarks == [NOON + 60, NOON + 90, NOON + 90]


def test_spark_has_it_in_the_era(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    moments = Moments(monkeypatch, tmp_path, era_ms=500_000)
    assert moments.at(NOON) == NOON
    assert moments.query.watermarks == [NOON + 500_000]


def test_a_batch_whose_word_is_lost_keeps_it_awake(moments: Moments) -> None:
    moments.at(NOON)
    moments.told(3, [])
    moments.query.last = SimpleNamespace(
        batchId=lambda: 4, observedMetrics=lambda: SimpleNamespace(isEmpty=lambda: False)
    )
    asked = [moments.at(NOON + STEP_MS + each) for each in range(2 * BEATS_A_LOOK)]
    assert asked[: BEATS_A_LOOK // 2] == [NOON] * (BEATS_A_LOOK // 2)
    assert asked[-1] > NOON
    moments.told(4, [])
    for each in range(BEATS_A_LOOK):
        moments.at(NOON + 2 * STEP_MS + each)
    last = moments.at(NOON + 4 * STEP_MS)
    assert moments.at(NOON + 9 * STEP_MS) == last


def test_with_an_operator_that_does_not_tell_it_never_sleeps(moments: Moments) -> None:
    moments.clock.prepare(sleeps=False)
    moments.at(NOON)
    moments.told(0, [])
    assert moments.at(NOON + STEP_MS) == NOON + STEP_MS
