"""What has become of a row of a source, for each output of the query, in sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from commands.inside.dry_job import Branches, DryJob, build
from commands.inside.held import ahead_of
from tvfc_runtime.delay.release import FIRST_CLOCK_VALUE
from tvfc_runtime.queue.release_queue import DUE
from tvfc_runtime.reports.verdicts import moment
from tvfc_runtime.rows.intervals import FAILED, FOREVER
from tvfc_runtime.temporal.operator import VALID

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from commands.inside.dry_job import Compiled, Reached
    from tvfc_runtime.spec.job import Output

BY_KIND = {
    "totals": "counts in its group",
    "multiplicity": "counts among equal rows",
    "join": "kept for its partners, or gone once no more can come",
    "last rows": "kept as the row of its key, until another change of that key comes",
    "first rows": "kept among the rows of which the first are in the result",
    "partitions": "kept for the window functions of its partition",
    "over": "has come to the window functions, whose rows wait for those that they look at",
    "match": "has come to where a pattern of rows is looked for",
    "panes": "counts in its pane, which is held until the last window of it leaves",
    "sessions": "in a session, which leaves, or has left, when the clock has come to its end",
}
WAITS = {"delay": "held", "groups": "its group is held", "inside": "held below another operator"}
GONE = {
    "delay": "has left",
    "groups": "its group has closed",
    "inside": "has gone on to the operator above, which may hold it still",
}
"""Of rows that are due, by what holds them."""


ABOVE = {
    *(
        "changes",
        "last rows",
        "totals",
        "multiplicity",
        "first rows",
        "rows without partner",
        "join of changing rows",
    ),
    "window functions of changing rows",
}
"""Operators, in the words of a query's description, above rows that come and go."""


@dataclass(frozen=True)
class Asked:
    """A row, and what is known of how it was read.

    Attributes:
        source: its source.
        row: a frame of the one row.
        clock_ms: W of the batch that has read it; 0: there was none.
        arrived_ms: when that batch began.
        now_ms: the clock of the last batch that is done; 0: there is none.
    """

    source: str
    row: DataFrame
    clock_ms: int
    arrived_ms: int
    now_ms: int


