"""What rows of stateful operators need before they meet a table."""

from __future__ import annotations

from itertools import count

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.counters.progress import PREFIX

PART = "__part"
_PLACES = count()


def wholly_read(rows: DataFrame) -> DataFrame:
    """Rows behind a shuffle, which reads them all whatever becomes of them.

    An inner join with a table that turns out to be empty does not read its other side, unless Spark
    generates code for the whole stage, as it does not for rows of more than
    `spark.sql.codegen.maxFields` columns. A stateful operator right below it would not run, and the
    batch would be committed without its state. Conditions that ask whether a table has a value are
    such joins.
    """
    parts = rows.withColumn(PART, F.spark_partition_id())
    read = parts.repartition(F.col(PART)).drop(PART)
    # Spark pushes conditions below a shuffle, but not below an observation.
    return read.observe(f"{PREFIX}/read/{next(_PLACES)}", F.count(F.lit(1)).alias("rows"))
