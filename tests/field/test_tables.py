"""Tables as sinks, alike for each system: rows for good, changes, keys, batches that come again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from field.systems import SYSTEMS, System, system

from tvfc_runtime import Output
from tvfc_runtime.sinks import SinkError, Writer, arrow_pieces, batch_writer, delta, iceberg

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture(params=SYSTEMS)
def lake(request: pytest.FixtureRequest, tmp_path: Path, postgres_url: str) -> System:
    return system(request.param, tmp_path, postgres_url)


@pytest.fixture
def name() -> str:
    """A table of the test's own: databases outlive tests."""
    return f"Live {uuid4().hex[:8]}"


def writer(
    lake: System,
    name: str,
    rows: DataFrame,
    folder: Path,
    key: str = "",
    query: str = "q1",
    **more: str,
) -> Writer:
    place = folder / query
    place.mkdir(exist_ok=True)
    (place / "metadata").write_text(json.dumps({"id": query}), encoding="utf-8")
    output = Output(
        name="live",
        build=_none,
        format=lake.format,
        options={**lake.options(name), **more},
        key=tuple(filter(None, key.split(","))),
    )
    return batch_writer(output, rows.schema, str(place))


def _none(_job: Any) -> Any:
    raise AssertionError


def flights(spark: SparkSession, *rows: tuple[Any, ...], changes: bool = False) -> DataFrame:
    columns = "carrier STRING, day INT, n BIGINT"
    if not changes:
        return spark.createDataFrame([*rows], columns).repartition(2)
    frame = spark.createDataFrame([*rows], f"{columns}, _diff INT")
    return frame.selectExpr("carrier", "day", "n", "timestamp_micros(7) AS _time", "_diff")


def test_rows_for_good(lake: System, name: str, tmp_path: Path, spark: SparkSession) -> None:
    one, two = ("UA", 1, 5), ("AA", None, 6)
    write = writer(lake, name, flights(spark, one), tmp_path)
    write(flights(spark), 0)
    write(flights(spark, one, two), 1)
    write(flights(spark, one, two), 1)
    writer(lake, name, flights(spark), tmp_path)(flights(spark, one), 2)
    assert lake.rows(name) == sorted([one, two, one], key=repr)


def test_changes_as_rows(lake: System, name: str, tmp_path: Path, spark: SparkSession) -> None:
    rows = flights(spark, ("UA", 1, 5, 1), ("UA", 1, 5, -1), changes=True)
    write = writer(lake, name, rows, tmp_path)
    write(rows, 0)
    found = lake.read(name)
    assert found.column_names == ["carrier", "day", "n", "_time", "_diff"]
    assert [row[-1] for row in lake.rows(name)] == [-1, 1]
    assert found["_time"].cast("int64").to_pylist() == [7, 7]


def test_a_row_for_each_key(lake: System, name: str, tmp_path: Path, spark: SparkSession) -> None:
    def updates(*rows: tuple[Any, ...]) -> DataFrame:
        return flights(spark, *rows, changes=True)

    write = writer(lake, name, updates(), tmp_path, "Carrier,day")
    write(updates(("UA", 1, 1, +1), ("AA", None, 1, +1), (None, None, 1, +1), ("B6", 1, 1, +1)), 0)
    write(
        updates(
            *(("UA", 1, 1, -1), ("UA", 1, 2, +1), ("UA", 1, 2, -1), ("UA", 1, 3, +1)),
            *(("AA", None, 1, -1), ("AA", None, 4, +1), (None, None, 1, -1), ("DL", 2, 1, +1)),
            *(("B6", 1, 1, -1), ("B6", 1, 1, +1), ("XX", 1, 1, +1), ("XX", 1, 1, -1)),
        ),
        1,
    )
    wanted = [("AA", None, 4), ("B6", 1, 1), ("DL", 2, 1), ("UA", 1, 3)]
    assert lake.rows(name) == wanted
    write(updates(("UA", 9, 9, +1)), 1)
    write(updates(("UA", 9, 9, +1)), 0)
    assert lake.rows(name) == wanted
    # The last one is no change, and must not hide the fault before it.
    for known in (("UA", 1, 7, +1), ("AA", None, 7, +1)):
        with pytest.raises(SinkError, match=f"TVF706.*carrier = '{known[0]}', day = {known[1]}"):
            write(updates(known, ("ZZ", 1, 1, +1)), 2)
    with pytest.raises(SinkError, match=r"TVF706.*carrier = 'NK', day = 1"):
        write(updates(("NK", 1, 7, +1), ("NK", 1, 8, +1)), 2)
    assert lake.rows(name) == wanted
    write(updates(*((*row, -1) for row in wanted)), 2)
    assert lake.rows(name) == []


