"""The Spark session of a job, and the main program that runs it."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from tvfc_runtime.bookkeeper import Bookkeeper, to_stderr
from tvfc_runtime.idle import IdleSource
from tvfc_runtime.job import Job
from tvfc_runtime.metrics import address, exposition, serve
from tvfc_runtime.progress import PREFIX
from tvfc_runtime.reasons import FAILURES, reason
from tvfc_runtime.sinks import SeveralWriters, Writer, batch_writer, together
from tvfc_runtime.sinks.files import FILE_FORMATS
from tvfc_runtime.sinks.kafka import is_transactional
from tvfc_runtime.sinks.kafka_records import records_of
from tvfc_runtime.spec import JobSpec, Output
from tvfc_runtime.storage import local_path
from tvfc_runtime.ticks import TickSource
from tvfc_runtime.whole import check_whole

PROTOCOL = 2
LONGEST_NAME, SHOWN_OF_A_NAME = 200, 40
"""Of a checkpoint's folder: bytes that every file system takes, and characters of longer names."""
NO_WRITERS: Mapping[str, Writer] = MappingProxyType({})

STATE = "spark.sql.streaming.stateStore"
OPTIMIZER = "org.apache.spark.sql.catalyst.optimizer"
STREAMING = "org.apache.spark.sql.execution.streaming"
ROCKSDB = f"{STREAMING}.state.RocksDBStateStoreProvider"

NEEDED = {
    f"{STATE}.providerClass": ROCKSDB,
    # Checkpoints take what a batch has changed, not the whole buffer.
    f"{STATE}.rocksdb.changelogCheckpointing.enabled": "true",
    # A row that does not fit is one whatever columns the query reads.
    "spark.sql.csv.parser.columnPruning.enabled": "false",
    # A batch in which a source has no rows must keep its stateful operators: beside rows that are
    # no stream, Spark would take them for operators of a batch query. And a semi join that is
    # pushed below the marks of event times would keep all its rows.
    "spark.sql.optimizer.excludedRules": ",".join(
        f"{OPTIMIZER}.{rule}"
        for rule in (
            "PropagateEmptyRelation",
            "PushDownLeftSemiAntiJoin",
            "PushLeftSemiLeftAntiThroughJoin",
        )
    ),
    # A join of streams finds NULL by NULL, but for the filters that Spark makes of its condition.
    "spark.sql.constraintPropagation.enabled": "true",
    # Where a part of a plan would read the shuffle of another, Spark finds no watermark below it,
    # and what is above it never closes.
    "spark.sql.exchange.reuse": "false",
    # Stateful operators above each other see the watermark one after the other, and take rows for
    # late by that of the batch before: those that come with the very watermark that closes them
    # are on time.
    "spark.sql.streaming.statefulOperator.allowMultiple": "true",
    # Spark's own check knows nothing of release plans; tvfc has checked the query.
    "spark.sql.streaming.unsupportedOperationCheck": "false",
}
"""Settings that a job cannot do without."""

FILE_MANAGER = "spark.sql.streaming.checkpointFileManagerClass"
LOCAL_FILE_MANAGER = f"{STREAMING}.checkpointing.FileSystemBasedCheckpointFileManager"

PREFERRED = {
    "spark.sql.session.timeZone": "UTC",
    # Small batches bound the memory of wide rows and of chunks; the delay operator gathers
    # what it needs. With a bound in bytes, here switched off, Spark measures every row.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2048",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
}
"""Settings that the caller may have made otherwise."""


def configure(builder: SparkSession.Builder, runtime: str | Path) -> SparkSession.Builder:
    """Settings that must be there before the session: where Python workers find what, and how."""
    path = os.pathsep.join(filter(None, [str(runtime), os.environ.get("PYTHONPATH")]))
    builder = builder.config("spark.executorEnv.PYTHONPATH", path)
    # Over TCP a Python task waits 40 ms for the acknowledgement of its first bytes.
    return builder.config("spark.python.unix.domain.socket.enabled", value=os.name == "posix")


