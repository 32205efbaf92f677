"""docs/language.md ends with the grammar as it is."""

from __future__ import annotations

from pathlib import Path

from compiler.syntax.grammar.document import ebnf, main

PAGE = Path(__file__).parents[2] / "docs" / "language.md"


def test_the_page_is_up_to_date() -> None:
    assert main(["check"]) == 0, "run `python -m compiler.syntax.grammar.document`"


def test_nothing_of_the_builder_shows() -> None:
    text = ebnf()
    assert "->" not in text.replace('"->"', "")
    assert "?:" not in text
    assert "spark__" not in text


def test_the_page_names_our_statements() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for words in (
        "CREATE SOURCE",
        "WATERMARK FOR",
        "EMIT ON WINDOW CLOSE",
        "DELAY OF",
        "LATE(rel)",
    ):
        assert words in text