class Fates:
    """Answers for the outputs of a query.

    Args:
        spark: a session.
        place: the checkpoint.
        found: its job.
        parts: the description of its state.
        folders: where tables lie.
    """

    def __init__(
        self,
        spark: SparkSession,
        place: str,
        found: Compiled,
        parts: Sequence[Mapping[str, Any]],
        folders: Mapping[str, str],
    ) -> None:
        self._spark = spark
        self._place = place
        self._found = found
        self._parts = parts
        self._folders = folders
        self._is_on_wall_clock = any(each.get("clock") == "the wall clock" for each in parts)
        for statement in found.spec.functions:
            spark.sql(statement)

    def of_time(self, asked: Asked) -> tuple[str | None, bool]:
        """The source or view whose watermark has refused a row, and whether it has no time."""
        job = self._job(asked)
        for output in self._found.outputs:
            build(job, Branches(job), self._found, output)
        return _refusing(job), any(not each.isEmpty() for each in job.timeless)

    def of(self, asked: Asked) -> Iterator[tuple[str, str]]:
        """For each output that reads such rows, its name and what has become of one."""
        for output in self._found.outputs:
            if asked.source not in self._below(output.name):
                continue
            try:
                yield output.name, self._of_output(asked, output)
            except PySparkException as error:
                why = str(error).strip().partition("\n")[0]
                yield output.name, f"not known: {why}"

    @property
    def depends(self) -> bool:
        """Whether the query asks for the time or for chance."""
        return self._found.depends

    def _job(self, asked: Asked) -> DryJob:
        return DryJob(
            self._spark,
            self._place,
            {asked.source: asked.row},
            asked.clock_ms,
            asked.arrived_ms,
            self._folders,
        )

    def _of_output(self, asked: Asked, output: Output) -> str:
        job = self._job(asked)
        branches = Branches(job)
        frame = build(job, branches, self._found, output)
        kinds = self._kinds(output.name)
        said = [each for found in job.reached for each in self._of_reached(found, asked, kinds)]
        if said:
            by = self._branch(asked, output, branches.words)
            return "; ".join(dict.fromkeys(said)) + by
        if frame is not None and not job.reached and not frame.isEmpty():
            if kinds & {"groups", "join of streams"}:
                return "not known: it comes to groups or to a join, which hold it or do not"
            return "has left, in the batch that has read it: it waits for no clock"
        late = _refusing(job)
        if late is not None:
            return f"in no result: it was late for the watermark of {late}"
        if kinds & {"join", "join of streams"}:
            return (
                "not known: it is joined, and whether it has a partner is not looked up; or a "
                "condition of the query does not hold for it"
            )
        if frame is None and kinds & {"union", "bad rows"}:
            return "not known: it may have come to another of the queries that are united"
        if "late rows" in kinds:
            return "in no result: it was not late, or a condition of the query does not hold for it"
        timed = ", or it has no time" if any(each.endswith("windows") for each in kinds) else ""
        return f"in no result: a condition of the query (WHERE, ON) does not hold for it{timed}"

    def _of_reached(self, reached: Reached, asked: Asked, kinds: set[str]) -> Iterator[str]:
        columns = reached.rows.columns
        if DUE in columns and reached.what in WAITS:
            rows = reached.rows.select(DUE).collect()
            yield from (self._of_due(row[0], reached.what, asked) for row in rows)
        elif VALID in columns:
            for row in reached.rows.select(VALID).collect():
                what = "counts for what is above" if kinds & ABOVE else "in the result"
                yield from (each.format(what) for each in self._of_pieces(row[0] or [], asked))
        elif not reached.rows.isEmpty():
            yield BY_KIND[reached.what]

    def _of_due(self, due: int | None, what: str, asked: Asked) -> str:
        """What is said of a row with a due time: held, or gone to where that leads."""
        if due is None or due >= FOREVER:
            return "never due: no alternative of the conditions on the clock holds for it"
        if due == FAILED:
            return "never due: a moment that it waits for cannot be computed"
        if due > asked.now_ms and due > FIRST_CLOCK_VALUE:
            when = f"due at {moment(due)}, {ahead_of(due, asked.now_ms)}"
        elif due == FIRST_CLOCK_VALUE and not asked.now_ms:
            when = "due when the clock has its first value"
        else:
            since = f", at {moment(due)}" if due > FIRST_CLOCK_VALUE else ""
            return f"{GONE[what]}{since}"
        return f"{WAITS[what]}: {when}"

    def _of_pieces(self, pieces: Sequence[Any], asked: Asked) -> Iterator[str]:
        """When a row is in a result that changes; `{}` stands for that result."""
        arrived = max(asked.clock_ms, FIRST_CLOCK_VALUE)
        some = [
            (max(each["from"], arrived), FOREVER if each["to"] is None else each["to"])
            for each in pieces
            if each["from"] is not None and each["from"] < FAILED
        ]
        some = sorted((start, end) for start, end in some if start < end)
        if not some:
            yield "never {}: it had ended when it came, or no condition holds for it"
        for start, end in some:
            until = "for good" if end >= FAILED else f"until {moment(end)}"
            since = "its arrival" if start <= arrived else moment(start)
            tense = "now"
            if start > max(asked.now_ms, arrived):
                tense = "not yet"
            elif end <= asked.now_ms:
                tense = "no longer"
            unless = ""
            if self._is_on_wall_clock and not asked.clock_ms and end <= asked.now_ms:
                unless = ", if the clock had its first value before that; else never"
            yield f"{tense} {{}}: from {since} {until}{unless}"

    def _branch(self, asked: Asked, output: Output, words: Sequence[str]) -> str:
        """By which alternative a row is due, if there are several."""
        if len(words) < 2:
            return ""
        dues = []
        for number, said in enumerate(words):
            job = self._job(asked)
            build(job, Branches(job, number), self._found, output)
            rows = [r for e in job.reached if DUE in e.rows.columns for r in e.rows.collect()]
            dues += [(row[DUE], said) for row in rows if row[DUE] is not None]
        return f" (by alternative: {min(dues)[1]})" if dues else ""

    def _below(self, sink: str) -> set[str]:
        """The sources that an output reads."""
        sinks = [part for part in self._parts if part.get("sink") == sink]
        return {str(part["name"]) for part in self._all_below(sinks) if "name" in part}

    def _kinds(self, sink: str) -> set[str]:
        """The kinds of operators that an output is made of; joins of streams have their own."""
        parts = self._all_below([part for part in self._parts if part.get("sink") == sink])
        joined = [self._parts[each["rows"]] for part in parts for each in part.get("with") or []]
        of_streams = any(each.get("operator") == "source" for each in self._all_below(joined))
        return {str(part.get("operator")) for part in parts} | (
            {"join of streams"} if of_streams else set()
        )

    def _all_below(self, waiting: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = []
        while waiting:
            part = waiting.pop()
            if part not in found:
                found.append(part)
                waiting += [self._parts[place] for place in _places(part)]
        return found


def _refusing(job: DryJob) -> str | None:
    """The source or view whose watermark has refused the row of a job."""
    return next((name for name, rows in job.late if not rows.isEmpty()), None)


def _places(part: Mapping[str, Any]) -> Iterator[int]:
    for key in ("of", "rows"):
        value = part.get(key)
        yield from [value] if isinstance(value, int) else value or []
    yield from (part.get("tables") or {}).values()
    for each in part.get("with") or []:
        yield from _places(each)
