"""A Postgres server of one's own: in a temporary folder, on a free port, gone when the block ends.

python -m field.servers.postgres [COMMAND …]     # $PG_URL tells the command where it is
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER = "tvfc"
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
        init: list[str | Path] = [
            programs / "initdb",
            "-D",
            data,
            "-A",
            "trust",
            "-U",
            USER,
            "-E",
            "UTF8",
        ]
        _run([*own, *init, "--locale", "C.UTF-8", "--no-sync"], folder)
        settings = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
        control: list[str | Path] = [*own, programs / "pg_ctl", "-D", data, "-w"]
        # Output of the server to a file: it would keep a pipe of ours open.
        _run([*control, "-o", settings, "-l", folder / "log", "start"], folder)
        try:
            yield f"postgresql://{USER}@127.0.0.1:{port}/postgres"
        finally:
            _run([*control, "-m", "immediate", "stop"], folder)


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


def _run(command: list[str | Path], folder: Path) -> None:
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if command[-1] != "start" else subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{command[-1]} has failed: {(done.stdout or '')[-800:]}")


if __name__ == "__main__":
    with postgres() as url:
        os.environ["PG_URL"] = url
        sys.exit(subprocess.run(sys.argv[1:] or ["psql", url], check=False).returncode)
