"""An operator on changing relations within a query: changes in, updates out."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from tvfc_runtime.changing.processor import OUTPUT, ChangeProcessor, Operator, unpack
from tvfc_runtime.changing.timing import Timing
from tvfc_runtime.clock.era import with_state
from tvfc_runtime.rows.plain_types import from_plain, to_plain
from tvfc_runtime.rows.updates import DIFF, TIME


def operated(
    changes: DataFrame,
    packing: Any,
    operator: Operator,
    types: StructType,
    observed_as: str,
    timing: Timing,
) -> DataFrame:
    """The updates that an operator makes of changes.

    Args:
        changes: rows for `packing`.
        packing: a function from record batches to chunks by shard, `shard` and `text`.
        operator: what is done with these.
        types: the schema of the rows of the result.
        observed_as: prefix of the name under which rows of state are counted.
        timing: which changes it tells, and whether it waits for the first clock value.
    """
    packed = to_plain(changes).mapInArrow(packing, "shard INT, text STRING")
    found = with_state(packed, ChangeProcessor(operator, timing), OUTPUT)
    more = F.coalesce(F.sum("held"), F.lit(0)).alias("rows")
    found = found.observe(f"{observed_as}/held", more)
    own = StructType(
        [
            *(StructField(f"c{place}", each.dataType) for place, each in enumerate(types)),
            StructField(TIME, LongType()),
            StructField(DIFF, IntegerType()),
        ]
    )
    plain = to_plain(changes.sparkSession.createDataFrame([], own)).schema
    rows = from_plain(found.select("text").mapInArrow(unpack, plain), own)
    return rows.toDF(*types.names, TIME, DIFF)
