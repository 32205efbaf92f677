"""Static tables of databases and lakes: read anew by each batch, and types there and back."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from field.systems import SYSTEMS, system

from compiler import compile_script
from compiler.source import SourceText
from scenario.job_module import load_job
from tvfc_runtime import Job, Output, Source, start
from tvfc_runtime.sinks import batch_writer
from tvfc_runtime.sources.read import read_source

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

KINDS = """SELECT id, IF(id = 1, true, NULL) AS b, IF(id = 1, -7Y, NULL) AS i1,
IF(id = 1, 32767S, NULL) AS i2, IF(id = 1, -9223372036854775808, NULL) AS i8,
IF(id = 1, CAST(0.1 AS FLOAT), float('-Infinity')) AS f4, IF(id = 1, double('NaN'), 1e300) AS f8,
IF(id = 1, 12345.67BD, NULL) AS short,
IF(id = 1, 12345678901234567890123456789012345.678BD, NULL) AS long,
IF(id = 1, 'a\\nä\\'"😀', '') AS s, IF(id = 1, X'00FF', X'') AS bin,
IF(id = 1, DATE '0001-01-01', DATE '9999-12-31') AS d,
IF(id = 1, TIMESTAMP '0001-01-01 00:00:00Z', TIMESTAMP '2024-02-29 23:59:59.999999Z') AS t,
IF(id = 1, TIMESTAMP_NTZ '9999-12-31 23:59:59.999999', NULL) AS n,
IF(id = 1, array(1, NULL, 3), NULL) AS a, IF(id = 1, array(), array('x', NULL)) AS texts
FROM VALUES (1), (2) AS t (id)"""
NESTED = """named_struct('x', 1, 'y', array(TIMESTAMP '2024-01-01 00:00:00Z')) AS st,
map('k', 1.5BD) AS m, array(array(1), NULL) AS aa"""
TEXTS = """INTERVAL '1 02:03' DAY TO MINUTE AS dt, INTERVAL '1-2' YEAR TO MONTH AS ym,
parse_json('{"v": [1, 2]}') AS v, array(INTERVAL '1' DAY) AS ad"""


def write(lake: Any, rows: DataFrame, table: str, folder: Path) -> None:
    place = folder / f"checkpoint {table}"
    place.mkdir(exist_ok=True)
    (place / "metadata").write_text(json.dumps({"id": table}), encoding="utf-8")
    output = Output(name="out", build=_none, format=lake.format, options=lake.options(table))
    batch_writer(output, rows.schema, str(place))(rows, 0)


def _none(_job: Any) -> Any:
    raise AssertionError


def read(spark: SparkSession, lake: Any, rows: DataFrame, table: str) -> DataFrame:
    source = Source(
        name=table,
        columns=dict(rows.dtypes),
        format=lake.format,
        options=lake.options(table),
        static=True,
    )
    return read_source(spark, source)


@pytest.mark.parametrize("name", SYSTEMS)
def test_types_there_and_back(
    name: str, tmp_path: Path, spark: SparkSession, postgres_url: str
) -> None:
    lake = system(name, tmp_path, postgres_url)
    rows = spark.sql(KINDS if name == "postgres" else f"SELECT *, {NESTED} FROM ({KINDS})")
    write(lake, rows, "kinds", tmp_path)
    found = read(spark, lake, rows, "kinds")
    assert found.schema.simpleString() == rows.schema.simpleString()
    # In Arrow: Python has no local times at both ends of the calendar.
    assert values(found) == values(rows)


def values(rows: DataFrame) -> list[str]:
    return sorted(map(repr, rows.toArrow().to_pylist()))


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_a_system_has_no_type_for_is_text(
    name: str, tmp_path: Path, spark: SparkSession, postgres_url: str
) -> None:
    lake = system(name, tmp_path, postgres_url)
    more = f", {NESTED}" if name == "postgres" else ""
    rows = spark.sql(f"SELECT {TEXTS}{more}")
    write(lake, rows, "texts", tmp_path)
    ((days, months, *others),) = lake.rows("texts")
    assert (days, months) == ("INTERVAL '1 02:03' DAY TO MINUTE", "INTERVAL '1-2' YEAR TO MONTH")
    assert [json.loads(each) for each in others[:1]] == [{"v": [1, 2]}]
    if more:
        wanted = [{"x": 1, "y": ["2024-01-01T00:00:00.000000Z"]}, {"k": 1.5}, [[1], None]]
        assert [json.loads(each) for each in others[2:]] == wanted


def test_text_that_postgres_cannot_hold_stops_the_job(
    tmp_path: Path, spark: SparkSession, postgres_url: str
) -> None:
    lake = system("postgres", tmp_path, postgres_url)
    with pytest.raises(Exception, match=r"TVF707.* Postgres says: .*invalid byte sequence"):
        write(lake, spark.sql(r"SELECT 'a\0b' AS s"), "zeros", tmp_path)


def test_a_table_is_read_anew_by_each_batch(
    tmp_path: Path, spark: SparkSession, postgres_url: str
) -> None:
    lakes = [system(name, tmp_path, postgres_url) for name in SYSTEMS]
    for lake in lakes:
        write(lake, spark.sql("SELECT 1 AS id, 'one' AS name"), "names", tmp_path)
    tables = "".join(
        f"CREATE TABLE {lake.format}_names (id INT, Name STRING) {lake.using('names')};\n"
        for lake in lakes
    )
    joins = "".join(
        f" LEFT JOIN {lake.format}_names AS t{at} ON t{at}.id = e.id"
        for at, lake in enumerate(lakes)
    )
    columns = ", ".join(f"t{at}.name AS n{at}" for at in range(len(lakes)))
    query = f"""CREATE SOURCE events (id INT) USING json OPTIONS (path 'in');
{tables}CREATE SINK out USING duckdb OPTIONS (path 'out.duckdb', table 'out') AS
SELECT e.id, {columns} FROM events AS e{joins};
"""
    folder = tmp_path / "in"
    folder.mkdir()
    spec = load_job(compile_script(SourceText("query.sql", query)).text, tmp_path / "job.py").JOB
    for number in (1, 2):
        path = folder / f"{number}.json"
        path.write_text('{"id": 1}\n{"id": 2}', encoding="utf-8")
        os.utime(path, (1_600_000_000 + number, 1_600_000_000 + number))
        job = Job(spark, str(tmp_path / "checkpoint"))
        start(job, spec, spec.outputs, availableNow=True).awaitTermination()
        if number == 1:
            for lake in lakes:
                more = spark.sql("SELECT 2 AS id, 'two' AS name")
                _add(lake, more, tmp_path)
    ones = (1, *["one"] * 4)
    with duckdb.connect(tmp_path / "out.duckdb", read_only=True) as database:
        found = sorted(database.sql("FROM out").fetchall(), key=repr)
    assert found == sorted([ones, (2, *[None] * 4), ones, (2, *["two"] * 4)], key=repr)


def _add(lake: Any, rows: DataFrame, folder: Path) -> None:
    """Another batch of the same writer."""
    output = Output(name="out", build=_none, format=lake.format, options=lake.options("names"))
    batch_writer(output, rows.schema, str(folder / "checkpoint names"))(rows, 1)
