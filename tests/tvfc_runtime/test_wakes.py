"""Spans of clock values at which there is something to do, against sets of timers."""

from __future__ import annotations

from random import Random

from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.counters.wakes import MOST, Span, put_together


def test_timers_are_spans_in_order_without_what_is_past() -> None:
    assert put_together([[5, 5], [9, 12]], [20, 7], 6) == [[7, 7], [9, 12], [20, 20]]
    assert put_together([[5, 12]], [], 8) == [[8, 12]]
    assert put_together([[5, 5]], [5, 5, 1], None) == [[1, 1], [5, 5]]


def test_no_timer_is_forgotten() -> None:
    random = Random(18)
    for _ in range(50):
        spans: list[Span] = []
        timers, clock = set[int](), 0
        for _ in range(60):
            more = [
                clock + random.choice((5, 100, 10_000)) ** 2 for _ in range(random.randrange(9))
            ]
            more = [random.randint(clock + 1, each) for each in more]
            timers = {each for each in (*timers, *more) if each >= clock}
            spans = put_together(spans, more, clock)
            assert len(spans) <= MOST
            assert all(any(first <= each <= last for first, last in spans) for each in timers)
            assert not timers or spans[0][0] == min(timers | {max(spans[0][0], clock)})
            clock += random.randrange(2_000)


def test_few_timers_are_known_exactly() -> None:
    timers = list(range(0, 1_000 * MOST, 1_000))
    assert put_together([], timers, None) == [[each, each] for each in timers]


def progress(batch: int, **timers: list[int]) -> dict[str, object]:
    return {
        "batchId": batch,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "eventTime": {"watermark": "1970-01-01T00:00:00.007Z"},
        "durationMs": {},
        "stateOperators": [],
        "observedMetrics": {f"tvfc/wake/{name}": Told(at) for name, at in timers.items()},
    }


class Told:
    """A row of observations."""

    def __init__(self, at: list[int]) -> None:
        self.at = at


def test_counters_know_when_to_wake() -> None:
    counters = Counters()
    counters.update(progress(0, a=[9, 30], b=[]))
    counters.update(progress(1, a=[], b=[12]))
    assert counters.wakes == [[9, 9], [12, 12], [30, 30]]
    assert Counters.from_json(counters.to_json()).wakes == counters.wakes


def test_what_was_not_heard_is_unknown() -> None:
    counters = Counters()
    counters.update(progress(0, a=[9], b=[]))
    missing = Counters.from_json(counters.to_json())
    missing.update(progress(2, a=[12], b=[]))
    assert missing.wakes is None
    silent = Counters.from_json(counters.to_json())
    silent.telling = 2
    silent.update(progress(1, a=[12]))
    assert silent.wakes is None
    silent.update(progress(2, a=[13], b=[]))
    assert silent.wakes is None


def test_counters_of_an_earlier_version_do_not_know() -> None:
    earlier = Counters().to_json()
    del earlier["wakes"]
    assert Counters.from_json(earlier).wakes is None
