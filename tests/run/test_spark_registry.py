"""The table of signatures is what the installed Spark says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from spark_registry import PLACE, lines, registry

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLE = PLACE.read_text(encoding="utf-8")
AGGREGATES = [line for line in TABLE.splitlines() if " aggregate" in line]


@pytest.mark.spark
def test_all_names_are_known_and_the_first_aggregates_are_as_they_were(spark: SparkSession) -> None:
    known = {line.split()[0] for line in TABLE.splitlines()}
    names = {row[0] for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()}
    calls = {name for name in names if name.isidentifier()} - {"between", "case", "cast"}
    assert calls - known == set()
    some = [line for line in AGGREGATES if line.split()[0] in ("any_value", "max_by", "sum")]
    assert list(lines(spark, [line.split()[0] for line in some])) == some


@pytest.mark.spark
@pytest.mark.thorough
def test_the_table_is_up_to_date(spark: SparkSession) -> None:
    assert registry(spark) == TABLE, "run `python tests/spark_registry.py`"
