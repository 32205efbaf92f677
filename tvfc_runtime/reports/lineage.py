"""The lineage of a job as events of OpenLineage: `--lineage URL` or `--lineage FILE`.

A run begins with START and ends with COMPLETE once all input is read, with ABORT where a signal has
stopped it and with FAIL and the reason where it has failed. In between there is a RUNNING with the
rows written, once a minute. Which columns make which is told by `lineage.json` beside the job,
which the compiler has written; it knows nothing of where the datasets lie, which the job knows.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from tvfc_runtime.reports.batch import Batch
from tvfc_runtime.reports.datasets import Dataset
from tvfc_runtime.reports.log import plain
from tvfc_runtime.reports.metrics import MetricsError
from tvfc_runtime.reports.reasons import reason

EVERY_S = 60
PATIENCE_S = 2
PRODUCER = "https://pypi.org/project/tvfc/"
FILE = "lineage.json"

_DIRECT = ("IDENTITY", "TRANSFORMATION", "AGGREGATION")


class Lineage:
    """Tells a server or a file of a run of a job.

    Args:
        target: the URL of a server, or the path of a file to which events are added.
        job: the name of the job.
        known: what `lineage.json` holds.
        warn: takes a line, should the server not answer; the job goes on.
        is_stopped: tells whether somebody has stopped the job.

    Raises:
        MetricsError: the package of OpenLineage is not there.
    """

    def __init__(
        self,
        target: str,
        job: str,
        known: Mapping[str, Any],
        warn: Callable[[str], None],
        is_stopped: Callable[[], object],
    ) -> None:
        self._api = _package("openlineage.client.event_v2")
        self._facets = _package("openlineage.client.facet_v2")
        self._client = _client(target)
        self._job = job
        self._run = str(_package("openlineage.client.uuid").generate_new_uuid())
        self._known = known
        self._warn = warn
        self._is_stopped = is_stopped
        self._datasets: dict[str, Dataset] = {}
        self._sinks: dict[str, Dataset] = {}
        self._written: Counter[str] = Counter()
        self._told_s = 0.0
        self._has_failed = False
        self._sender = ThreadPoolExecutor(1, thread_name_prefix="tvfc lineage")

    def __enter__(self) -> Lineage:
        """Tell of what is done until the block ends, and how it ends."""
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        """The run is over."""
        if self._sinks and error is not None:
            facet = self._facets.error_message_run.ErrorMessageRunFacet
            failure = facet(message=plain(reason(error)), programmingLanguage="SQL")
            self._send("FAIL", {"errorMessage": failure})
        elif self._sinks:
            self._send("ABORT" if self._is_stopped() else "COMPLETE")
        self._sender.shutdown()

    def begin(self, sources: Mapping[str, Dataset], sinks: Mapping[str, Dataset]) -> None:
        """Queries of the job have started, which read and write these."""
        is_first = not self._sinks
        self._datasets |= sources
        self._sinks |= sinks
        if is_first:
            self._told_s = time.monotonic()
            self._send("START")

    def batch(self, batch: Batch) -> None:
        """A batch is done."""
        self._written.update(batch.out)
        if time.monotonic() - self._told_s >= EVERY_S:
            self._told_s = time.monotonic()
            self._send("RUNNING")

    def _send(self, state: str, facets: Mapping[str, Any] | None = None) -> None:
        event = self._api.RunEvent(
            eventType=getattr(self._api.RunState, state),
            eventTime=datetime.now(UTC).isoformat(),
            run=self._api.Run(runId=self._run, facets=dict(facets or {})),
            job=self._job_facets(),
            inputs=[self._input(name) for name in sorted(self._known["inputs"])],
            outputs=[self._output(name) for name in self._known["outputs"]],
            producer=PRODUCER,
        )
        self._sender.submit(self._emit, event)

    def _emit(self, event: Any) -> None:
        try:
            self._client.emit(event)
        except Exception as error:  # Whatever it is, the job is to go on.
            if not self._has_failed:
                self._has_failed = True
                self._warn(f"warning: lineage cannot be sent, and the job goes on ({error})")

    def _job_facets(self) -> Any:
        kind = self._facets.job_type_job.JobTypeJobFacet(
            processingType="STREAMING", integration="TVFC", jobType="JOB"
        )
        namespace = os.environ.get("OPENLINEAGE_NAMESPACE", "default")
        return self._api.Job(namespace=namespace, name=self._job, facets={"jobType": kind})

    def _input(self, name: str) -> Any:
        place = self._place(name)
        schema = self._schema(self._known["inputs"][name]["columns"])
        return self._api.InputDataset(
            namespace=place.namespace, name=place.name, facets={"schema": schema}
        )

    def _output(self, name: str) -> Any:
        known, place = self._known["outputs"][name], self._sinks[name]
        statistics = self._facets.output_statistics_output_dataset
        rows = statistics.OutputStatisticsOutputDatasetFacet(rowCount=self._written[name])
        return self._api.OutputDataset(
            namespace=place.namespace,
            name=place.name,
            facets={
                "schema": self._schema(known["columns"]),
                "columnLineage": self._columns(known),
            },
            outputFacets={"outputStatistics": rows},
        )

    def _place(self, source: str) -> Dataset:
        """Where a source lies; what no query that runs has read is known by its name alone."""
        return self._datasets.get(source, Dataset("tvfc://query", source))

    def _schema(self, columns: Iterable[Mapping[str, str]]) -> Any:
        own = self._facets.schema_dataset
        fields = [
            own.SchemaDatasetFacetFields(name=each["name"], type=each["type"] or None)
            for each in columns
        ]
        return own.SchemaDatasetFacet(fields=fields)

    def _columns(self, known: Mapping[str, Any]) -> Any:
        own = self._facets.column_lineage_dataset
        fields = {
            column["name"]: own.Fields(inputFields=self._origins(column["from"]))
            for column in known["columns"]
        }
        return own.ColumnLineageDatasetFacet(fields=fields, dataset=self._origins(known["rows"]))

    def _origins(self, found: Iterable[Mapping[str, str]]) -> list[Any]:
        """Columns of sources, each with all the ways in which it takes part."""
        own = self._facets.column_lineage_dataset
        ways: dict[tuple[str, str], list[str]] = {}
        for each in found:
            ways.setdefault((each["source"], each["column"]), []).append(each["how"])
        return [
            own.InputField(
                namespace=self._place(source).namespace,
                name=self._place(source).name,
                field=column,
                transformations=[
                    own.Transformation(type="DIRECT" if how in _DIRECT else "INDIRECT", subtype=how)
                    for how in hows
                ],
            )
            for (source, column), hows in ways.items()
        ]


def lineage_beside(job_file: Path) -> dict[str, Any]:
    """What the compiler has written beside a job.

    Raises:
        MetricsError: there is nothing.
    """
    file = job_file.resolve().with_name(FILE)
    try:
        return dict(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        raise MetricsError(
            f"TVF770: --lineage needs the file {FILE}, which belongs beside job.py: compile the "
            "query again, or copy it with the job"
        ) from None


def _client(target: str) -> Any:
    client = _package("openlineage.client")
    if target.startswith(("http://", "https://")):
        transport: dict[str, Any] = {
            "type": "http",
            "url": target,
            "timeout": PATIENCE_S,
            "retry": {"total": 0},
        }
        if key := os.environ.get("OPENLINEAGE_API_KEY"):
            transport["auth"] = {"type": "api_key", "apiKey": key}
    else:
        transport = {"type": "file", "log_file_path": target, "append": True}
    return client.OpenLineageClient(config={"transport": transport})


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise MetricsError(
            f"TVF770: --lineage needs packages more ({error}): pip install 'tvfc[lineage]', where "
            "the job's main program runs"
        ) from None
