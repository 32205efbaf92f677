"""What a clock value does to the panes of a shard: rows are taken in, windows that close leave.

Nothing here knows Spark.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tvfc_runtime.clock.of_batch import END_OF_TIME_MS
from tvfc_runtime.panes.grids import Grid
from tvfc_runtime.panes.kept import KeptPanes, Store
from tvfc_runtime.panes.partials import PANE, Partial, merged

GATHER_ROWS = 65_536
"""About how many rows of panes are put together to windows at a time."""


@dataclass(frozen=True)
class Rules:
    """What the operator knows of a query.

    Attributes:
        grid: how windows lie over panes.
        keys: the columns of the key.
        partials: what is aggregated.
        later: by how much later than its end a window closes, microseconds.
    """

    grid: Grid
    keys: tuple[str, ...]
    partials: tuple[Partial, ...]
    later: int = 0


class Step:
    """The panes of a shard at a clock value.

    Args:
        store: the state.
        rules: what is known of the query.
        now: the clock, milliseconds since the epoch; 0: it has no value yet.

    Attributes:
        grown: by how many rows the state has grown, once it is closed.
    """

    def __init__(self, store: Store, rules: Rules, now: int) -> None:
        self._rules = rules
        self._grid = rules.grid
        self._now = now
        self._kept = KeptPanes(store, self._merged, self._leaves)
        self.grown = 0

    def take(self, parts: Sequence[pa.Table]) -> None:
        """Partials of the rows of a batch; those of one key and pane may be there several times."""
        rows = (self._merged(parts) if len(parts) > 1 else parts[0]).sort_by(PANE)
        panes = rows.column(PANE).to_numpy()
        starts = np.flatnonzero(np.diff(panes, prepend=panes[0] - 1)).tolist()
        for start, end in zip(starts, [*starts[1:], len(panes)], strict=True):
            pane = int(panes[start])
            # Windows may lie apart; what is between them is in none.
            if self._grid.windows(pane):
                self._kept.add(pane, rows.slice(start, end - start))

    def closed(self) -> Iterator[pa.RecordBatch]:
        """Rows of the windows that the clock has closed: keys, PANE as the window, partials."""
        if not self._now:
            return
        last = self._grid.closed(self._now * 1000 - self._rules.later)
        yield from self._growing(last) if self._grid.grows else self._hopping(last)
        for pane in self._kept.panes():
            if self._grid.windows(pane)[-1] <= last:
                self._kept.remove(pane)
        self._kept.done = last

    def close(self) -> int | None:
        """Write what stays; the clock value at which something leaves without further rows.

        Returns:
            Milliseconds since the epoch; None: nothing is left.
        """
        self._kept.close()
        self.grown = self._kept.rows
        next_window = min(map(self._next, self._kept.panes()), default=None)
        next_time = None if next_window is None else self._closes(next_window)
        return None if next_time is None or next_time <= self._now else next_time

    def _next(self, pane: int) -> int:
        """The window of a pane that leaves next."""
        first, done = self._grid.windows(pane)[0], self._kept.done
        return first if done is None else max(first, done + 1)

    def _due(self, last: int) -> Iterator[int]:
        """The windows up to some that have rows and have not left yet, in order."""
        reached: int | None = None
        for pane in self._kept.panes():
            first = self._next(pane)
            first = first if reached is None else max(first, reached)
            end = min(self._grid.windows(pane)[-1], last) + 1
            yield from range(first, end)
            reached = max(first, end)

    def _hopping(self, last: int) -> Iterator[pa.RecordBatch]:
        """Windows, each out of all of its panes; some at a time."""
        known: dict[int, list[pa.Table]] = {}
        waiting: list[pa.Table] = []
        for window in self._due(last):
            panes = self._grid.panes(window)
            known = {pane: rows for pane, rows in known.items() if pane >= panes[0]}
            for pane in self._between(panes):
                if pane not in known:
                    known[pane] = self._kept.read(pane)
                waiting += [_in(window, rows) for rows in known[pane]]
            if sum(rows.num_rows for rows in waiting) >= GATHER_ROWS:
                yield from _batches(self._merged(waiting))
                waiting = []
        if waiting:
            yield from _batches(self._merged(waiting))

    def _growing(self, last: int) -> Iterator[pa.RecordBatch]:
        """Windows that grow, each out of the one before and one more pane.

        What has left together stays together, as the first pane.
        """
        before: pa.Table | None = None
        begin: int | None = None
        used: list[int] = []
        for window in self._due(last):
            panes = self._grid.panes(window)
            if panes[0] != begin:
                before, begin, used = None, panes[0], []
            new = [pane for pane in self._between(panes) if pane not in used]
            used += new
            parts = [rows for pane in new for rows in self._kept.read(pane)]
            parts += [] if before is None else [before]
            before = self._merged(_in(panes[0], rows) for rows in parts)
            yield from _batches(_in(window, before))
        # Of the others all windows have left.
        if begin is not None and before is not None and used != [begin]:
            for pane in used:
                self._kept.remove(pane)
            self._kept.add(begin, before)

    def _between(self, panes: range) -> list[int]:
        """Those of some panes that have rows."""
        known = self._kept.panes()
        return known[bisect_left(known, panes.start) : bisect_left(known, panes.stop)]

    def _merged(self, parts: Iterable[pa.Table]) -> pa.Table:
        return merged(pa.concat_tables(parts), self._rules.keys, self._rules.partials)

    def _closes(self, window: int) -> int:
        """The first clock value at which a window is closed."""
        micros = self._grid.end(window) + self._rules.later
        return min(-(-micros // 1000), END_OF_TIME_MS)

    def _leaves(self, pane: int) -> int:
        return self._closes(self._grid.windows(pane)[-1])


def _in(window: int, rows: pa.Table) -> pa.Table:
    """Rows that are put together in a window."""
    column = pa.repeat(pa.scalar(window, pa.int64()), rows.num_rows)
    return rows.set_column(rows.schema.get_field_index(PANE), PANE, column)


def _batches(rows: pa.Table) -> list[pa.RecordBatch]:
    return list(rows.combine_chunks().to_batches())
