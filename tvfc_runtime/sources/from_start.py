"""Rows of tables as a stream: all of them in the first batch, and later what has changed.

Spark reads a table anew in each batch. An operator that keeps rows has to be told which of them
have come and gone; so the rows that it has been told of lie in the checkpoint, as files of changes.
Each start of the job compares the table with them and adds a file of what is different. That folder
is the stream: Spark's own log says which of its files a batch has read, also after a crash.
"""

from __future__ import annotations

from hashlib import sha256

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import IntegerType, StructType

from tvfc_runtime.checkpoint.storage import exists
from tvfc_runtime.rows.updates import DIFF, numbered
from tvfc_runtime.sources.first_batch import pattern_of

TABLES = "tvfc/tables"
"""The folder with those of the tables, in that of the checkpoint."""


def from_start(spark: SparkSession, checkpoint: str, name: str, rows: DataFrame) -> DataFrame:
    """The stream of changes: the columns of the rows, and `__diff`.

    Args:
        spark: the session.
        checkpoint: checkpoint location of the query.
        name: tells the rows from those of other tables of the query.
        rows: the table as it is now.
    """
    plain, names = numbered(rows)
    schema = StructType([*plain.schema.fields]).add(DIFF, IntegerType())
    folder = f"{checkpoint.rstrip('/')}/{TABLES}/{folder_of(name, plain.schema)}"
    there = plain.withColumn(DIFF, F.lit(1))
    is_first = not exists(folder)
    if not is_first:
        told = spark.read.schema(schema).parquet(pattern_of(folder))
        there = there.union(told.withColumn(DIFF, -F.col(DIFF)))
    changes = _summed(there)
    if is_first or not changes.isEmpty():
        changes.write.mode("append").parquet(folder)
    return spark.readStream.schema(schema).parquet(pattern_of(folder)).toDF(*names, DIFF)


def folder_of(name: str, schema: StructType) -> str:
    """What the folder of a table is called: rows of other columns have another one."""
    kinds = ", ".join(field.dataType.simpleString() for field in schema.fields)
    return f"{name}-{sha256(kinds.encode()).hexdigest()[:8]}"


def _summed(changes: DataFrame) -> DataFrame:
    """Each row by how much more or less often it is there.

    As a key -0.0 is 0.0 to Spark, so the row itself is taken from beside it.
    """
    columns = [name for name in changes.columns if name != DIFF]
    row = F.first(F.struct(*columns)).alias("row")
    summed = changes.groupBy(*columns).agg(row, F.sum(DIFF).cast("int").alias(DIFF))
    return summed.where(F.col(DIFF) != 0).select("row.*", DIFF)
