"""When late rows are spoken of."""

from __future__ import annotations

from collections import Counter

from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.reports.late_row_watch import LateRowWatch


def counted(late: int, rows: int) -> Counters:
    return Counters(late=Counter({"events": late}), rows=Counter({"events": rows}), rows_in=rows)


def said_of(*counts: tuple[int, int], before: tuple[int, int] = (0, 0)) -> list[str]:
    said: list[str] = []
    watch = LateRowWatch(said.append)
    watch.begin(counted(*before))
    for late, rows in counts:
        watch.look(counted(late, rows))
    return said


def test_a_large_part_is_said_once_and_when_it_is_tenfold() -> None:
    said = said_of((9, 10), (1_200, 2_000), (1_300, 2_100), (11_999, 20_000), (12_000, 20_001))
    assert said == [
        "warning[TVFW721]: 1,200 of 2,000 rows of events came late, behind the watermark, and are "
        "left out; LATE(events) has them, a longer delay in WATERMARK FOR lets them in",
        "warning[TVFW721]: 12,000 of 20,001 rows of events came late, behind the watermark, and "
        "are left out; LATE(events) has them, a longer delay in WATERMARK FOR lets them in",
    ]


def test_a_small_part_is_not() -> None:
    assert said_of((9, 9), (100, 1_000), (1_000, 10_000)) == []


def test_what_was_counted_before_a_restart_is_not_said_again() -> None:
    assert said_of((500, 1_000), before=(500, 1_000)) == []
    assert len(said_of((501, 1_000), before=(500, 1_000))) == 1


def test_rows_of_a_view_are_compared_with_all() -> None:
    said: list[str] = []
    late = Counters(late=Counter({"view": 20}), rows=Counter({"events": 100}), rows_in=100)
    LateRowWatch(said.append).look(late)
    assert "20 of 100 rows of view" in said[0]
