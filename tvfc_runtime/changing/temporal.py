"""Rows that come and go, while the clock is in one of their intervals.

    updates + __valid --pack--> records by shard --transformWithState--> updates

The operator of the same name outside of this folder holds rows that only come, in chunks that
nobody looks into until they are due. Here a row may be withdrawn while it waits or while it is
visible; then nothing of it is left. See pending.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessorHandle,
    TimerValues,
)
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from tvfc_runtime.changing.partial import HASH
from tvfc_runtime.changing.pending import PendingTable, records_of
from tvfc_runtime.changing.processor import TABLES, MapStore
from tvfc_runtime.changing.rows import hash_of, pack_rows
from tvfc_runtime.clock.era import with_state
from tvfc_runtime.clock.of_batch import watermark_ms
from tvfc_runtime.delay.failures import failed_rows, places_of_failed, without_failed
from tvfc_runtime.delay.release import FIRST_CLOCK_VALUE
from tvfc_runtime.queue.released import Form, count_taken, form_of, rows_of, schema_of
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.intervals import intervals_of
from tvfc_runtime.rows.plain_types import from_plain, to_plain
from tvfc_runtime.rows.shards import shard_keys
from tvfc_runtime.rows.updates import DIFF, TIME, payload_of
from tvfc_runtime.rows.worker import State
from tvfc_runtime.temporal.operator import VALID

Packing = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

UPDATE = [StructField(TIME, LongType()), StructField(DIFF, IntegerType())]


def temporal_updates(
    updates: DataFrame, checkpoint: str, shards: int, observed_as: str, *, history: bool
) -> DataFrame:
    """Updates of the rows that are there and that the clock admits.

    Args:
        updates: `__valid`, see `temporal`, `__time`, NULL for now, `__diff`, and other columns.
        checkpoint: checkpoint location of the query, where its clock is read.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.
        observed_as: prefix of the names under which rows of state are counted, and rows that are
            never in the result since a bound has failed.
        history: whether rows that come before the clock has a value have a past when it has one.

    Returns:
        The other columns, `__time` and `__diff`, which is any number but 0.
    """
    names = [name for name in payload_of(updates) if name != VALID]
    own = StructType([*(updates.schema[name] for name in names), *UPDATE])
    changes = to_plain(
        updates.select(VALID, TIME, DIFF, hash_of(updates, names).alias(HASH), *names)
    )
    packed = changes.mapInArrow(pack(Arriving(checkpoint), shard_keys(shards)), PACKED_SCHEMA)
    packed = without_failed(packed, observed_as)
    plain = StructType([*(changes.schema[name] for name in names), *UPDATE])
    form = form_of(plain)
    found = with_state(packed, PendingOperator(form, history=history), schema_of(form, plain))
    found = found.observe(f"{observed_as}/held", count_taken().alias("rows"))
    return from_plain(rows_of(form, found, plain), own)


PACKED_SCHEMA = "shard INT, text STRING, rows BIGINT"
PACKED = pa.schema({"shard": pa.int32(), "text": pa.string(), "rows": pa.int64()})


def pack(arriving: Arriving, keys: list[int]) -> Packing:
    """A function from updates to chunks of records by shard, and the number of failed rows."""
    packing = pack_rows(arriving, (DIFF,), keys)

    def pack_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        failed = [0]

        def counted() -> Iterator[pa.RecordBatch]:
            for batch in batches:
                failed[0] += number_of_failed_updates(batch)
                yield batch

        for chunk in packing(counted()):
            rows = pa.nulls(chunk.num_rows, pa.int64())
            yield pa.RecordBatch.from_arrays([*chunk.columns, rows], schema=PACKED)
        if failed[0]:
            yield failed_rows(failed[0], PACKED)

    return pack_batches


def number_of_failed_updates(updates: pa.RecordBatch) -> int:
    """How many of the rows that come are never in the result since a bound has failed."""
    places = places_of_failed(updates.column(VALID))
    return int(updates.column(DIFF).to_numpy()[places].clip(0).sum())


class Arriving:
    """Makes records of updates.

    Args:
        checkpoint: where the clock is read: here, since a column would be one more Spark job.
    """

    def __init__(self, checkpoint: str) -> None:
        self._checkpoint = checkpoint

    def __call__(self, updates: pa.RecordBatch) -> pa.RecordBatch:
        """The records of some updates."""
        now = watermark_ms(self._checkpoint) or FIRST_CLOCK_VALUE
        at = updates.column(TIME).fill_null(now).to_numpy()
        return records_of(updates, intervals_of(updates.column(VALID)), at)


class PendingOperator:
    """One table of records a shard, on Spark's state store and event-time timers.

    Args:
        form: how updates leave.
        history: whether rows that come before the clock has a value have a past when it has one.
    """

    def __init__(self, form: Form, *, history: bool) -> None:
        self._form = form
        self._history = history

    @property
    def state(self) -> State:
        """The table of records."""
        return TABLES

    def open(self, handle: StatefulProcessorHandle, state: Any) -> None:
        """Take the state."""
        self._handle = handle
        self._store = MapStore(state)

    # Spark calls the next two by keyword, so that their parameters must have these names.

    def handleInputRows(  # noqa: N802
        self,
        key: Any,  # noqa: ARG002
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """Updates of a batch."""
        texts = [text for frame in rows for text in frame["text"]]
        records = [record for text in texts for record in chunks.decode_text(text)]
        yield from self._applied(records, timerValues.getCurrentWatermarkInMs())

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,  # noqa: ARG002
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: ARG002, N803
    ) -> Iterator[pd.DataFrame]:
        """The clock has reached the first change of a row."""
        yield from self._applied([], timerValues.getCurrentWatermarkInMs())

    def _applied(self, records: list[pa.RecordBatch], now: int) -> Iterator[pd.DataFrame]:
        table = PendingTable(self._store, history=self._history)
        rows, woken_at = table.rows, table.wakes_at
        yield from self._form.batches(each for each in table.apply(records, now) if each.num_rows)
        self._wake(woken_at, table.wakes_at, now)
        if table.rows != rows:
            yield self._form.taken(table.rows - rows)

    def _wake(self, before: int | None, after: int | None, now: int) -> None:
        """Have one timer, at the first change; Spark itself forgets those that go off."""
        if before == after:
            return
        if before is not None and before > now:
            self._handle.deleteTimer(before)
        if after is not None:
            self._handle.registerTimer(after)
