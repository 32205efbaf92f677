"""Rows that are never due since a bound could not be computed: counted, and held nowhere.

On their way into an operator they are told apart from chunks by having no shard.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.rows.intervals import FAILED, intervals_of


def without_failed(packed: DataFrame, observed_as: str) -> DataFrame:
    """Chunks alone, with `shard` and `rows`; the other rows are counted."""
    failed = F.coalesce(F.sum(F.when(F.col("shard").isNull(), F.col("rows"))), F.lit(0))
    counted = packed.observe(f"{observed_as}/failed", failed.alias("rows"))
    return counted.where("shard IS NOT NULL")


def failed_rows(rows: int, schema: pa.Schema) -> pa.RecordBatch:
    """What says that so many rows have failed."""
    empty = dict.fromkeys(schema.names)
    return pa.RecordBatch.from_pylist([{**empty, "rows": rows}], schema=schema)


def number_of_failed(valid: pa.ListArray) -> int:
    """How many rows are never in the result, and would perhaps be if a bound had not failed."""
    return len(places_of_failed(valid))


def places_of_failed(valid: pa.ListArray) -> np.ndarray:
    """Which rows those are."""
    starts = valid.flatten().field("from").fill_null(0).to_numpy(zero_copy_only=False)
    failed = starts == FAILED
    if not failed.any():
        return np.zeros(0, dtype=np.int64)
    counts = valid.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    row = np.repeat(np.arange(len(valid)), counts)
    return np.setdiff1d(row[failed], intervals_of(valid).row)
