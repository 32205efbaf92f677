"""Processes that ask what an operator's state looks like, forked from one that is warm.

Wherever a query starts, Spark starts a Python for each operator that has state, which loads PySpark
to say a line. Jobs of a dozen operators that are started every few seconds spend a good part of
their time on that. So Spark is given a launcher in the place of Python: for these processes it asks
the warm one for a fork, whatever else is asked of it goes to Python.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib import import_module
from pathlib import Path

ASKING = "pyspark.sql.streaming.transform_with_state_driver_worker"

LAUNCHER = """#!{python} -ISE
import os, sys
if sys.argv[1:3] != ["-m", "{asking}"]:
    os.execv("{python}", ["{python}", *sys.argv[1:]])
import json, socket
with socket.socket(socket.AF_UNIX) as warm:
    warm.connect("{address}")
    warm.sendall(json.dumps(dict(os.environ)).encode())
    warm.shutdown(socket.SHUT_WR)
    warm.recv(1)
"""
"""It ends when the fork does."""


def use_warm_workers() -> None:
    """Have the session that is made next in this process fork them; they end with the process."""
    folder = Path(tempfile.mkdtemp(prefix="tvfc-warm-"))
    launcher, address = folder / "python", folder / "warm"
    text = LAUNCHER.format(python=sys.executable, asking=ASKING, address=address)
    launcher.write_text(text, encoding="utf-8")
    launcher.chmod(0o700)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(address))
    listening.listen(64)
    command = [sys.executable, __file__, str(listening.fileno())]
    subprocess.Popen(command, pass_fds=[listening.fileno()])
    os.environ["PYSPARK_PYTHON"] = str(launcher)


def main() -> None:
    """Fork for whoever asks, until the process ends that has started this one."""
    listening = socket.socket(fileno=int(sys.argv[1]))
    import_module(ASKING)
    import_module("tvfc_runtime.rows.worker")
    parent = os.getppid()
    listening.settimeout(1)
    while os.getppid() == parent:
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        with suppress(TimeoutError):
            asking, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                _answer(asking)
            asking.close()


def _answer(asking: socket.socket) -> None:
    """Be the process that Spark waits for."""
    status = 1
    try:
        asking.settimeout(None)
        with asking.makefile("rb") as received:
            environment = json.loads(received.read())
        os.environ.clear()
        os.environ.update(environment)
        paths = environment.get("PYTHONPATH", "").split(os.pathsep)
        sys.path[:0] = [each for each in paths if each not in sys.path]
        nothing = os.open(os.devnull, os.O_RDWR)
        for each in (0, 1, 2):
            os.dup2(nothing, each)
        worker = import_module(ASKING)
        with worker.get_sock_file_to_executor() as file:
            worker.main(file, file)
        status = 0
    finally:
        os._exit(status)


if __name__ == "__main__":
    main()
