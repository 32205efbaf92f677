"""The register of codes, suggestions, and places in a text."""

from __future__ import annotations

import copy

import pytest

from compiler.diagnostics import CODES, Code, CompileError, Diagnostic, InternalError, suggest
from compiler.diagnostics.codes import merge_codes
from compiler.diagnostics.codes_syntax import SYNTAX_CODES
from compiler.source import SourceText, Span
from compiler.syntax import parse_script


def test_a_code_given_twice_is_refused() -> None:
    entry = Code(code="TVF999", title="t", explanation="e", failing="f", mended="m")
    with pytest.raises(InternalError, match="TVF999"):
        merge_codes((entry,), (entry,))


def test_the_register_is_in_order() -> None:
    assert list(CODES) == sorted(CODES)
    assert all(code == entry.code for code, entry in CODES.items())


@pytest.mark.parametrize("entry", SYNTAX_CODES, ids=lambda entry: entry.code)
def test_syntax_codes_show_what_they_say(entry: Code) -> None:
    with pytest.raises(CompileError) as caught:
        parse_script(SourceText("failing", entry.failing))
    assert [each.code for each in caught.value.diagnostics] == [entry.code]
    assert parse_script(SourceText("mended", entry.mended)).statements


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("pirce", "price"),
        ("PRICE", "price"),
        ("custmer_id", "customer_id"),
        ("zzz", None),
    ],
)
def test_suggest(name: str, nearest: str | None) -> None:
    assert suggest(name, ["price", "customer_id", "id"]) == nearest


def test_suggest_nothing_from_nothing() -> None:
    assert suggest("price", []) is None


def test_places_in_a_text() -> None:
    source = SourceText("q", "ab\r\nü\n\nxyz")
    assert [source.line_column(offset) for offset in (0, 1, 4, 5, 6, 7, 10)] == [
        (1, 1),
        (1, 2),
        (2, 1),
        (2, 2),
        (3, 1),
        (4, 1),
        (4, 4),
    ]
    assert source.line_column(999) == (4, 4)
    assert [source.line(number) for number in range(6)] == ["", "ab", "ü", "", "xyz", ""]
    assert source.slice(Span(4, 5)) == "ü"


def test_spans() -> None:
    span = Span(3, 5).cover(Span(1, 2))
    assert span == Span(1, 5)
    assert copy.deepcopy(span) is span


def test_a_compile_error_says_what_it_holds() -> None:
    error = CompileError([Diagnostic("TVF100", "one", ()), Diagnostic("TVF200", "two", ())])
    assert str(error) == "TVF100: one; TVF200: two"
    assert error.source is None
