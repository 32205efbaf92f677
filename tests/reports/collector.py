"""A collector of OpenTelemetry: takes OTLP over HTTP, and decodes it by the published protocol."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

Labels = frozenset[tuple[str, str]]


@dataclass
class Collected:
    """What has come: the last value of each series, and all spans."""

    url: str
    values: dict[tuple[str, Labels], float] = field(default_factory=dict)
    kinds: dict[str, tuple[str, str]] = field(default_factory=dict)
    spans: list[Any] = field(default_factory=list)
    services: set[str] = field(default_factory=set)

    def value(self, name: str, **labels: str) -> float:
        return self.values[name, frozenset(labels.items())]


@contextmanager
def collector() -> Iterator[Collected]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            answer = take[self.path](body)
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collected = Collected(f"http://127.0.0.1:{server.server_port}")
    take = {
        "/v1/metrics": lambda body: _metrics(collected, body),
        "/v1/traces": lambda body: _traces(collected, body),
    }
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield collected
    finally:
        server.shutdown()
        server.server_close()


def _metrics(collected: Collected, body: bytes) -> bytes:
    for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
        collected.services |= _service(resource.resource)
        for metric in (each for scope in resource.scope_metrics for each in scope.metrics):
            kind = metric.WhichOneof("data")
            collected.kinds[metric.name] = kind, metric.unit
            for point in getattr(metric, kind).data_points:
                labels = frozenset((e.key, e.value.string_value) for e in point.attributes)
                number = getattr(point, point.WhichOneof("value"))
                collected.values[metric.name, labels] = number
    return bytes(ExportMetricsServiceResponse().SerializeToString())


def _traces(collected: Collected, body: bytes) -> bytes:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        collected.services |= _service(resource.resource)
        collected.spans += [span for scope in resource.scope_spans for span in scope.spans]
    return bytes(ExportTraceServiceResponse().SerializeToString())


def _service(resource: Any) -> set[str]:
    return {each.value.string_value for each in resource.attributes if each.key == "service.name"}
