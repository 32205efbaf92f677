"""What a collector of OpenTelemetry is told of a job, decoded by the published protocol."""

from __future__ import annotations

import re
import socket
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from reports.collector import collector

from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.reports.batch import batch_of
from tvfc_runtime.reports.metrics import FAMILIES, MetricsError, exposition
from tvfc_runtime.reports.telemetry import Telemetry, otel_name

COUNTERS = Counters(
    rows_out=3,
    watermark_ms=1_700_000_000_250,
    held=Counter({"delay/0": 2}),
    rows=Counter({"a": 9}),
    arrived_ms={"a": 1_700_000_001_000},
    late=Counter({"a": 1}),
    without_time=Counter({"a": 1}),
    bad=Counter({"a": 1}),
    watermarks_ms={"a": 1_700_000_000_250},
    batch=4,
    began_ms=1_700_000_002_000,
    took_ms=1_500,
    wakes=[[1_700_000_009_000, 1_700_000_009_500]],
    sleeps=True,
    phases_ms={"addBatch": 1_200},
    of_batch={"rows": {"a": 4}, "late": {"a": 1}, "bad": {"a": 0}, "out": {"delay/0": 2}},
)


def read(use: Callable[[dict[str, Counters]], Any]) -> Any:
    return use({"job/out": COUNTERS})


def test_metrics_are_those_of_prometheus() -> None:
    with collector() as collected:
        telemetry = Telemetry(collected.url, "job", read)
        telemetry.close()
    assert collected.services == {"job"}
    # A collector makes names of Prometheus of them: the unit, then `_total` of a counter.
    made = {}
    for (name, labels), value in collected.values.items():
        kind, unit = collected.kinds[name]
        suffix = ("_seconds" if unit == "s" else "") + ("_total" if kind == "sum" else "")
        made[name.replace(".", "_") + suffix, labels] = value
    samples = re.findall(r"^(\w+){(.*)} (.*)$", exposition({"job/out": COUNTERS}), re.MULTILINE)
    shown = {
        (name, frozenset(re.findall(r'(\w+)="(.*?)"', labels))): float(value)
        for name, labels, value in samples
    }
    assert len(shown) == len(FAMILIES)
    assert made == shown


def test_counters_are_sums_that_only_grow() -> None:
    with collector() as collected:
        Telemetry(collected.url, "job", read).close()
    counters = {otel_name(each) for each in FAMILIES if each.kind == "counter"}
    assert {name for name, (kind, _) in collected.kinds.items() if kind == "sum"} == counters


def test_a_batch_is_a_span(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", "ours")
    with collector() as collected:
        telemetry = Telemetry(collected.url, "job", read)
        telemetry.batch(batch_of("job/out", COUNTERS, {"delay/0": "out"}))
        telemetry.close()
    (span,) = collected.spans
    assert collected.services == {"ours"}
    assert span.name == "batch"
    assert span.start_time_unix_nano == 1_700_000_002_000_000_000
    assert span.end_time_unix_nano == 1_700_000_003_500_000_000
    values = {e.key: getattr(e.value, e.value.WhichOneof("value")) for e in span.attributes}
    assert values == {
        "query": "job/out",
        "batch": 4,
        "clock_ms": 1_700_000_000_250,
        "rows.a": 4,
        "late.a": 1,
        "bad.a": 0,
        "held.delay/0": 2,
        "out.out": 2,
        "phases_ms.addBatch": 1_200,
    }


@pytest.mark.slow
def test_a_job_stops_though_no_collector_answers() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        telemetry = Telemetry(f"http://127.0.0.1:{silent.getsockname()[1]}", "job", read)
        telemetry.batch(batch_of("job/out", COUNTERS, {}))
        began = time.monotonic()
        telemetry.close()
        assert time.monotonic() - began < 5


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry.sdk.metrics", None)
    with pytest.raises(MetricsError, match=r"TVF770: .*pip install 'tvfc\[otel\]'"):
        Telemetry("http://127.0.0.1:1", "job", read)
