"""Iceberg tables of one's own: what they require, and how they are partitioned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from field.systems import System, iceberg_system, system
from field.test_tables import writer
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import BucketTransform
from pyiceberg.types import ListType, LongType, NestedField, StringType

from tvfc_runtime.reports.reasons import reason
from tvfc_runtime.sinks import SinkError, arrow_pieces, delta, iceberg

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

K = NestedField(1, "k", StringType(), required=True)
V = NestedField(2, "v", LongType(), required=False)


@pytest.fixture
def lake(tmp_path: Path) -> System:
    return iceberg_system(tmp_path)


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    found = load_catalog(
        "default", type="sql", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=str(tmp_path)
    )
    found.create_namespace("lake")
    return found


def some(spark: SparkSession, *rows: tuple[Any, ...]) -> DataFrame:
    return spark.createDataFrame([*rows], "k STRING, v BIGINT").coalesce(1)


@pytest.mark.parametrize("few_bytes", [0, arrow_pieces.FEW_BYTES])
def test_required_columns(
    lake: System,
    catalog: Catalog,
    tmp_path: Path,
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    few_bytes: int,
) -> None:
    for module in (arrow_pieces, iceberg):
        monkeypatch.setattr(module, "FEW_BYTES", few_bytes)
    for name, key in (("rows", ""), ("live", "k")):
        catalog.create_table(("lake", name), Schema(K, V))
        write = writer(lake, name, some(spark), tmp_path, key)
        write(some(spark, ("a", 1), ("b", None)), 0)
        write(some(spark, ("c", 1)), 1)
        with pytest.raises(Exception, match="TVF707") as told:
            write(some(spark, (None, 1), ("d", 1)), 2)
        assert "sink live: column k of a row is NULL" in reason(told.value)
        write(some(spark, ("d", 1)), 2)
        assert lake.rows(name) == [("a", 1), ("b", None), ("c", 1), ("d", 1)]


def test_tables_that_cannot_take_the_rows(
    lake: System, catalog: Catalog, tmp_path: Path, spark: SparkSession
) -> None:
    more = NestedField(3, "x", LongType(), required=True)
    catalog.create_table(("lake", "more"), Schema(K, V, more))
    with pytest.raises(SinkError, match=r"TVF707: sink live.*lake.more requires a column x"):
        writer(lake, "more", some(spark), tmp_path)
    inner = ListType(element_id=4, element=LongType(), element_required=True)
    catalog.create_table(("lake", "inner"), Schema(NestedField(3, "x", inner, required=False)))
    with pytest.raises(SinkError, match=r"TVF707: sink live.*requires values inside of column x"):
        writer(lake, "inner", spark.sql("SELECT array(1L) AS x"), tmp_path)


def test_a_table_with_a_partition_transform(
    lake: System, catalog: Catalog, tmp_path: Path, spark: SparkSession
) -> None:
    bucket = PartitionField(1, 1000, BucketTransform(4), "bucket")
    catalog.create_table(("lake", "t"), Schema(K, V), partition_spec=PartitionSpec(bucket))
    write = writer(lake, "t", some(spark), tmp_path, "k")
    write(some(spark, *((str(at), at) for at in range(20))), 0)
    write(some(spark, ("7", 77)), 1)
    wanted = {str(at): at for at in range(20)} | {"7": 77}
    assert dict(lake.rows("t")) == wanted


@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_dates_of_years_that_lakes_do_not_have(
    form: str, tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = system(form, tmp_path, "")
    ways = [
        ("", 0, "date_from_unix_date(2147483647)", "date 5881580-07-11"),
        ("", 2**25, "timestamp_micros(-62135596800000001)::timestamp_ntz", "time 0000-12-31"),
        ("id", 0, "array(struct(timestamp_micros(9223372036825200000) AS t))", "time 294247-01-10"),
    ]
    for number, (key, few_bytes, value, what) in enumerate(ways):
        for module in (arrow_pieces, delta, iceberg):
            monkeypatch.setattr(module, "FEW_BYTES", few_bytes)
        rows = spark.range(1).selectExpr("id", f"{value} AS d")
        with pytest.raises(Exception, match="TVF707") as told:
            writer(lake, f"t{number}", rows, tmp_path, key)(rows, 0)
        assert reason(told.value).startswith(f"TVF707: sink live: column d has the {what}")
