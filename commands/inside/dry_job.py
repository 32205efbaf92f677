"""A job built over single rows in batch, to see how far each comes: nothing is held or written.

It is the very job that the query of a checkpoint compiles to, with its own conditions and due
times; only what would hold a row notes it instead. So what is said here is what the job does.
"""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

import tvfc_runtime
from compiler import CompileError, compile_script
from compiler.source import SourceText
from scenario.job_module import load_job
from tvfc_runtime.checkpoint.state import differences
from tvfc_runtime.checkpoint.storage import read_text
from tvfc_runtime.delay.release import ZERO
from tvfc_runtime.job.building import AT, PROC_TIME, Job
from tvfc_runtime.queue.release_queue import DUE
from tvfc_runtime.rows.updates import DIFF, TIME
from tvfc_runtime.sources.read import read_source
from tvfc_runtime.sources.watermark import LATE, is_late, moment, untimed
from tvfc_runtime.temporal.operator import VALID

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import timedelta

    from pyspark.sql import Column, SparkSession

    from compiler import Job as CompiledJob
    from compiler.bind.sources.schemas import Schemas
    from tvfc_runtime.sources.watermark import Watermark
    from tvfc_runtime.spec.job import JobSpec, Output
    from tvfc_runtime.spec.source import Source


class NotTheQueryError(Exception):
    """The query of a checkpoint does not compile to the job that has written it."""


@dataclass(frozen=True)
class Compiled:
    """The job of a checkpoint's query.

    Attributes:
        module: the job.
        spec: what it says of itself.
        outputs: the outputs of the query.
        depends: whether it asks for the time or for chance, which are others now than they were.
    """

    module: Any
    spec: JobSpec
    outputs: tuple[Output, ...]
    depends: bool


DEPENDS = re.compile(
    r"\b(now|current_timestamp|current_date|current_time|curdate|localtimestamp|unix_timestamp"
    r"|rand|randn|random|randstr|uniform|uuid|shuffle)\b",
    re.IGNORECASE,
)


def forms_of(known: Mapping[str, Any], schemas: Schemas | None = None) -> Iterator[CompiledJob]:
    """The jobs that a query may have been compiled to, the present form first, each when asked for.

    Args:
        known: what `tvfc/query.json` of its checkpoint says.
        schemas: finds those of records; None: nothing is looked up.

    Raises:
        CompileError: this version does not compile it.
    """
    _, _, rest = str(known.get("query", "")).partition("\n")
    source = SourceText("query.sql", textwrap.dedent(rest).strip("\n"))
    for in_panes in (True, False):
        yield compile_script(source, scenario=True, schemas=schemas, in_panes=in_panes)


def compiled(place: str) -> Compiled:
    """The job of the query that a checkpoint belongs to.

    Raises:
        NotTheQueryError: this version compiles it to another job, or not at all.
    """
    known = json.loads(read_text(f"{place}/tvfc/query.json"))
    try:
        for job in forms_of(known):
            module = load_job(job.text, Path("query/job.py"))
            states = json.loads(module.JOB.state)
            for outputs in tvfc_runtime.queries_of(module.JOB):
                state = states[outputs[0].beside or outputs[0].name]
                if not differences(
                    _rows_of(known.get("state") or [{"version": 0}]), _rows_of(state)
                ):
                    steps = job.text.partition("import tvfc_runtime as tvfc")[2]
                    return Compiled(module, module.JOB, outputs, bool(DEPENDS.search(steps)))
    except CompileError as error:
        if any(each.code == "TVF637" for each in error.diagnostics):
            raise NotTheQueryError(
                "its columns are those of a schema that was looked up, which the checkpoint has not"
            ) from None
        raise NotTheQueryError("its query does not compile with this version of tvfc") from None
    raise NotTheQueryError("this version of tvfc compiles its query to another job")