def attach(spark: SparkSession, runtime: str | Path) -> None:
    """Make a session ready for jobs: settings, runtime on every executor, the clock's sources."""
    given = dict(_settings(spark))
    for key, value in PREFERRED.items():
        if key not in given:
            spark.conf.set(key, value)
    if "spark.sql.shuffle.partitions" not in given:
        cores = max(2, spark.sparkContext.defaultParallelism)
        spark.conf.set("spark.sql.shuffle.partitions", str(min(cores, 200)))
    for key, value in NEEDED.items():
        spark.conf.set(key, value)
    if str(runtime).endswith(".zip"):
        spark.sparkContext.addPyFile(str(runtime))
    spark.dataSource.register(IdleSource)
    spark.dataSource.register(TickSource)


def _settings(spark: SparkSession) -> list[tuple[str, str]]:
    return list(spark.sparkContext.getConf().getAll())


def start(
    job: Job,
    spec: JobSpec,
    outputs: Sequence[Output],
    writers: Mapping[str, Writer] = NO_WRITERS,
    **trigger: Any,
) -> StreamingQuery:
    """Start a streaming query on its checkpoint, after making sure that it is the query's own.

    Args:
        job: builds the query's frame.
        spec: the whole job.
        outputs: what the query writes.
        writers: by format, what writes the outputs of that in place of a sink.
        trigger: when batches run, as Spark's trigger() takes it.

    Raises:
        CheckpointError: the checkpoint is another query's, or files of it are torn or missing.
        SinkError: a sink does not fit.
    """
    claim(job, spec, outputs)
    check_whole(job.checkpoint, _folders_of_spark(outputs, writers))
    frames = [written_rows(job, output) for output in outputs]
    job.describe()
    stream = _to_sinks(job, outputs, frames, writers)
    stream = on_checkpoint(job, stream).queryName(_plain(f"{spec.name}/{query_name(outputs)}"))
    return (stream.trigger(**trigger) if trigger else stream).start()


def on_checkpoint(job: Job, stream: DataStreamWriter) -> DataStreamWriter:
    """A query that continues on its checkpoint, a local one whatever Spark's default store is.

    The manager of checkpoint files that Spark takes by default starts two programs of the system
    for each file that it puts in its place on a local disk, several files a batch and operator;
    the other one renames it, which replaces a file whole or not at all as well.
    """
    path = local_path(job.checkpoint)
    if FILE_MANAGER not in dict(_settings(job.spark)):
        if path is None:
            job.spark.conf.unset(FILE_MANAGER)
        else:
            job.spark.conf.set(FILE_MANAGER, LOCAL_FILE_MANAGER)
    place = job.checkpoint if path is None else f"file://{path.absolute()}"
    return stream.option("checkpointLocation", place).outputMode("append")


def _to_sinks(
    job: Job, outputs: Sequence[Output], frames: Sequence[DataFrame], writers: Mapping[str, Writer]
) -> DataStreamWriter:
    """A single output goes to Spark's own sink if there is one; all else is written by batches."""
    first, *others = outputs
    if _is_left_to_spark(outputs, writers):
        options = {"truncate": "false"} if first.format == "console" else {}
        return frames[0].writeStream.format(first.format).options(**options, **first.options)
    own = [
        writers.get(output.format) or batch_writer(output, rows.schema, job.checkpoint)
        for output, rows in zip(outputs, frames, strict=True)
    ]
    if not others:
        return frames[0].writeStream.foreachBatch(own[0])
    whole = together(frames)
    return whole.frame.writeStream.foreachBatch(SeveralWriters(whole.columns, tuple(own)))


def claim(job: Job, spec: JobSpec, outputs: Sequence[Output]) -> None:
    """Make the checkpoint that of the query of these outputs, or see that it is.

    The functions that the query calls are there then.

    Raises:
        CheckpointMismatchError: it is another query's; nothing was written.
    """
    names = "+".join(output.name for output in outputs)
    state = json.loads(spec.state)[query_name(outputs)] if spec.state else None
    job.memory.claim(f"{spec.fingerprint}/{names}", spec.query or "", PROTOCOL, state)
    for statement in spec.functions:
        job.spark.sql(statement)


