"""The rows of a batch on the driver, in pieces: however many they are, few are there at a time."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

AT_ONCE_BYTES = 64 * 1024 * 1024
"""What the driver takes in one go; of more it takes a partition after the other."""

BYTES_A_ROW = 32
"""What a row takes beside its texts."""


def in_pieces(rows: DataFrame, sized: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """All rows, evaluated once, by all tasks at the same time.

    Args:
        rows: some rows.
        sized: their columns of texts or bytes, which say how large they are.
    """
    kept = rows.persist()
    try:
        lengths = [F.coalesce(F.octet_length(name), F.lit(0)) for name in sized]
        size = F.sum(sum(lengths, F.lit(BYTES_A_ROW)).cast("bigint"))
        found = kept.agg(size).first()
        total = found[0] if found is not None else None
        if total is None:
            return
        if total <= AT_ONCE_BYTES:
            yield from kept.toArrow().to_batches()
            return
        for packed in kept.mapInArrow(_packed, "piece BINARY").toLocalIterator(
            prefetchPartitions=True
        ):
            yield from pa.ipc.open_stream(packed.piece)
    finally:
        kept.unpersist()


def _packed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Each batch of rows as one row, which goes its way whole: rows of Python are slow to make."""
    for batch in batches:
        target = pa.BufferOutputStream()
        with pa.ipc.new_stream(target, batch.schema) as stream:
            stream.write_batch(batch)
        piece = pa.array([target.getvalue().to_pybytes()], pa.binary())
        yield pa.RecordBatch.from_arrays([piece], names=["piece"])
