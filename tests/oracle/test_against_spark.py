"""Queries that read no clock: what has come out adds up to what Spark answers over the same rows.

The queries stand in against_spark.sql, and those that give final rows, under EMIT ON WINDOW CLOSE,
in final_against_spark.sql; a dozen of them in each job.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compiler import compile_script
from compiler.source import SourceText
from scenario.carriers import as_text, columns_of, row_of, to_carrier
from scenario.compare import difference, net
from scenario.engine import Engine, line
from scenario.job_module import load_job

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from scenario.compare import Rows

SECOND = 1_000_000
COLUMNS = {
    "a": "id INT, k STRING, v INT, s STRUCT<x: INT, y: STRING>, ts TIMESTAMP",
    "b": "id INT, k STRING, w DOUBLE, r ARRAY<INT>, ts TIMESTAMP",
    "c": "k STRING, z INT, name STRING",
}
ROWS: dict[str, list[tuple[Any, ...]]] = {
    "a": [
        (1, "x", 5, (1, "p"), 6 * SECOND),
        (2, "x", 1, (2, None), 7 * SECOND),
        (3, None, 7, None, 8 * SECOND),
        (4, "y", None, (None, "q"), 9 * SECOND),
        (5, "X", 5, (1, "p"), 9 * SECOND),
        (1, "x", 5, (1, "p"), 6 * SECOND),
    ],
    "b": [
        (1, "x", 1.5, [1, 2], 6 * SECOND),
        (2, "y", float("nan"), [], 7 * SECOND),
        (3, None, -0.0, None, 8 * SECOND),
        (4, "z", 2.5, [None], 9 * SECOND),
        (5, "x", 0.0, [3], 9 * SECOND),
    ],
    "c": [("x", 10, "ex"), ("y", None, "why"), (None, 3, "none"), ("x", 11, None)],
}
LAST = {name: [(None, None, None, None, 9000 * SECOND)] for name in "ab"}
"""Rows that bring the clock to where all the others are final; they themselves are not."""

CUTS = ({"a": (0, 2), "b": (0, 2)}, {"b": (2, 5)}, {"a": (2, 6)})
"""Which rows arrive together, from one place until before another."""

DECLARED = (
    "".join(
        f"CREATE SOURCE {name} ({COLUMNS[name]}, WATERMARK FOR ts AS ts - INTERVAL 1 SECONDS);\n"
        for name in "ab"
    )
    + f"CREATE TABLE c ({COLUMNS['c']});\n"
)


def queries(file: str) -> list[str]:
    """The queries of a file."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    _, _, body = text.partition("\n")
    return [each.strip() for each in body.split(";") if each.strip()]


def lines_of(name: str, rows: list[tuple[Any, ...]]) -> list[str]:
    """Rows as the engine reads them."""
    kinds = [field.dataType for field in columns_of(COLUMNS[name]).fields]
    at = None if name == "c" else 0
    return [line(name, list(map(to_carrier, row, kinds)), at) for row in rows]


def answers(spark: SparkSession, folder: Path, asked: list[str], *, are_final: bool) -> list[Rows]:
    """What the outputs of one job add up to in the end."""
    asked = [f"{each} EMIT ON WINDOW CLOSE" if are_final else each for each in asked]
    sinks = (f"CREATE SINK q{place} AS {query};\n" for place, query in enumerate(asked))
    text = compile_script(SourceText("q.sql", DECLARED + "".join(sinks)), scenario=True).text
    job = load_job(text, folder / "job.py").JOB
    engine = Engine(spark, job, folder / "run", tables={"c": lines_of("c", ROWS["c"])})
    found: list[list[tuple[tuple[Any, ...], int]]] = [[] for _ in asked]
    try:
        engine.start()
        schemas = engine.schemas()
        cuts = [{name: ROWS[name][slice(*cut[name])] for name in cut} for cut in CUTS]
        for cut in [*cuts, *([LAST] if are_final else [])]:
            arriving = [text for name, rows in cut.items() for text in lines_of(name, rows)]
            outputs = engine.feed(arriving).outputs
            for place, updates in enumerate(found):
                changes = schemas[f"q{place}"].fieldNames()[-2:] == ["_time", "_diff"]
                rows = outputs[f"q{place}"]
                updates += [(row[:-2], row[-1]) if changes else (row, 1) for row in rows]
    finally:
        engine.stop()
    sums = [net(updates) for updates in found]
    assert [negative for _, negative in sums if negative] == []
    return [rows for rows, _ in sums]


def batch_answer(spark: SparkSession, query: str) -> Rows:
    """What Spark says."""
    frame = spark.sql(query)
    return [row_of(row.line, frame.schema) for row in as_text(frame).collect()]


@pytest.fixture(scope="module")
def views(spark: SparkSession) -> Iterator[None]:
    """The rows as views of Spark."""
    for name, rows in ROWS.items():
        typed = [tuple(map(_value, row)) for row in rows]
        spark.createDataFrame(typed, columns_of(COLUMNS[name])).createOrReplaceTempView(name)
    yield
    for name in ROWS:
        spark.catalog.dropTempView(name)


def _value(value: Any) -> Any:
    is_time = isinstance(value, int) and value >= SECOND
    return datetime.fromtimestamp(value // SECOND, UTC) if is_time else value


FILES = {"against_spark.sql": False, "final_against_spark.sql": True}
"""Whether the queries of a file give final rows."""
EACH = 12
"""Queries of one job."""
JOBS = [(file, first) for file in FILES for first in range(0, len(queries(file)), EACH)]


@pytest.mark.spark
@pytest.mark.thorough
@pytest.mark.usefixtures("views")
@pytest.mark.parametrize(("file", "first"), JOBS)
def test_as_spark_answers(file: str, first: int, tmp_path: Path, spark: SparkSession) -> None:
    asked = queries(file)[first : first + EACH]
    found = answers(spark, tmp_path, asked, are_final=FILES[file])
    faults = []
    for query, rows in zip(asked, found, strict=True):
        wrong = difference(batch_answer(spark, query), rows)
        if wrong is not None:
            faults.append(f"{query}: {wrong}")
    assert not faults, "\n".join(faults)