def _folders_of_spark(outputs: Sequence[Output], writers: Mapping[str, Writer]) -> list[str]:
    """The folders in which Spark's own file sink lists what it has written."""
    output = outputs[0]
    if not _is_left_to_spark(outputs, writers) or output.format not in FILE_FORMATS:
        return []
    return [path for key, path in output.options.items() if key.lower() == "path"]


def _is_left_to_spark(outputs: Sequence[Output], writers: Mapping[str, Writer]) -> bool:
    """Whether a sink of Spark's takes the rows: that of a single output without a key."""
    if len(outputs) > 1 or outputs[0].key or outputs[0].format in writers:
        return False
    return not is_transactional(outputs[0])


def written_rows(job: Job, output: Output) -> DataFrame:
    """The rows of an output as its sink takes them."""
    rows = counted_rows(job, output)
    return records_of(rows, output) if output.format == "kafka" else rows


def counted_rows(job: Job, output: Output) -> DataFrame:
    """The rows of an output, counted; delayed ones are counted as they are released."""
    rows = job.build(output)
    if job.holds:
        return rows
    return rows.observe(f"{PREFIX}/out/{output.name}", F.count(F.lit(1)).alias("rows"))


def queries_of(spec: JobSpec) -> list[tuple[Output, ...]]:
    """The outputs of each streaming query of a job."""
    queries: dict[str, tuple[Output, ...]] = {}
    for output in spec.outputs:
        name = output.beside or output.name
        queries[name] = (*queries.get(name, ()), output)
    return list(queries.values())


def query_name(outputs: Sequence[Output]) -> str:
    """What a query is called: by the output that the others stand beside."""
    return outputs[0].beside or outputs[0].name


def checkpoint_of(spec: JobSpec, outputs: Sequence[Output], root: str) -> str:
    """Where a query keeps its checkpoint: a job with one query has the folder to itself."""
    several = len(queries_of(spec)) > 1
    return f"{root.rstrip('/')}/{folder_name(query_name(outputs))}" if several else root


def folder_name(name: str) -> str:
    """A name as that of a folder in any file system; most names stay as they are.

    What could lead out of the folder above, would mean something else there or is too long is
    written otherwise.
    """
    plain = re.sub(r"[^\w .,;=@+~()-]", lambda found: quote(found[0], safe=""), name)
    plain = re.sub(r"^\.+", lambda dots: "%2E" * len(dots[0]), plain)
    if len(plain.encode()) <= LONGEST_NAME:
        return plain
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{plain[:SHOWN_OF_A_NAME]}-{digest}"


def main(spec: JobSpec, job_file: str, arguments: list[str] | None = None) -> None:
    """Run a generated job as a program until it ends or is told to stop."""
    options = _parse(spec, arguments)
    if spec.protocol != PROTOCOL:
        sys.exit(
            f"TVF703: job.py was made for version {spec.protocol} of the runtime, this is version "
            f"{PROTOCOL}; compile the query again"
        )
    runtime = Path(job_file).resolve().with_name("tvfc_runtime.zip")
    builder = configure(SparkSession.builder.appName(_plain(spec.name)), runtime)
    if options.master:
        builder = builder.master(options.master)
    spark = builder.getOrCreate()
    attach(spark, runtime)
    bookkeeper = Bookkeeper()
    spark.streams.addListener(bookkeeper)
    try:
        if options.metrics is not None:
            port = serve(options.metrics, lambda: bookkeeper.read(exposition))
            to_stderr(f"metrics at http://{options.metrics[0]}:{port}/metrics")
        page = opened_page(options.ui, spec, bookkeeper, with_rows=options.ui_rows)
        queries = []
        for outputs in queries_of(spec):
            place = checkpoint_of(spec, outputs, options.checkpoint)
            job = Job(spark, place, sessions=spec.sessions, late_examples=options.ui_rows)
            queries.append(start(job, spec, outputs, **_trigger(options)))
            bookkeeper.watch(queries[-1], job)
            page(queries[-1], job, outputs)
        _await(queries, bookkeeper)
    except FAILURES as error:
        sys.exit(_plain(reason(error)))
    finally:
        spark.stop()


