"""A store that speaks the protocol of S3: moto's server, in an environment of its own."""

from __future__ import annotations

import fcntl
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

PACKAGES = ("moto[s3]>=5.1,<6", "flask>=3,<4", "flask-cors>=5,<7")
PATIENCE_S = 300


@contextmanager
def s3(folder: Path, bucket: str = "tvfc") -> Iterator[dict[str, str]]:
    """A store with a bucket, gone when the block ends; the environment of those who use it."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with (folder / "s3.log").open("wb") as log:
        process = subprocess.Popen(
            [str(_python()), "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        _make(f"{url}/{bucket}", process, folder / "s3.log")
        yield {
            "AWS_ENDPOINT_URL": url,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
        }
    finally:
        process.kill()
        process.wait(PATIENCE_S)


def _python() -> Path:
    """The Python that has moto; what is fetched once stays in the cache of the machine."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tvfc-tests"
    cache.mkdir(parents=True, exist_ok=True)
    home = cache / "moto"
    with (cache / "moto.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (home / "complete").exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
            command = [str(home / "bin/python"), "-m", "pip", "install", "--quiet", *PACKAGES]
            subprocess.run(command, check=True, timeout=PATIENCE_S)
            (home / "complete").touch()
    return home / "bin/python"


def _make(bucket: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        assert process.poll() is None, log.read_text(encoding="utf-8")[-2000:]
        try:
            with urlopen(Request(bucket, method="PUT"), timeout=10):
                return
        except (URLError, OSError):
            assert time.monotonic() < deadline, "the store does not answer"
            time.sleep(0.2)
