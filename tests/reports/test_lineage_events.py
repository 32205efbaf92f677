"""What a server of OpenLineage is told of a run: events as its published model has them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from compiler import compile_script
from compiler.source import SourceText
from tvfc_runtime.checkpoint.whole import CheckpointError
from tvfc_runtime.counters.progress import Counters
from tvfc_runtime.reports.batch import batch_of
from tvfc_runtime.reports.datasets import Dataset, dataset_of
from tvfc_runtime.reports.lineage import Lineage, lineage_beside
from tvfc_runtime.reports.metrics import MetricsError

QUERY = """CREATE SOURCE orders (id INT, price INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'orders');
CREATE SINK sums USING parquet OPTIONS (path 'out') AS
SELECT id, sum(price) AS total FROM orders WHERE price > 0 GROUP BY ts, id EMIT ON WINDOW CLOSE;
"""
SOURCES = {"orders": Dataset("file", "/in/orders")}
SINKS = {"sums": Dataset("s3://lake", "sums")}


def known() -> dict[str, Any]:
    return dict(json.loads(compile_script(SourceText("q.sql", QUERY)).stages["lineage.json"]))


def lineage(target: str | Path, *, stopped: bool = False, said: list[str] | None = None) -> Lineage:
    return Lineage(str(target), "job", known(), (said or []).append, lambda: stopped)


def events(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_run_that_ends(tmp_path: Path) -> None:
    with lineage(tmp_path / "events") as run:
        run.begin(SOURCES, SINKS)
        counted = Counters(batch=0, of_batch={"out": {"sums": 3}})
        run.batch(batch_of("job/sums", counted, {}))
        run.begin(SOURCES, SINKS)
    first, last = events(tmp_path / "events")
    assert [first["eventType"], last["eventType"]] == ["START", "COMPLETE"]
    assert first["run"]["runId"] == last["run"]["runId"]
    assert last["job"]["name"] == "job"
    assert last["job"]["facets"]["jobType"]["processingType"] == "STREAMING"
    (read,) = last["inputs"]
    assert (read["namespace"], read["name"]) == ("file", "/in/orders")
    assert [e["name"] for e in read["facets"]["schema"]["fields"]] == ["id", "price", "ts"]
    (written,) = last["outputs"]
    assert (written["namespace"], written["name"]) == ("s3://lake", "sums")
    assert written["outputFacets"]["outputStatistics"]["rowCount"] == 3


def test_columns_and_how_they_take_part(tmp_path: Path) -> None:
    with lineage(tmp_path / "events") as run:
        run.begin(SOURCES, SINKS)
    facet = events(tmp_path / "events")[0]["outputs"][0]["facets"]["columnLineage"]

    def ways(found: list[dict[str, Any]]) -> dict[str, list[tuple[str, str]]]:
        assert {(e["namespace"], e["name"]) for e in found} == {("file", "/in/orders")}
        return {
            each["field"]: [(e["type"], e["subtype"]) for e in each["transformations"]]
            for each in found
        }

    assert {name: ways(each["inputFields"]) for name, each in facet["fields"].items()} == {
        "id": {"id": [("DIRECT", "IDENTITY")]},
        "total": {"price": [("DIRECT", "AGGREGATION")]},
    }
    assert ways(facet["dataset"]) == {
        "id": [("INDIRECT", "GROUP_BY")],
        "price": [("INDIRECT", "FILTER")],
        "ts": [("INDIRECT", "FILTER"), ("INDIRECT", "GROUP_BY")],
    }


def test_a_run_that_is_stopped_and_one_that_fails(tmp_path: Path) -> None:
    with lineage(tmp_path / "stopped", stopped=True) as run:
        run.begin(SOURCES, SINKS)
    assert events(tmp_path / "stopped")[-1]["eventType"] == "ABORT"
    run = lineage(tmp_path / "failed")
    run.begin(SOURCES, SINKS)
    with pytest.raises(CheckpointError), run:
        raise CheckpointError("TVF711: it is torn")
    last = events(tmp_path / "failed")[-1]
    assert last["eventType"] == "FAIL"
    assert last["run"]["facets"]["errorMessage"]["message"] == "TVF711: it is torn"
    with pytest.raises(CheckpointError), lineage(tmp_path / "refused"):
        raise CheckpointError("TVF701: it is another's")
    assert not (tmp_path / "refused").exists(), "a run that has not begun has no end"


@contextmanager
def server(status: int) -> Iterator[tuple[str, list[tuple[str, dict[str, Any]]]]]:
    taken: list[tuple[str, dict[str, Any]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            taken.append((self.path, json.loads(body)))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    own = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=own.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{own.server_port}", taken
    finally:
        own.shutdown()
        own.server_close()


def test_over_http() -> None:
    with server(201) as (url, taken), lineage(url) as run:
        run.begin(SOURCES, SINKS)
    assert [(path, event["eventType"]) for path, event in taken] == [
        ("/api/v1/lineage", "START"),
        ("/api/v1/lineage", "COMPLETE"),
    ]


def test_a_server_that_fails_is_told_once_and_stops_nothing() -> None:
    said: list[str] = ["before"]
    with server(500) as (url, taken), lineage(url, said=said) as run:
        run.begin(SOURCES, SINKS)
    assert len(taken) == 2
    (line,) = said[1:]
    assert line.startswith("warning: lineage cannot be sent, and the job goes on (")


def test_a_job_without_its_lineage(tmp_path: Path) -> None:
    with pytest.raises(MetricsError, match=r"TVF770: --lineage needs the file lineage\.json"):
        lineage_beside(tmp_path / "job.py")


@pytest.mark.parametrize(
    ("form", "options", "dataset"),
    [
        ("json", {"path": "/data/in"}, ("file", "/data/in")),
        ("json", {"PATH": "file:///data/in%20put"}, ("file", "/data/in put")),
        ("parquet", {"path": "s3a://key:secret@lake/a/b"}, ("s3a://lake", "a/b")),
        ("delta", {"path": "/lake/live", "key": "id"}, ("file", "/lake/live")),
        (
            "kafka",
            {"subscribe": "clicks", "kafka.bootstrap.servers": "a:9092, b:9092"},
            ("kafka://a:9092", "clicks"),
        ),
        ("kafka", {"topic": "t", "kafka.bootstrap.servers": "a:9092"}, ("kafka://a:9092", "t")),
        (
            "postgres",
            {"url": "postgresql://me:secret@db/shop", "table": "app.live"},
            ("postgres://db:5432", "shop.app.live"),
        ),
        (
            "postgres",
            {"host": "db", "port": "5433", "database": "shop", "password": "secret"},
            ("postgres://db:5433", "shop.public.orders"),
        ),
        ("iceberg", {"table": "f.live", "catalog": "prod"}, ("iceberg://prod", "f.live")),
        ("sqlite", {"path": "/x/live.db", "table": "t"}, ("sqlite:///x/live.db", "t")),
        ("rate", {}, ("tvfc://rate", "orders")),
        (None, {}, ("tvfc://query", "orders")),
    ],
)
def test_names_of_datasets(
    form: str | None, options: dict[str, str], dataset: tuple[str, str]
) -> None:
    found = dataset_of("orders", form, options)
    assert found == dataset
    assert "secret" not in str(found)
