"""A generated job that runs as a program of its own, beside a bench that looks at it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from delay import ROOT, family

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
STOPS_WITHIN_S = 90


@contextmanager
def running(
    folder: Path, query: str, settings: Sequence[str] = ()
) -> Iterator[subprocess.Popen[bytes]]:
    """A job on two cores while a bench looks at it; it is told to stop at the end.

    Args:
        folder: where it lies, with `checkpoint` below it and what it says in `job.log`.
        query: what it computes.
        settings: Spark's, `KEY=VALUE`.
    """
    command = [sys.executable, str(_job(folder, query)), "--master", "local[2]"]
    command += ["--checkpoint", str(folder / "checkpoint")]
    command += [word for each in settings for word in ("--conf", each)]
    with (folder / "job.log").open("ab") as log:
        job = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=log)
    try:
        yield job
    finally:
        job.send_signal(signal.SIGTERM)
        job.wait(STOPS_WITHIN_S)


def _job(folder: Path, query: str) -> Path:
    """The job of a query, which lies in `folder`."""
    sys.path.insert(0, str(ROOT))
    from commands.compile import write_job
    from commands.files import compile_file

    path, target = folder / "query.sql", folder / "build"
    path.write_text(query, encoding="utf-8")
    compiled = compile_file(path, target)
    write_job(target, compiled.text, compiled.stages["lineage.json"])
    return target / "job.py"


class Processors:
    """The processor time of a program and all below it, also of those that have ended meanwhile.

    Args:
        root: the process id of the program.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._ticks: dict[int, int] = {}

    def seconds(self) -> float:
        """What they have taken, as far as they were seen; to be asked again and again."""
        for pid in family(self._root):
            self._ticks[pid] = max(_ticks_of(pid), self._ticks.get(pid, 0))
        return sum(self._ticks.values()) / TICKS_A_SECOND


def _ticks_of(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:13]))


def batches(checkpoint: Path) -> int:
    """The number of batches that a query has done."""
    done = [int(each.name) for each in (checkpoint / "commits").glob("[0-9]*")]
    return max(done, default=-1) + 1
