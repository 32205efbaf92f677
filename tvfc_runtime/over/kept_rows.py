"""An operator that keeps rows in chunks on Spark's state store, a shard of them for each key.

    rows --pack--> chunks by shard --transformWithState--> rows that leave

What leaves at a clock value and what stays is all that such operators differ in: `step`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessorHandle,
    TimerValues,
)
from pyspark.sql.types import StringType, StructField, StructType

from tvfc_runtime.clock.of_batch import END_OF_TIME_MS
from tvfc_runtime.over.step import Stepped, sliced
from tvfc_runtime.queue.released import Form
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.worker import State


class KeptRows(ABC):
    """The rows of one shard.

    Args:
        form: how rows leave.
    """

    def __init__(self, form: Form) -> None:
        self._form = form

    @abstractmethod
    def step(
        self, known: pa.RecordBatch | None, new: pa.RecordBatch | None, now: int
    ) -> Stepped | None:
        """What leaves and what stays; None: there are no rows.

        Args:
            known: the rows that were kept.
            new: rows of this batch.
            now: the clock, milliseconds since the epoch.
        """

    @property
    def state(self) -> State:
        """The rows that are kept, in chunks."""
        return KEPT

    def open(self, handle: StatefulProcessorHandle, state: Any) -> None:
        """Take the state."""
        self._handle = handle
        self._kept = state

    # Spark calls the next two by keyword, so that their parameters must have these names.

    def handleInputRows(  # noqa: N802
        self,
        key: Any,  # noqa: ARG002
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """Rows of a batch."""
        texts = [text for frame in rows for text in frame["text"]]
        new = chunks.concat([part for text in texts for part in chunks.decode_text(text)])
        yield from self._stepped(new, timerValues.getCurrentWatermarkInMs())

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,  # noqa: ARG002
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: ARG002, N803
    ) -> Iterator[pd.DataFrame]:
        """The clock has come to where something changes without further rows."""
        yield from self._stepped(None, timerValues.getCurrentWatermarkInMs())

    def _stepped(self, new: pa.RecordBatch | None, now: int) -> Iterator[pd.DataFrame]:
        kept = [part for (text,) in self._kept.get() for part in chunks.decode_text(text)]
        known = chunks.concat(kept) if kept else None
        found = self.step(known, new, now)
        if found is None:
            return
        yield from self._form.batches(found.leaving)
        # Rows that are let go count against those taken in.
        grown = found.kept.num_rows - (known.num_rows if known is not None else 0)
        yield self._form.taken(grown)
        values = [(chunks.to_text(chunks.encode(part)),) for part in sliced(found.kept)]
        if values:
            self._kept.put(values)
        else:
            self._kept.clear()
        if found.next_time is not None or values:
            # What waits for further rows learns from the end of time that none will come.
            next_time = END_OF_TIME_MS if found.next_time is None else found.next_time
            self._handle.registerTimer(next_time)


KEPT = State("kept", StructType([StructField("text", StringType())]))
