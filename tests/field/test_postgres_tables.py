"""Tables of one's own in Postgres: what else is in them and hangs on them stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import adbc_driver_postgresql.dbapi as driver
import pytest
from field.systems import System, postgres_system
from field.test_tables import writer

from tvfc_runtime.sinks import SinkError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture
def lake(tmp_path: Path, postgres_url: str) -> System:
    return postgres_system(postgres_url, tmp_path)


def made(url: str, lake: System, *statements: str) -> None:
    """Statements on the database; {name} is a table of the test's own."""
    with driver.connect(url) as database, database.cursor() as cursor:
        for each in statements:
            cursor.execute(each.replace("{", lake.options("{")["table"][:-2]).replace("}", '"'))
        database.commit()


def updates(spark: SparkSession, *rows: tuple[Any, ...]) -> DataFrame:
    frame = spark.createDataFrame([*rows], "k STRING, v BIGINT, _diff INT")
    return frame.selectExpr("k", "v", "timestamp_micros(7) AS _time", "_diff")


def test_an_update_changes_the_row_where_it_is(
    lake: System, tmp_path: Path, spark: SparkSession, postgres_url: str
) -> None:
    made(
        postgres_url,
        lake,
        "CREATE TABLE {t} (v bigint, k text UNIQUE, note text DEFAULT 'new')",
        "CREATE TABLE {child} (k text REFERENCES {t} (k) ON DELETE CASCADE)",
    )
    write = writer(lake, "t", updates(spark), tmp_path, "k")
    write(updates(spark, ("a", 1, 1), ("b", 1, 1), (None, 1, 1)), 0)
    made(
        postgres_url,
        lake,
        "UPDATE {t} SET note = 'mine'",
        "INSERT INTO {child} VALUES ('a'), ('b')",
    )
    changes = (("a", 1, -1), ("a", 2, 1), ("b", 1, -1), (None, 1, -1), (None, 3, 1), ("c", 4, 1))
    write(updates(spark, *changes), 1)
    wanted = [(2, "a", "mine"), (3, None, "mine"), (4, "c", "new")]
    assert lake.rows("t") == wanted
    assert lake.rows("child") == [("a",)]
    with pytest.raises(SinkError, match=r"TVF706.*k = 'c'"):
        write(updates(spark, ("c", 5, 1)), 2)
    # Rows of somebody else: a batch that knows nothing of them replaces them.
    made(postgres_url, lake, "INSERT INTO {t} VALUES (0, 'd', 'theirs')")
    write(updates(spark, ("d", 9, -1), ("d", 1, 1), ("e", 9, -1), ("e", 1, 1)), 2)
    assert lake.rows("t") == [(1, "d", "theirs"), (1, "e", "new"), *wanted]


def test_unique_values_change_places(
    lake: System, tmp_path: Path, spark: SparkSession, postgres_url: str
) -> None:
    unique = "CREATE TABLE {%s} (k text PRIMARY KEY, v bigint UNIQUE%s)"
    made(
        postgres_url,
        lake,
        unique % ("plain", ""),
        unique % ("more", " DEFERRABLE, x int DEFAULT 7"),
        unique % ("stops", ", x int DEFAULT 7"),
    )
    swap = updates(spark, ("a", 1, -1), ("b", 2, -1), ("a", 2, 1), ("b", 1, 1))
    for name in ("plain", "more", "stops"):
        write = writer(lake, name, updates(spark), tmp_path, "k")
        write(updates(spark, ("a", 1, 1), ("b", 2, 1)), 0)
        if name == "stops":
            with pytest.raises(SinkError, match=r"TVF707.*duplicate key value"):
                write(swap, 1)
        else:
            write(swap, 1)
            assert [row[:2] for row in lake.rows(name)] == [("a", 2), ("b", 1)]


def test_two_rows_of_a_key_that_were_there(
    lake: System, tmp_path: Path, spark: SparkSession, postgres_url: str
) -> None:
    made(postgres_url, lake, "CREATE TABLE {t} (k text, v bigint, x int)")
    write = writer(lake, "t", updates(spark), tmp_path, "k")
    made(postgres_url, lake, "INSERT INTO {t} VALUES ('a', 1, 1), ('a', 1, 2)")
    with pytest.raises(SinkError, match=r"TVF706.*k = 'a'"):
        write(updates(spark, ("a", 1, -1), ("a", 2, 1)), 0)


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        ("k text, v bigint, x text NOT NULL", "column x that is NOT NULL and has no default"),
        ("k text, v bigint GENERATED ALWAYS AS (1) STORED", "column v that is GENERATED ALWAYS"),
        ("k text, v bigint GENERATED ALWAYS AS IDENTITY", "column v that is GENERATED ALWAYS"),
        ("k varchar(3), v bigint", r"column k of type character varying\(3\)"),
        ("k char(3), v bigint", r"column k of type character\(3\)"),
        ('k text COLLATE "{c}", v bigint', "column k of the key in whose collation"),
    ],
)
def test_tables_that_cannot_take_the_rows(
    lake: System,
    tmp_path: Path,
    spark: SparkSession,
    postgres_url: str,
    columns: str,
    what: str,
) -> None:
    if "COLLATE" in columns:
        made(
            postgres_url,
            lake,
            "CREATE COLLATION {c} (provider = icu, locale = 'und', deterministic = false)",
        )
        columns = columns.replace('"{c}"', "{c}")
    made(postgres_url, lake, f"CREATE TABLE {{t}} ({columns})")
    with pytest.raises(SinkError, match=rf"TVF707: sink live: table .* has a {what}"):
        writer(lake, "t", updates(spark), tmp_path, "k")


def test_columns_that_fill_themselves(
    lake: System, tmp_path: Path, spark: SparkSession, postgres_url: str
) -> None:
    made(
        postgres_url,
        lake,
        "CREATE TABLE {t} (k text, v bigint, x int NOT NULL DEFAULT 7, "
        "n int GENERATED ALWAYS AS IDENTITY, w bigint GENERATED ALWAYS AS (v + 1) STORED)",
    )
    write = writer(lake, "t", updates(spark), tmp_path, "k")
    write(updates(spark, ("a", 1, 1)), 0)
    write(updates(spark, ("a", 1, -1), ("a", 2, 1)), 1)
    assert lake.rows("t") == [("a", 2, 7, 1, 3)]
