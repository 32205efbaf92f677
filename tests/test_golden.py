"""golden/<topic>/<case>/: query.sql by hand, then error.txt, or explain.txt and job.py.

The files of a case state the expectation: a case with an error.txt must not compile. A case whose
query draws warnings shows them at the head of its explain.txt. `make golden` writes them anew.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from golden_extension import ARTIFACTS, GoldenFile

from compiler import CompileError, compile_script
from compiler.diagnostics import CODES, render_all
from compiler.source import SourceText

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

GOLDEN = Path(__file__).parent.parent / "golden"
# golden/syntax has a test of its own, beside the grammar's other tests.
OTHERS = ("syntax",)
CASES = sorted(
    query.parent for query in GOLDEN.glob("*/*/query.sql") if query.parent.parent.name not in OTHERS
)

# Codes that no compile of a query file can draw, and why.
WITHOUT_GOLDEN = {
    "TVF701": "at run time: a checkpoint of another query; see tests/run",
    "TVF702": "at run time: no Java; see tests/test_cli.py",
    "TVF703": "at run time: a runtime of another version",
    "TVF704": "at run time: a row that does not fit; see tests/run",
    "TVFW704": "at run time: rows that do not fit; see tests/run",
    "TVFW721": "at run time: many late rows; see tests/tvfc_runtime",
    "TVF708": "at run time: too many of them; see tests/run",
    "TVF709": "at run time: two jobs on one checkpoint; see tests/run",
    "TVF710": "at run time: a full disk; see tests/run",
    "TVF716": "at run time: a folder that may not be written; see tests/run",
    "TVF712": "at run time: no folder; see tests/run",
    "TVF672": "only with a package that is broken; see tests/field/test_plugins.py",
    "TVF731": "at run time: no such environment variable; see tests/field/test_start.py",
    "TVF732": "at run time: no such option; see tests/field/test_start.py",
    "TVF734": "at run time: another folder; see tests/field/test_start.py",
    "TVF735": "at run time: no end of time; see tests/field/test_bounded.py",
    "TVF736": "at run time: no connector; see tests/field/test_start.py",
    "TVF733": "at run time: a run that has ended; see tests/field/test_bounded.py",
    "TVF713": "at run time: a file that is gone; see tests/run",
    "TVF714": "at run time: a column of another type; see tests/run",
    "TVF715": "at run time: anything else; see tests/tvfc_runtime",
    "TVF741": "at run time: Kafka takes nothing; see tests/field",
    "TVF742": "at run time: a checkpoint behind Kafka; see tests/field",
    "TVF751": "at run time: no registry; see tests/field/test_kafka_source.py",
    "TVF752": "at run time: types of Avro; see tests/field/test_kafka_source.py",
    "TVF753": "at run time: a checkpoint that is not whole; see tests/tvfc_runtime/test_groups.py",
    "TVF754": "at run time: a checkpoint that is not whole; see tests/upgrading",
    "TVF755": "at run time: a checkpoint that cannot be taken over; see tests/upgrading",
    "TVF756": "at run time: an upgrade that loses something; see tests/upgrading",
    "TVF758": "at run time: a switch to other rows; see tests/comparing",
    "TVF759": "at run time: tables that cannot be switched; see tests/comparing",
    "TVF757": "at run time: a query that is behind; see tests/field/test_backfill.py",
    "TVF705": "at run time: a sink of another query; see tests/tvfc_runtime",
    "TVF706": "at run time: two rows of a key; see tests/tvfc_runtime",
    "TVF707": "at run time: a sink that does not fit; see tests/tvfc_runtime",
    "TVF717": "at run time: a port that is taken; see tests/tvfc_runtime",
    "TVF770": "at run time: packages that are not there; see tests/reports",
    "TVF718": "at run time: types that Spark knows; see tests/patterns",
    "TVF719": "at run time: too many ways; see tests/patterns",
    "TVF720": "at run time: a number that overflows; see tests/patterns",
    "TVF711": "at run time: a checkpoint that is not whole; see tests/tvfc_runtime",
}


def artifacts(source: SourceText) -> dict[str, str]:
    try:
        job = compile_script(source)
    except CompileError as error:
        return {"error.txt": render_all(error.diagnostics, source)}
    ast.parse(job.text)
    warnings = "".join(f"{text}\n" for text in [render_all(job.warnings, source)] if text)
    return {"explain.txt": warnings + job.explain, "job.py": job.text}


def name_of(case: Path) -> str:
    return f"{case.parent.name}/{case.name}"


@pytest.fixture
def golden(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(GoldenFile)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_golden(case: Path, golden: SnapshotAssertion, pytestconfig: pytest.Config) -> None:
    source = SourceText("query.sql", (case / "query.sql").read_text(encoding="utf-8"))
    assert source.text.startswith("-- "), "a case begins with a line that says what it shows"
    produced = artifacts(source)
    if pytestconfig.getoption("update_snapshots"):
        for name in set(ARTIFACTS) - produced.keys():
            (case / name).unlink(missing_ok=True)
    for name, text in produced.items():
        assert text == golden(name=name)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_case_holds_nothing_else(case: Path) -> None:
    names = {path.name for path in case.iterdir()}
    assert names in ({"query.sql", "error.txt"}, {"query.sql", "explain.txt", "job.py"})


def test_topics_hold_only_cases() -> None:
    topics = [topic for topic in GOLDEN.iterdir() if topic.name not in OTHERS]
    assert all(topic.is_dir() for topic in topics)
    strays = [case for topic in topics for case in topic.iterdir() if case not in CASES]
    assert strays == []


def test_every_code_has_a_golden() -> None:
    texts = [
        path.read_text(encoding="utf-8")
        for name in ARTIFACTS
        for path in GOLDEN.rglob(name)
        if name != "job.py"
    ]
    shown = {code for code in CODES if any(f"[{code}]" in text for text in texts)}
    assert set(CODES) - shown - set(WITHOUT_GOLDEN) == set()


@pytest.mark.parametrize("code", sorted(CODES))
def test_the_register_shows_what_it_says(code: str) -> None:
    entry = CODES[code]
    assert entry.title
    assert entry.explanation.strip()
    if not entry.failing or code in WITHOUT_GOLDEN:
        return
    given = _codes_of(entry.failing)
    assert code in given, f"the failing query of {code} draws {given or 'nothing'}"
    assert code not in _codes_of(entry.mended), f"the mended query of {code} still draws it"


def _codes_of(query: str) -> list[str]:
    try:
        job = compile_script(SourceText("query.sql", query))
    except CompileError as error:
        return [diagnostic.code for diagnostic in error.diagnostics]
    return [warning.code for warning in job.warnings]


def test_every_fault_says_what_to_write() -> None:
    for path in GOLDEN.glob("*/*/error.txt"):
        faults = path.read_text(encoding="utf-8").split("\n\n")
        assert all("= help: " in each for each in faults if each), path
