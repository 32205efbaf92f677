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
from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessorHandle,
    TimerValues,
)

from tvfc_runtime.clock.era import with_state
from tvfc_runtime.delay.failures import failed_rows, without_failed
from tvfc_runtime.queue.packing import gathered, sharded, task_number
from tvfc_runtime.queue.queue_state import QUEUE, QueueState, pace_of
from tvfc_runtime.queue.release_queue import DUE, Chunk, ReleaseQueue
from tvfc_runtime.queue.released import (
    Form,
    count_released,
    count_taken,
    form_of,
    rows_of,
    schema_of,
)
from tvfc_runtime.rows.intervals import FAILED
from tvfc_runtime.rows.plain_types import from_plain, to_plain
from tvfc_runtime.rows.shards import shard_keys
from tvfc_runtime.rows.worker import State

CHUNK_SCHEMA = "shard INT, first BIGINT, last BIGINT, rows INT, text STRING"


def delay(rows: DataFrame, shards: int, observed_as: str) -> DataFrame:
    """Hold each row until the watermark reaches its `__due`.

    Args:
        rows: first column `__due`, BIGINT, milliseconds since the epoch, never NULL. A row with
            FAILED is counted, and not held.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.
        observed_as: the name under which rows taken in and released are counted.

    Returns:
        The rows. Those due on arrival leave in the batch in which they arrive.
    """
    own = rows.schema
    plain = to_plain(rows)
    packed = plain.mapInArrow(pack(shard_keys(shards)), CHUNK_SCHEMA)
    packed = without_failed(packed, observed_as)
    form = form_of(plain.schema)
    operator = DelayOperator(uuid4().hex, form)
    given = with_state(packed, operator, schema_of(form, plain.schema))
    given = given.observe(observed_as, count_taken(), count_released(form))
    return from_plain(rows_of(form, given, plain.schema), own)


def pack(keys: list[int]) -> Any:
    """A function from record batches to chunks, cut by shard and by due time."""

    def pack_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        task = task_number()
        for rows in gathered(batches):
            due = rows.column(DUE).to_numpy()
            failed = due == FAILED
            if failed.any():
                yield failed_rows(int(failed.sum()), PACKED)
                rows = rows.filter(pa.array(~failed))
            yield pack_batch(rows, keys, task)

    return pack_batches


def pack_batch(batch: pa.RecordBatch, keys: list[int], task: int) -> pa.RecordBatch:
    """Rows of one batch as chunks."""
    if not batch.num_rows:
        return pa.RecordBatch.from_pylist([], schema=PACKED)
    found = [(key, *chunk) for key, chunk in sharded(batch, keys, task)]
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


def chunks_of(frames: Iterable[pd.DataFrame], taken: list[int]) -> Iterator[Chunk]:
    """The chunks that a shard is given; puts the numbers of their rows down in `taken`."""
    for frame in frames:
        taken.append(int(frame["rows"].sum()))
        for first, last, rows, text in zip(*(frame[name] for name in Chunk._fields), strict=True):
            yield Chunk(int(first), int(last), int(rows), text)


class DelayOperator:
    """One release queue a shard, on Spark's state store and event-time timers.

    Args:
        name: tells this operator from others whose tasks run in the same worker process.
        form: how rows leave.
    """

    def __init__(self, name: str, form: Form) -> None:
        self._name = name
        self._form = form

    @property
    def state(self) -> State:
        """The queue's."""
        return QUEUE

    def open(self, handle: StatefulProcessorHandle, state: Any) -> None:
        """Take the state."""
        self._state = QueueState(handle, state)

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
        step = pace_of(self._name, int(key[0])).step(now)
        return ReleaseQueue(self._state, now, step)
