"""Sources, sinks and formats of a package: found when compiling, and where the job runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import types as T  # noqa: N812
from run.jobs import PATIENCE_S, compile_job

from compiler import CompileError, compile_script
from compiler.bind.sources import plugins
from compiler.diagnostics import render_all
from compiler.source import SourceText
from tvfc_runtime import plugins as of_jobs
from tvfc_runtime.records.by_plugin import plugin_writer
from tvfc_runtime.records.rows import row_reader
from tvfc_runtime.records.schemas import FormatError
from tvfc_runtime.spec.record_format import RecordFormat

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
    for known in (plugins._found, plugins.plugin_of, of_jobs.plugin_of):
        known.cache_clear()
    yield
    for known in (plugins._found, plugins.plugin_of, of_jobs.plugin_of):
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


RECORDS = """CREATE SOURCE s (id STRING)
USING kafka OPTIONS (topic 's', kafka.bootstrap.servers 'b:9092')
FORMAT PLAIN ENCODE PAIRS (separator = ';');
CREATE SINK o USING kafka OPTIONS (topic 'o', kafka.bootstrap.servers 'b:9092')
FORMAT PLAIN ENCODE PAIRS AS SELECT id FROM s;
"""


@pytest.mark.usefixtures("found")
def test_a_format_of_records_is_checked_when_compiling() -> None:
    assert told(RECORDS) == ""
    for old, new, *expected in (
        ("separator", "seperator", "TVF636", "did you mean `separator`?"),
        ("separator", "sign", "TVF636", "it has separator"),
        ("ENCODE PAIRS AS", "ENCODE PARIS AS", "TVF631", "did you mean `pairs`?"),
        ("ENCODE PAIRS AS", "ENCODE CROOKED AS", "TVF672", "it has neither reader nor writer"),
    ):
        text = told(RECORDS.replace(old, new, 1))
        assert all(each in text for each in expected), text


@pytest.mark.usefixtures("found")
def test_records_are_read_and_written_by_a_package() -> None:
    record = RecordFormat(encode="pairs", options={"separator": ";"})
    fields = T.StructType([T.StructField(name, T.StringType()) for name in ("id", "name")])
    read = row_reader(fields, {"id": "STRING", "name": "STRING"}, record)
    rows = read(pa.array([b"id=1;name=a", b"id=2", b"id", None], pa.binary())).to_pylist()
    assert rows == [
        {"row": {"id": "1", "name": "a"}, "fault": None},
        {"row": {"id": "2", "name": None}, "fault": None},
        {"row": None, "fault": "a field has no ="},
        {"row": None, "fault": "it has no value"},
    ]
    given = pa.array([{"id": "1", "name": "a"}, {"id": "2", "name": None}, None])
    written = plugin_writer(record, fields)(given).to_pylist()
    assert written == [b"id=1;name=a", b"id=2", None]


def test_a_package_that_is_gone_is_named() -> None:
    with pytest.raises(FormatError, match=r"TVF752: no installed package .* tvfc\.formats, pairs"):
        plugin_writer(RecordFormat(encode="pairs"), T.StructType([]))


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
