"""Which windows without rows are filled at a clock value, and what is kept for those to come.

Groups are record batches, times are microseconds since the epoch; nothing here knows Spark.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.intervals import FOREVER

END, FILLED = "end", "filled"
"""When the window of a group ends, and the last window of its key that has left."""
STEP, STEPS, AT = "step", "steps", "at"
"""How many windows after a group with rows one without is, how many the next one with rows is, and
when its own ends; a group with rows is at step 0."""

EMITTED_ROWS = 65_536
"""How many groups of windows without rows are made at a time."""

MILLISECOND = 1000


def next_of(name: str) -> str:
    """The column with the value that a column has in the next window with rows."""
    return f"next_{name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What is filled, and until when.

    Attributes:
        size: from the end of a window to that of the next one.
        later: by how much later than its end a window closes.
        silence: how long after the last window with rows of a key one may end; None: for ever.
        payload: the columns of a group.
        nexts: those of them whose next values leave, too.
        waits: whether a window without rows waits for the next one that has some.
    """

    size: int
    later: int
    silence: int | None
    payload: tuple[str, ...]
    nexts: tuple[str, ...]
    waits: bool

    @property
    def reach(self) -> int:
        """From the last window with rows to the last one that may be filled."""
        return FOREVER if self.silence is None else self.silence // self.size * self.size


def joined(known: pa.RecordBatch | None, new: pa.RecordBatch | None) -> pa.RecordBatch | None:
    """The last groups of the state and new ones, which are to leave: their column `new` is true."""
    parts = [] if known is None else [known.append_column("new", _same(known, value=False))]
    if new is not None:
        fresh = new.append_column(FILLED, new.column(END))
        parts.append(fresh.append_column("new", _same(new, value=True)).select(_names(fresh)))
    return chunks.concat(parts) if parts else None


def _names(fresh: pa.RecordBatch) -> list[str]:
    return [*(name for name in fresh.schema.names if name != "shard"), "new"]


def _same(rows: pa.RecordBatch, *, value: bool) -> pa.Array:
    return pa.array(np.full(rows.num_rows, value))


class Step:
    """What leaves a shard at a clock value, and what stays.

    Args:
        rows: the last group of each key that was known, and new groups.
        rules: what is filled.
        now: the clock, milliseconds since the epoch.

    Attributes:
        next_time: the clock value at which something changes without further groups, milliseconds
            since the epoch; None: there is none.
    """

    def __init__(self, rows: pa.RecordBatch, rules: Rules, now: int) -> None:
        keys = [rows.column(name).to_numpy() for name in ("key", "other_key")]
        order = np.lexsort((rows.column(END).to_numpy(), *keys))
        self._rows = rows.take(pa.array(order))
        self._rules = rules
        self._new = self._rows.column("new").to_numpy(zero_copy_only=False)
        self._end = self._rows.column(END).to_numpy()
        self._filled = self._rows.column(FILLED).to_numpy()
        self._last = np.ones(len(order), dtype=bool)
        if len(order) > 1:
            one, two = (each[order] for each in keys)
            self._last[:-1] = (one[1:] != one[:-1]) | (two[1:] != two[:-1])
        self._next_end = np.append(self._end[1:], 0)
        closed = now * MILLISECOND - rules.later
        self._until = self._filled_until(closed)
        self._counts = np.maximum(self._until - self._filled, 0) // rules.size
        self._ended = self._ends() <= closed
        self.next_time = self._next_time()

    def _filled_until(self, closed: int) -> np.ndarray:
        """The end of the last window behind each group, and before the next, that leaves by now.

        Args:
            closed: the last end of windows that are closed.
        """
        rules, before_next = self._rules, self._next_end - self._rules.size
        limit = self._limit()
        if rules.waits:
            # Between two groups all windows are filled, or, if they are too far apart, none.
            fits = ~self._last & (before_next <= limit)
            return np.where(fits, before_next, self._end)
        passed = self._end + np.maximum(closed - self._end, 0) // rules.size * rules.size
        return np.minimum(np.where(self._last, passed, before_next), limit)

    def _limit(self) -> np.ndarray:
        """The end of the last window that may be filled behind each group."""
        if self._rules.silence is None:
            return np.full(len(self._end), FOREVER)
        return self._end + self._rules.reach

    def _ends(self) -> np.ndarray:
        """When nothing more can come of a group that is the last one of its key."""
        limit = self._limit()
        # The next group of the key may be in the very window behind the last that is filled.
        return np.where(limit == FOREVER, FOREVER, limit + self._rules.size * self._rules.waits)

    def _next_time(self) -> int | None:
        open_ = self._last & ~self._ended
        if not open_.any():
            return None
        if self._rules.waits:
            due = int(self._ends()[open_].min())
        else:
            due = int(np.maximum(self._until, self._filled)[open_].min()) + self._rules.size
        return None if due >= FOREVER else -(-(due + self._rules.later) // MILLISECOND)

    def emitted(self) -> Iterator[pa.RecordBatch]:
        """The new groups, and those of windows without rows."""
        new = np.flatnonzero(self._new)
        for start in range(0, len(new), EMITTED_ROWS):
            some = new[start : start + EMITTED_ROWS]
            nothing = np.zeros(len(some), dtype=np.int64)
            yield self._leaving(some, some, nothing, nothing, self._end[some])
        ends = np.cumsum(self._counts)
        total = int(ends[-1]) if len(ends) else 0
        for start in range(0, total, EMITTED_ROWS):
            places = np.arange(start, min(start + EMITTED_ROWS, total))
            some = np.searchsorted(ends, places, side="right")
            number = places - (ends[some] - self._counts[some]) + 1
            at = self._filled[some] + number * self._rules.size
            step = (at - self._end[some]) // self._rules.size
            after = np.where(self._last[some], some, some + 1)
            steps = (self._end[after] - self._end[some]) // self._rules.size
            yield self._leaving(some, after, step, steps, at)

    def _leaving(
        self,
        some: np.ndarray,
        after: np.ndarray,
        step: np.ndarray,
        steps: np.ndarray,
        at: np.ndarray,
    ) -> pa.RecordBatch:
        """Groups by their place, with the values of those after them."""
        own = self._rows.select(list(self._rules.payload)).take(pa.array(some))
        columns = dict(zip(own.schema.names, own.columns, strict=True))
        columns |= {name: pa.array(each) for name, each in ((STEP, step), (STEPS, steps), (AT, at))}
        for name in self._rules.nexts:
            columns[next_of(name)] = self._rows.column(name).take(pa.array(after))
        return pa.RecordBatch.from_pydict(columns)

    def kept(self) -> pa.RecordBatch:
        """The last group of each key of which windows may still be filled."""
        keep = pa.array(self._last & ~self._ended)
        place = self._rows.schema.get_field_index(FILLED)
        filled = pa.array(np.maximum(self._until, self._filled))
        marked = self._rows.set_column(place, FILLED, filled)
        names = [name for name in marked.schema.names if name != "new"]
        return marked.select(names).filter(keep)
