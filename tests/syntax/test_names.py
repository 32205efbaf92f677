"""Words of the grammar stay legal names: of columns, tables, aliases, fields and common tables."""

from __future__ import annotations

import pytest

from compiler.source import SourceText
from compiler.syntax import parse_query, parse_script
from compiler.syntax.tokens.keyword_lists import NO_TABLE_NAME, RESERVED, word_types
from compiler.syntax.tokens.words import words

OURS = words(
    "watermark emit close late tumble hop cumulate session source sink stream mz_now proc_time "
    "watermark_ts idle skew delay future connector options materialized view insert"
)
EVERYDAY = words(
    "date time timestamp year month day hour minute second interval first last left right filter "
    "over window range rows row group order sort partition cluster by view end value values key "
    "type name user position trim substring extract overlay replace if struct map array table "
    "limit offset percent sample pivot unpivot natural cross lateral anti semi full inner outer "
    "unknown some any all escape div rlike like current ignore nulls within to of"
)


@pytest.mark.parametrize("name", [*OURS, *EVERYDAY])
def test_a_column(name: str) -> None:
    tree = parse_query(f"SELECT t.{name}, {name}.x, a AS {name} FROM t WHERE t.{name} = 1")
    assert tree.expressions[0].name == name
    assert tree.expressions[1].table == name
    assert tree.expressions[2].alias == name


@pytest.mark.parametrize("name", OURS)
def test_a_bare_column_and_a_table(name: str) -> None:
    tree = parse_query(f"SELECT {name}, {name} + 1 FROM {name}, a AS {name} WHERE {name} > 1")
    assert tree.expressions[0].name == name
    assert tree.args["from_"].this.name == name
    assert tree.args["joins"][0].this.alias == name


@pytest.mark.parametrize("name", OURS)
def test_a_function_and_a_common_table(name: str) -> None:
    parse_query(f"WITH {name} AS (SELECT 1 AS {name}) SELECT x FROM {name} GROUP BY {name}")
    if name not in ("mz_now", "proc_time", "watermark_ts"):
        parse_query(f"SELECT {name}(a, 1) FROM t")


@pytest.mark.parametrize("name", OURS)
def test_what_a_script_creates(name: str) -> None:
    script = f"""
    CREATE SOURCE {name} ({name} TIMESTAMP, WATERMARK FOR {name} AS {name});
    CREATE VIEW {name} AS SELECT {name} FROM {name};
    CREATE SINK {name} AS SELECT {name} FROM {name};
    """
    assert len(parse_script(SourceText("names", script)).statements) == 3


@pytest.mark.parametrize("word", sorted(word_types()))
def test_every_word_is_a_name_behind_a_dot_in_backquotes_and_behind_as(word: str) -> None:
    parse_query(f"SELECT t.{word}, `{word}`, 1 AS {word}, `{word}`.a FROM `{word}` AS `{word}`")


@pytest.mark.parametrize("word", sorted(word_types() - RESERVED - NO_TABLE_NAME))
def test_every_word_not_reserved_is_an_alias(word: str) -> None:
    tree = parse_query(f"SELECT 1 AS {word} FROM t AS {word}")
    assert tree.expressions[0].alias == word


def test_phrases_take_no_single_words() -> None:
    tree = parse_query("SELECT group, order, first, view, nulls, sets FROM rollup, cube, grouping")
    assert [each.name for each in tree.expressions] == [
        "group",
        "order",
        "first",
        "view",
        "nulls",
        "sets",
    ]
