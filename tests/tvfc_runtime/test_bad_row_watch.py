"""When bad rows are spoken of, and when there are too many."""

from __future__ import annotations

from collections import Counter

import pytest

from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.reports.bad_row_watch import BadRowWatch, TooManyBadRowsError

EXAMPLE: dict[str, str | None] = {
    "record": '{"id":\n "one"}',
    "reason": "id is no INT",
    "file": "file:/in/a.json",
}


def counted(number: int) -> Counters:
    return Counters(bad=Counter({"events": number}), examples={"events": EXAMPLE})


def test_the_first_one_and_each_tenfold_is_said() -> None:
    said: list[str] = []
    watch = BadRowWatch({}, said.append)
    watch.begin(Counters())
    for number in (0, 1, 2, 9, 10, 99, 1_000):
        watch.look(counted(number))
    assert [line.split(": ")[1].split(" of")[0] for line in said] == [
        "1 row",
        "10 rows",
        "1,000 rows",
    ]
    assert said[0] == (
        "warning[TVFW704]: 1 row of events does not fit its columns and is left out, such as "
        '{"id": "one"} (id is no INT; file:/in/a.json)'
    )


def test_what_was_counted_before_a_restart_is_not_said_again() -> None:
    said: list[str] = []
    watch = BadRowWatch({}, said.append)
    watch.begin(counted(7))
    watch.look(counted(7))
    assert said == []
    watch.look(counted(8))
    assert len(said) == 1


def test_too_many_stop_the_job_and_stop_it_again() -> None:
    watch = BadRowWatch({"events": 2}, lambda _line: None)
    watch.begin(counted(2))
    with pytest.raises(TooManyBadRowsError, match=r"TVF708: 3 rows of events .* maxBadRows, 2; .*"):
        watch.look(counted(3))
    with pytest.raises(TooManyBadRowsError, match="TVF708"):
        BadRowWatch({"events": 2}, lambda _line: None).begin(counted(3))
    BadRowWatch({"events": 3}, lambda _line: None).begin(counted(3))
