"""Rows of a batch on their way out: as Arrow, in pieces, never all of them at once in the driver.

Tasks turn rows into Arrow messages, and Spark keeps those while the batch is written. So rows are
computed once, on all cores; then the driver reads them partition by partition, or tasks write them
to files of which the driver takes the names alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

FEW_BYTES = 32 * 2**20
"""So much is fetched at once: a job of Spark's for each partition takes longer."""

WriteFile = Callable[[pa.RecordBatchReader], str]
"""Writes rows to a file, in a task; answers what the driver has to know of it."""


@dataclass(frozen=True)
class Pieces:
    """Rows in pieces.

    Attributes:
        schema: their columns in Arrow.
        size: how many bytes they have.
    """

    schema: pa.Schema
    size: int
    _messages: DataFrame

    def reader(self) -> pa.RecordBatchReader:
        """All rows, to be read once."""
        return _reader(self.schema, self._fetched())

    def written_by_tasks(self, write: WriteFile) -> list[str]:
        """What `write` answers in each task that has rows; nobody else sees the rows."""
        schema = self.schema

        def one_file(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            messages = (each.as_py() for batch in batches for each in batch.column(0))
            first = next(messages, None)
            if first is not None:
                told = write(_reader(schema, _again(first, messages)))
                yield pa.RecordBatch.from_pydict({"told": [told]})

        return [row.told for row in self._messages.mapInArrow(one_file, "told STRING").collect()]

    def _fetched(self) -> Iterator[bytes]:
        few = self.size <= FEW_BYTES
        found = self._messages.collect() if few else self._messages.toLocalIterator()
        return (bytes(row.message) for row in found)


@contextmanager
def in_pieces(rows: DataFrame) -> Iterator[Pieces]:
    """The rows of a batch, which are there until the block ends."""
    # No row, and no job of Spark's.
    schema = rows.limit(0).toArrow().schema
    messages = rows.mapInArrow(_messages, "message BINARY").persist()
    try:
        (size,) = messages.agg(F.coalesce(F.sum(F.length("message")), F.lit(0))).first() or (0,)
        yield Pieces(schema, size, messages)
    finally:
        messages.unpersist()


def _messages(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if batch.num_rows:
            target = pa.BufferOutputStream()
            with pa.ipc.new_stream(target, batch.schema) as stream:
                stream.write_batch(batch)
            message = pa.array([target.getvalue().to_pybytes()], pa.binary())
            yield pa.RecordBatch.from_arrays([message], ["message"])


def _reader(schema: pa.Schema, messages: Iterable[bytes]) -> pa.RecordBatchReader:
    return pa.RecordBatchReader.from_batches(schema, _batches(schema, messages))


def _batches(schema: pa.Schema, messages: Iterable[bytes]) -> Iterator[pa.RecordBatch]:
    for message in messages:
        with pa.ipc.open_stream(message) as stream:
            for batch in stream:
                yield pa.Table.from_batches([batch]).cast(schema).combine_chunks().to_batches()[0]


def _again(first: bytes, others: Iterable[bytes]) -> Iterator[bytes]:
    yield first
    yield from others
