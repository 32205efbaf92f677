"""Declared sources: their schema as Spark's DDL, and which rows do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tvfc_runtime.sources import BAD, Source, bad_row, parse_json, quote, read_source

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession


class Columns:
    """As much of a frame as bad_row() looks at."""

    def __init__(self, *columns: str) -> None:
        self.columns = columns


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


@pytest.mark.parametrize(
    ("required", "columns", "condition"),
    [
        ((), ("id",), None),
        (("id",), ("id",), "`id` IS NULL"),
        ((), ("id", BAD), f"{BAD} IS NOT NULL"),
        (("a b", "id"), ("id", BAD), f"`a b` IS NULL OR `id` IS NULL OR {BAD} IS NOT NULL"),
    ],
)
def test_which_rows_are_bad(
    required: tuple[str, ...], columns: tuple[str, ...], condition: str | None
) -> None:
    source = Source(name="s", columns={"id": "INT"}, required=required)
    rows: DataFrame = Columns(*columns)  # type: ignore[assignment]
    assert bad_row(rows, source) == condition


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
    condition = bad_row(rows, source)
    assert condition is not None
    assert [row.id for row in rows.where(f"NOT ({condition})").orderBy("id").collect()] == [1, 2]
    assert sorted(row[BAD] for row in rows.where(condition).collect()) == [
        "no json",
        '{"id": "one"}',
    ]


@pytest.mark.spark
def test_json_in_a_value_is_parsed(spark: SparkSession) -> None:
    source = Source(name="s", columns={"id": "INT", "a b": "STRING"})
    records = spark.createDataFrame([(b'{"id": 1, "a b": "x"}',), (b"?",)], "value BINARY")
    rows = parse_json(records, source).collect()
    assert [(row["id"], row["a b"], row[BAD]) for row in rows] == [
        (1, "x", None),
        (None, None, "?"),
    ]
