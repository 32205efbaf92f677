"""SQL out of the source: on one line, without comments, some of it under other names."""

from __future__ import annotations

import pytest

from compiler.source import SourceText, Span
from compiler.sql.exprs import Binding, Expr, conjunction, flat_text, renamed


def flat(text: str, replaced: dict[str, str] | None = None) -> str:
    source = SourceText("q.sql", f"SELECT {text} FROM t")
    places = {}
    for old, new in (replaced or {}).items():
        start = source.text.index(old)
        places[Span(start, start + len(old))] = new
    return flat_text(source, Span(7, 7 + len(text)), places)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a  +\n\t b", "a + b"),
        ("a+b", "a+b"),
        ("f( a , b )", "f( a , b )"),
        ("a /* one */ + -- two\n b", "a + b"),
        ("a/* one */+/* two /* nested */ */b", "a + b"),
        ("'-- no /* comment */'", "'-- no /* comment */'"),
        ("'two  blanks'  ||  \"x -- y\"", "'two  blanks' || \"x -- y\""),
        ("'a\nb'", "'a\nb'"),
        (r"'it\'s' -- it's", r"'it\'s'"),
        ("`a  -- b`", "`a  -- b`"),
        ("a -- only\n", "a"),
        ("", ""),
    ],
)
def test_layout_and_comments_go_strings_stay(text: str, found: str) -> None:
    assert flat(text) == found


def test_parts_are_replaced_by_place() -> None:
    text = "WATERMARK_TS ( /* of all */ ) - ts > INTERVAL 1 HOUR"
    assert flat(text, {"WATERMARK_TS ( /* of all */ )": "w"}) == "w - ts > INTERVAL 1 HOUR"
    assert flat("f(x,PROC_TIME())+y", {"PROC_TIME()": "p", "y": "z"}) == "f(x,p)+z"
    assert flat("'x' || x", {"x'": "never at a token"}) == "'x' || x"


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("id + 1", "X + 1"),
        ("id+o.id+id2+`id`", "X+Y+id2+`id`"),
        ("concat('id', id)", "concat('id', X)"),
        ("id(3) + id (4) + id", "id(3) + id (4) + X"),
        ("a.id", "a.id"),
        ("place . id", "place . id"),
        ("s['id'] || id", "s['id'] || X"),
        ("`my name` || 'my name'", "Z || 'my name'"),
    ],
)
def test_columns_are_renamed_and_nothing_else(sql: str, found: str) -> None:
    assert renamed(sql, {"id": "X", "o.id": "Y", "`my name`": "Z"}) == found


def test_operands_have_parentheses_where_they_need_them() -> None:
    either = Expr(sql="a OR b", binding=Binding.OR)
    both = Expr(sql="a AND b", binding=Binding.AND)
    assert either.inside(Binding.OR) == "(a OR b)"
    assert both.inside(Binding.OR) == "a AND b"
    assert both.inside(Binding.NOT) == "(a AND b)"
    assert Expr(sql="a").inside(Binding.ARITHMETIC) == "a"
    assert conjunction((either, both, Expr(sql="c"))).sql == "(a OR b) AND a AND b AND c"
    assert conjunction((either,)) is either
