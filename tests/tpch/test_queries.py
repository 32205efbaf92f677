"""TPC-H as live results: after each batch, and as lines leave again, they are DuckDB's answers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pytest
from oracle.live import fault, live
from tpch.tables import BATCHES, TABLES, batches, columns, queries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
STAY = 3
"""A line that expires is in the answers of so many batches."""


def declared(scale: str, *, expire: bool) -> str:
    """The tables as streams; with `expire`, a line has a time, and leaves some minutes later."""
    sources = {name: columns(name, scale) for name in TABLES}
    names = {name: name for name in TABLES}
    view = ""
    if expire:
        sources["lineitem"] += ", arrived TIMESTAMP, WATERMARK FOR arrived AS arrived"
        names["lineitem"] = "lines"
        view = (
            "CREATE VIEW lineitem AS SELECT * FROM lines"
            f" WHERE arrived + INTERVAL {STAY} MINUTES > WATERMARK_TS();\n"
        )
    texts = [
        f"CREATE SOURCE {names[name]} ({each}) USING parquet OPTIONS (path 'FOLDER/{name}');\n"
        for name, each in sources.items()
    ]
    return "".join([*texts, view])


class Answers:
    """DuckDB over what has arrived."""

    def __init__(self, scale: str) -> None:
        self._db = duckdb.connect()
        for name, rows in batches(scale)[0].items():
            self._db.register("rows", rows)
            self._db.execute(f"CREATE TABLE {name} AS SELECT *, 0 AS batch FROM rows LIMIT 0")

    def arrive(self, batch: int, rows: dict[str, pa.Table]) -> None:
        for name, table in rows.items():
            self._db.register("rows", table)
            self._db.execute(f"INSERT INTO {name} SELECT *, {batch} FROM rows")

    def expire(self, batch: int) -> None:
        self._db.execute(f"DELETE FROM lineitem WHERE batch <= {batch - STAY}")

    def answer(self, query: str) -> list[tuple[Any, ...]]:
        return self._db.execute(query).fetchall()


def arriving(batch: int, rows: dict[str, pa.Table], *, expire: bool) -> dict[str, pa.Table]:
    """The rows of a batch, lines with their time."""
    if not expire:
        return rows
    lines = rows["lineitem"]
    time = pa.array([BEGIN + timedelta(minutes=batch)] * len(lines), pa.timestamp("us", "UTC"))
    return rows | {"lineitem": lines.append_column("arrived", time)}


def check(
    spark: SparkSession,
    folder: Path,
    query: str,
    scale: str,
    *,
    number: int = BATCHES,
    expire: bool = False,
) -> None:
    """Raise an AssertionError where an answer is not DuckDB's, or none has a row."""
    answers, seen = Answers(scale), 0
    with live(spark, folder, declared(scale, expire=expire) + query, TABLES) as job:
        for batch, rows in enumerate(batches(scale, number)):
            job.arrive(arriving(batch, rows, expire=expire))
            answers.arrive(batch, rows)
            if expire:
                answers.expire(batch)
            wanted = answers.answer(query)
            seen += len(wanted)
            wrong = fault(wanted, job.result)
            assert wrong is None, f"after batch {batch}: {wrong}"
    assert seen


@pytest.mark.spark
def test_q3_of_a_few_rows(spark: SparkSession, tmp_path: Path) -> None:
    check(spark, tmp_path, queries()["q3"], "0.001", number=2)


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("name", queries())
def test_queries(name: str, spark: SparkSession, tmp_path: Path) -> None:
    check(spark, tmp_path, queries()[name], "0.01")


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name, text in queries().items() if "lineitem" in text])
def test_queries_of_lines_that_leave(name: str, spark: SparkSession, tmp_path: Path) -> None:
    check(spark, tmp_path, queries()[name], "0.01", expire=True)
