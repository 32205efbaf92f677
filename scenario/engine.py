"""A compiled job that is fed one micro-batch at a time.

All sources come from one file stream, one file a step, so that a step is one micro-batch however
many sources have rows in it. A line is the source's name, a tab, and a record, both JSON: `r` the
carriers of the row's columns, `p` when it arrived, in microseconds. Outputs that are one streaming
query in production are one here; the refused rows that a scenario asks for are a further output of
the query that reads their source. Ticks of the wall clock are lines `wall clock`, a tab, and the
clock in milliseconds, those for a source that may fall idle `idle <source>`, a tab, and the
watermark. What comes out is collected as text, so that no value is bent on its way to Python.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as t

import tvfc_runtime
from scenario.carriers import as_text, row_of
from scenario.feed import rows_in, ticks_in
from tvfc_runtime.job.building import PROC_TIME
from tvfc_runtime.job.program import on_checkpoint
from tvfc_runtime.sinks import together
from tvfc_runtime.sources.at_start import AtStart
from tvfc_runtime.sources.first_batch import FIRST_BATCH
from tvfc_runtime.sources.from_start import TABLES
from tvfc_runtime.sources.read import read_source

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyspark.sql.streaming.query import StreamingQuery

    from scenario.compare import Rows

WALL_CLOCK = "wall clock"

PATIENCE_S = 120
"""A step that takes longer than this is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """What came out of a step, in normal form, and how the job stands after it."""

    outputs: Mapping[str, Rows]
    late: Mapping[str, Rows]
    bad: Mapping[str, Rows]
    rows_held: int
    never_due: int
    without_time: int
    watermark_ms: int | None


@dataclass
class Running:
    """One streaming query of the job while it runs, and what it has delivered."""

    job: tvfc_runtime.Job
    schemas: dict[str, t.StructType] = field(default_factory=dict)
    batches: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    stream: StreamingQuery | None = None

    def collect(self, frame: DataFrame, batch: int) -> None:
        """The sink: a batch that is run again replaces what it gave before."""
        tags = list(self.schemas)
        self.batches[batch] = [(tags[row[0]], row[row[0] + 1][0]) for row in frame.collect()]

    def taken(self) -> list[tuple[str, str]]:
        """What has been delivered since the last call, in order."""
        lines = [line for batch in sorted(self.batches) for line in self.batches[batch]]
        self.batches.clear()
        return lines


class Engine:
    """Runs a job on a folder of its own, which outlives restarts.

    `idle_after` says, once the job is started, of which sources the wall clock moves the watermark.
    """

    def __init__(
        self,
        spark: SparkSession,
        spec: tvfc_runtime.JobSpec,
        folder: Path,
        *,
        late_sources: tuple[str, ...] = (),
        bad_sources: tuple[str, ...] = (),
        tables: Mapping[str, list[str]] | None = None,
    ) -> None:
        self._spark = spark
        self._spec = spec
        self._folder = folder
        self._late_sources = late_sources
        self._bad_sources = bad_sources
        self._queries: list[Running] = []
        self._files = 0
        self.idle_after: dict[str, timedelta] = {}
        for name in ("input", "tables"):
            (folder / name).mkdir(parents=True)
        self._tables = dict(tables or {})
        lines = [each for rows in self._tables.values() for each in rows]
        (folder / "tables/all").write_text("\n".join(lines), encoding="utf-8")

    def schemas(self) -> dict[str, t.StructType]:
        """The columns of every output; late and bad rows of source `x` are `late x`, `bad x`."""
        return {name: kind for query in self._queries for name, kind in query.schemas.items()}

    def start(self) -> None:
        """Start the job, or start it again on the same checkpoints."""
        raw = self._spark.readStream.option("maxFilesPerTrigger", 1).text(
            str(self._folder / "input")
        )
        asked = [(_late, f"late {name}", name) for name in self._late_sources]
        asked += [(_bad, f"bad {name}", name) for name in self._bad_sources]
        self._queries = []
        for outputs in tvfc_runtime.queries_of(self._spec):
            checkpoint = tvfc_runtime.checkpoint_of(
                self._spec, outputs, str(self._folder / "checkpoint")
            )
            job = tvfc_runtime.Job(
                self._spark,
                checkpoint,
                read=lambda source: self._read(raw, source),
                ticks=lambda source, after: self._ticks(raw, source, after),
                wall_clock=lambda: ticks_in(raw, WALL_CLOCK),
                sessions=self._spec.sessions,
                at_start=AtStart(environment=None),
            )
            tvfc_runtime.claim(job, self._spec, outputs)
            query = Running(job)
            frames = [_lines(query, each.name, job.build(each)) for each in outputs]
            job.describe({})
            for question in list(asked):
                kept_out, tag, source = question
                refused = kept_out(job, source)
                if refused is not None:
                    asked.remove(question)
                    frames.append(_lines(query, tag, refused))
            collected = together(frames).frame.writeStream.foreachBatch(query.collect)
            query.stream = on_checkpoint(job, collected).start()
            self._queries.append(query)

    def stop(self) -> None:
        """Stop the job; its checkpoints remain."""
        for query in self._queries:
            if query.stream is not None:
                query.stream.stop()

    def feed(self, lines: list[str]) -> StepResult:
        """Let rows arrive as one micro-batch, and wait until nothing more comes of it."""
        if lines:
            self.arrive(lines)
        found: dict[str, Rows] = {}
        schemas = self.schemas()
        for query in self._queries:
            for tag, line in _settle(query, self._files if lines else 0):
                found.setdefault(tag, []).append(row_of(line, schemas[tag]))
        return self._result(found)

    def arrive(self, lines: list[str]) -> None:
        """Let rows arrive as one micro-batch, and do not wait for what comes of it."""
        self._files += 1
        hidden = self._folder / "input" / f".{self._files:06}"
        hidden.write_text("\n".join(lines), encoding="utf-8")
        hidden.rename(hidden.with_name(f"{self._files:06}.txt"))

    def _result(self, found: dict[str, Rows]) -> StepResult:
        counters = [query.job.memory.counters for query in self._queries]
        return StepResult(
            outputs={spec.name: found.get(spec.name, []) for spec in self._spec.outputs},
            late={name: found.get(f"late {name}", []) for name in self._late_sources},
            bad={name: found.get(f"bad {name}", []) for name in self._bad_sources},
            rows_held=sum(each.rows_of_runtime for each in counters),
            never_due=sum(each.never_due for each in counters),
            without_time=sum(sum(each.without_time.values()) for each in counters),
            watermark_ms=min(
                (each.watermark_ms for each in counters if each.watermark_ms is not None),
                default=None,
            ),
        )

    def _read(self, raw: DataFrame, source: tvfc_runtime.Source) -> DataFrame:
        if source.static:
            if source.name not in self._tables and source.format is not None:
                return read_source(self._spark, AtStart().settled(source))
            raw = self._spark.read.text(str(self._folder / "tables"))
        return rows_in(raw, source)

    def _ticks(self, raw: DataFrame, source: str, after: timedelta) -> DataFrame:
        self.idle_after[source] = after
        return ticks_in(raw, _idle(source))


