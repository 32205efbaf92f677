"""Bins of due times: all rows are in one, the clock ends them, and there are never many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.counters.due_times import BINS, MOST, due_times, put_together
from tvfc_runtime.rows.intervals import FAILED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

some = st.lists(st.tuples(st.integers(0, 10**13), st.integers(1, 10**6)).map(list), max_size=150)


@given(some, some)
def test_rows_are_kept_and_bins_are_few(known: list[list[int]], more: list[list[int]]) -> None:
    found = put_together(known, more, None)
    assert sum(rows for _, rows in found) == sum(rows for _, rows in (*known, *more))
    assert len(found) <= MOST
    dues = [due for due, _ in found]
    assert dues == sorted(dues)
    given_ = [due for due, _ in (*known, *more)]
    assert not given_ or min(given_) <= dues[0] <= dues[-1] <= max(given_)


def test_the_clock_ends_bins() -> None:
    assert put_together([[1, 5], [2, 6]], [[3, 7]], 2) == [[3, 7]]
    assert put_together([[1, 5]], [], None) == [[1, 5]]


@pytest.mark.spark
def test_spark_makes_bins_of_a_batch(spark: SparkSession) -> None:
    rows = spark.range(10_000).select(F.col("id").alias("due"))
    failed = spark.range(3).select(F.lit(FAILED).alias("due"))
    (row,) = rows.union(failed).agg(due_times(F.col("due"))).collect()
    assert len(row.bins) == BINS
    assert sum(each["y"] for each in row.bins) == 10_000
    assert all(0 <= each["x"] < 10_000 for each in row.bins)
    (nothing,) = failed.agg(due_times(F.col("due"))).collect()
    assert not nothing.bins
