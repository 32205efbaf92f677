"""Savepoints of a job that is writing: each is that job after a batch, and goes on as it."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from run.jobs import compile_job, program, started, status, wait_for_batches, write_feed

from commands import savepoint
from commands.comparing.files import rows_up_to
from commands.comparing.sinks import sinks_of
from scenario.job_module import load_job
from tvfc_runtime import Job, start
from tvfc_runtime.checkpoint.storage import unlock
from tvfc_runtime.sources.at_start import AtStart

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SINKS = ("delayed", "windows", "changes")
QUERY = """CREATE SOURCE events (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in', maxFilesPerTrigger '1');
CREATE SINK delayed USING json OPTIONS (path 'delayed') AS
SELECT id, ts FROM events WHERE ts + INTERVAL 25 SECONDS <= WATERMARK_TS();
CREATE SINK windows USING json OPTIONS (path 'windows') AS
SELECT window_start, count(*) AS n, max(id) AS last FROM TUMBLE(events, ts, INTERVAL 15 SECONDS)
GROUP BY window_start, window_end EMIT ON WINDOW CLOSE;
CREATE SINK changes USING json OPTIONS (path 'changes') AS
SELECT id % 3 AS third, count(*) AS n, sum(id) AS total FROM events
WHERE ts <= WATERMARK_TS() AND WATERMARK_TS() < ts + INTERVAL 40 SECONDS GROUP BY id % 3;
"""
Rows = dict[str, Counter[str]]


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize(("files", "moments"), [(12, 3), (60, 20)])
def test_random_moments(files: int, moments: int, tmp_path: Path, spark: SparkSession) -> None:
    chance = random.Random(files)
    job, checkpoint = compile_job(tmp_path, QUERY), tmp_path / "checkpoint"
    write_feed(tmp_path / "in", files)
    taken: dict[str, int] = {}
    with started(
        program(job, "--available-now", "--master", "local[2]"), tmp_path / "log"
    ) as process:
        wait_for_batches(process, checkpoint, 1)
        while len(taken) < moments and process.poll() is None:
            target = f"cp{len(taken)}"
            done = CliRunner().invoke(
                savepoint.command,
                [str(checkpoint), "--to", str(tmp_path / target)],
                catch_exceptions=False,
            )
            assert done.exit_code == 0, done.output
            taken[target] = int(re.findall(r"after batch (\d+)", done.output)[0])
            # The moments are the input of the test: any of a batch, and each kind of them.
            for _ in range(chance.randint(0, 3) if len(taken) % 3 else 0):
                wait_for_batches(
                    process, checkpoint, len(list(checkpoint.glob("commits/[0-9]*"))) + 1
                )
        assert process.wait(600) == 0, (tmp_path / "log").read_text(encoding="utf-8")
    last = status(checkpoint)
    assert any(each < last.batch for each in taken.values())
    whole = written(checkpoint, last.batch)
    assert all(whole[name] for name in SINKS)
    for target, batch in taken.items():
        go_on(spark, tmp_path, target)
        own = written(tmp_path / target, 10**9)
        before = written(checkpoint, batch)
        for name in SINKS:
            together = Counter(before[name])
            together.update(own[name])
            assert {k: n for k, n in together.items() if n} == whole[name], (target, batch, name)


def written(checkpoint: Path, batch: int) -> Rows:
    """What the sinks of a job have after a batch; of what changes, the net of it."""
    found = {}
    for name, sink in sinks_of([status(checkpoint)], []).items():
        rows: list[dict[str, Any]] = rows_up_to(sink, batch).to_pylist()
        counts: Counter[str] = Counter()
        for row in rows:
            number = row.pop("_diff", 1)
            row.pop("_time", None)
            counts[json.dumps(row, sort_keys=True, default=str)] += number
        found[name] = Counter({key: number for key, number in counts.items() if number})
    return found


def go_on(spark: SparkSession, folder: Path, checkpoint: str) -> None:
    """Run the job to the end of its input on a savepoint, into folders of its own."""
    job = folder / "build/query/job.py"
    spec = load_job(job.read_text(encoding="utf-8"), job).JOB
    options = {name: {"path": str(folder / checkpoint / f"of/{name}")} for name in SINKS}
    at_start = AtStart(options={**options, "events": {"maxFilesPerTrigger": "1000"}})
    place = str(folder / checkpoint)
    query = start(Job(spark, place, at_start=at_start), spec, spec.outputs, availableNow=True)
    query.awaitTermination()
    unlock(f"{place}/tvfc/lock")
