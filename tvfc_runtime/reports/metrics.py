"""The counters of a job for Prometheus: `--metrics [HOST:]PORT` serves them at /metrics.

Names and units are as Prometheus wants them: seconds, moments as seconds since the epoch, `_total`
for what only grows. Counts go on over restarts, as they are those of the checkpoint.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping
from math import inf
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

from tvfc_runtime.counters.progress import Counters

if TYPE_CHECKING:
    from http.server import BaseHTTPRequestHandler

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
LOOPBACK = "127.0.0.1"

Sample = tuple[dict[str, str], float]
"""Labels and a value."""


class Family(NamedTuple):
    """Metrics of one name: `kind` is `counter` or `gauge`, `samples` gives those of a query."""

    name: str
    kind: str
    help: str
    samples: Callable[[Counters], Iterator[Sample]]


class MetricsError(Exception):
    """The counters cannot be served where they should."""


def address(text: str) -> tuple[str, int]:
    """`[HOST:]PORT` as host and port; without a host, what only this machine can reach.

    Raises:
        ValueError: there is no port.
    """
    host, _, port = text.rpartition(":")
    return host.strip("[]") or LOOPBACK, int(port)


def serve(place: tuple[str, int], text: Callable[[], str]) -> int:
    """Serve metrics in a thread that ends with the process; the port, which for 0 is a free one.

    Args:
        place: host and port.
        text: gives the metrics as they are now.

    Raises:
        MetricsError: another process has the port, or there is no such host.
    """
    # Jobs without metrics, which are most, start without what an HTTP server needs.
    from http import HTTPStatus  # noqa: PLC0415
    from http.server import BaseHTTPRequestHandler  # noqa: PLC0415

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_known = self.path.split("?")[0] == "/metrics"
            body = text().encode() if is_known else b"see /metrics\n"
            self.send_response(HTTPStatus.OK if is_known else HTTPStatus.NOT_FOUND)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """A line for each time that somebody looks would hide the others."""

    return listen(place, Handler, "metrics")


def listen(place: tuple[str, int], handler: type[BaseHTTPRequestHandler], what: str) -> int:
    """Serve HTTP in a thread that ends with the process; the port, which for 0 is a free one.

    Args:
        place: host and port.
        handler: answers requests.
        what: the option that asks for it, which names it in messages, too.

    Raises:
        MetricsError: another process has the port, or there is no such host.
    """
    from http.server import ThreadingHTTPServer  # noqa: PLC0415

    class Server(ThreadingHTTPServer):
        address_family = socket.AF_INET6 if ":" in place[0] else socket.AF_INET
        daemon_threads = True

    try:
        server = Server(place, handler)
    except (OSError, OverflowError) as error:
        host, port = place
        called = {"ui": "page"}.get(what, what)
        raise MetricsError(
            f"TVF717: the {called} cannot be served at {host}:{port} ({error}); give --{what} "
            "another port, or 0 for any that is free"
        ) from None
    Thread(target=server.serve_forever, name=f"tvfc {what}", daemon=True).start()
    return int(server.server_address[1])


def exposition(counters: Mapping[str, Counters]) -> str:
    """The counters of queries, by name, in Prometheus' text format."""
    lines = []
    for family in FAMILIES:
        name = family.name
        found = [
            f"{name}{{{_labels({'query': query, **labels})}}} {_number(value)}"
            for query, each in counters.items()
            for labels, value in family.samples(each)
        ]
        about = [f"# HELP {name} {family.help}", f"# TYPE {name} {family.kind}"]
        lines += [*about, *found] if found else []
    return "".join(f"{line}\n" for line in lines)


def _labels(labels: Mapping[str, str]) -> str:
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())


def _escaped(value: str) -> str:
    """The value of a label; what is no character, such as a lone surrogate, is written as one."""
    plain = value.encode("utf-8", "backslashreplace").decode("utf-8")
    return plain.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def _number(value: float) -> str:
    if value == inf:
        return "+Inf"
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def _by_source(field: str) -> Callable[[Counters], Iterator[Sample]]:
    def samples(counters: Counters) -> Iterator[Sample]:
        for source, value in getattr(counters, field).items():
            yield {"source": source}, value / 1000 if field.endswith("_ms") else value

    return samples


def _of_query(field: str) -> Callable[[Counters], Iterator[Sample]]:
    def samples(counters: Counters) -> Iterator[Sample]:
        value = getattr(counters, field)
        if value is not None:
            yield {}, value / 1000 if field.endswith("_ms") else value

    return samples


def _held(counters: Counters) -> Iterator[Sample]:
    for operator, rows in counters.held.items():
        yield {"operator": operator}, rows


def _wake(counters: Counters) -> Iterator[Sample]:
    if counters.sleeps and counters.wakes is not None:
        yield {}, counters.wakes[0][0] / 1000 if counters.wakes else inf


FAMILIES = (
    Family(
        "tvfc_rows_read_total",
        "counter",
        "Rows read from a source, late ones included, bad ones not.",
        _by_source("rows"),
    ),
    Family(
        "tvfc_rows_late_total",
        "counter",
        "Rows of a source that its watermark refused.",
        _by_source("late"),
    ),
    Family(
        "tvfc_rows_bad_total",
        "counter",
        "Records of a source that did not fit its columns.",
        _by_source("bad"),
    ),
    Family(
        "tvfc_rows_without_time_total",
        "counter",
        "Rows of a source whose time is NULL.",
        _by_source("without_time"),
    ),
    Family(
        "tvfc_rows_never_due_total",
        "counter",
        "Rows lost since a bound or their time is out of range.",
        _of_query("never_due"),
    ),
    Family("tvfc_rows_written_total", "counter", "Rows written to sinks.", _of_query("rows_out")),
    Family("tvfc_rows_held", "gauge", "Rows that an operator holds now.", _held),
    Family(
        "tvfc_clock_timestamp_seconds",
        "gauge",
        "The clock of the last batch: the least watermark of its sources.",
        _of_query("watermark_ms"),
    ),
    Family(
        "tvfc_wake_timestamp_seconds",
        "gauge",
        "Up to when a job on the wall clock sleeps unless rows come; +Inf: until they do.",
        _wake,
    ),
    Family(
        "tvfc_source_watermark_timestamp_seconds",
        "gauge",
        "How far a source has come.",
        _by_source("watermarks_ms"),
    ),
    Family(
        "tvfc_source_last_rows_timestamp_seconds",
        "gauge",
        "When the last batch began that had rows of a source.",
        _by_source("arrived_ms"),
    ),
    Family("tvfc_batch", "gauge", "Number of the last batch that was counted.", _of_query("batch")),
    Family(
        "tvfc_batch_start_timestamp_seconds",
        "gauge",
        "When that batch began.",
        _of_query("began_ms"),
    ),
    Family("tvfc_batch_duration_seconds", "gauge", "How long it took.", _of_query("took_ms")),
)
"""All metrics of a job."""
