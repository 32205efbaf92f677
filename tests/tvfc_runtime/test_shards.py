"""One key for each shuffle partition, by Spark's own hash."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.rows.shards import murmur3_int, shard_keys

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("partitions", [1, 2, 3, 7, 16, 200])
def test_every_partition_has_a_key_of_its_own(partitions: int) -> None:
    keys = shard_keys(partitions)
    assert len(set(keys)) == partitions
    assert [murmur3_int(key) % partitions for key in keys] == list(range(partitions))


def test_known_hashes() -> None:
    """As `SELECT hash(0), hash(1), hash(42)` has it."""
    assert [murmur3_int(value) for value in (0, 1, 42)] == [933211791, -559580957, 29417773]


@pytest.mark.spark
def test_the_hash_is_sparks(spark: SparkSession) -> None:
    values = [0, 1, 2, 3, 42, 1_000, 123_456, 2**31 - 1]
    rows = spark.createDataFrame([(value,) for value in values], "value INT")
    found = [row[0] for row in rows.select(F.hash("value")).collect()]
    assert found == [murmur3_int(value) for value in values]


@pytest.mark.spark
def test_keys_fill_the_partitions_in_order(spark: SparkSession) -> None:
    keys = spark.createDataFrame([(key,) for key in shard_keys(5)], "key INT")
    rows = keys.repartition(5, "key").select(F.spark_partition_id(), "key").collect()
    assert sorted((row[0], row[1]) for row in rows) == list(enumerate(shard_keys(5)))
