"""A job that reads files, stops, and is followed by another one: what the sinks then have."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner

from commands import plan, upgrade
from compiler import compile_script
from compiler.source import SourceText
from scenario.job_module import load_job
from tvfc_runtime import Job, start
from tvfc_runtime.program import checkpoint_of, queries_of
from tvfc_runtime.storage import unlock

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

Row = dict[str, Any]


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

    def arrive(self, rows: Sequence[Row], source: str = "in") -> None:
        """A file of rows; `ts` is in seconds since 2026."""
        self.files += 1
        folder = self.folder / source
        folder.mkdir(exist_ok=True)
        lines = [json.dumps(row | {"ts": moment(row["ts"])}) for row in rows]
        (folder / f"{self.files:04}.json").write_text("\n".join(lines), encoding="utf-8")

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

    def plan(self, checkpoint: str, query: str) -> dict[str, str]:
        """The verdict on each part."""
        done = self._command(plan.command, checkpoint, query, "--format", "json")
        (found,) = json.loads(done)
        return {f"{each['what']} {each['name']}": each["verdict"] for each in found["parts"]}

    def upgrade(self, checkpoint: str, query: str, target: str, *options: str) -> str:
        """Make the checkpoint for another query."""
        to = str(self.folder / target)
        return self._command(upgrade.command, checkpoint, query, "--to", to, *options)

    def _command(self, command: Any, checkpoint: str, query: str, *options: str) -> str:
        file = self.folder / "new.sql"
        file.write_text(query, encoding="utf-8")
        place = str(self.folder / checkpoint)
        done = CliRunner().invoke(command, [place, str(file), *options], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    def rows(self, sink: str) -> list[tuple[Any, ...]]:
        """What a file sink has, in order."""
        folder = self.folder / sink
        if not any(folder.glob("*.json")):
            return []
        found = self.spark.read.json(str(folder)).collect()
        return sorted((tuple(row) for row in found), key=repr)


def moment(seconds: float) -> str:
    """A moment so many seconds after the beginning of 2026."""
    return f"2026-01-01T00:{int(seconds) // 60:02}:{seconds % 60:06.3f}Z"
