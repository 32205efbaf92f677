"""What Prometheus is told of a job, and that it is told over HTTP."""

from __future__ import annotations

import socket
from collections import Counter
from contextlib import closing
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.reports.metrics import MetricsError, address, exposition, serve
from tvfc_runtime.reports.reasons import FAILURES, reason

COUNTERS = Counters(
    rows_out=3,
    watermark_ms=1_700_000_000_250,
    held=Counter({"delay/0": 2, "spark/join/0": 1}),
    rows=Counter({"a": 9}),
    arrived_ms={"a": 1_700_000_001_000},
    late=Counter({"a": 1}),
    batch=4,
    took_ms=1_500,
)


def test_names_units_and_labels() -> None:
    text = exposition({"job/out": COUNTERS, "job/new": Counters()})
    lines = text.splitlines()
    assert text.endswith("\n")
    assert [line for line in lines if not line.startswith("#")] == [
        'tvfc_rows_read_total{query="job/out",source="a"} 9',
        'tvfc_rows_late_total{query="job/out",source="a"} 1',
        'tvfc_rows_never_due_total{query="job/out"} 0',
        'tvfc_rows_never_due_total{query="job/new"} 0',
        'tvfc_rows_written_total{query="job/out"} 3',
        'tvfc_rows_written_total{query="job/new"} 0',
        'tvfc_rows_held{query="job/out",operator="delay/0"} 2',
        'tvfc_rows_held{query="job/out",operator="spark/join/0"} 1',
        'tvfc_clock_timestamp_seconds{query="job/out"} 1700000000.250',
        'tvfc_source_last_rows_timestamp_seconds{query="job/out",source="a"} 1700000001.000',
        'tvfc_batch{query="job/out"} 4',
        'tvfc_batch{query="job/new"} -1',
        'tvfc_batch_duration_seconds{query="job/out"} 1.500',
    ]
    kinds = {line.split()[2]: line.split()[3] for line in lines if line.startswith("# TYPE")}
    assert all((kind == "counter") == name.endswith("_total") for name, kind in kinds.items())
    # Each family has its type before its samples, once.
    assert len(kinds) == sum(line.startswith("# TYPE") for line in lines) == 9
    assert lines[0].startswith("# HELP tvfc_rows_read_total Rows read from a source")


def test_a_job_that_sleeps_says_up_to_when() -> None:
    def wakes(counters: Counters) -> list[str]:
        lines = exposition({"q": counters}).splitlines()
        return [each.split()[1] for each in lines if each.startswith("tvfc_wake")]

    assert wakes(Counters(sleeps=True, wakes=[[2_500, 2_900], [9_000, 9_000]])) == ["2.500"]
    assert wakes(Counters(sleeps=True, wakes=[])) == ["+Inf"]
    # What is not known is not told, and the clock of event time has no alarm to set.
    assert wakes(Counters(sleeps=True, wakes=None)) == []
    assert wakes(Counters(sleeps=False, wakes=[])) == []


def test_names_from_outside_stay_within_their_label() -> None:
    hostile = 'a"} 1\nx\\\ud800'
    text = exposition({"q": Counters(rows=Counter({hostile: 1}))})
    assert 'source="a\\"} 1\\nx\\\\\\\\ud800"} 1' in text
    text.encode("utf-8")


def test_they_are_served_until_the_process_ends() -> None:
    said = iter(["first", "second"])
    port = serve(("127.0.0.1", 0), lambda: next(said))
    for text in (b"first", b"second"):
        with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            assert answer.read() == text
    with pytest.raises(HTTPError, match="404"):
        urlopen(f"http://127.0.0.1:{port}/")


def test_a_port_that_is_taken_is_a_failure_of_the_job() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        place = taken.getsockname()
        with pytest.raises(MetricsError) as raised:
            serve(place, str)
    assert isinstance(raised.value, FAILURES)
    assert reason(raised.value).startswith(
        f"TVF717: the metrics cannot be served at 127.0.0.1:{place[1]}"
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("9464", ("127.0.0.1", 9464)),
        ("0.0.0.0:0", ("0.0.0.0", 0)),
        ("[::1]:80", ("::1", 80)),
    ],
)
def test_addresses(text: str, place: tuple[str, int]) -> None:
    assert address(text) == place
    with pytest.raises(ValueError, match="invalid literal"):
        address(f"{text}:")
