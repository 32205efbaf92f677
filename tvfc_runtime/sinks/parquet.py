"""Parquet files of a lake, as tasks write them for batches that are too large for the driver."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


def write_parquet(target: Any, rows: pa.RecordBatchReader, schema: pa.Schema) -> int:
    """Write rows to an open file, columns by place as the schema calls them; how many there are."""
    kinds = pa.schema(list(zip(rows.schema.names, schema.types, strict=True)))
    number = 0
    with target, pq.ParquetWriter(target, schema, compression="zstd") as writer:
        for batch in rows.cast(kinds):
            writer.write_batch(batch.rename_columns(schema.names))
            number += batch.num_rows
    return number
