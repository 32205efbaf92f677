"""Declared sources: their schema as Spark's DDL, and which rows do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tvfc_runtime.records.bad_rows import BAD, FAULT
from tvfc_runtime.rows.sql_text import quote
from tvfc_runtime.sources.read import parse_json, read_source
from tvfc_runtime.spec.source import Source

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.mark.parametrize(
    ("name", "quoted"), [("id", "`id`"), ("a b", "`a b`"), ("a`b", "`a``b`"), ("", "``")]
)
def test_names_are_quoted(name: str, quoted: str) -> None:
    assert quote(name) == quoted


def test_the_schema_is_ddl() -> None:
    source = Source(name="s", columns={"a b": "INT", "x`y": "STRUCT<a: INT>", "größe": "DOUBLE"})
    assert source.schema == "`a b` INT, `x``y` STRUCT<a: INT>, `größe` DOUBLE"


@pytest.mark.parametrize(
    ("options", "fails"),
    [({}, False), ({"badRows": "drop"}, False), ({"badRows": "FAIL"}, True)],
)
def test_bad_rows_are_dropped_unless_told_otherwise(options: dict[str, str], fails: bool) -> None:  # noqa: FBT001
    assert Source(name="s", columns={}, options=options).fails_on_bad_rows is fails


@pytest.mark.spark
def test_records_that_do_not_fit_are_marked(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"id": 1}\n{"id": "one"}\n{"id": 2, "more": 3}\nno json\n')
    source = Source(
        name="s",
        columns={"id": "INT"},
        format="json",
        options={"path": str(tmp_path), "badRows": "drop"},
        static=True,
    )
    rows = read_source(spark, source)
    fits = rows.where(f"{FAULT} IS NULL")
    assert [row.id for row in fits.orderBy("id").collect()] == [1, 2]
    assert sorted(
        (row[BAD], row[FAULT]) for row in rows.where(f"{FAULT} IS NOT NULL").collect()
    ) == [
        ("no json", "no JSON"),
        ('{"id": "one"}', "id is no INT"),
    ]


@pytest.mark.spark
def test_json_in_a_value_is_parsed(spark: SparkSession) -> None:
    source = Source(name="s", columns={"id": "INT", "a b": "STRING"})
    records = spark.createDataFrame([(b'{"id": 1, "a b": "x"}',), (b"?",), (None,)], "value BINARY")
    rows = parse_json(records, source).collect()
    assert [(row["id"], row["a b"], row[BAD], row[FAULT]) for row in rows] == [
        (1, "x", None, None),
        (None, None, "?", "no JSON"),
        (None, None, None, "it has no value"),
    ]
