"""The delay operator: rows come in with a due time and go out once the watermark has reached it.

    rows + __due --pack--> chunks by shard --transformWithState--> rows

What `pack` does, and what makes rows of chunks again, is vectorised on Arrow; between them Spark
moves and stores a few large values instead of many rows. Exactly-once, recovery and incremental
checkpoints are those of Spark's RocksDB state store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from tvfc_runtime import chunks
from tvfc_runtime.plain_types import from_plain, to_plain
from tvfc_runtime.release_queue import (
    DUE,
    RESOLUTION_BITS,
    SMALL_ROWS,
    Chunk,
    ReleaseQueue,
    by_due,
    cut,
)
from tvfc_runtime.released import Form, form_of, rows_of, schema_of
from tvfc_runtime.shards import shard_keys
from tvfc_runtime.worker import settle

PACK_ROWS = 32_768
PACK_BYTES = 16 << 20
"""How much a task gathers before it cuts it to chunks."""

CHUNK_SCHEMA = "shard INT, first BIGINT, last BIGINT, rows INT, text STRING"


def delay(rows: DataFrame, shards: int, observed_as: str) -> DataFrame:
    """Hold each row until the watermark reaches its `__due`.

    Args:
        rows: first column `__due`, BIGINT, milliseconds since the epoch, never NULL.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.
        observed_as: the name under which rows taken in and released are counted.

    Returns:
        The rows. Those due on arrival leave in the batch in which they arrive.
    """
    own = rows.schema
    plain = to_plain(rows)
    packed = plain.mapInArrow(pack(shard_keys(shards)), CHUNK_SCHEMA)
    form = form_of(plain.schema)
    # The pandas form, since it hands on what the operator yields piece by piece;
    # the Row form gathers everything that a batch releases before it sends the first byte.
    given = packed.groupBy("shard").transformWithStateInPandas(
        statefulProcessor=DelayProcessor(uuid4().hex, form),
        outputStructType=schema_of(form, plain.schema),
        outputMode="append",
        timeMode="eventTime",
    )
    return from_plain(rows_of(form, given, plain.schema, observed_as), own)


def pack(keys: list[int]) -> Any:
    """A function from record batches to chunks, cut by shard and by due time."""

    def pack_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        settle()
        context = TaskContext.get()
        task = context.partitionId() if context else 0
        for rows in gathered(batches):
            yield pack_batch(rows, keys, task)

    return pack_batches


def gathered(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Spark's small batches put together to larger ones."""
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        waiting.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= PACK_ROWS or size >= PACK_BYTES:
            yield chunks.concat(waiting)
            waiting, rows, size = [], 0, 0
    if waiting:
        yield chunks.concat(waiting)


