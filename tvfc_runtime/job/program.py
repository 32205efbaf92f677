"""The Spark session of a job, and its streaming queries: what they are, and how they start."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from tvfc_runtime.checkpoint.state import Part
from tvfc_runtime.checkpoint.storage import local_path
from tvfc_runtime.checkpoint.whole import check_whole
from tvfc_runtime.clock.era import era_ms
from tvfc_runtime.clock.idle import IdleSource
from tvfc_runtime.clock.ticks import TickSource
from tvfc_runtime.clock.timers_read import know_timers
from tvfc_runtime.clock.waking import may_sleep, telling
from tvfc_runtime.counters.progress import PREFIX
from tvfc_runtime.job.building import Job
from tvfc_runtime.job.ending import Ending, is_cut_short, plan_end, refuse_ended
from tvfc_runtime.plugins import SINKS, plugin_of
from tvfc_runtime.reports.log import plain
from tvfc_runtime.sinks import SeveralWriters, Writer, batch_writer, is_table, together
from tvfc_runtime.sinks.files import FILE_FORMATS
from tvfc_runtime.sinks.kafka import is_transactional
from tvfc_runtime.sinks.kafka_records import records_of
from tvfc_runtime.sources.backfill import go_live, has_history, is_live, refuse_behind
from tvfc_runtime.sources.tables_read import TableSource
from tvfc_runtime.spec.job import JobSpec, Output

PROTOCOL = 2
LONGEST_NAME, SHOWN_OF_A_NAME = 200, 40
"""Of a checkpoint's folder: bytes that every file system takes, and characters of longer names."""
NO_WRITERS: Mapping[str, Writer] = MappingProxyType({})

BATCHES_WITHOUT_DATA = "spark.sql.streaming.noDataMicroBatches.enabled"
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
    spark.dataSource.register(TableSource)


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
        trigger: when batches run, as Spark's trigger() takes it; `once` for the batch in which a
            bounded run ends, which is planned by `ending.plan_end`; `history` for a run to the end
            of what `phases` has to be read first.

    Raises:
        CheckpointError: the checkpoint is another query's, or files of it are torn or missing.
        SinkError: a sink does not fit.
        StartError: an environment variable is not set, or there is no such option.
        TooManyBadRowsError: more rows of a static table do not fit than it allows.
    """
    places = {each.name: job.at_start.place_of(each) for each in outputs}
    outputs = [job.at_start.settled(each) for each in outputs]
    with job.memory.given_up_if_refused():
        return _started(job, spec, outputs, places, writers, trigger)


def _started(
    job: Job,
    spec: JobSpec,
    outputs: Sequence[Output],
    places: Mapping[str, Mapping[str, str]],
    writers: Mapping[str, Writer],
    trigger: Mapping[str, Any],
) -> StreamingQuery:
    claim(job, spec, outputs)
    refuse_ended(job.checkpoint, ending="once" in trigger)
    if "history" in trigger:
        trigger = {"availableNow": True}
    else:
        refuse_behind(job.checkpoint, _states(spec).get(query_name(outputs), ()))
    check_whole(job.checkpoint, _folders_of_spark(outputs, writers))
    frames = [written_rows(job, output) for output in outputs]
    job.look_at_tables()
    job.describe(places)
    stream = _to_sinks(job, outputs, frames, writers)
    stream = on_checkpoint(job, stream).queryName(plain(f"{spec.name}/{query_name(outputs)}"))
    return _begun(job, stream.trigger(**trigger) if trigger else stream, trigger)


def _begun(job: Job, stream: DataStreamWriter, trigger: Mapping[str, Any]) -> StreamingQuery:
    """A query that is started; on the wall clock, unless it ends with its input, with its clock."""
    job.memory.counters.telling = telling(job.spark)
    clock = job.live_clock if set(trigger) <= {"processingTime"} else None
    # Each batch has the time of its beginning then, so that none has to follow.
    given = "false" if clock is not None else dict(_settings(job.spark)).get(BATCHES_WITHOUT_DATA)
    if given is None:
        job.spark.conf.unset(BATCHES_WITHOUT_DATA)
    else:
        job.spark.conf.set(BATCHES_WITHOUT_DATA, given)
    sleeps = job.memory.counters.sleeps = clock is not None and may_sleep(job.spark)
    if clock is None:
        return stream.start()
    if sleeps:
        know_timers(job.spark, job.checkpoint, job.memory.counters, era_ms(job.spark))
    clock.prepare(sleeps=sleeps)
    query = stream.start()
    clock.run(query)
    return query


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
    if left_to_spark(outputs, writers):
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


def _states(spec: JobSpec) -> dict[str, list[Part]]:
    """What each query of a job keeps, by its name."""
    return dict(json.loads(spec.state)) if spec.state else {}


def claim(job: Job, spec: JobSpec, outputs: Sequence[Output]) -> None:
    """Make the checkpoint that of the query of these outputs, or see that it is.

    The functions that the query calls are there then.

    Raises:
        CheckpointMismatchError: it is another query's; nothing was written.
    """
    names = "+".join(output.name for output in outputs)
    state = json.loads(spec.state)[query_name(outputs)] if spec.state else None
    state = None if state is None else job.at_start.state(state)
    job.memory.claim(f"{spec.fingerprint}/{names}", spec.query or "", PROTOCOL, state)
    for statement in spec.functions:
        job.spark.sql(statement)


def _folders_of_spark(outputs: Sequence[Output], writers: Mapping[str, Writer]) -> list[str]:
    """The folders in which Spark's own file sink lists what it has written."""
    output = outputs[0]
    if not left_to_spark(outputs, writers) or output.format not in FILE_FORMATS:
        return []
    return [path for key, path in output.options.items() if key.lower() == "path"]


def left_to_spark(outputs: Sequence[Output], writers: Mapping[str, Writer] = NO_WRITERS) -> bool:
    """Whether a sink of Spark's takes the rows: that of a single output without a key."""
    first, *others = outputs
    is_own = first.format in writers or plugin_of(SINKS, first.format) is not None
    is_ours = is_own or is_transactional(first) or is_table(first.format)
    return not (others or first.key or is_ours)


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


def phases(
    spec: JobSpec, root: str, trigger: Mapping[str, Any], ending: Ending | None
) -> Iterator[tuple[Mapping[str, Any], list[tuple[Sequence[Output], str]]]]:
    """What is to be started with which trigger, each time once all that was has ended.

    First what has a history, to its end; then all queries, and their ends.

    Args:
        spec: the job.
        root: its checkpoint.
        trigger: when batches run.
        ending: where the clock goes once all input is read; None: it stays where it is.
    """
    all_of_them = [(outputs, checkpoint_of(spec, outputs, root)) for outputs in queries_of(spec)]
    states = _states(spec)
    behind: list[tuple[Sequence[Output], str]] = [
        (outputs, place)
        for outputs, place in all_of_them
        if has_history(states.get(query_name(outputs), ())) and not is_live(place)
    ]
    if behind:
        yield {"history": True}, behind
        for _, place in behind:
            go_live(place)
    flushes = ending is not None and ending.final
    yield trigger, [each for each in all_of_them if not (flushes and is_cut_short(each[1]))]
    # Here all of them are through.
    if ending is not None:
        yield (
            {"once": True},
            [each for each in all_of_them if plan_end(each[1], ending, sessions=spec.sessions)],
        )
