"""The main program of a generated job: its arguments to a run that ends, fails or is stopped."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from tvfc_runtime.job.arguments import UNDER_SPARK_SUBMIT, Arguments, parse_arguments
from tvfc_runtime.job.bookkeeper import Bookkeeper
from tvfc_runtime.job.building import Job
from tvfc_runtime.job.ending import check_ending
from tvfc_runtime.job.page import opened_page
from tvfc_runtime.job.program import PROTOCOL, attach, configure, phases, query_name, start
from tvfc_runtime.job.quiet import (
    forgive_the_end_of_the_jvm,
    is_gone,
    quiet_settings,
    silence_usual_warnings,
)
from tvfc_runtime.job.stopping import Stopping
from tvfc_runtime.reports.datasets import dataset_of
from tvfc_runtime.reports.lineage import Lineage, lineage_beside
from tvfc_runtime.reports.log import Log, plain
from tvfc_runtime.reports.metrics import exposition, serve
from tvfc_runtime.reports.reasons import FAILURES, reason
from tvfc_runtime.reports.telemetry import Telemetry
from tvfc_runtime.sources.at_start import AtStart, given_options
from tvfc_runtime.spec.job import JobSpec, Output


@dataclass(frozen=True, kw_only=True)
class Called:
    """A job, and what its program is called with.

    Attributes:
        spec: what the job says of itself.
        job_file: its `job.py`.
        options: the arguments.
        at_start: options of sources and sinks.
        log: takes lines for whoever runs it.
        stopping: whether it is told to stop.
    """

    spec: JobSpec
    job_file: Path
    options: Arguments
    at_start: AtStart
    log: Log
    stopping: Stopping


def main(spec: JobSpec, job_file: str, arguments: list[str] | None = None) -> None:
    """Run a generated job as a program until it ends or is told to stop."""
    options = parse_arguments(spec, arguments)
    log = Log(options.log_format)
    if spec.protocol != PROTOCOL:
        _fail(
            log,
            f"TVF703: job.py was made for version {spec.protocol} of the runtime, this is version "
            f"{PROTOCOL}; compile the query again",
        )
    stopping = Stopping()
    try:
        at_start = AtStart(options=given_options(options.option, spec))
        at_start.check(spec)
        if options.ending is not None:
            check_ending(spec, options.ending)
        _run(
            Called(
                spec=spec,
                job_file=Path(job_file),
                options=options,
                at_start=at_start,
                log=log,
                stopping=stopping,
            )
        )
    except FAILURES as error:
        if UNDER_SPARK_SUBMIT in os.environ and is_gone():
            _fail(log, "stopped with spark-submit; a start on the checkpoint goes on from there")
        _fail(log, plain(reason(error)))


def _fail(log: Log, why: str) -> NoReturn:
    log.say(why)
    sys.exit(1)


def _run(called: Called) -> None:
    """Run the queries of a job to their end, or until a signal asks to stop."""
    spec, options, stopping = called.spec, called.options, called.stopping
    with ExitStack() as at_end:
        spark = _session(called)
        at_end.callback(spark.stop)
        bookkeeper = Bookkeeper(called.log)
        spark.streams.addListener(bookkeeper)
        _report_metrics(called, bookkeeper, at_end)
        lineage = _reported_lineage(called, bookkeeper, at_end)
        page = opened_page(options.ui, spec, bookkeeper, called.log.say, with_rows=options.ui_rows)
        jobs: list[Job] = []

        def begin(outputs: Sequence[Output], place: str, **trigger: Any) -> StreamingQuery:
            job = Job(
                spark,
                place,
                sessions=spec.sessions,
                at_start=called.at_start,
                late_examples=options.ui_rows,
                due_times=options.ui is not None,
            )
            query = start(job, spec, outputs, **trigger)
            bookkeeper.watch(query, job)
            page(query, job, query_name(outputs))
            jobs.append(job)
            return query

        for trigger, wanted in phases(spec, options.checkpoint, options.trigger, options.ending):
            queries = [begin(outputs, place, **trigger) for outputs, place in wanted]
            if lineage is not None:
                _tell_where(called, lineage, jobs)
            _await(queries, bookkeeper, stopping)
            if stopping.signal is not None:
                called.log.say(_farewell(stopping.signal, bookkeeper))
                break


def _session(called: Called) -> SparkSession:
    runtime = called.job_file.resolve().with_name("tvfc_runtime.zip")
    builder = configure(SparkSession.builder.appName(plain(called.spec.name)), runtime)
    settings = called.options.settings
    quiet = quiet_settings(settings)
    for key, value in {**quiet, **settings}.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    called.stopping.listen()
    called.stopping.listen_in_jvm()
    silence_usual_warnings(spark, quiet)
    forgive_the_end_of_the_jvm(spark)
    attach(spark, runtime)
    return spark


def _report_metrics(called: Called, bookkeeper: Bookkeeper, at_end: ExitStack) -> None:
    """Serve the counters of a job, and send them, as far as that is asked for."""
    options = called.options
    if options.metrics is not None:
        port = serve(options.metrics, lambda: bookkeeper.read(exposition))
        called.log.say(f"metrics at http://{options.metrics[0]}:{port}/metrics")
    if options.otel is not None:
        telemetry = Telemetry(options.otel, called.spec.name, bookkeeper.read)
        at_end.callback(telemetry.close)
        bookkeeper.report_to(telemetry.batch)


def _reported_lineage(called: Called, bookkeeper: Bookkeeper, at_end: ExitStack) -> Lineage | None:
    """What tells of a job's lineage, if that is asked for."""
    if called.options.lineage is None:
        return None
    lineage = Lineage(
        called.options.lineage,
        called.spec.name,
        lineage_beside(called.job_file),
        called.log.say,
        called.stopping.__bool__,
    )
    bookkeeper.report_to(lineage.batch)
    return at_end.enter_context(lineage)


def _tell_where(called: Called, lineage: Lineage, jobs: Sequence[Job]) -> None:
    """Tell where the sources and sinks of a job lie, now that all of them are known."""
    sources = {name: each for job in jobs for name, each in job.sources.items()}
    sinks = map(called.at_start.settled, called.spec.outputs)
    lineage.begin(
        {name: dataset_of(name, each.format, each.options) for name, each in sources.items()},
        {each.name: dataset_of(each.name, each.format, each.options) for each in sinks},
    )


def _await(queries: Sequence[StreamingQuery], bookkeeper: Bookkeeper, stopping: Stopping) -> None:
    """Wait until all queries have ended, one has failed, or a signal asks to stop.

    Raises:
        TooManyBadRowsError: more rows of a source do not fit than may.
        StreamingQueryException: a query has failed.
    """
    try:
        while not stopping and any(query.isActive for query in queries):
            for query in queries:
                if not stopping:
                    query.awaitTermination(1)
            bookkeeper.stop_if_failed()
        if stopping:
            stopping.let_batches_end(queries)
    finally:
        for query in queries:
            query.stop()
    bookkeeper.catch_up(queries)
    bookkeeper.stop_if_failed()


def _farewell(received: signal.Signals, bookkeeper: Bookkeeper) -> str:
    """The last line of a job that was told to stop."""
    done = bookkeeper.read(lambda all_of_them: {k: each.batch for k, each in all_of_them.items()})
    batches = ", ".join(f"{name} after batch {number}" for name, number in done.items())
    return f"stopped by {received.name}: {batches}; a start on the checkpoint goes on from there"
