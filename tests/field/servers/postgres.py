"""A Postgres server of one's own: in a temporary folder, on a free port, gone when the block ends.

python -m field.servers.postgres [COMMAND …]     # $PG_URL tells the command where it is
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

USER = "tvfc"
PATIENCE_S = 120
PACKAGES = Path("/usr/lib/postgresql")
"""Where Debian and Ubuntu keep the programs of the server, by version; they are not on the PATH."""


@contextmanager
def postgres() -> Iterator[str]:
    """A running server; answers the URL of its database."""
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="postgres-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        # The server refuses root.
        own = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if own:
            shutil.chown(folder, "postgres")
        data, port = folder / "data", free_port()
        init = [*own, programs / "initdb", "-D", data, "-A", "trust", "-U", USER, "-E", "UTF8"]
        _run([*init, "--locale", "C.UTF-8", "--no-sync"], folder)
        settings = ("listen_addresses=127.0.0.1", f"unix_socket_directories={folder}")
        options = [word for setting in settings for word in ("-c", setting)]
        with (folder / "log").open("wb") as log:
            # A child of ours, that it goes with us if we are told to go.
            server = subprocess.Popen(
                [*map(str, (*own, programs / "postgres", "-D", data, "-p", port)), *options],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            _wait([programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", port], server, folder)
            yield f"postgresql://{USER}@127.0.0.1:{port}/postgres"
        finally:
            _stop(server, data)


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _programs() -> Path:
    found = _installed()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        install = ["apt-get", "install", "-qq", "--no-install-recommends", "postgresql"]
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        subprocess.run(install, check=False, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"})
        found = _installed()
    if found is None:
        raise RuntimeError("there is no Postgres server here: apt-get install postgresql")
    return found


def _installed() -> Path | None:
    versions = [path for path in PACKAGES.glob("*/bin") if (path / "initdb").exists()]
    if versions:
        return max(versions, key=lambda path: int(re.sub(r"\D", "", path.parent.name) or 0))
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


def _stop(server: subprocess.Popen[bytes], data: Path) -> None:
    """At once. `runuser` stands before the server, and does not hand the signal on."""
    if server.poll() is None:
        pid = (data / "postmaster.pid").read_text().split("\n", 1)[0]
        os.kill(int(pid), signal.SIGQUIT)
        server.wait(PATIENCE_S)


def _run(command: Sequence[object], folder: Path) -> None:
    done = subprocess.run(
        [*map(str, command)], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"Postgres cannot make a database: {done.stderr[-800:]}")


def _wait(is_ready: Sequence[object], server: subprocess.Popen[bytes], folder: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while subprocess.run([*map(str, is_ready)], check=False).returncode:
        if server.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"Postgres does not start: {(folder / 'log').read_text()[-800:]}")
        time.sleep(0.05)


if __name__ == "__main__":
    with postgres() as url:
        os.environ["PG_URL"] = url
        sys.exit(subprocess.run(sys.argv[1:] or ["psql", url], check=False).returncode)