def opened_page(
    place: tuple[str, int] | None,
    spec: JobSpec,
    bookkeeper: Bookkeeper,
    say: Callable[[str], None] = to_stderr,
    *,
    with_rows: bool = False,
) -> Callable[[StreamingQuery, Job, Sequence[Output]], None]:
    """Serve the page of a job, if a place is given; what takes its queries once they are started.

    Args:
        place: host and port.
        spec: the job.
        bookkeeper: counts what it does.
        say: takes a line that tells where the page is.
        with_rows: show values of rows, too.

    Raises:
        MetricsError: it cannot be served there.
    """
    if place is None:
        return lambda _query, _job, _outputs: None
    # Jobs without a page, which are most, start without what a server needs.
    from tvfc_runtime.page.server import serve_page  # noqa: PLC0415
    from tvfc_runtime.page.watched import Query, Watched, copied  # noqa: PLC0415

    states = json.loads(spec.state) if spec.state else {}
    watched = Watched(spec.name, lambda: bookkeeper.read(copied), with_rows=with_rows)
    say(f"page at {page_address(place[0], serve_page(place, watched))}")
    watched.begin()

    def add(query: StreamingQuery, job: Job, outputs: Sequence[Output]) -> None:
        parts = states.get(query_name(outputs), [])
        name, number = str(query.name), str(query.id)
        is_active = lambda: number not in bookkeeper.ended  # noqa: E731
        watched.add(Query(name, job.checkpoint, parts, tuple(job.held), is_active))

    return add


def page_address(host: str, port: int) -> str:
    """Where a browser finds what is served at a host and port."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def _parse(spec: JobSpec, arguments: list[str] | None) -> argparse.Namespace:
    # The name stands where argparse does not take % for the beginning of a placeholder.
    parser = argparse.ArgumentParser(
        prog=f"{_plain(spec.name)}/job.py", description="A streaming job, generated by tvfc."
    )
    parser.add_argument("--checkpoint", required=True, metavar="DIR", help="checkpoint location")
    parser.add_argument("--available-now", action="store_true", help="stop when all input is read")
    parser.add_argument("--trigger", metavar="INTERVAL", help="such as '10 seconds'")
    parser.add_argument(
        "--metrics", metavar="[HOST:]PORT", type=address, help="serve counters for Prometheus"
    )
    parser.add_argument(
        "--ui", metavar="[HOST:]PORT", type=address, help="serve a page that shows what it does"
    )
    parser.add_argument(
        "--ui-rows", action="store_true", help="show values of late and bad rows there, too"
    )
    parser.add_argument("--master", metavar="URL", help="Spark master, such as 'local[2]'")
    return parser.parse_args(arguments)


def _plain(text: str) -> str:
    """Text as the JVM and terminals take it: the name of a file may hold what is no character."""
    return "".join(
        each if each.isprintable() or each == "\n" else repr(each)[1:-1] for each in text
    )


def _trigger(options: argparse.Namespace) -> dict[str, Any]:
    if options.available_now:
        return {"availableNow": True}
    return {"processingTime": options.trigger} if options.trigger else {}


def _await(queries: list[StreamingQuery], bookkeeper: Bookkeeper) -> None:
    """Wait until all queries have ended, one has failed, or a signal asks to stop.

    Raises:
        TooManyBadRowsError: more rows of a source do not fit than may.
        StreamingQueryException: a query has failed.
    """
    stopping: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda received, _frame: stopping.append(received))
    try:
        while not stopping and any(query.isActive for query in queries):
            for query in queries:
                query.awaitTermination(1)
            bookkeeper.stop_if_failed()
    finally:
        for query in queries:
            query.stop()
    bookkeeper.catch_up(queries)
    bookkeeper.stop_if_failed()
