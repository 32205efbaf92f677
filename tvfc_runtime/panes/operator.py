"""The operator of panes on Spark: rows come in, windows that are closed go out.

rows --pack--> partials by shard --transformWithState--> windows
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    MapState,
    StatefulProcessorHandle,
    TimerValues,
)
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from tvfc_runtime.panes.partials import PANE, of_rows, unordered
from tvfc_runtime.panes.step import Rules, Step
from tvfc_runtime.queue.packing import gathered
from tvfc_runtime.queue.released import Form
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.worker import State

SHARD, TIME = "shard", "time"
START, END = "start", "end"

PACK_ROWS = 262_144
"""How many rows a task aggregates at a time: what they have in common need not be sent twice."""


def pack(rules: Rules, keys: list[int]) -> Any:
    """A function from rows with `shard` and `time`, microseconds, to partials, by shard."""

    def pack_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in gathered(batches, PACK_ROWS):
            panes = rules.grid.panes_of(batch.column(TIME).to_numpy())
            rows = pa.Table.from_batches([batch]).append_column(PANE, pa.array(panes))
            found = of_rows(rows, (SHARD, *rules.keys), rules.partials)
            (whole,) = found.sort_by(SHARD).combine_chunks().to_batches()
            shard = whole.column(SHARD).to_numpy()
            starts = np.flatnonzero(np.diff(shard, prepend=-1))
            parts = whole.drop_columns([SHARD])
            texts = [
                chunks.to_text(chunks.encode(parts.slice(start, end - start)))
                for start, end in zip(starts, [*starts[1:], len(shard)], strict=True)
            ]
            yield pa.RecordBatch.from_arrays(
                [pa.array([keys[shard[start]] for start in starts], pa.int32()), pa.array(texts)],
                names=["shard", "text"],
            )

    return pack_batches


@dataclass
class PaneState:
    """`kept.Store` on a map state."""

    entries: MapState

    def get(self, pane: int, number: int) -> str | None:
        """A value."""
        found = self.entries.getValue((pane, number))
        return None if found is None else found[0]

    def put(self, pane: int, number: int, text: str) -> None:
        """Store a value."""
        self.entries.updateValue((pane, number), (text,))

    def remove(self, pane: int, number: int) -> None:
        """Remove a value."""
        self.entries.removeKey((pane, number))


PANES = State(
    "panes",
    key=StructType([StructField("pane", LongType()), StructField("number", IntegerType())]),
    value=StructType([StructField("text", StringType())]),
)


class PaneOperator:
    """The panes of one shard a key.

    Args:
        rules: what is known of the query.
        form: how windows leave.
    """

    def __init__(self, rules: Rules, form: Form) -> None:
        self._rules = rules
        self._form = form
        self._stepped: dict[Any, int] = {}

    @property
    def state(self) -> State:
        """The panes and their directory."""
        return PANES

    def open(self, handle: StatefulProcessorHandle, state: Any) -> None:
        """Take the state."""
        self._handle = handle
        self._store = PaneState(state)

    # Spark calls the next two by keyword, so that their parameters must have these names.

    def handleInputRows(  # noqa: N802
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """Rows of a batch, as partials."""
        texts = [text for frame in rows for text in frame["text"]]
        parts = [part for text in texts for part in chunks.decode_text(text)]
        tables = [pa.Table.from_batches([part]) for part in parts]
        yield from self._step(key, tables, timerValues.getCurrentWatermarkInMs())

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: ARG002, N803
    ) -> Iterator[pd.DataFrame]:
        """The clock has closed a window; where rows have come too, that has been seen to."""
        now = timerValues.getCurrentWatermarkInMs()
        if self._stepped.get(key) != now:
            yield from self._step(key, [], now)

    def _step(self, key: Any, parts: list[pa.Table], now: int) -> Iterator[pd.DataFrame]:
        self._stepped[key] = now
        step = Step(self._store, self._rules, now)
        if parts:
            step.take(parts)
        yield from self._form.batches(map(self._window, step.closed()))
        next_time = step.close()
        yield self._form.taken(step.grown)
        if next_time is not None:
            self._handle.registerTimer(next_time)

    def _window(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """What leaves of windows: keys, where they start and end, microseconds, and partials."""
        grid = self._rules.grid
        windows = rows.column(PANE).to_numpy()
        bounds = {START: pa.array(grid.start(windows)), END: pa.array(grid.end(windows))}
        columns = {name: rows.column(name) for name in self._rules.keys} | bounds
        for number, each in enumerate(self._rules.partials):
            values = rows.column(f"p{number}")
            columns[f"p{number}"] = unordered(values) if each.is_real else values
        return pa.RecordBatch.from_pydict(columns)
