"""The scenarios on the other minor versions of PySpark that the project says it runs on."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from run.jobs import ROOT

VERSIONS = ("4.2.0",)
PATIENCE_S = 3600

pytestmark = [pytest.mark.spark, pytest.mark.field]


@pytest.mark.parametrize("version", VERSIONS)
def test_all_scenarios(version: str) -> None:
    python = environment(version)
    files = sorted(map(str, (ROOT / "tests/scenarios").glob("*.scenario.yaml")))
    done = subprocess.run(
        [str(python), "-m", "cli", "test", *files],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": str(python)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    failed = [line for line in done.stdout.splitlines() if not line.startswith("ok")]
    assert done.returncode == 0, "\n".join([*failed, done.stderr[-2000:]])


def environment(version: str) -> Path:
    """The Python of an environment with this PySpark, and all else as it is locked."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tvfc-tests"
    home = cache / f"pyspark-{version}"
    cache.mkdir(parents=True, exist_ok=True)
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    wanted = [re.sub(r"^pyspark==.*", f"pyspark=={version}", line) for line in lines]
    mark = home / "complete"
    with (cache / f"pyspark-{version}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not mark.exists() or mark.read_text(encoding="utf-8") != "\n".join(wanted):
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
            (home / "wanted.txt").write_text("\n".join(wanted), encoding="utf-8")
            pip = [str(home / "bin/python"), "-m", "pip", "install", "--quiet"]
            subprocess.run([*pip, "--requirement", str(home / "wanted.txt")], check=True)
            mark.write_text("\n".join(wanted), encoding="utf-8")
    return home / "bin/python"
