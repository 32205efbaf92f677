"""A job that reads files, stops, and is followed by another one: what the sinks then have."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commands.upgrading.assembly import put_together
from commands.upgrading.taken_over import Asked, Whole, examined, wanted_by
from compiler import compile_script
from compiler.source import SourceText
from scenario.job_module import load_job
from tvfc_runtime import Job, start
from tvfc_runtime.checkpoint.storage import unlock
from tvfc_runtime.job.program import checkpoint_of, queries_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

Row = dict[str, Any]
Out = dict[str, Counter[tuple[Any, ...]]]
NAMES = ("out", "elsewhere", "first", "w")
"""Folders of sinks."""

FIRST_FILE_S = 1_600_000_000
"""When the first file was written, as it says; each other one a second after the one before."""

Files = dict[str, list[Row]]


@dataclass
class Site:
    """A folder with files, queries and checkpoints.

    Args:
        spark: the session.
        folder: the folder.
    """

    spark: SparkSession
    folder: Path
    files: int = 0

    def arrive(self, files: Sequence[Files]) -> None:
        """Files of rows, one after the other; a `ts` is in seconds since 2026."""
        for rows_of in files:
            self.files += 1
            for source, rows in rows_of.items():
                (self.folder / source).mkdir(exist_ok=True)
                lines = [json.dumps(_with_moment(row)) for row in rows]
                path = self.folder / source / f"{self.files:04}.json"
                path.write_text("\n".join(lines), encoding="utf-8")
                # Spark reads them in this order; those of one instant have none.
                os.utime(path, (FIRST_FILE_S + self.files, FIRST_FILE_S + self.files))

    def run(self, query: str, checkpoint: str) -> None:
        """Let a job read all that is there."""
        job = compile_script(SourceText("query.sql", query))
        spec = load_job(job.text, self.folder / "job.py").JOB
        for outputs in queries_of(spec):
            place = checkpoint_of(spec, outputs, str(self.folder / checkpoint))
            of = Job(self.spark, place, sessions=spec.sessions)
            stream = start(of, spec, outputs, availableNow=True)
            stream.awaitTermination()
            counters = of.memory.counters
            for progress in stream.recentProgress:
                counters.update(progress)
            of.memory.remember(counters)
            unlock(f"{place}/tvfc/lock")

    def examined(self, checkpoint: str, query: str) -> Any:
        """What becomes of a job, as `tvfc plan` says it."""
        file = self.folder / "new.sql"
        file.write_text(query, encoding="utf-8")
        return examined(Asked(str(self.folder / checkpoint), file, (), (), {}))

    def carry_out(self, whole: Whole, target: str) -> None:
        """Do it, as `tvfc upgrade` does."""
        place = str(self.folder / target)
        put_together(place, wanted_by(whole, place))

    def rows(self, sink: str) -> Counter[tuple[Any, ...]]:
        """What a file sink has."""
        lines = [
            json.loads(line)
            for path in (self.folder / sink).glob("*.json")
            for line in path.read_text(encoding="utf-8").splitlines()
        ]
        return Counter(tuple(sorted(each.items())) for each in lines)


def _with_moment(row: Row) -> Row:
    return row | {"ts": moment(row["ts"])} if "ts" in row else row


def sinks(site: Site) -> Out:
    """What the sinks have."""
    names = [path.name for path in site.folder.iterdir() if path.name in NAMES]
    return {name: rows for name in names if (rows := site.rows(name))}


def since(before: Out, after: Out) -> Out:
    """What has come since."""
    found = {name: rows - before.get(name, Counter()) for name, rows in after.items()}
    return {name: rows for name, rows in found.items() if rows}


def verdicts(whole: Whole) -> dict[str, str]:
    """The verdict on each part; operators without their numbers."""
    found = {}
    for *_, changes in whole.takeovers:
        for each in changes:
            name = each.name.split("/")[-1] if each.what == "operator" else each.name
            kind = each.name.rpartition("/")[0] if each.what == "operator" else each.what
            of = name.partition(" of ")[2] if each.what == "operator" else name
            found[f"{kind} {of}"] = str(each.verdict)
    return found


def moment(seconds: float) -> str:
    """A moment so many seconds after the beginning of 2026."""
    return f"2026-01-01T00:{int(seconds) // 60:02}:{seconds % 60:06.3f}Z"


@dataclass(frozen=True)
class Case:
    """A kind of change.

    Attributes:
        name: what is changed.
        old: the query before.
        new: the query after.
        expected: verdicts on parts, as far as they are asked for.
        before: files that come before the change.
        after: files that come after it.
        leaves: by sink, the rows that come out after it; None: those that come out of the new
            query after it, if it has read what came before.
        accept: whether a loss is accepted.
    """

    name: str
    old: str
    new: str
    expected: dict[str, str]
    before: list[Files] = field(default_factory=list)
    after: list[Files] = field(default_factory=list)
    leaves: dict[str, list[Row]] | None = None
    accept: bool = False
