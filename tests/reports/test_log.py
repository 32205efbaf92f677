"""Lines on stderr: one for each batch, as text and as JSON, and what else a job says."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest

from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.reports.batch import Batch, batch_of
from tvfc_runtime.reports.log import Log

COUNTERS = Counters(
    watermark_ms=1_700_000_000_250,
    held=Counter({"delay/0": 2, "spark/join/0": 0}),
    rows=Counter({"clicks of today": 9}),
    watermarks_ms={"clicks of today": 1_700_000_000_250},
    batch=4,
    began_ms=1_700_000_002_000,
    took_ms=1_500,
    phases_ms={"addBatch": 1_200, "walCommit": 0},
    of_batch={
        "rows": {"clicks of today": 4},
        "late": {"clicks of today": 1},
        "without_time": {"clicks of today": 0},
        "bad": {"clicks of today": 0},
        "out": {"delay/0": 2, "delay/1": 1},
    },
)
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


def batch() -> Batch:
    return batch_of("job/out", COUNTERS, {"delay/0": "out", "delay/1": "out"})


def lines(form: str, *said: str) -> list[str]:
    written: list[str] = []
    log = Log(form, written.append)
    for each in said:
        log.say(each)
    log.batch(batch())
    return written


def test_a_batch_as_json_has_the_names_of_its_counters() -> None:
    (line,) = lines("json")
    facts = json.loads(line)
    assert re.fullmatch(TIME, facts.pop("time"))
    assert facts == {
        "level": "info",
        "message": "batch",
        "query": "job/out",
        "batch": 4,
        "began_ms": 1_700_000_002_000,
        "took_ms": 1_500,
        "phases_ms": {"addBatch": 1_200, "walCommit": 0},
        "watermark_ms": 1_700_000_000_250,
        "watermarks_ms": {"clicks of today": 1_700_000_000_250},
        "rows": {"clicks of today": 4},
        "late": {"clicks of today": 1},
        "without_time": {"clicks of today": 0},
        "bad": {"clicks of today": 0},
        "out": {"out": 3},
        "held": {"delay/0": 2, "spark/join/0": 0},
    }
    assert facts.keys() - {"level", "message", "query"} <= COUNTERS.to_json().keys()


def test_a_batch_as_text_is_a_line_of_pairs() -> None:
    (line,) = lines("text")
    time, pairs = line.split(" ", 1)
    assert re.fullmatch(TIME, time)
    assert pairs == (
        "query=job/out batch=4 took_ms=1500 clock=2023-11-14T22:13:20.250Z "
        '"rows.clicks of today"=4 "late.clicks of today"=1 '
        "held.delay/0=2 out.out=3 phases_ms.addBatch=1200"
    )


def test_quiet_is_silent_on_batches_alone() -> None:
    assert lines("quiet", "page at http://…") == ["page at http://…"]


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        ("metrics at http://h:1/", {"level": "info", "message": "metrics at http://h:1/"}),
        (
            "warning[TVFW704]: 1 row of a\nis bad",
            {"level": "warning", "code": "TVFW704", "message": "1 row of a\nis bad"},
        ),
        ("warning: 3 rows never due", {"level": "warning", "message": "3 rows never due"}),
        (
            "TVF715: the job has failed:\nwhy",
            {"level": "error", "code": "TVF715", "message": "the job has failed:\nwhy"},
        ),
    ],
)
def test_what_is_said_has_a_level_and_a_code(said: str, facts: dict[str, Any]) -> None:
    line, _ = lines("json", said)
    found = json.loads(line)
    assert re.fullmatch(TIME, found.pop("time"))
    assert found == facts
    assert lines("text", said)[0] == said


def test_a_name_from_outside_stays_in_its_line() -> None:
    written: list[str] = []
    hostile = 'a"=1\nbatch=5 \ud800'
    strange = batch_of("q", Counters(batch=1, of_batch={"rows": {hostile: 1}}), {})
    Log("text", written.append).batch(strange)
    Log("json", written.append).batch(strange)
    assert [line.count("\n") for line in written] == [0, 0]
    assert [line.encode("ascii") for line in written]
    assert json.loads(written[1])["rows"] == {hostile: 1}
