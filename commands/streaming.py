"""The streaming queries of `tvfc run`: started, watched, shown and stopped."""

from __future__ import annotations

import re
import sys
import time
from typing import TYPE_CHECKING, Any

import click
from pyspark.errors import AnalysisException, StreamingQueryException
from pyspark.sql import functions as F  # noqa: N812

import tvfc_runtime
from commands.progress import ProgressDisplay
from compiler.escapes import visible, visible_lines
from tvfc_runtime.session import Bookkeeper
from tvfc_runtime.sinks.json_text import json_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from tvfc_runtime.progress import Counters

CONSOLE = "console"
TICK_S = 0.2
SHOWN_LINES_OF_AN_ERROR = 12


class LocalRun:
    """All outputs of a job in this process; the console's rows are printed."""

    def __init__(self, spark: SparkSession, spec: tvfc_runtime.JobSpec, checkpoint: str) -> None:
        self._spark = spark
        self._spec = spec
        self._checkpoint = checkpoint
        self._queries: list[StreamingQuery] = []
        self._counters: list[Counters] = []
        self._bookkeeper = Bookkeeper()
        self._display = ProgressDisplay(self._counters)
        self._reader_gone = False

    def start(self, *, available_now: bool) -> None:
        """Start every output; a checkpoint of another query is refused before anything runs."""
        trigger: dict[str, Any] = {"availableNow": True} if available_now else {}
        self._spark.streams.addListener(self._bookkeeper)
        self._display.start()
        for outputs in tvfc_runtime.queries_of(self._spec):
            place = tvfc_runtime.checkpoint_of(self._spec, outputs, self._checkpoint)
            job = tvfc_runtime.Job(self._spark, place, sessions=self._spec.sessions)
            writers = {CONSOLE: self._print_rows}
            try:
                query = tvfc_runtime.start(job, self._spec, outputs, writers, **trigger)
            except (tvfc_runtime.CheckpointError, tvfc_runtime.SinkError) as error:
                raise click.ClickException(visible_lines(str(error))) from None
            except AnalysisException as error:
                reason = str(error).strip().splitlines()[0]
                raise click.ClickException(f"Spark refuses the query: {visible(reason)}") from None
            self._bookkeeper.watch(query, job.memory)
            self._queries.append(query)
            self._counters.append(job.memory.counters)

    def wait(self, stop: list[int]) -> None:
        """Until all queries have ended, one fails, nobody reads the rows, or `stop` is filled."""
        try:
            while not stop and not self._reader_gone and any(q.isActive for q in self._queries):
                time.sleep(TICK_S)
                self._display.show()
            for query in self._queries:
                failure = query.exception()
                if failure is not None:
                    raise failure
            self._catch_up()
        except StreamingQueryException as error:
            if not self._reader_gone:
                raise click.ClickException(
                    f"the job failed: {visible_lines(_reason(str(error)))}"
                ) from None

    def close(self) -> None:
        """Stop what still runs; each query ends between two batches or repeats its last one."""
        for query in self._queries:
            query.stop()
        self._display.finish(summary=bool(self._queries))
        self._spark.stop()

    def _print_rows(self, batch: DataFrame, _number: int) -> None:
        whole = json_text(F.struct("*"))
        try:
            for row in batch.select(whole.alias("line")).toLocalIterator():
                self._display.print_row(row.line)
            sys.stdout.flush()
        except BrokenPipeError:
            self._reader_gone = True

    def _catch_up(self) -> None:
        """Wait for the counts of batches that have just ended; they come by another thread."""
        deadline = time.monotonic() + 5
        for query, counters in zip(self._queries, self._counters, strict=True):
            last = query.lastProgress
            while last is not None and counters.batch < last["batchId"]:
                if time.monotonic() > deadline:
                    return
                time.sleep(0.02)


def _reason(text: str) -> str:
    """What the runtime itself has said, or else the beginning of what Spark says."""
    # A traceback shows the line of the program before the message itself.
    own = re.findall(r"\bTVF7\d\d: .*", text)
    return own[-1] if own else "\n".join(text.strip().splitlines()[:SHOWN_LINES_OF_AN_ERROR])
