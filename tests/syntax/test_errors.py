"""golden/syntax/<case>/: a query with one typical mistake, and the message for it.

`pytest tests/syntax/test_errors.py --snapshot-update` writes the messages anew.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from golden_extension import GoldenFile

from compiler.diagnostics import CompileError, render_all
from compiler.source import SourceText
from compiler.syntax import parse_script

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

GOLDEN = Path(__file__).parents[2] / "golden" / "syntax"
CASES = sorted(query.parent for query in GOLDEN.glob("*/query.sql"))


@pytest.fixture
def golden(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(GoldenFile)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_message(case: Path, golden: SnapshotAssertion) -> None:
    text = (case / "query.sql").read_text(encoding="utf-8")
    assert text.startswith("-- "), "a case begins with a line that says what it shows"
    source = SourceText("query.sql", text)
    with pytest.raises(CompileError) as caught:
        parse_script(source)
    assert render_all(caught.value.diagnostics, source) == golden(name="error.txt")


def test_cases_hold_nothing_else() -> None:
    for case in CASES:
        assert {path.name for path in case.iterdir()} == {"query.sql", "error.txt"}, case


def test_there_are_many_mistakes() -> None:
    assert len(CASES) >= 160


def test_messages_are_plain() -> None:
    for case in CASES:
        check_words(case)


def check_words(case: Path) -> None:
    text = (case / "error.txt").read_text(encoding="utf-8")
    said = [line for line in text.splitlines() if line.startswith(("error", "  = "))]
    ours = [re.sub(r"`[^`]*`", "", line) for line in said]
    assert all(line.isascii() for line in ours), "messages are plain ASCII, what they quote apart"
    assert not any("__" in line or "$END" in line for line in said), "no names of tokens"
    for headline in (line for line in said if line.startswith("error")):
        message = headline.split("]: ", 1)[1]
        assert not message.endswith(".")
        assert "illegal" not in message
