"""The look of diagnostics: one place, several, several lines, tabs, wide characters."""

from __future__ import annotations

from compiler.diagnostics import Diagnostic, Label, render, render_all
from compiler.source import SourceText, Span

TEXT = """SELECT user_id, count(*)
FROM clicks
GROUP BY user_id
EMIT ON WINDOW CLOSE
"""
SOURCE = SourceText("query.sql", TEXT)


def at(part: str, text: str = "", *, primary: bool = True, source: SourceText = SOURCE) -> Label:
    start = source.text.index(part)
    return Label(Span(start, start + len(part)), text, primary)


def test_the_example_of_the_style_guide() -> None:
    start = TEXT.index("user_id\nEMIT")
    diagnostic = Diagnostic(
        "TVF301",
        "EMIT ON WINDOW CLOSE needs a watermark column in GROUP BY",
        (
            Label(Span(start, start + 7), "`user_id` has no watermark"),
            at("EMIT ON WINDOW CLOSE", "rows are held until a window closes", primary=False),
        ),
        ("`clicks` declares its watermark on `ts`",),
        "group by window(ts, INTERVAL 1 MINUTE), or drop EMIT ON WINDOW CLOSE",
    )
    assert render(diagnostic, SOURCE) == (
        "error[TVF301]: EMIT ON WINDOW CLOSE needs a watermark column in GROUP BY\n"
        " --> query.sql:3:10\n"
        "  |\n"
        "3 | GROUP BY user_id\n"
        "  |          ^^^^^^^ `user_id` has no watermark\n"
        "4 | EMIT ON WINDOW CLOSE\n"
        "  | -------------------- rows are held until a window closes\n"
        "  |\n"
        "  = note: `clicks` declares its watermark on `ts`\n"
        "  = help: group by window(ts, INTERVAL 1 MINUTE), or drop EMIT ON WINDOW CLOSE\n"
    )


def test_a_warning_without_help() -> None:
    diagnostic = Diagnostic("TVFW401", "the state grows", (at("clicks", "read here"),))
    assert diagnostic.is_warning
    assert render(diagnostic, SOURCE) == (
        "warning[TVFW401]: the state grows\n"
        " --> query.sql:2:6\n"
        "  |\n"
        "2 | FROM clicks\n"
        "  |      ^^^^^^ read here\n"
    )


def test_several_labels_on_one_line() -> None:
    labels = (at("user_id", "this one"), at("count(*)", "and this", primary=False))
    assert render(Diagnostic("TVF200", "two", labels), SOURCE) == (
        "error[TVF200]: two\n"
        " --> query.sql:1:8\n"
        "  |\n"
        "1 | SELECT user_id, count(*)\n"
        "  |                 -------- and this\n"
        "  |        ^^^^^^^ this one\n"
    )


def test_a_label_without_words_shares_the_row() -> None:
    labels = (at("count(*)", "here"), at("user_id", primary=False))
    text = render(Diagnostic("TVF200", "two", labels), SOURCE)
    assert "  |        -------  ^^^^^^^^ here\n" in text


def test_a_span_over_several_lines() -> None:
    label = Label(Span(TEXT.index("count"), TEXT.index("\nEMIT")), "all of this")
    assert render(Diagnostic("TVF200", "long", (label,)), SOURCE) == (
        "error[TVF200]: long\n"
        " --> query.sql:1:17\n"
        "  |\n"
        "1 | SELECT user_id, count(*)\n"
        "  |                 ^^^^^^^^\n"
        "2 | FROM clicks\n"
        "3 | GROUP BY user_id\n"
        "  | ^^^^^^^^^^^^^^^^ all of this\n"
    )


def test_lines_far_apart_are_cut() -> None:
    source = SourceText("long.sql", "\n".join(f"line{number}" for number in range(1, 121)))
    labels = (
        at("line9\n", "first", source=source),
        at("line111", "last", primary=False, source=source),
    )
    assert render(Diagnostic("TVF200", "far", labels), source) == (
        "error[TVF200]: far\n"
        "   --> long.sql:9:1\n"
        "    |\n"
        "  9 | line9\n"
        "    | ^^^^^ first\n"
        "...\n"
        "111 | line111\n"
        "    | ------- last\n"
    )


def test_tabs_and_wide_characters_keep_the_markers_in_line() -> None:
    source = SourceText("wide.sql", "SELECT\t'日本' AS x, e\u0301 AS y FROM t")
    text = render(Diagnostic("TVF200", "wide", (at("x", "x", source=source),)), source)
    shown, marker = text.splitlines()[3:5]
    assert shown == "1 | SELECT    '日本' AS x, e\u0301 AS y FROM t"
    assert marker == "  |                     ^ x"
    text = render(Diagnostic("TVF200", "wide", (at("y", "y", source=source),)), source)
    # The accent takes no column, the ideographs two each.
    assert text.splitlines()[4] == "  |                             ^ y"


def test_the_end_of_the_text() -> None:
    source = SourceText("q", "SELECT")
    text = render(Diagnostic("TVF100", "too early", (Label(Span(6, 7), "here"),)), source)
    assert text.splitlines()[3:] == ["1 | SELECT", "  |       ^ here"]


def test_without_a_source_and_with_several_help_lines() -> None:
    diagnostic = Diagnostic("TVF700", "no java", (), (), "install Java 17\nor set JAVA_HOME")
    assert render(diagnostic, None) == (
        "error[TVF700]: no java\n = help: install Java 17\n         or set JAVA_HOME\n"
    )
    assert render_all([diagnostic, diagnostic], None).count("error[TVF700]") == 2
