"""The streaming queries of `tvfc run`: started, watched, shown and stopped."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import click
from pyspark.sql import functions as F  # noqa: N812

import tvfc_runtime
from commands.progress import ProgressDisplay
from compiler.escapes import visible_lines
from tvfc_runtime.checkpoint.whole import CheckpointError
from tvfc_runtime.job.bookkeeper import Bookkeeper
from tvfc_runtime.job.ending import Ending, check_ending
from tvfc_runtime.job.page import Add, opened_page
from tvfc_runtime.job.program import phases, query_name
from tvfc_runtime.reports.log import Log
from tvfc_runtime.reports.reasons import FAILURES, reason
from tvfc_runtime.sinks.json_text import json_text
from tvfc_runtime.sources.at_start import AtStart, StartError, given_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from tvfc_runtime.counters.progress import Counters
    from tvfc_runtime.job.stopping import Stopping

CONSOLE = "console"
TICK_S = 0.2


class LocalRun:
    """All outputs of a job in this process; the console's rows are printed."""

    def __init__(
        self,
        spark: SparkSession,
        spec: tvfc_runtime.JobSpec,
        checkpoint: str,
        log_format: str | None = None,
    ) -> None:
        self._spark = spark
        self._spec = spec
        self._checkpoint = checkpoint
        self._queries: list[StreamingQuery] = []
        self._counters: list[Counters] = []
        self._counted: dict[str, Counters] = {}
        self._display = ProgressDisplay(self._counters)
        self._shows_progress = log_format is None
        self._log = Log(log_format or "quiet", self._display.warn)
        self._bookkeeper = Bookkeeper(self._log)
        self._reader_gone = False

    def run(
        self,
        stop: Stopping,
        *,
        available_now: bool,
        options: Sequence[str] = (),
        ending: Ending | None = None,
        ui: tuple[str, int] | None = None,
        ui_rows: bool = False,
    ) -> None:
        """Run every output until its input ends or a signal asks to stop, and then to its ending.

        With `ui`, a host and port, a page shows what they do, and with `ui_rows` values of rows.
        """
        trigger: dict[str, Any] = {"availableNow": True} if available_now else {}
        at_start = self._at_start(options, ending)
        self._spark.streams.addListener(self._bookkeeper)
        try:
            page = opened_page(ui, self._spec, self._bookkeeper, self._log.say, with_rows=ui_rows)
        except FAILURES as error:
            raise click.ClickException(visible_lines(reason(error))) from None
        if self._shows_progress:
            self._display.start()
        for each, wanted in phases(self._spec, self._checkpoint, trigger, ending):
            self._start(
                wanted, at_start, each, page, late_examples=ui_rows, due_times=ui is not None
            )
            self._wait(stop)
            if stop or self._reader_gone:
                break

    def _start(
        self,
        wanted: Sequence[tuple[Sequence[tvfc_runtime.Output], str]],
        at_start: AtStart,
        trigger: Mapping[str, Any],
        page: Add,
        *,
        late_examples: bool,
        due_times: bool,
    ) -> None:
        """Start queries; a checkpoint of another query is refused before anything runs."""
        self._queries.clear()
        for outputs, place in wanted:
            job = tvfc_runtime.Job(
                self._spark,
                place,
                sessions=self._spec.sessions,
                at_start=at_start,
                late_examples=late_examples,
                due_times=due_times,
            )
            writers = {CONSOLE: self._print_rows}
            try:
                query = tvfc_runtime.start(job, self._spec, outputs, writers, **trigger)
            except FAILURES as error:
                raise click.ClickException(visible_lines(reason(error))) from None
            self._bookkeeper.watch(query, job)
            page(query, job, query_name(outputs))
            self._queries.append(query)
            self._counted[place] = job.memory.counters
            self._counters[:] = self._counted.values()

    def _at_start(self, options: Sequence[str], ending: Ending | None) -> AtStart:
        try:
            at_start = AtStart(options=given_options(options, self._spec))
            at_start.check(self._spec)
            if ending is not None:
                check_ending(self._spec, ending)
        except (StartError, CheckpointError) as error:
            raise click.ClickException(visible_lines(reason(error))) from None
        return at_start

    def _wait(self, stop: Stopping) -> None:
        """Until all queries have ended, one fails, nobody reads the rows, or a signal comes."""
        try:
            while not stop and not self._reader_gone and any(q.isActive for q in self._queries):
                time.sleep(TICK_S)
                self._display.show()
                self._bookkeeper.stop_if_failed()
            if stop:
                stop.let_batches_end(self._queries)
            for query in self._queries:
                failure = query.exception()
                if failure is not None:
                    raise failure
            self._bookkeeper.catch_up(self._queries)
            self._bookkeeper.stop_if_failed()
        except FAILURES as error:
            if not self._reader_gone:
                raise click.ClickException(visible_lines(reason(error))) from None

    def close(self) -> None:
        """Stop what still runs; each query ends between two batches or repeats its last one."""
        for query in self._queries:
            query.stop()
        self._display.finish()
        if self._counters:
            self._log.say(self._display.summary())
        self._spark.stop()

    def _print_rows(self, batch: DataFrame, _number: int) -> None:
        whole = json_text(F.struct("*"))
        try:
            for row in batch.select(whole.alias("line")).toLocalIterator():
                self._display.print_row(row.line)
            sys.stdout.flush()
        except BrokenPipeError:
            self._reader_gone = True
