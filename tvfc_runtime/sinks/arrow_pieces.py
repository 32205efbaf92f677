"""Rows of a batch on their way out: as Arrow, in pieces, never all of them at once in the driver.

Rows are computed once, on all cores, and kept by Spark while the batch is written. Few of them come
to the driver at once; of many it reads a partition after the other, or tasks write them to files of
which the driver takes the names alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import ArrayType, BinaryType, MapType, StringType, StructType, VariantType

from tvfc_runtime.rows.sql_text import quote
from tvfc_runtime.sinks.json_text import json_text

FEW_BYTES = 32 * 2**20
"""So much is fetched at once: a job of Spark's for each partition takes longer."""

BYTES_A_VALUE = 16
"""What a value takes beside its text."""

WriteFile = Callable[[pa.RecordBatchReader], str]
"""Writes rows to a file, in a task; answers what the driver has to know of it."""


@dataclass(frozen=True)
class Pieces:
    """Rows in pieces.

    Attributes:
        size: how many bytes they have, about; 0: there are none.
    """

    size: int
    _rows: DataFrame

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns in Arrow."""
        # No row, and no job of Spark's.
        return self._rows.limit(0).toArrow().schema

    def reader(self) -> pa.RecordBatchReader:
        """All rows, to be read once."""
        return pa.RecordBatchReader.from_batches(self.schema, self.batches())

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All rows."""
        if not self.size:
            return
        if self.size <= FEW_BYTES:
            yield from self._rows.toArrow().to_batches()
            return
        # Each message goes its way whole: rows of Python are slow to make.
        messages = self._rows.mapInArrow(_messages, "message BINARY")
        for row in messages.toLocalIterator(prefetchPartitions=True):
            with pa.ipc.open_stream(row.message) as stream:
                yield from _alike(self.schema, stream)

    def written_by_tasks(self, write: WriteFile) -> list[str]:
        """What `write` answers in each task that has rows; nobody else sees the rows."""
        schema = self.schema

        def one_file(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            filled = (each for each in batches if each.num_rows)
            first = next(filled, None)
            if first is not None:
                rows = _alike(schema, _again(first, filled))
                told = write(pa.RecordBatchReader.from_batches(schema, rows))
                yield pa.RecordBatch.from_pydict({"told": [told]})

        return [row.told for row in self._rows.mapInArrow(one_file, "told STRING").collect()]


@contextmanager
def in_pieces(rows: DataFrame) -> Iterator[Pieces]:
    """The rows of a batch, which are there until the block ends."""
    kept = rows.persist()
    try:
        found = Observation()
        # An aggregate would shuffle, which takes longer than small batches do.
        size = F.coalesce(F.sum(_bytes_of(rows.schema)), F.lit(0)).alias("size")
        kept.observe(found, size).write.format("noop").mode("overwrite").save()
        yield Pieces(found.get["size"], kept)
    finally:
        kept.unpersist()


def _bytes_of(columns: StructType) -> Column:
    """About how many bytes a row has."""
    size = F.lit(0)
    for field in columns:
        value = F.col(quote(field.name))
        if isinstance(field.dataType, StringType | BinaryType):
            size += F.coalesce(F.octet_length(value), F.lit(0))
        elif isinstance(field.dataType, ArrayType | MapType | StructType | VariantType):
            size += F.coalesce(F.octet_length(json_text(F.struct(value))), F.lit(0))
        size += BYTES_A_VALUE
    return size.cast("bigint")


def _messages(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if batch.num_rows:
            target = pa.BufferOutputStream()
            with pa.ipc.new_stream(target, batch.schema) as stream:
                stream.write_batch(batch)
            message = pa.array([target.getvalue().to_pybytes()], pa.binary())
            yield pa.RecordBatch.from_arrays([message], ["message"])


def _alike(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches with exactly these columns; between Spark and Python zones have other names."""
    for batch in batches:
        yield pa.Table.from_batches([batch]).cast(schema).combine_chunks().to_batches()[0]


def _again(first: pa.RecordBatch, others: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from others