def record_line(source: str, value: str | None, key: str | None) -> str:
    """A record of a source of changes as the engine reads it."""
    return f"{json.dumps(source)}\t{json.dumps({'v': value, 'k': key})}"


def _idle(source: str) -> str:
    return f"idle {json.dumps(source)}"


def wall_clock_tick(now_ms: int) -> str:
    """A tick of the wall clock as the engine reads it."""
    return f"{WALL_CLOCK}\t{now_ms}"


def idle_tick(source: str, watermark_ms: int) -> str:
    """A tick of the wall clock beside a source that has fallen idle."""
    return f"{_idle(source)}\t{watermark_ms}"


def line(source: str, carriers: list[Any], arrival_micros: int | None) -> str:
    """A row as the engine reads it."""
    record: dict[str, Any] = {"r": {f"f{i}": each for i, each in enumerate(carriers)}}
    if arrival_micros is not None:
        record["p"] = str(arrival_micros)
    return f"{json.dumps(source)}\t{json.dumps(record)}"


def _settle(query: Running, files: int) -> list[tuple[str, str]]:
    """Wait until the query has read `files` files and done all it can; account for its batches."""
    stream = query.stream
    assert stream is not None
    stream.processAllAvailable()
    # It may return on the word of a look at the folder that began before the last file was there.
    # Once the file is read, one more wait sees the batches without data that follow.
    if files:
        while _files_read(stream) < files:
            stream.processAllAvailable()
        stream.processAllAvailable()
    counters = query.job.memory.counters
    before = counters.batch
    for progress in stream.recentProgress:
        counters.update(progress)
    if counters.batch > before:
        query.job.memory.remember(counters)
    return query.taken()


def _files_read(query: StreamingQuery) -> int:
    """How many files of the input folder the query's last batch had read; one file is a batch."""
    sources = [source for each in query.recentProgress for source in each["sources"]]
    offsets = [each["endOffset"] for each in sources if not _is_own(each["description"])]
    read = [json.loads(offset) for offset in offsets if offset]
    # The offset of a query that has read nothing yet is `null`.
    known = [offset["logOffset"] + 1 for offset in read if offset]
    return max(known, default=0)


def _is_own(description: str) -> bool:
    """Whether a source reads files that the job has made itself."""
    return FIRST_BATCH in description or TABLES in description


def _bad(job: tvfc_runtime.Job, source: str) -> DataFrame | None:
    """The bad rows of a source, or None if this output does not read it."""
    try:
        return job.unfit_rows(source)
    except KeyError:
        return None


def _late(job: tvfc_runtime.Job, source: str) -> DataFrame | None:
    """The late rows of a source, or None if this output does not read it."""
    try:
        return job.late_rows(source).drop("_watermark", PROC_TIME)
    except KeyError:
        return None


def _lines(query: Running, tag: str, frame: DataFrame) -> DataFrame:
    """The rows of a frame as text, one column; the tag says whose they are."""
    query.schemas[tag] = frame.schema
    return as_text(frame)