def test_of_a_result_that_grows_the_last_row_of_a_key_stays(
    lake: System, name: str, tmp_path: Path, spark: SparkSession
) -> None:
    write = writer(lake, name, flights(spark), tmp_path, "carrier,day")
    for batch, numbers in enumerate([(1, 2), (5, 4)]):
        rows = [("UA", None, number) for number in numbers]
        write(spark.createDataFrame(rows, "carrier STRING, day INT, n BIGINT").coalesce(1), batch)
    assert lake.rows(name) == [("UA", None, 4)]


def test_another_checkpoint_is_refused(
    lake: System, name: str, tmp_path: Path, spark: SparkSession
) -> None:
    rows = flights(spark, ("UA", 1, 5))
    write = writer(lake, name, rows, tmp_path)
    write(rows, 0)
    with pytest.raises(SinkError, match="TVF705: sink live"):
        writer(lake, name, rows, tmp_path, query="q2")
    with pytest.raises(SinkError, match="TVF705: sink live"):
        writer(lake, name, rows, tmp_path, "carrier", query="q2", shared="true")
    other = writer(lake, name, rows, tmp_path, query="q2", shared="true")
    other(rows, 0)
    other(rows, 0)
    assert lake.rows(name) == [("UA", 1, 5), ("UA", 1, 5)]


def test_a_table_that_does_not_fit(
    lake: System, name: str, tmp_path: Path, spark: SparkSession
) -> None:
    writer(lake, name, flights(spark), tmp_path)(flights(spark, ("UA", 1, 5)), 0)
    for sql, what in (
        ("SELECT 'a' AS carrier, 'b' AS day, 1L AS n", "day"),
        ("SELECT 'a' AS carrier, 1 AS day, 1.5BD AS n", "n"),
        ("SELECT 'a' AS carrier, 1 AS day, 1L AS n, 1 AS more", "more"),
    ):
        with pytest.raises(SinkError, match=rf"TVF707: sink live: .*column {what}"):
            writer(lake, name, spark.sql(sql), tmp_path)
    with pytest.raises(SinkError, match=r"TVF707.*key has columns of plain types"):
        writer(lake, name, spark.sql("SELECT array(1) AS a"), tmp_path, "a")


def test_columns_of_any_name(lake: System, name: str, tmp_path: Path, spark: SparkSession) -> None:
    rows = spark.sql("""SELECT 1 AS `a "b"`, 'x' AS `se;lect`, 2 AS `c0`, 3 AS `ä.1'`""")
    write = writer(lake, name, rows, tmp_path, 'a "b"')
    write(rows, 0)
    write(rows, 1)
    found = lake.read(name)
    assert (found.column_names, lake.rows(name)) == (rows.columns, [(1, "x", 2, 3)])


def test_a_large_batch_is_never_whole_in_the_driver(
    lake: System, name: str, tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (arrow_pieces, delta, iceberg):
        monkeypatch.setattr(module, "FEW_BYTES", 0)
    rows = spark.range(3000).repartition(3).selectExpr("id", "string(id) AS name")
    fetched: list[int] = []
    whole = arrow_pieces.Pieces.reader

    def reader(self: arrow_pieces.Pieces) -> Any:
        fetched.append(self.size)
        return whole(self)

    monkeypatch.setattr(arrow_pieces.Pieces, "reader", reader)
    write = writer(lake, name, rows, tmp_path)
    for batch in (0, 1, 1):
        write(rows, batch)
    found = lake.rows(name)
    assert sorted(found) == sorted([(at, str(at)) for at in range(3000)] * 2)
    # Of lakes not even the pieces pass it.
    assert bool(fetched) == (lake.format in ("postgres", "duckdb"))


def test_a_lake_that_gets_a_column(tmp_path: Path, spark: SparkSession) -> None:
    for form in ("delta", "iceberg"):
        lake = system(form, tmp_path, "")
        one = spark.sql("SELECT 1 AS id, 7 AS n")
        more = spark.sql("SELECT 2 AS id, 8 AS n, 'x' AS name")
        given = {"mergeSchema": "true", "partitionBy": "n"}
        for batch, rows in enumerate((one, more, one)):
            writer(lake, "t", rows, tmp_path, **given)(rows, batch)
        assert lake.rows("t") == [(1, 7, None), (1, 7, None), (2, 8, "x")]
        for batch, rows in enumerate((one, more)):
            writer(lake, "k", rows, tmp_path, "id", **given)(rows, batch)
        # Columns that the rows do not have are NULL.
        writer(lake, "k", one, tmp_path, "id")(one, 2)
        assert lake.rows("k") == [(1, 7, None), (2, 8, "x")]
