"""Conditions on the clock as pieces of time, on real Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import tvfc_runtime as tvfc
from tvfc_runtime.delay.failures import number_of_failed
from tvfc_runtime.rows.intervals import FAILED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.spark
def test_pieces(spark: SparkSession) -> None:
    rows = spark.sql(
        """SELECT id, timestamp_micros(s) AS s, timestamp_micros(e) AS e FROM VALUES
        (1, 10000, 20001), (2, NULL, 5000), (3, -5000, -2000), (4, 7000, NULL) AS t(id, s, e)"""
    )
    stay = tvfc.between(tvfc.reached("s"), tvfc.reached("e"))
    up_to = tvfc.when("id < 3", tvfc.until(tvfc.passed("e")))
    fourth = tvfc.when("id = 4", tvfc.always())
    found = rows.orderBy("id").select(
        stay.alias("stay"),
        tvfc.any_of(stay, up_to, fourth).alias("any"),
        tvfc.both(tvfc.any_of(stay, up_to), tvfc.since(tvfc.sql("12"))).alias("both"),
    )
    never = (None, None)
    # A bound that is NULL makes its atom NULL; before 1970 there is no clock.
    assert [[tuple(map(tuple, each)) for each in row] for row in found.collect()] == [
        [((10, 21),), ((10, 21), (1, 21)), ((12, 21), (12, 21))],
        [((None, 5),), ((None, 5), (1, 6)), ((None, 5), (12, 6))],
        [((1, 1),), ((1, 1),), ((12, 1),)],
        [(never,), (never, (1, None)), (never,)],
    ]


def test_rows_whose_bound_fails_are_counted_only_if_nothing_else_holds() -> None:
    piece = pa.struct({"from": pa.int64(), "to": pa.int64()})
    failed = {"from": FAILED, "to": 0}
    valid = pa.array(
        [[failed], [failed, {"from": 5, "to": None}], None, [], [failed, failed], [{"from": 1}]],
        pa.list_(piece),
    )
    assert number_of_failed(valid) == 2
