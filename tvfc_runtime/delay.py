"""The delay operator: rows come in with a due time and go out once the watermark has reached it.

    rows + __due --pack--> chunks by shard --transformWithState--> chunks --unpack--> rows

`pack` and `unpack` are vectorised on Arrow; between them Spark moves and stores a few large binary
values instead of many rows. Exactly-once, recovery and incremental checkpoints are those of Spark's
RocksDB state store.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

from tvfc_runtime import chunks
from tvfc_runtime.release_queue import DUE, RESOLUTION_BITS, Chunk, ReleaseQueue, cut
from tvfc_runtime.shards import shard_keys

CHUNK_SCHEMA = "shard INT, first BIGINT, last BIGINT, rows INT, text STRING"


def delay(rows: DataFrame, shards: int) -> DataFrame:
    """Hold each row until the watermark reaches its `__due`.

    Args:
        rows: first column `__due`, BIGINT, milliseconds since the epoch, never NULL.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.

    Returns:
        The rows without `__due`. Those due on arrival leave in the batch in which they arrive.
    """
    schema = rows.drop(DUE).schema
    packed = rows.mapInArrow(pack(shard_keys(shards)), CHUNK_SCHEMA)
    released = packed.groupBy("shard").transformWithState(
        statefulProcessor=DelayProcessor(),
        outputStructType="text STRING",
        outputMode="append",
        timeMode="eventTime",
    )
    return released.mapInArrow(unpack, schema)


def pack(keys: list[int]) -> Any:
    """A function from record batches to chunks, cut by shard and by due time."""

    def pack_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        task = context.partitionId() if context else 0
        for batch in batches:
            if batch.num_rows:
                yield pack_batch(batch, keys, task)

    return pack_batches


def pack_batch(batch: pa.RecordBatch, keys: list[int], task: int) -> pa.RecordBatch:
    """Split a batch by shard, each part in order of due time.

    The shard depends on nothing but the row and the task, so that a task that runs again after a
    failure sends each row where it went before, in whatever order its input comes. Chunks are cut
    as if the clock were at the first due time; most then fit a bucket as they are.
    """
    due = batch.column(DUE).to_numpy()
    shard = ((due >> RESOLUTION_BITS) + task) % len(keys)
    if np.any(shard[:-1] > shard[1:]) or np.any(due[:-1] > due[1:]):
        order = np.lexsort((due, shard))
        batch, due, shard = batch.take(pa.array(order)), due[order], shard[order]
    starts = np.flatnonzero(np.diff(shard, prepend=-1)).tolist()
    found = [
        (keys[shard[start]], *chunk)
        for start, end in pairwise([*starts, len(shard)])
        for chunk in cut(batch.slice(start, end - start), due[start:end], int(due[start]) - 1)
    ]
    return pa.RecordBatch.from_arrays(
        [pa.array(column) for column in zip(*found, strict=True)], schema=PACKED
    )


PACKED = pa.schema(
    {
        "shard": pa.int32(),
        "first": pa.int64(),
        "last": pa.int64(),
        "rows": pa.int32(),
        "text": pa.string(),
    }
)


def unpack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Chunks back to rows, without the due time."""
    for batch in batches:
        for text in batch.column(0):
            for rows in chunks.decode_text(text.as_py()):
                yield rows.drop_columns([DUE])


class DelayProcessor(StatefulProcessor):
    """One release queue a shard, on Spark's state store and event-time timers."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state."""
        self._state = QueueState(handle)

    # Spark calls the next two by keyword, so that their parameters must have these names.

    def handleInputRows(  # noqa: N802
        self,
        key: Any,  # noqa: ARG002
        rows: Iterator[Row],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[Row]:
        """Rows of a batch: what is due leaves, the rest is stored."""
        queue = ReleaseQueue(self._state, timerValues.getCurrentWatermarkInMs())
        for row in rows:
            for text in queue.push(Chunk(row.first, row.last, row.rows, row.text)):
                yield Row(text=text)
        queue.flush()

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,  # noqa: ARG002
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: N803
    ) -> Iterator[Row]:
        """The watermark has reached the start of a bucket."""
        queue = ReleaseQueue(self._state, timerValues.getCurrentWatermarkInMs())
        for text in queue.expire(expiredTimerInfo.getExpiryTimeInMs()):
            yield Row(text=text)

    def close(self) -> None:
        """Nothing to close; Spark owns the state."""


class QueueState:
    """`release_queue.Store` on two map states and the timers of one grouping key."""

    def __init__(self, handle: StatefulProcessorHandle) -> None:
        self._handle = handle
        self._buckets = handle.getMapState("buckets", "start BIGINT", "count INT, tail ARRAY<INT>")
        self._values = handle.getMapState(
            "chunks", "start BIGINT, number INT", "first BIGINT, last BIGINT, rows INT, text STRING"
        )

    def bucket(self, start: int) -> tuple[int, tuple[int, ...]] | None:
        """Number of values, and the sizes of the last ones."""
        found = self._buckets.getValue((start,))
        return None if found is None else (found[0], tuple(found[1]))

    def put_bucket(self, start: int, count: int, tail: tuple[int, ...]) -> None:
        """Store what `bucket` answers."""
        self._buckets.updateValue((start,), (count, list(tail)))

    def remove_bucket(self, start: int) -> None:
        """Forget a bucket."""
        self._buckets.removeKey((start,))

    def value(self, start: int, number: int) -> Chunk:
        """Read a value."""
        return Chunk._make(self._values.getValue((start, number)) or ())

    def put_value(self, start: int, number: int, value: Chunk) -> None:
        """Store a value."""
        self._values.updateValue((start, number), tuple(value))

    def remove_value(self, start: int, number: int) -> None:
        """Remove a value."""
        self._values.removeKey((start, number))

    def wake(self, start: int) -> None:
        """Set a timer."""
        self._handle.registerTimer(start)
