"""Parquet files of a lake, as tasks write them for batches that are too large for the driver."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tvfc_runtime.sinks.lake_values import refuse_unfit


def write_parquet(what: str, target: Any, rows: pa.RecordBatchReader, schema: pa.Schema) -> int:
    """Write rows to an open file, columns by place as the schema calls them.

    Args:
        what: who writes, for messages.
        target: the file.
        rows: the rows.
        schema: the columns of the table.

    Returns:
        How many rows there are.

    Raises:
        SinkError: the table cannot have one of them.
    """
    kinds = pa.schema(list(zip(rows.schema.names, schema.types, strict=True)))
    number = 0
    with target, pq.ParquetWriter(target, schema, compression="zstd") as writer:
        for batch in rows.cast(kinds):
            refuse_unfit(what, batch, schema)
            writer.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=schema))
            number += batch.num_rows
    return number
