"""The delay operator: rows come in with a due time and go out once the watermark has reached it.

    rows + __due --pack--> chunks by shard --transformWithState--> rows

What `pack` does, and what makes rows of chunks again, is vectorised on Arrow; between them Spark
moves and stores a few large values instead of many rows. Exactly-once, recovery and incremental
checkpoints are those of Spark's RocksDB state store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import uuid4

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

from tvfc_runtime.clock import watermark_ms
from tvfc_runtime.packing import gathered, sharded, task_number
from tvfc_runtime.plain_types import from_plain, to_plain
from tvfc_runtime.queue_state import QueueState, pace_of, queue_entries
from tvfc_runtime.release_queue import DUE, Chunk, ReleaseQueue
from tvfc_runtime.released import Form, form_of, rows_of, schema_of
from tvfc_runtime.shards import shard_keys
from tvfc_runtime.worker import settle

EVENT_TIME = "__event_time"
"""The column by which a row is late, a TIMESTAMP; NULL is never late."""

CHUNK_SCHEMA = "shard INT, first BIGINT, last BIGINT, rows INT, text STRING, late INT"


def delay(rows: DataFrame, checkpoint: str, shards: int, observed_as: str) -> DataFrame:
    """Hold each row until the watermark reaches its `__due`.

    Args:
        rows: first column `__due`, BIGINT, milliseconds since the epoch, never NULL. If the second
            is `__event_time`, late rows are refused here, where the clock costs no job of Spark,
            and rows whose `__due` is NULL are dropped.
        checkpoint: checkpoint location of the query, where its clock is read.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.
        observed_as: the name under which rows taken in, refused and released are counted.

    Returns:
        The rows, without `__event_time`. Those due on arrival leave in the batch in which they
        arrive.
    """
    own = rows.drop(EVENT_TIME).schema
    plain = to_plain(rows)
    clock_at = checkpoint if EVENT_TIME in rows.columns else None
    chunks = plain.mapInArrow(pack(shard_keys(shards), clock_at), CHUNK_SCHEMA)
    plain = plain.drop(EVENT_TIME)
    form = form_of(plain.schema)
    # The pandas form, since it hands on what the operator yields piece by piece;
    # the Row form gathers everything that a batch releases before it sends the first byte.
    given = chunks.groupBy("shard").transformWithStateInPandas(
        statefulProcessor=DelayProcessor(uuid4().hex, form),
        outputStructType=schema_of(form, plain.schema),
        outputMode="append",
        timeMode="eventTime",
    )
    return from_plain(rows_of(form, given, plain.schema, observed_as), own)


def pack(keys: list[int], checkpoint: str | None) -> Any:
    """A function from record batches to chunks, cut by shard and by due time.

    With a checkpoint, where the clock is read, it refuses late rows.
    """

    def pack_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        task = task_number()
        if checkpoint is None:
            for rows in gathered(batches):
                yield pack_batch(rows, keys, task)
            return
        clock, late = watermark_ms(checkpoint), 0
        for rows in gathered(batches):
            kept, refused = admit(rows, clock)
            late += refused
            if kept.num_rows:
                yield pack_batch(kept, keys, task)
        if late:
            yield packed([(keys[0], 0, 0, 0, None, late)])

    return pack_batches


def pack_batch(batch: pa.RecordBatch, keys: list[int], task: int) -> pa.RecordBatch:
    """Rows of one batch as chunks."""
    return packed([(key, *chunk, 0) for key, chunk in sharded(batch, keys, task)])


def admit(rows: pa.RecordBatch, clock: int | None) -> tuple[pa.RecordBatch, int]:
    """The rows that are on time and due at some time, without `__event_time`; how many are late."""
    moments = rows.column(EVENT_TIME).cast(pa.int64())
    is_before = pc.less(moments, NEVER if clock is None else clock * 1000)
    is_late = pc.fill_null(is_before, fill_value=False)
    kept = pc.and_not(rows.column(DUE).is_valid(), is_late)
    rows = rows.drop_columns(EVENT_TIME)
    return rows if kept.false_count == 0 else rows.filter(kept), is_late.true_count


NEVER = -(1 << 63)
"""Before any time."""


def packed(records: list[tuple[Any, ...]]) -> pa.RecordBatch:
    """Records of CHUNK_SCHEMA as a batch."""
    columns = zip(*records, strict=True)
    return pa.RecordBatch.from_arrays([pa.array(each) for each in columns], schema=PACKED)


PACKED = pa.schema(
    {
        "shard": pa.int32(),
        "first": pa.int64(),
        "last": pa.int64(),
        "rows": pa.int32(),
        "text": pa.string(),
        "late": pa.int32(),
    }
)


class Arrivals:
    """The chunks that a shard is given, and how many rows came in or were refused so far."""

    def __init__(self, frames: Iterable[pd.DataFrame]) -> None:
        self._frames = frames
        self.taken = self.late = 0

    def __iter__(self) -> Iterator[Chunk]:
        for frame in self._frames:
            self.taken += int(frame["rows"].sum())
            self.late += int(frame["late"].sum())
            fields = (frame[name] for name in Chunk._fields)
            for first, last, rows, text in zip(*fields, strict=True):
                if rows:
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
        self._state = QueueState(handle, queue_entries(handle))

    # Spark calls the next two by keyword, so that their parameters must have these names.

    def handleInputRows(  # noqa: N802
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """Rows of a batch: what is due leaves, the rest is stored."""
        queue = self._queue(key, timerValues)
        arrivals = Arrivals(rows)
        yield from self._form.frames(due for chunk in arrivals for due in queue.push(chunk))
        queue.flush()
        yield self._form.counted(arrivals.taken, arrivals.late)

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
        step = pace_of(self._name, int(key[0])).step(now)
        return ReleaseQueue(self._state, now, step)

    def close(self) -> None:
        """Nothing to close; Spark owns the state."""
