"""Delta tables of one's own: what they ask of those who write to them or read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from field.systems import delta_system
from field.test_static_tables import read
from field.test_tables import writer

from tvfc_runtime.sinks import SinkError, arrow_pieces, delta

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


def column(
    name: str, kind: str, metadata: dict[str, Any] | None = None, *, nullable: bool = True
) -> dict[str, Any]:
    return {"name": name, "type": kind, "nullable": nullable, "metadata": metadata or {}}


def table(folder: Path, *columns: dict[str, Any], writer_version: int = 2, **settings: str) -> None:
    """An empty table, its log as Spark's own library writes it."""
    log = folder / "_delta_log"
    log.mkdir(parents=True)
    reader_version = 2 if "columnMapping.mode" in settings else 1
    actions = [
        {"protocol": {"minReaderVersion": reader_version, "minWriterVersion": writer_version}},
        {
            "metaData": {
                "id": "5f0d9a9e-3a53-4b6c-9a38-0f8d5d1a7c01",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": json.dumps({"type": "struct", "fields": columns}),
                "partitionColumns": [],
                "configuration": {f"delta.{name}": value for name, value in settings.items()},
                "createdTime": 1,
            }
        },
    ]
    text = "\n".join(map(json.dumps, actions))
    (log / "00000000000000000000.json").write_text(text, encoding="utf-8")


def some(spark: SparkSession, *rows: tuple[Any, ...]) -> DataFrame:
    return spark.createDataFrame([*rows], "k STRING, v BIGINT").coalesce(1)


def test_column_mapping_is_refused(tmp_path: Path, spark: SparkSession) -> None:
    mapped = [
        column(
            name,
            kind,
            {"delta.columnMapping.id": at, "delta.columnMapping.physicalName": f"col-{at}"},
        )
        for at, (name, kind) in enumerate((("k", "string"), ("v", "long")), 1)
    ]
    rows, lake = some(spark, ("a", 1)), delta_system(tmp_path)
    for mode in ("name", "id"):
        settings = {"columnMapping.mode": mode, "columnMapping.maxColumnId": "2"}
        table(tmp_path / mode, *mapped, writer_version=5, **settings)
        for key in ("", "k"):
            with pytest.raises(SinkError, match=rf"TVF707: sink live.*columnMapping.mode = {mode}"):
                writer(lake, mode, rows, tmp_path, key)
        with pytest.raises(Exception, match=rf"TVF707: table {mode}.*columnMapping.mode = {mode}"):
            read(spark, lake, rows, mode).collect()


def test_large_batches_keep_what_a_table_asks(
    tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (arrow_pieces, delta):
        monkeypatch.setattr(module, "FEW_BYTES", 0)
    lake = delta_system(tmp_path)
    k, v = column("k", "string"), column("v", "long")
    less = json.dumps({"expression": {"expression": "v < 2"}})
    formula = {"delta.generationExpression": "v + 1"}
    table(tmp_path / "named", k, column("v", "long", nullable=False))
    table(tmp_path / "invariant", k, column("v", "long", {"delta.invariants": less}))
    table(tmp_path / "checked", k, v, writer_version=3, **{"constraints.small": "v < 2"})
    table(tmp_path / "computed", k, v, column("more", "long", formula), writer_version=4)
    for name, bad in (("named", None), ("invariant", 2), ("checked", 2)):
        write = writer(lake, name, some(spark), tmp_path)
        write(some(spark, ("a", 1)), 0)
        with pytest.raises(SinkError, match=r"TVF707: sink live: Delta says.*1 rows failed"):
            write(some(spark, ("a", 1), ("b", bad)), 1)
        assert lake.rows(name) == [("a", 1)]
    writer(lake, "computed", some(spark), tmp_path)(some(spark, ("a", 1)), 0)
    assert lake.rows("computed") == [("a", 1, 2)]


def test_tables_that_cannot_take_the_rows(tmp_path: Path, spark: SparkSession) -> None:
    lake = delta_system(tmp_path)
    k, v = column("k", "string"), column("v", "long")
    table(tmp_path / "more", k, v, column("x", "string", nullable=False))
    table(tmp_path / "fixed", k, v, appendOnly="true")
    with pytest.raises(SinkError, match=r"TVF707: sink live: the rows have no column x.*NOT NULL"):
        writer(lake, "more", some(spark), tmp_path)
    with pytest.raises(SinkError, match=r"TVF707: sink live.*takes no updates.*appendOnly"):
        writer(lake, "fixed", some(spark), tmp_path, "k")
    writer(lake, "fixed", some(spark), tmp_path)(some(spark, ("a", 1)), 0)
    assert lake.rows("fixed") == [("a", 1)]


def test_nan_is_one_key(tmp_path: Path, spark: SparkSession) -> None:
    lake = delta_system(tmp_path)
    # The root of a negative number has other bits than the NaN that a text is read as.
    nans = "double('NaN')", "sqrt(double(id - 9))", "-double('NaN')"
    for number, nan in enumerate(nans):
        rows = spark.range(1).selectExpr(f"{nan} AS k", f"{nan} AS v", f"{number}L AS n")
        writer(lake, "numbers", rows, tmp_path, "k")(rows, number)
    ((_, _, n),) = lake.rows("numbers")
    assert n == len(nans) - 1
