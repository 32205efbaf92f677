"""What the operators on changing relations have in common: state, the first clock value, frames.

An operator is given what its changes are and how they are applied; this file keeps changes until
the clock has its first value where they have to wait for it, and hands on updates in chunks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    MapState,
    StatefulProcessorHandle,
    TimerValues,
)
from pyspark.sql.types import LongType, StringType, StructField, StructType

from tvfc_runtime.changing.leaves import Store, encoded
from tvfc_runtime.changing.partial import AT
from tvfc_runtime.changing.timing import Timing
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.worker import State

OUTPUT = "text STRING, rows BIGINT, held BIGINT"
"""Updates as a chunk, their number, and how many rows more the state has."""

FIRST_CLOCK_VALUE = 1
"""Milliseconds since the epoch; 0 is the clock that has no value yet."""

EMITTED_ROWS = 65_536
"""How many updates are handed on at a time."""

PART_BYTES = 32 << 20
"""About how much compressed text of changes is taken at a time."""

Change = TypeVar("Change")
Given = TypeVar("Given", contravariant=True)


class Tables(Protocol[Given]):
    """The state of one shard of an operator."""

    @property
    def rows(self) -> int:
        """How many rows it has."""

    def apply(self, change: Given) -> Iterator[pa.RecordBatch]:
        """Change it; yields updates, the last two columns their `t` and how often they count."""


class Operator(Protocol[Change]):
    """An operator on changing relations."""

    def decode(self, text: str) -> Change:
        """A change as it comes from the shuffle."""

    def encode(self, change: Change) -> str:
        """The same as text."""

    def part(self, change: Change, part: int, parts: int) -> Change:
        """One of several parts of a change, cut by hash."""

    def combine(self, changes: list[Change]) -> Change:
        """Several changes as one, with what cancels out at a clock value gone."""

    def begun(self, change: Change, now: int) -> Change:
        """A change with the clock value `now` for what has come before there was one."""

    def tables(self, store: Store) -> Tables[Change]:
        """The state of one shard."""


class ChangeProcessor(Generic[Change]):
    """Applies the changes of a batch to a shard, all at once.

    Args:
        operator: what to do.
        timing: which changes it tells, and whether it waits for the first clock value.
    """

    def __init__(self, operator: Operator[Change], timing: Timing) -> None:
        self._operator = operator
        self._timing = timing

    @property
    def state(self) -> State:
        """The tables of the operator."""
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
        """Changes of a batch."""
        texts = [text for frame in rows for text in frame["text"]]
        now = timerValues.getCurrentWatermarkInMs()
        if self._timing.waits:
            texts += self._waiting()
            if now < FIRST_CLOCK_VALUE:
                changes = [self._operator.decode(text) for text in texts]
                self._store.put(WAITING, 0, self._operator.encode(self._operator.combine(changes)))
                self._handle.registerTimer(FIRST_CLOCK_VALUE)
                return
        yield from self._applied(texts, now)

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,  # noqa: ARG002
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: ARG002, N803
    ) -> Iterator[pd.DataFrame]:
        """The clock has its first value: what has come before comes now."""
        texts = self._waiting()
        if texts:
            yield from self._applied(texts, timerValues.getCurrentWatermarkInMs())

    def _waiting(self) -> list[str]:
        """What has waited for the first clock value, and waits no more."""
        text = self._store.get(WAITING, 0)
        if text is None:
            return []
        self._store.remove(WAITING, 0)
        return [text]

    def _applied(self, texts: list[str], now: int) -> Iterator[pd.DataFrame]:
        tables = self._operator.tables(self._store)
        before = tables.rows
        for change in parts_of(self._operator, texts, now if self._timing.waits else None):
            for updates in tables.apply(change):
                yield from _frames(updates, now if self._timing.per_batch else None)
        if tables.rows != before:
            yield _frame(None, 0, tables.rows - before)


def parts_of(operator: Operator[Change], texts: list[str], begun: int | None) -> Iterator[Change]:
    """All changes as one, or, if that is very much, cut by hash: a burst must fit into memory.

    Args:
        operator: whose changes they are.
        texts: the changes.
        begun: the clock value of what has come before there was one; None: it has none.
    """
    parts = max(1, -(-sum(map(len, texts)) // PART_BYTES))
    for part in range(parts):
        changes = [operator.part(operator.decode(text), part, parts) for text in texts]
        if begun is not None:
            changes = [operator.begun(change, begun) for change in changes]
        yield operator.combine(changes)


def _frames(updates: pa.RecordBatch, at: int | None) -> Iterator[pd.DataFrame]:
    """Updates as they are handed on, all `at` a clock value, or each at its own."""
    times = updates.column(AT).to_numpy() if at is None else np.full(updates.num_rows, at)
    place = updates.schema.get_field_index(AT)
    updates = updates.set_column(place, AT, pa.array(times, pa.int64(), mask=times == 0))
    for start in range(0, updates.num_rows, EMITTED_ROWS):
        part = updates.slice(start, EMITTED_ROWS)
        yield _frame(encoded(part), part.num_rows, 0)


def _frame(text: str | None, rows: int, held: int) -> pd.DataFrame:
    return pd.DataFrame({"text": [text], "rows": [rows], "held": [held]})


def unpack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Chunks back to updates."""
    for batch in batches:
        for text in batch.column(0):
            if text.is_valid:
                yield from chunks.decode_text(text.as_py())


WAITING = -2
"""The table of changes that wait for the first clock value."""


class MapStore:
    """`Store` on one map state, which `TABLES` declares."""

    def __init__(self, entries: MapState) -> None:
        self._entries = entries

    def get(self, table: int, number: int) -> str | None:
        """Read a text."""
        found = self._entries.getValue((table, number))
        return None if found is None else found[0]

    def put(self, table: int, number: int, text: str) -> None:
        """Store a text."""
        self._entries.updateValue((table, number), (text,))

    def remove(self, table: int, number: int) -> None:
        """Remove a text."""
        self._entries.removeKey((table, number))


TABLES = State(
    "entries",
    key=StructType([StructField("table", LongType()), StructField("number", LongType())]),
    value=StructType([StructField("text", StringType())]),
)
"""Schemas as objects: a schema in words is parsed by the JVM in every batch."""
