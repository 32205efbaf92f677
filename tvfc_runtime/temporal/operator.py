"""The temporal operator: rows are in the result while the clock is in one of their intervals.

    rows + __valid --pack--> chunks by shard --transformWithState--> chunks --unpack--> updates

Everything is done on chunks of rows, as in delay.py: rows are encoded once when they arrive, and
the chunk that says that they have entered is the one that later says that they leave.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessorHandle,
    TimerValues,
)
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from tvfc_runtime.clock.era import with_state
from tvfc_runtime.clock.of_batch import watermark_ms
from tvfc_runtime.delay.failures import failed_rows, number_of_failed, without_failed
from tvfc_runtime.queue.packing import framed, gathered, sharded, task_number
from tvfc_runtime.queue.queue_state import QUEUE, QueueState, pace_of
from tvfc_runtime.queue.release_queue import DUE, Chunk
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.intervals import intervals_of
from tvfc_runtime.rows.plain_types import from_plain, to_plain
from tvfc_runtime.rows.shards import shard_keys
from tvfc_runtime.rows.worker import State
from tvfc_runtime.temporal.queue import (
    DIFF,
    NO_CLOCK,
    REST,
    Arrival,
    Changed,
    TemporalQueue,
    arrive,
)

VALID = "__valid"
"""When a row is in the result: ARRAY<STRUCT<from: BIGINT, to: BIGINT>>, see `temporal`."""

TIME = "__time"
"""The clock value of an update."""

UPDATE = [StructField(TIME, LongType()), StructField(DIFF, IntegerType())]


def temporal(
    rows: DataFrame, checkpoint: str, shards: int, observed_as: str, *, history: bool
) -> DataFrame:
    """Updates for rows that enter the result and leave it as the clock goes on.

    Args:
        rows: first column `__valid`: pieces of time, milliseconds since the epoch, at which a row
            is in the result, from `from` up to but not including `to`, in any order; `from` NULL:
            no piece at all, `to` NULL: for ever. Then other columns. Rows that come and go
            themselves are for changing/temporal.py.
        checkpoint: checkpoint location of the query, where its clock is read.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.
        observed_as: prefix of the names under which rows are counted, by the chunk: what comes to
            be held, what is handed on, what is held no more.
        history: whether rows that come before the clock has a value have a past when it has one.

    Returns:
        The other columns, then `__time`, when a row has entered or left, in milliseconds since the
        epoch, and `__diff`.
    """
    schema = rows.schema
    own = StructType([field for field in schema if field.name != VALID] + UPDATE)
    plain = to_plain(rows)
    payload = [field for field in plain.schema if field.name != VALID]
    packed = plain.mapInArrow(pack(shard_keys(shards), checkpoint), PACKED_SCHEMA)
    packed = without_failed(packed, observed_as)
    packed = packed.observe(f"{observed_as}/in", _total("rows"))
    changed = with_state(packed, TemporalOperator(uuid4().hex, history=history), CHANGED_SCHEMA)
    changed = changed.observe(f"{observed_as}/out", _total("rows"), _total("gone"))
    updates = changed.select("text", "at").mapInArrow(unpack, StructType(payload + UPDATE))
    return from_plain(updates, own)


def _total(column: str) -> Column:
    return F.coalesce(F.sum(column), F.lit(0)).alias(column)


PACKED_SCHEMA = (
    "shard INT, first BIGINT, last BIGINT, rows INT, text STRING, entered_at BIGINT, staged BOOLEAN"
)
CHANGED_SCHEMA = "text STRING, at BIGINT, rows INT, gone INT"
PACKED = pa.schema(
    {
        "shard": pa.int32(),
        "first": pa.int64(),
        "last": pa.int64(),
        "rows": pa.int32(),
        "text": pa.string(),
        "entered_at": pa.int64(),
        "staged": pa.bool_(),
    }
)


def pack(keys: list[int], checkpoint: str) -> Any:
    """A function from record batches to chunks of records, cut by shard and by due time."""

    def pack_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        task = task_number()
        # Read here, and not as a column: that would be one more Spark job in every batch.
        now = watermark_ms(checkpoint) or NO_CLOCK
        for rows in gathered(batches):
            failed = number_of_failed(rows.column(VALID))
            if failed:
                yield failed_rows(failed, PACKED)
            yield pack_batch(rows, keys, task, now)

    return pack_batches


def pack_batch(batch: pa.RecordBatch, keys: list[int], task: int, now: int) -> pa.RecordBatch:
    """Rows that arrive, as chunks of the records that are to be held or handed on."""
    intervals = intervals_of(batch.column(VALID))
    diff = np.ones(batch.num_rows, dtype=np.int32)
    columns = [name for name in batch.schema.names if name != VALID]
    found = [
        (key, *chunk, records.entered_at, records.staged)
        for records in arrive(batch.select(columns), diff, intervals, now)
        for key, chunk in sharded(records.batch, keys, task)
    ]
    return pa.RecordBatch.from_pylist(
        [dict(zip(PACKED.names, each, strict=True)) for each in found], schema=PACKED
    )


def unpack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Chunks of records to updates."""
    for batch in batches:
        for text, at in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if text:
                yield from (update(records, at) for records in chunks.decode_text(text))


def update(records: pa.RecordBatch, at: int) -> pa.RecordBatch:
    """The update that records stand for; with `at`, that by which they have entered before it."""
    due, diff = records.column(DUE), records.column(DIFF)
    if at:
        due = pa.array(np.full(records.num_rows, at), pa.int64())
        diff = pa.array(-diff.to_numpy(), pa.int32())
    columns = {
        name: records.column(name) for name in records.schema.names if name not in (DUE, DIFF, REST)
    }
    return pa.RecordBatch.from_pydict({**columns, TIME: due, DIFF: diff})


class TemporalOperator:
    """One temporal queue a shard, on Spark's state store and event-time timers.

    Args:
        name: tells this operator from others whose tasks run in the same worker process.
        history: whether rows that come before the clock has a value have a past when it has one.
    """

    def __init__(self, name: str, *, history: bool) -> None:
        self._name = name
        self._history = history

    @property
    def state(self) -> State:
        """That of both queues."""
        return QUEUE

    def open(self, handle: StatefulProcessorHandle, state: Any) -> None:
        """Take the state."""
        self._last = QueueState(handle, state)
        self._staged = QueueState(handle, state, second=True)

    # Spark calls the next two by keyword, so that their parameters must have these names.

    def handleInputRows(  # noqa: N802
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """Rows of a batch."""
        queue = self._queue(key, timerValues)
        yield from framed(
            (each for frame in rows for one in arrivals_in(frame) for each in queue.push(one)),
            Changed._fields,
        )
        queue.flush()

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """The watermark has reached the start of a bucket."""
        queue = self._queue(key, timerValues)
        changed = queue.expire(expiredTimerInfo.getExpiryTimeInMs())
        yield from framed(changed, Changed._fields)

    def _queue(self, key: Any, timers: TimerValues) -> TemporalQueue:
        now = timers.getCurrentWatermarkInMs()
        step = pace_of(self._name, int(key[0])).step(now)
        return TemporalQueue(self._last, self._staged, now, step, history=self._history)


def arrivals_in(frame: pd.DataFrame) -> Iterator[Arrival]:
    """The chunks that a data frame has as rows."""
    columns = (frame[name] for name in PACKED.names[1:])
    for first, last, rows, text, entered_at, staged in zip(*columns, strict=True):
        chunk = Chunk(int(first), int(last), int(rows), text)
        yield Arrival(chunk, int(entered_at), bool(staged))
