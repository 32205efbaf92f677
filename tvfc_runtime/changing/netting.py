"""Updates that cancel out: a row that was and one that is, of which a projection makes the same."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.rows.hashes import has_hash
from tvfc_runtime.rows.updates import DIFF, TIME, numbered, payload_of


def netted(updates: DataFrame) -> DataFrame:
    """Updates in which each row of a clock value is there once, with what its `__diff` add up to.

    Rows that add up to nothing are gone. Nothing is kept: what is alike comes in one batch.

    Args:
        updates: rows with `__time` and `__diff`; those with maps, which cannot be compared, stay.
    """
    plain, payload = numbered(updates)
    names = payload_of(plain)
    if not all(has_hash(plain.schema[name].dataType) for name in names):
        return updates
    alike = Window.partitionBy(*names, TIME)
    marked = plain.withColumns(
        {
            "__rest": F.sum(DIFF).over(alike).cast("int"),
            "__number": F.row_number().over(alike.orderBy(DIFF)),
        }
    )
    once = marked.where("__number = 1 AND __rest <> 0")
    return once.select(*names, TIME, F.col("__rest").alias(DIFF)).toDF(*payload, TIME, DIFF)
