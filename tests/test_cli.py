"""The command line as a user meets it: exit codes, what goes to which stream, files, start-up."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

import cli
from commands import local_spark
from commands.runtime_zip import runtime_zip

ROOT = Path(__file__).parent.parent
GOOD = """CREATE SOURCE events (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in');
SELECT id FROM events WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS();
"""
BAD = GOOD.replace("SELECT id", "SELECT idd")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "good.sql").write_text(GOOD, encoding="utf-8")
    (tmp_path / "bad.sql").write_text(BAD, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tvfc(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli.tvfc, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_compile_writes_the_job_and_its_runtime(folder: Path) -> None:
    assert tvfc("compile", "good.sql") == (0, "build/good/job.py\n", "")
    names = sorted(path.name for path in (folder / "build/good").iterdir())
    assert names == ["job.py", "lineage.json", "tvfc_runtime.zip"]
    assert tvfc("compile", "good.sql", "-o", "out") == (0, "out/job.py\n", "")
    # The path in OPTIONS is taken from the query file's folder, wherever the job lies.
    assert '"../../in"' in (folder / "build/good/job.py").read_text(encoding="utf-8")
    assert '"../in"' in (folder / "out/job.py").read_text(encoding="utf-8")


def test_the_runtime_zip_is_the_package_byte_for_byte(tmp_path: Path) -> None:
    assert runtime_zip() == runtime_zip()
    path = tmp_path / "runtime.zip"
    path.write_bytes(runtime_zip())
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert names == sorted(names)
        assert set(names) >= {"tvfc_runtime/__init__.py", "tvfc_runtime/delay/operator.py"}
        for name in names:
            assert archive.read(name) == (ROOT / name).read_bytes()


def test_a_faulty_query_is_shown_on_stderr(folder: Path) -> None:
    code, out, err = tvfc("compile", "bad.sql")
    assert (code, out) == (1, "")
    assert err.startswith("error[TVF2")
    assert "--> bad.sql:3:8" in err
    assert not (folder / "build").exists()


@pytest.mark.usefixtures("folder")
def test_where_a_page_is_to_be_is_seen_before_anything_runs() -> None:
    code, _, err = tvfc("run", "good.sql", "--ui", "here")
    assert code == 2
    assert "'here' is no [HOST:]PORT" in err


@pytest.mark.usefixtures("folder")
def test_check_reads_several_files() -> None:
    assert tvfc("check", "good.sql") == (0, "", "")
    code, out, err = tvfc("check", "bad.sql", "good.sql", "bad.sql")
    assert (code, out) == (1, "")
    assert err.count("error[TVF2") == 2


@pytest.mark.parametrize("command", ["check", "compile", "explain", "run"])
def test_warnings_may_be_errors(folder: Path, command: str) -> None:
    text = GOOD.replace("AS ts)", "AS ts + INTERVAL 1 MINUTE)")
    (folder / "ahead.sql").write_text(text, encoding="utf-8")
    code, out, err = tvfc(command, "ahead.sql", "--strict")
    assert (code, out) == (1, "")
    assert err.startswith("warning[TVFW303]")
    assert err.endswith("Error: 1 warnings under --strict\n")
    assert not (folder / "build").exists()
    assert command != "check" or tvfc("check", "ahead.sql")[0] == 0


@pytest.mark.usefixtures("folder")
def test_explain() -> None:
    code, out, err = tvfc("explain", "good.sql")
    assert (code, err) == (0, "")
    assert "release plan" in out
    for stage in ("ast", "plan", "release", "job"):
        code, out, err = tvfc("explain", "good.sql", "--stage", stage)
        assert (code, err) == (0, "")
        assert out.strip()


def test_explain_a_code() -> None:
    code, out, _ = tvfc("explain", "tvf100")
    assert code == 0
    assert out.startswith("TVF100: ")
    assert "Failing:" in out
    assert "Mended:" in out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compile"], "Missing argument"),
        (["compile", "none.sql"], "does not exist"),
        (["compile", "good.sql", "--fast"], "No such option"),
        (["transpile", "good.sql"], "No such command"),
        (["check"], "Missing argument"),
        (["explain", "none.sql"], "neither a query file nor a code"),
        (["explain", "TVF998"], "no code TVF998"),
        (["explain", "good.sql", "--stage", "tree"], "'tree' is not one of"),
        (["run", "none.sql"], "does not exist"),
        (["test", "none.scenario.yaml"], "does not exist"),
        (["test", "."], "holds no *.scenario.yaml"),
    ],
)
def test_usage_errors(arguments: list[str], message: str) -> None:
    code, out, err = tvfc(*arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_version_and_help() -> None:
    assert tvfc("--version")[1].startswith("tvfc ")
    code, out, _ = tvfc("--help")
    assert code == 0
    assert all(name in out for name in cli.COMMANDS)


def test_a_query_that_is_not_text(folder: Path) -> None:
    (folder / "latin.sql").write_bytes(b"SELECT '\xe9'")
    code, _, err = tvfc("check", "latin.sql")
    assert code == 1
    assert "not UTF-8" in err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("version", "said"), [(0, "no Java was found"), (11, "Java 11 is too old")]
)
def test_run_without_java(monkeypatch: pytest.MonkeyPatch, version: int, said: str) -> None:
    monkeypatch.setattr(local_spark, "java_version", lambda: version)
    code, out, err = tvfc("run", "good.sql")
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert "TVF702" in err
    assert said in err
    assert "openjdk-17-jre-headless" in err


def test_the_version_of_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin/java"
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    for line, version in [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "25" 2025-09-16', 25),
        ('java version "1.8.0_202"', 8),
        ("no such thing", 0),
    ]:
        java.write_text(f"#!/bin/sh\necho '{line}' >&2\n", encoding="utf-8")
        java.chmod(0o755)
        assert local_spark.java_version() == version
    java.unlink()
    assert local_spark.java_version() == 0


def test_a_bug_is_reported_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise ZeroDivisionError("this should not be")

    with pytest.raises(SystemExit) as caught:
        cli.main(fail)
    assert caught.value.code == 70
    out, err = capsys.readouterr()
    assert out == ""
    assert "bug in tvfc" in err
    file = Path(err.rsplit(": ", 1)[1].strip())
    assert "ZeroDivisionError: this should not be" in file.read_text(encoding="utf-8")
    file.unlink()


def test_no_command_that_compiles_loads_spark(folder: Path) -> None:
    program = (
        "import sys, cli\n"
        "sys.argv = ['tvfc', 'compile', 'good.sql']\n"
        "try: cli.main()\n"
        "except SystemExit as ended: assert not ended.code\n"
        "heavy = {'pyspark', 'pandas', 'numpy', 'pyarrow', 'rich', 'yaml'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    assert run_alone(program, folder) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["status", "state", "why", "top"])
def test_no_checkpoint_needs_spark_to_be_none(folder: Path, command: str) -> None:
    program = (
        "import sys, cli\n"
        f"sys.argv = ['tvfc', '{command}', 'nowhere']\n"
        "try: cli.main()\n"
        "except SystemExit as ended: assert ended.code == 1\n"
        "assert 'pyspark' not in sys.modules\n"
    )
    assert run_alone(program, folder) == (0, "Error: there is no folder `nowhere`\n")


def run_alone(program: str, folder: Path) -> tuple[int, str]:
    """The exit status of a program and what it writes to stderr."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr
