"""The counters of a job as OpenTelemetry metrics, and each batch as a span: `--otel URL`.

Both go to a collector, in OTLP over HTTP. The metrics are those of Prometheus, under names from
which a collector makes the same: `tvfc.rows_read`, a counter, becomes `tvfc_rows_read_total`, and
`tvfc.batch_duration` in seconds `tvfc_batch_duration_seconds`. All else (headers, intervals, other
attributes of the resource) is said by the environment variables of OpenTelemetry, OTEL_….
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.reports.batch import Batch
from tvfc_runtime.reports.metrics import FAMILIES, Family, MetricsError

if TYPE_CHECKING:
    from opentelemetry.metrics import CallbackOptions, Meter, Observation

PATIENCE_S = 2
"""How long a collector may take to answer: a job that is told to stop does not wait for one."""

NS_OF_MS = 1_000_000
_SUFFIXES = ("_total", "_seconds")

Found = TypeVar("Found")
Read = Callable[[Callable[[dict[str, Counters]], Any]], Any]
"""Gives what a function makes of the counters of each query, by the query's name."""


class Telemetry:
    """Sends metrics at intervals, and a span for each batch.

    Args:
        url: of the collector, such as `http://localhost:4318`.
        service: what the job is called, unless OTEL_SERVICE_NAME says so.
        read: gives the counters.

    Raises:
        MetricsError: the packages of OpenTelemetry are not there.
    """

    def __init__(self, url: str, service: str, read: Read) -> None:
        metrics, traces = _package("opentelemetry.sdk.metrics"), _package("opentelemetry.sdk.trace")
        to_metrics = _package("opentelemetry.exporter.otlp.proto.http.metric_exporter")
        to_traces = _package("opentelemetry.exporter.otlp.proto.http.trace_exporter")
        place = url.rstrip("/")
        own = {} if "OTEL_SERVICE_NAME" in os.environ else {"service.name": service}
        resource = _package("opentelemetry.sdk.resources").Resource.create(own)
        exporter = to_metrics.OTLPMetricExporter(f"{place}/v1/metrics", timeout=PATIENCE_S)
        reader = _package("opentelemetry.sdk.metrics.export").PeriodicExportingMetricReader(
            exporter
        )
        self._meters = metrics.MeterProvider(metric_readers=[reader], resource=resource)
        spans = to_traces.OTLPSpanExporter(f"{place}/v1/traces", timeout=PATIENCE_S)
        self._tracers = traces.TracerProvider(resource=resource)
        sender = _package("opentelemetry.sdk.trace.export").BatchSpanProcessor(spans)
        self._tracers.add_span_processor(sender)
        self._tracer = self._tracers.get_tracer("tvfc")
        _observe(self._meters.get_meter("tvfc"), read)

    def batch(self, batch: Batch) -> None:
        """A span of a batch that is done; it is sent by another thread."""
        if batch.began_ms is None or batch.took_ms is None:
            return
        began_ns = batch.began_ms * NS_OF_MS
        span = self._tracer.start_span("batch", start_time=began_ns, attributes=dict(_facts(batch)))
        span.end(began_ns + batch.took_ms * NS_OF_MS)

    def close(self) -> None:
        """Send what has not been sent."""
        self._meters.shutdown(timeout_millis=1_000 * PATIENCE_S)
        self._tracers.shutdown()


def _observe(meter: Meter, read: Read) -> None:
    """Declare each family of metrics; the reader asks for their values when it sends them."""
    for family in FAMILIES:
        is_counter = family.kind == "counter"
        make = meter.create_observable_counter if is_counter else meter.create_observable_gauge
        make(otel_name(family), [_observed(family, read)], _unit(family), family.help)


def otel_name(family: Family) -> str:
    """The name of a family in OpenTelemetry, where its unit stands beside it."""
    name = family.name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name.replace("tvfc_", "tvfc.", 1)


def _unit(family: Family) -> str:
    if family.name.endswith("_seconds"):
        return "s"
    return "{row}" if "_rows_" in family.name else ""


def _observed(family: Family, read: Read) -> Callable[[CallbackOptions], list[Observation]]:
    observation = _package("opentelemetry.metrics").Observation

    def observe(_options: CallbackOptions) -> list[Observation]:
        return read(
            lambda counters: [
                observation(value, {"query": query, **labels})
                for query, each in counters.items()
                for labels, value in family.samples(each)
            ]
        )

    return observe


def _facts(batch: Batch) -> Iterator[tuple[str, str | int]]:
    """Attributes of a span."""
    yield "query", batch.query
    yield "batch", batch.batch
    if batch.watermark_ms is not None:
        yield "clock_ms", batch.watermark_ms
    by_name: tuple[tuple[str, Mapping[str, int]], ...] = (
        ("rows", batch.rows),
        ("late", batch.late),
        ("bad", batch.bad),
        ("held", batch.held),
        ("out", batch.out),
        ("phases_ms", batch.phases_ms),
    )
    for kind, numbers in by_name:
        yield from ((f"{kind}.{name}", number) for name, number in numbers.items())


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise MetricsError(
            f"TVF770: --otel needs packages more ({error}): pip install 'tvfc[otel]', where the "
            "job's main program runs"
        ) from None
