"""Sources and sinks of a package: found when compiling, and where the job runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from run.jobs import PATIENCE_S, compile_job

from compiler import CompileError, compile_script
from compiler.bind.sources import plugins
from compiler.diagnostics import render_all
from compiler.source import SourceText

PACKAGE = Path(__file__).with_name("plugin")
QUERY = """CREATE SOURCE numbers (n INT) USING numbers OPTIONS (upto '5');
CREATE SINK odd USING lines OPTIONS (path 'out') AS SELECT n FROM numbers WHERE n % 2 = 1;
"""
COUNTED = """CREATE SOURCE numbers (n INT) USING numbers OPTIONS (upto '5');
CREATE SINK odd USING lines OPTIONS (path 'out', mode 'changelog') AS
SELECT count(*) AS n FROM numbers;
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the package is installed, and nothing else."""
    target = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    place = ["--no-build-isolation", "--target", str(target), str(PACKAGE)]
    subprocess.run([*command, *place], check=True, timeout=PATIENCE_S)
    return target


@pytest.fixture
def found(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package as one that this process has."""
    monkeypatch.syspath_prepend(str(installed))
    for known in (plugins._found, plugins.plugin_of):
        known.cache_clear()
    yield
    for known in (plugins._found, plugins.plugin_of):
        known.cache_clear()


def told(query: str) -> str:
    """All that the compiler says of a query."""
    source = SourceText("query.sql", query)
    try:
        return render_all(compile_script(source).warnings, source)
    except CompileError as error:
        return render_all(error.diagnostics, source)


@pytest.mark.usefixtures("found")
def test_what_a_package_says_is_checked_when_compiling() -> None:
    assert told(QUERY) == ""
    assert told(COUNTED) == ""
    for old, new, *expected in (
        ("upto", "uptoo", "TVF611", "did you mean `upto`?"),
        ("path 'out'", "path 'out', key 'n'", "TVF609", "it has append, changelog"),
        ("USING lines", "USING linse", "TVFW601", "did you mean `USING lines`?"),
        ("USING lines", "USING numbers", "TVFW601", "tvfc-example has it as a source"),
        ("USING lines", "USING mongodb", "TVFW601", "--packages"),
        ("USING lines", "USING broken", "TVF672", "has no attribute 'Missing'"),
    ):
        text = told(QUERY.replace(old, new, 1))
        assert all(each in text for each in expected), text
    # Without a mode the first one holds, and that takes nothing back.
    assert "TVF608" in told(COUNTED.replace(", mode 'changelog'", ""))


@pytest.mark.spark
@pytest.mark.field
@pytest.mark.usefixtures("found")
def test_a_job_reads_and_writes_with_a_package(installed: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(compile_job(tmp_path, QUERY)), "--checkpoint", "cp"]
    environment = os.environ | {"PYTHONPATH": str(installed)}
    deadline = time.monotonic() + PATIENCE_S
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--master", "local[1]"],
            cwd=tmp_path,
            env=environment,
            stdout=log,
            stderr=log,
        )
        try:
            while len(numbers(tmp_path)) < 3:
                assert process.poll() is None, (tmp_path / "log").read_text()[-3000:]
                assert time.monotonic() < deadline
                time.sleep(0.2)
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
    assert numbers(tmp_path) == [1, 3, 5]


def numbers(folder: Path) -> list[int]:
    files = sorted((folder / "out").glob("*.json")) if (folder / "out").exists() else []
    return sorted(json.loads(line)["n"] for each in files for line in each.read_text().splitlines())