def pack_batch(batch: pa.RecordBatch, keys: list[int], task: int) -> pa.RecordBatch:
    """Split a batch by shard, each part in order of due time.

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
    found = [
        (keys[(block[start] + task) % len(keys)], *chunk)
        for start, end in pairwise([*runs, len(due)])
        for chunk in cut(batch.slice(start, end - start), due[start:end], int(due[start]) - 1)
    ]
    return pa.RecordBatch.from_arrays(
        [pa.array(column) for column in zip(*found, strict=True)], schema=PACKED
    )


def starts_of_runs(values: np.ndarray) -> list[int]:
    """Where a value differs from the one before."""
    return list(np.flatnonzero(np.diff(values, prepend=values[0] - 1)))


PACKED = pa.schema(
    {
        "shard": pa.int32(),
        "first": pa.int64(),
        "last": pa.int64(),
        "rows": pa.int32(),
        "text": pa.string(),
    }
)


def chunks_of(frames: Iterable[pd.DataFrame], taken: list[int]) -> Iterator[Chunk]:
    """The chunks that a shard is given; puts the numbers of their rows down in `taken`."""
    for frame in frames:
        taken.append(int(frame["rows"].sum()))
        for first, last, rows, text in zip(
            frame["first"], frame["last"], frame["rows"], frame["text"], strict=True
        ):
            yield Chunk(int(first), int(last), int(rows), text)


class DelayProcessor(StatefulProcessor):
    """One release queue a shard, on Spark's state store and event-time timers.

    Args:
        name: tells this operator from others whose tasks run in the same worker process.
        form: how rows leave.
    """

    def __init__(self, name: str, form: Form) -> None:
        self._name = name
        self._form = form

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state."""
        settle()
        self._state = QueueState(handle)

    # Spark calls the next two by keyword, so that their parameters must have these names.

    def handleInputRows(  # noqa: N802
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """Rows of a batch: what is due leaves, the rest is stored."""
        queue = self._queue(key, timerValues)
        taken: list[int] = []
        yield from self._form.frames(
            due for chunk in chunks_of(rows, taken) for due in queue.push(chunk)
        )
        queue.flush()
        yield self._form.taken(sum(taken))

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """The watermark has reached the start of a bucket."""
        queue = self._queue(key, timerValues)
        yield from self._form.frames(queue.expire(expiredTimerInfo.getExpiryTimeInMs()))

    def _queue(self, key: Any, timers: TimerValues) -> ReleaseQueue:
        now = timers.getCurrentWatermarkInMs()
        pace = PACES.setdefault((self._name, int(key[0])), Pace())
        return ReleaseQueue(self._state, now, pace.step(now))

    def close(self) -> None:
        """Nothing to close; Spark owns the state."""


class Pace:
    """How far the clock moves in a batch, as this worker process has seen it.

    A jump, such as the first batch after an idle night, does not count; the lesser of the last two
    moves does.
    """

    def __init__(self) -> None:
        self._now = 0
        self._moves = (0, 0)

    def step(self, now: int) -> int:
        """The usual step, in milliseconds; 0 while unknown."""
        if now > self._now:
            self._moves = (self._moves[1], now - self._now if self._now else 0)
            self._now = now
        return min(self._moves)


PACES: dict[tuple[str, int], Pace] = {}
"""By operator and shard. A worker process serves many batches; a new one finds the pace anew."""


class QueueState:
    """`release_queue.Store` on one map state and the timers of one grouping key.

    One map for both buckets and values: Spark sets up each state variable anew in every batch. The
    entry numbered HEADER describes its bucket.
    """

    def __init__(self, handle: StatefulProcessorHandle) -> None:
        self._handle = handle
        self._entries = handle.getMapState("entries", ENTRY_KEY, ENTRY)

    def bucket(self, start: int) -> tuple[int, tuple[int, ...]] | None:
        """Number of values, and the sizes of the last ones."""
        found = self._entries.getValue((start, HEADER))
        if found is None:
            return None
        count, _, _, tail = found
        return count, tuple(int(rows) for rows in tail.split())

    def put_bucket(self, start: int, count: int, tail: tuple[int, ...]) -> None:
        """Store what `bucket` answers."""
        text = " ".join(str(rows) for rows in tail)
        self._entries.updateValue((start, HEADER), (count, 0, 0, text))

    def remove_bucket(self, start: int) -> None:
        """Forget a bucket."""
        self._entries.removeKey((start, HEADER))

    def value(self, start: int, number: int) -> Chunk:
        """Read a value."""
        return Chunk._make(self._entries.getValue((start, number)) or ())

    def put_value(self, start: int, number: int, value: Chunk) -> None:
        """Store a value."""
        self._entries.updateValue((start, number), tuple(value))

    def remove_value(self, start: int, number: int) -> None:
        """Remove a value."""
        self._entries.removeKey((start, number))

    def wake(self, start: int) -> None:
        """Set a timer."""
        self._handle.registerTimer(start)


HEADER = -1
ENTRY_KEY = StructType([StructField("start", LongType()), StructField("number", IntegerType())])
ENTRY = StructType(
    [
        StructField("first", LongType()),
        StructField("last", LongType()),
        StructField("rows", IntegerType()),
        StructField("text", StringType()),
    ]
)
"""Schemas as objects: a schema in words is parsed by the JVM in every batch."""
