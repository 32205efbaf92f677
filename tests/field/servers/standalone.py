"""Spark's standalone cluster: a master and workers as processes, from PySpark's own jars."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pyspark

SPARK_HOME = Path(pyspark.__file__).parent
MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"
HOST = "127.0.0.1"
PATIENCE_S = 120


@dataclass
class Standalone:
    """A cluster that runs.

    Attributes:
        url: for `--master`.
        workers: the processes of its workers.
    """

    url: str
    _page: str
    _folder: Path
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def add_worker(self) -> None:
        """Start a worker of one core, and wait until the master has it."""
        number = len(self.workers)
        work = ["--work-dir", str(self._folder / f"work{number}"), "--webui-port", "0"]
        size = ["--host", HOST, "--cores", "1", "--memory", "1g"]
        self.workers.append(
            _java(self._folder / f"worker{number}.log", WORKER, *size, *work, self.url)
        )
        _wait_until(lambda: self.state().get("aliveworkers") == len(self.workers), "no worker")

    def state(self) -> dict[str, Any]:
        """What the master says of itself; nothing while it does not answer."""
        try:
            with urlopen(f"{self._page}/json/", timeout=10) as answer:
                return dict(json.load(answer))
        except (URLError, OSError, ValueError):
            return {}

    def kill_executors(self, worker: int) -> int:
        """SIGKILL to all that a worker has started; how many processes that were."""
        found = _children(self.workers[worker].pid)
        for pid in found:
            os.kill(pid, signal.SIGKILL)
        return len(found)


@contextmanager
def standalone(folder: Path, workers: int = 2) -> Iterator[Standalone]:
    """A cluster on this machine, its logs and work in `folder`; gone when the block ends."""
    folder.mkdir(parents=True, exist_ok=True)
    port, page = _free_port(), _free_port()
    places = ["--host", HOST, "--port", str(port), "--webui-port", str(page)]
    master = _java(folder / "master.log", MASTER, *places)
    cluster = Standalone(f"spark://{HOST}:{port}", f"http://{HOST}:{page}", folder)
    try:
        _wait_until(lambda: bool(cluster.state()), "no master")
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        for process in (*cluster.workers, master):
            _stop(process)


def _java(log: Path, program: str, *arguments: str) -> subprocess.Popen[bytes]:
    java = Path(os.environ["JAVA_HOME"], "bin/java") if "JAVA_HOME" in os.environ else Path("java")
    small = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    environment = os.environ | {
        "SPARK_HOME": str(SPARK_HOME),
        # What Spark's own scripts set; without it a worker looks for a build of Spark.
        "SPARK_SCALA_VERSION": "2.13",
        "PYSPARK_PYTHON": sys.executable,
    }
    # What an executor needs of tvfc it is to get from the job.
    environment.pop("PYTHONPATH", None)
    with log.open("wb") as output:
        return subprocess.Popen(
            [str(java), *small, "-cp", f"{SPARK_HOME}/jars/*", program, *arguments],
            env=environment,
            cwd=log.parent,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )


def _stop(process: subprocess.Popen[bytes]) -> None:
    for pid in (*_children(process.pid), process.pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait(PATIENCE_S)


def _children(pid: int) -> list[int]:
    """The processes that a process has started, and those that these have, the last ones first."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name of the program, in parentheses, may have anything in it.
            parent = int(stat.read_text(encoding="utf-8").rpartition(")")[2].split()[1])
        except OSError:
            continue
        parents.setdefault(parent, []).append(int(stat.parent.name))
    return [each for child in parents.get(pid, []) for each in (*_children(child), child)]


def _free_port() -> int:
    with socket.socket() as one:
        one.bind((HOST, 0))
        return int(one.getsockname()[1])


def _wait_until(is_so: Any, otherwise: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, f"{otherwise} within {PATIENCE_S} s"
        time.sleep(0.2)
