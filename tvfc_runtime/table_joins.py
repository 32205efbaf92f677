"""What rows of stateful operators need before they meet a table."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

PART = "__part"


def wholly_read(rows: DataFrame) -> DataFrame:
    """Rows behind a shuffle, which reads them all whatever becomes of them.

    An inner join with a table that turns out to be empty does not read its other side, unless Spark
    generates code for the whole stage, as it does not for rows of more than
    `spark.sql.codegen.maxFields` columns. A stateful operator right below it would not run, and the
    batch would be committed without its state.
    """
    parts = rows.withColumn(PART, F.spark_partition_id())
    return parts.repartition(F.col(PART)).drop(PART)