def _rows_of(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A description without where its sinks lie, which `tvfc switch` changes."""
    return [{k: v for k, v in e.items() if k != "options"} if "sink" in e else e for e in parts]


@dataclass(frozen=True)
class Reached:
    """Rows that have come to something that holds them.

    Attributes:
        what: `delay`, `inside` for a delay below another operator, `groups`, `temporal`, or another
            operator, of which no due time is known.
        rows: the rows, with `__due` or `__valid`.
    """

    what: str
    rows: DataFrame


class StoppedError(Exception):
    """Nothing can be said of what is above here."""


class DryJob(Job):
    """The frame of a query over given rows; see `reached` for how far they have come.

    Args:
        spark: a session.
        place: the checkpoint, which is only read.
        rows: by source, its rows; another source has none.
        clock: W, in milliseconds since the epoch; 0: there is none.
        arrived_ms: when the rows have arrived.
        folders: where static tables lie.
    """

    def __init__(
        self,
        spark: SparkSession,
        place: str,
        rows: Mapping[str, DataFrame],
        clock: int,
        arrived_ms: int,
        folders: Mapping[str, str],
    ) -> None:
        super().__init__(spark, place)
        self.reached: list[Reached] = []
        self.late: list[tuple[str, DataFrame]] = []
        self.timeless: list[DataFrame] = []
        self._rows = rows
        self._clock = F.lit(clock or None).cast("bigint")
        self._arrived_ms = arrived_ms
        self._paths = folders

    def clock(self) -> Column:
        """W."""
        assert self._clock is not None
        return self._clock

    def _fitting(self, source: Source) -> DataFrame:
        if source.static:
            path = self._paths.get(source.name)
            options = {**source.options, **({} if path is None else {"path": path})}
            there = self.at_start.settled(_with_options(source, options))
            return read_source(self.spark, there).select(*source.columns)
        rows = self._rows.get(source.name)
        if rows is None:
            rows = self.spark.createDataFrame([], source.schema)
        return rows.withColumn(PROC_TIME, F.timestamp_millis(F.lit(self._arrived_ms)))

    def _observe(self, rows: DataFrame, what: str, *metrics: Column) -> DataFrame:  # noqa: ARG002
        return rows

    def on_wall_clock(self, source: Source) -> DataFrame:
        """Rows of a source; the clock is known."""
        return self._once(f"source/{source.name}", lambda: self._stream(source))

    def beside_clock(self, rows: DataFrame) -> DataFrame:
        """Rows that do not move the clock."""
        return rows

    def _admitted(self, what: str, rows: DataFrame, watermark: Watermark) -> DataFrame:
        late = F.coalesce(is_late(watermark, self.clock()), F.lit(False))  # noqa: FBT003
        marked = rows.withColumn(LATE, late)
        name = what.split("/", 1)[1]
        self._refused[name] = (
            marked.where(LATE).drop(LATE).withColumn("_watermark", moment(self.clock()))
        )
        self.late.append((name, marked.where(LATE)))
        self.timeless.append(rows.where(untimed(watermark)))
        return marked.where(f"NOT {LATE}").drop(LATE)

    def note(self, what: str, *frames: DataFrame) -> None:
        """Note rows that are held."""
        self.reached += [Reached(what, each) for each in frames]

    def delay(self, rows: DataFrame, *, in_order: bool = False, inside: bool = False) -> DataFrame:  # noqa: ARG002
        """Note the rows; none comes out."""
        self.note("inside" if inside else "delay", rows)
        return rows.drop(DUE, AT).where("false")

    def temporal(self, rows: DataFrame) -> DataFrame:
        """Note the rows; none comes out."""
        self.note("temporal", rows)
        none = rows.drop(VALID, TIME, DIFF).where("false")
        return none.withColumns({TIME: F.lit(None).cast("bigint"), DIFF: F.lit(1)})

    def _stopped(self, what: str, *frames: DataFrame) -> DataFrame:
        self.note(what, *frames)
        raise StoppedError(what)

    def bad_rows(self, name: str) -> DataFrame:
        """Rows that do not fit are not among those that are looked at here."""
        raise StoppedError(name)

    def changes(self, rows: DataFrame) -> DataFrame:
        """A row that comes, at the clock of its arrival."""
        return rows.drop(PROC_TIME).withColumns({TIME: self.clock(), DIFF: F.lit(1)})

    def from_start(self, name: str, rows: DataFrame) -> DataFrame:  # noqa: ARG002
        """Rows of tables are not those that are looked at here."""
        return rows.where("false")

    def latest(self, rows: DataFrame, **_: Any) -> DataFrame:
        """Note the last rows of keys."""
        return self._stopped("last rows", rows.drop(PROC_TIME))

    def aggregate(self, updates: DataFrame, *_: Any, **__: Any) -> DataFrame:
        """Note the rows of totals."""
        return self._stopped("totals", updates)

    def multiplicity(self, rows: DataFrame, *others: DataFrame, **_: Any) -> DataFrame:
        """Note rows that are counted."""
        return self._stopped("multiplicity", rows, *others)

    def join(self, left: DataFrame, right: DataFrame, **_: Any) -> DataFrame:
        """Note the rows of a join."""
        return self._stopped("join", left, right)

    def top(self, updates: DataFrame, **_: Any) -> DataFrame:
        """Note rows among which the first ones are looked for."""
        return self._stopped("first rows", updates)

    def windows(self, updates: DataFrame, *_: Any, **__: Any) -> DataFrame:
        """Note rows of window functions."""
        return self._stopped("partitions", updates)

    def over(self, rows: DataFrame, *_: Any, **__: Any) -> DataFrame:
        """Note rows of window functions."""
        return self._stopped("over", rows)

    def sessions(self, rows: DataFrame, *_: Any, **__: Any) -> DataFrame:
        """Note rows of sessions."""
        return self._stopped("sessions", rows)

    def fill(self, groups: DataFrame, **_: Any) -> DataFrame:
        """The groups alone: windows without rows are no row's."""
        return groups

    def panes(self, rows: DataFrame, *_: Any, **__: Any) -> DataFrame:
        """Note rows of windows out of panes."""
        return self._stopped("panes", rows)

    def match(self, rows: DataFrame, *_: Any, **__: Any) -> DataFrame:
        """Note rows in which a pattern is looked for."""
        return self._stopped("match", rows)


def _with_options(source: Source, options: Mapping[str, str]) -> Source:
    own = {name: getattr(source, name) for name in source.__dataclass_fields__}
    return type(source)(**{**own, "options": options})


class Branches:
    """What a job calls of the runtime, with alternatives of a due time apart.

    Args:
        job: takes note of rows that come to groups.
        only: of several alternatives, the one to take; None: all.
    """

    def __init__(self, job: DryJob, only: int | None = None) -> None:
        self._job = job
        self._only = only
        self._said: dict[int, tuple[Column, str]] = {}
        self.words: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(tvfc_runtime, name)

    def _say(self, column: Column, words: str) -> Column:
        self._said[id(column)] = column, words
        return column

    def _words(self, column: Column) -> str:
        return self._said.get(id(column), (column, "a condition on the clock"))[1]

    def at_once(self) -> Column:
        """No clock is needed."""
        return self._say(tvfc_runtime.at_once(), "at once")

    def reached(self, bound: str, plus: timedelta | str = ZERO, about: str | None = None) -> Column:
        """At a moment."""
        return self._say(tvfc_runtime.reached(bound, plus, about), f"at {bound}{_plus(plus)}")

    def passed(self, bound: str, plus: timedelta | str = ZERO, about: str | None = None) -> Column:
        """After a moment."""
        return self._say(tvfc_runtime.passed(bound, plus, about), f"after {bound}{_plus(plus)}")

    def when(self, guard: str, due: Column) -> Column:
        """Under a condition."""
        return self._say(tvfc_runtime.when(guard, due), f"{self._words(due)}, if {guard}")

    def latest(self, *dues: Column) -> Column:
        """All of several."""
        return self._say(tvfc_runtime.latest(*dues), " and ".join(map(self._words, dues)))

    def earliest(self, *dues: Column) -> Column:
        """The first of several alternatives, or one of them alone."""
        self.words = [self._words(each) for each in dues]
        if self._only is not None and len(dues) > self._only:
            return dues[self._only]
        return tvfc_runtime.earliest(*dues)

    def closing(self, rows: DataFrame, due: Column) -> DataFrame:
        """Groups that the clock closes: note the rows."""
        self._job.note("groups", rows.withColumn(DUE, due))
        return tvfc_runtime.closing(rows.where("false"), due)

    def _stop(self, what: str) -> Callable[..., DataFrame]:
        def stopped(*frames: Any, **_: Any) -> DataFrame:
            self._job.note(what, *(each for each in frames if isinstance(each, DataFrame)))
            raise StoppedError(what)

        return stopped

    @property
    def in_sessions(self) -> Callable[..., DataFrame]:
        """Sessions: note the rows."""
        return self._stop("sessions")

    @property
    def session(self) -> Callable[..., DataFrame]:
        """Sessions: note the rows."""
        return self._stop("sessions")

    @property
    def join_in_time(self) -> Callable[..., DataFrame]:
        """A join of streams: note the rows of both."""
        return self._stop("join")


def _plus(plus: timedelta | str) -> str:
    return f" + {plus}" if plus else ""


def build(job: DryJob, branches: Branches, found: Compiled, output: Output) -> DataFrame | None:
    """The frame of an output over a row; None if what is above cannot be said."""
    found.module.tvfc = branches
    try:
        return job.build(output)
    except StoppedError:
        return None
