"""Batches as sinks write them, on Spark: files, values in SQLite, records for Kafka."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tvfc_runtime import Output
from tvfc_runtime.sinks import (
    Changes,
    KeyedTable,
    SinkError,
    batch_writer,
    register_keyed_sink,
    together,
)
from tvfc_runtime.sinks.together import SeveralWriters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

pytestmark = pytest.mark.spark

ALL_KINDS = """SELECT true AS b, 7Y AS i1, 9223372036854775807 AS i8, CAST(0.1 AS FLOAT) AS f4,
1e300 AS f8, double('NaN') AS nan, 12345.67BD AS short, 12345678901234567.89BD AS long,
'a\\nb' AS s, X'00FF' AS bin, DATE '2024-02-29' AS d,
TIMESTAMP '1969-12-31 23:59:59.999999Z' AS t, TIMESTAMP_NTZ '2024-02-29 01:02:03.5' AS n,
array(1, NULL) AS a, named_struct('x', 1, 'y', CAST(NULL AS INT)) AS st, map('k', 1.5BD) AS m,
INTERVAL '1 02:03' DAY TO MINUTE AS dt, INTERVAL '1-2' YEAR TO MONTH AS ym,
parse_json('{"v": [1, 2]}') AS v"""

AS_STORED = {
    "b": 1,
    "i1": 7,
    "i8": 9223372036854775807,
    "f4": 0.1,
    "f8": 1e300,
    "nan": None,
    "short": 12345.67,
    "long": "12345678901234567.89",
    "s": "a\nb",
    "bin": b"\x00\xff",
    "d": "2024-02-29",
    "t": "1969-12-31T23:59:59.999999Z",
    "n": "2024-02-29T01:02:03.500000",
    "a": "[1,null]",
    "st": '{"x":1,"y":null}',
    "m": '{"k":1.5}',
    "dt": "INTERVAL '1 02:03' DAY TO MINUTE",
    "ym": "INTERVAL '1-2' YEAR TO MONTH",
    "v": '{"v":[1,2]}',
}


def checkpoint(folder: Path, query: str = "q1q1q1q1") -> str:
    place = folder / f"checkpoint {query}"
    place.mkdir(exist_ok=True)
    (place / "metadata").write_text(json.dumps({"id": f"{query}-more"}), encoding="utf-8")
    return str(place)


def sqlite(folder: Path, key: str = "id") -> Output:
    options = {"path": str(folder / "build/query/../../live.db")}
    return Output(name="live", build=_none, format="sqlite", options=options, key=(key,))


def files(folder: Path, form: str, **options: str) -> Output:
    # Jobs name their files from their own folder, which need not be there.
    options = {"path": str(folder / "build/query/../.." / form), **options}
    return Output(name="out", build=_none, format=form, options=options)


def _none(_job: Any) -> Any:
    raise AssertionError


def stored(folder: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "live.db")) as database:
        return sorted(database.execute("SELECT * FROM live").fetchall(), key=repr)


def test_values_in_sqlite(tmp_path: Path, spark: SparkSession) -> None:
    rows = spark.sql(f"SELECT 1 AS id, * FROM ({ALL_KINDS})")
    nulls = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in rows.drop("id").dtypes)
    write = batch_writer(sqlite(tmp_path), rows.schema, checkpoint(tmp_path))
    write(rows.union(spark.sql(f"SELECT 2 AS id, {nulls}")), 0)
    one, two = stored(tmp_path)
    assert dict(zip(AS_STORED, one[1:], strict=True)) == AS_STORED
    assert two == (2, *[None] * len(AS_STORED))


def test_a_result_that_changes_by_key(tmp_path: Path, spark: SparkSession) -> None:
    def updates(*rows: tuple[int, str, int]) -> DataFrame:
        frame = spark.createDataFrame([*rows], "id INT, name STRING, _diff INT")
        return frame.selectExpr("id", "name", "current_timestamp() AS _time", "_diff")

    write = batch_writer(sqlite(tmp_path, "ID"), updates().schema, checkpoint(tmp_path))
    write(updates((1, "a", +1), (2, "b", +1)), 0)
    write(updates((1, "a", -1), (1, "c", +1), (2, "b", -1), (3, "d", +1), (3, "d", -1)), 1)
    write(updates((9, "run again", +1)), 1)
    assert stored(tmp_path) == [(1, "c")]
    with pytest.raises(SinkError, match="TVF706: two rows of the result have the key id = 1"):
        write(updates((1, "e", +1)), 2)


def test_a_keyed_sink_that_does_not_fit(tmp_path: Path, spark: SparkSession) -> None:
    columns = spark.sql("SELECT 1 AS id, 2 AS ID").schema
    with pytest.raises(SinkError, match=r"TVF707.*no column name"):
        batch_writer(sqlite(tmp_path, "name"), columns, checkpoint(tmp_path))
    with pytest.raises(SinkError, match=r"TVF707.*two columns of one name"):
        batch_writer(sqlite(tmp_path), columns, checkpoint(tmp_path))
    other = Output(name="live", build=_none, format="other", key=("id",))
    with pytest.raises(SinkError, match="TVF707: sink live: there is no keyed sink other"):
        batch_writer(other, columns, checkpoint(tmp_path))


def test_a_keyed_sink_of_ones_own(tmp_path: Path, spark: SparkSession) -> None:
    applied: list[tuple[Any, ...]] = []

    class Mine:
        def __init__(self, table: KeyedTable) -> None:
            applied.append((table.sink, table.columns.names, table.key))

        def check(self, query: str | None) -> None:
            applied.append(("check", query))

        def stored(self, columns: Sequence[Column]) -> list[Column]:
            return [*columns]

        def apply(self, query: str, batch: int, changes: Changes) -> None:
            applied.append((query, batch, changes.upserts, changes.deletes))

    register_keyed_sink("Mine", Mine)
    mine = Output(name="live", build=_none, format="mine", key=("id",))
    rows = spark.sql("SELECT 'a' AS name, 1 AS id")
    batch_writer(mine, rows.schema, checkpoint(tmp_path))(rows, 3)
    assert applied == [
        ("live", ["name", "id"], ("id",)),
        ("check", "q1q1q1q1-more"),
        ("q1q1q1q1-more", 3, {(1,): ("a", 1)}, frozenset()),
    ]


@pytest.mark.parametrize(
    ("form", "options", "ending"),
    [
        ("parquet", {}, ".snappy.parquet"),
        ("json", {"compression": "gzip"}, ".json.gz"),
        ("csv", {"header": "true", "maxRecordsPerFile": "1"}, ".csv"),
    ],
)
def test_files_batch_by_batch(
    tmp_path: Path, spark: SparkSession, form: str, options: dict[str, str], ending: str
) -> None:
    rows = spark.range(4).repartition(3).selectExpr("id", "'x' AS name")
    output = files(tmp_path, form, **options)
    write = batch_writer(output, rows.schema, checkpoint(tmp_path))
    for batch in (0, 7, 7):
        write(rows, batch)
    names = {path.name for path in (tmp_path / form).iterdir()}
    assert names == {f"part-{batch:09}-q1q1q1q1{ending}" for batch in (0, 7)}
    found = spark.read.options(**options).format(form).load(str(tmp_path / form))
    assert sorted(int(row.id) for row in found.collect()) == sorted([*range(4)] * 2)


def test_files_without_rows_tell_their_columns(tmp_path: Path, spark: SparkSession) -> None:
    rows = spark.sql("SELECT 1 AS id, DATE '2024-01-01' AS d WHERE false")
    batch_writer(files(tmp_path, "parquet"), rows.schema, checkpoint(tmp_path))(rows, 0)
    found = spark.read.parquet(str(tmp_path / "parquet"))
    assert (found.dtypes, found.count()) == (rows.dtypes, 0)


def test_a_folder_of_another_checkpoint(tmp_path: Path, spark: SparkSession) -> None:
    rows = spark.range(4)
    output = files(tmp_path, "json")
    batch_writer(output, rows.schema, checkpoint(tmp_path))(rows, 0)
    new = checkpoint(tmp_path, "q2q2q2q2")
    with pytest.raises(SinkError, match=r"TVF705: sink out: .* has files of another checkpoint"):
        batch_writer(output, rows.schema, new)
    # A checkpoint that has begun is let in: it may be an upgrade of the one that wrote there.
    (Path(new) / "offsets").mkdir()
    (Path(new) / "offsets/0").touch()
    batch_writer(output, rows.schema, new)(rows, 0)
    assert spark.read.json(str(tmp_path / "json")).count() == 8


def test_a_folder_that_spark_keeps_a_list_of(tmp_path: Path) -> None:
    (tmp_path / "parquet" / "_spark_metadata").mkdir(parents=True)
    with pytest.raises(SinkError, match="TVF705: sink out"):
        batch_writer(files(tmp_path, "parquet"), None, checkpoint(tmp_path))  # type: ignore[arg-type]


def test_a_batch_is_evaluated_once_for_all_outputs(spark: SparkSession) -> None:
    seen = spark.sparkContext.accumulator(0)

    def count(number: int) -> int:
        seen.add(1)
        return number

    spark.udf.register("counted", count, "int")
    frames = [
        spark.sql("SELECT counted(id) AS n, 'one' AS n FROM range(5)"),
        spark.sql("SELECT id AS c0 FROM range(0)"),
        spark.sql("SELECT array(counted(id)) AS c0, id FROM range(3)"),
    ]
    found: dict[tuple[int, int], Any] = {}

    def writer(place: int) -> Any:
        def write(rows: DataFrame, number: int) -> None:
            found[place, number] = (rows.columns, sorted(map(tuple, rows.collect())))

        return write

    whole = together(frames)
    write = SeveralWriters(whole.columns, (writer(0), writer(1), writer(2)))
    write(whole.frame, 1)
    assert found == {
        (0, 1): (["n", "n"], [(number, "one") for number in range(5)]),
        (2, 1): (["c0", "id"], [([number], number) for number in range(3)]),
    }
    assert seen.value == 8
    write(whole.frame, 0)
    assert found[1, 0] == (["c0"], [])
