"""What is printed shows characters that would act on a terminal, and files are read as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from compiled import ORDERS
from hostile.texts import NAMED

from cli import tvfc
from scenario.report import Outcome, outcome_lines

WRONG = [
    "SELECT `{}` FROM orders;",
    "SELECT id FROM `{}`;",
    "SELECT id AS `{}`, id AS `{}` FROM orders WHERE `{}` > 1;",
    "SELECT id FROM orders AS `{}` WHERE zz.ts <= WATERMARK_TS();",
    "/* {} */ SELECT id id id FROM orders;",
    "SELECT id # '{}' FROM orders;",
    "CREATE SINK `{}` USING parquet;",
    "SELECT id FROM orders WHERE ts <= WATERMARK_TS('{}');",
]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(tvfc, list(arguments))


def assert_shown(result: Result, status: int) -> None:
    assert result.exit_code == status, result.output
    assert all(each.isprintable() or each == "\n" for each in result.output)


@pytest.mark.parametrize("query", WRONG)
def test_diagnostics_escape_what_they_show(query: str, tmp_path: Path) -> None:
    bad = "".join(text for text in NAMED.values() if not set("'`/") & set(text))
    file = tmp_path / "q.sql"
    file.write_text(ORDERS + query.replace("{}", bad), encoding="utf-8", newline="")
    assert_shown(run("check", str(file)), 1)


def test_markers_stand_below_what_they_mark(tmp_path: Path) -> None:
    file = tmp_path / "q.sql"
    file.write_text("SELECT `a\u202e\0b`, 1 AS 2;", encoding="utf-8")
    lines = run("check", str(file)).output.splitlines()
    (line,) = [each for each in lines if each.startswith("1 |")]
    (marker,) = [each for each in lines if "^" in each]
    assert line[marker.index("^") :].startswith("2;")
    assert r"`a\u202e\x00b`" in line


def test_a_file_of_any_name_is_compiled(tmp_path: Path) -> None:
    file = tmp_path / '"""\nx\x1b[2J\udcff.sql'
    file.write_text(ORDERS + "SELECT id FROM orders;", encoding="utf-8")
    result = run("compile", str(file), "-o", str(tmp_path / "out\x1b[2J"))
    assert_shown(result, 0)
    assert (tmp_path / "out\x1b[2J" / "job.py").exists()
    assert_shown(run("explain", str(file)), 0)
    file.write_text("SELECT", encoding="utf-8")
    assert_shown(run("check", str(file)), 1)


def test_scenarios_are_reported_so() -> None:
    text = outcome_lines(Outcome(title="a\x1b[2J", seconds=0, faults=("b\u202e\r\nc",)))
    assert text.splitlines() == [r"FAIL a\x1b[2J (0.0 s)", r"     b\u202e\r", "     c"]


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_a_file_may_begin_with_a_byte_order_mark(end: str, tmp_path: Path) -> None:
    text = f"{ORDERS}-- a comment\nSELECT id, 'a\nb' AS x FROM orders;".replace("\n", end)
    file = tmp_path / "q.sql"
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert_shown(run("compile", str(file), "-o", str(tmp_path)), 0)
    job = (tmp_path / "job.py").read_text(encoding="utf-8")
    assert "ufeff" not in job
    assert f"'a{repr(end)[1:-1]}b' AS x" in job, "the string keeps its own line end"
    file.write_bytes(b"\xef\xbb\xbf" + text.replace("SELECT", "SELECT FROM").encode())
    assert "q.sql:7:1" in run("check", str(file)).output


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "latin-1"])
def test_another_encoding_is_refused(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "q.sql"
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    file.write_bytes(f"{mark}SELECT 'größe';".encode(encoding))
    result = run("check", str(file))
    assert_shown(result, 1)
    assert ("UTF-16" in result.output) == ("16" in encoding)
    assert "save it as UTF-8" in result.output
