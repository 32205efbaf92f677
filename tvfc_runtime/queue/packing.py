"""Rows to chunks by shard and back: the way into a queue of chunks and out of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark import TaskContext

from tvfc_runtime.queue.release_queue import DUE, RESOLUTION_BITS, SMALL_ROWS, Chunk, by_due, cut
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.worker import settle

PACK_ROWS = 32_768
PACK_BYTES = 16 << 20
"""How much a task gathers before it cuts it to chunks."""

FRAME_BYTES = 1 << 20
"""How much text an operator hands on at a time."""


def task_number() -> int:
    """Which partition this task works on."""
    context = TaskContext.get()
    return context.partitionId() if context else 0


def gathered(batches: Iterator[pa.RecordBatch], most: int = PACK_ROWS) -> Iterator[pa.RecordBatch]:
    """Spark's small batches put together to larger ones, of about `most` rows."""
    settle()
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        waiting.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= most or size >= PACK_BYTES:
            yield chunks.concat(waiting)
            waiting, rows, size = [], 0, 0
    if waiting:
        yield chunks.concat(waiting)


def sharded(batch: pa.RecordBatch, keys: list[int], task: int) -> Iterator[tuple[int, Chunk]]:
    """Split rows by shard, each part in order of due time.

    The shard depends on nothing but the row and the task, so that a task that runs again after a
    failure sends each row where it went before, in whatever order its input comes. Chunks are cut
    as if the clock were at the first due time; most then fit a bucket as they are.
    """
    due = batch.column(DUE).to_numpy()
    if np.any(due[:-1] > due[1:]):
        batch, due = by_due(batch)
    block = due >> RESOLUTION_BITS
    runs = starts_of_runs(block)
    if len(runs) * SMALL_ROWS > len(due):
        order = np.lexsort((due, (block + task) % len(keys)))
        batch, due, block = batch.take(pa.array(order)), due[order], block[order]
        runs = starts_of_runs((block + task) % len(keys))
    for start, end in pairwise([*runs, len(due)]):
        key = keys[(block[start] + task) % len(keys)]
        part = batch.slice(start, end - start)
        for chunk in cut(part, due[start:end], int(due[start]) - 1):
            yield key, chunk


def starts_of_runs(values: np.ndarray) -> list[int]:
    """Where a value differs from the one before."""
    return list(np.flatnonzero(np.diff(values, prepend=values[0] - 1)))


def unpack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Chunks back to rows."""
    settle()
    for batch in batches:
        for text in batch.column(0).drop_null():
            yield from chunks.decode_text(text.as_py())


def framed(records: Iterable[Any], columns: tuple[str, ...]) -> Iterator[pd.DataFrame]:
    """Some of the fields of records as data frames, a frame for about FRAME_BYTES of `text`."""
    waiting: list[NamedTuple] = []
    size = 0
    for record in records:
        waiting.append(record)
        size += len(record.text)
        if size >= FRAME_BYTES:
            yield _frame(waiting, columns)
            waiting, size = [], 0
    if waiting:
        yield _frame(waiting, columns)


def _frame(records: list[NamedTuple], columns: tuple[str, ...]) -> pd.DataFrame:
    return pd.DataFrame({name: [getattr(each, name) for each in records] for name in columns})
