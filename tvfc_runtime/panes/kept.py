"""Panes in a key-value state: what a batch adds is written beside what is there, and seldom anew.

A pane is a list of runs, each of which has a row for each of its keys. A run that is not more than
twice as long as what comes is put together with it, so that there are few of them, and a row is
written again as often as the pane doubles. A directory has all panes and the last window that has
left; that and what a batch touches is all that a batch reads.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

import pyarrow as pa

from tvfc_runtime.over.step import sliced
from tvfc_runtime.rows import chunks

LEAVES = "leaves"
"""The column of rows in state with the clock value at which they leave; see commands/inside."""

DIRECTORY = -(2**62)
"""Where the directory stands among the panes."""


class Store(Protocol):
    """Key-value state of one shard; `PaneState` is the one on Spark, a dict serves in tests."""

    def get(self, pane: int, number: int) -> str | None:
        """A value; None: there is none."""

    def put(self, pane: int, number: int, text: str) -> None:
        """Store a value."""

    def remove(self, pane: int, number: int) -> None:
        """Remove a value."""


class Run(NamedTuple):
    """Rows in values that follow one another: the first one's number, how many, rows in all."""

    first: int
    values: int
    rows: int


class KeptPanes:
    """The panes of one shard.

    Args:
        store: the state.
        merge: puts tables of partials together to one.
        leaves: when a pane leaves, milliseconds since the epoch.

    Attributes:
        done: the last window that has left; None: no clock value has been there yet.
        rows: by how many rows the state has grown.
    """

    def __init__(
        self,
        store: Store,
        merge: Callable[[Iterable[pa.Table]], pa.Table],
        leaves: Callable[[int], int],
    ) -> None:
        self._store = store
        self._merge = merge
        self._leaves = leaves
        text = store.get(DIRECTORY, 0)
        known = {"done": None, "panes": []} if text is None else json.loads(text)
        self.done: int | None = known["done"]
        self.rows = 0
        self._runs = {pane: [Run(*run) for run in runs] for pane, runs in known["panes"]}
        self._is_known = text is not None
        self._sorted: list[int] | None = None

    def panes(self) -> list[int]:
        """Those that have rows, in order."""
        if self._sorted is None:
            self._sorted = sorted(self._runs)
        return self._sorted

    def read(self, pane: int) -> list[pa.Table]:
        """The rows of a pane, by run; none of one without."""
        return [self._read(pane, run) for run in self._runs.get(pane, ())]

    def add(self, pane: int, rows: pa.Table) -> None:
        """Rows that come to a pane."""
        if pane not in self._runs:
            self._sorted = None
        runs = self._runs.setdefault(pane, [])
        gone: list[Run] = []
        while runs and runs[-1].rows <= 2 * rows.num_rows:
            gone.append(runs.pop())
            rows = self._merge([self._read(pane, gone[-1]), rows])
        first = runs[-1].first + runs[-1].values if runs else 0
        run = self._write(pane, first, rows)
        runs.append(run)
        written = range(first, first + run.values)
        for old in gone:
            self.rows -= old.rows
            for number in range(old.first, old.first + old.values):
                if number not in written:
                    self._store.remove(pane, number)

    def remove(self, pane: int) -> None:
        """A pane that no window needs any more."""
        self._sorted = None
        for run in self._runs.pop(pane, ()):
            self.rows -= run.rows
            for number in range(run.first, run.first + run.values):
                self._store.remove(pane, number)

    def close(self) -> None:
        """Write the directory; of no panes there is none."""
        if self._runs:
            known = {"done": self.done, "panes": sorted(self._runs.items())}
            self._store.put(DIRECTORY, 0, json.dumps(known, separators=(",", ":")))
        elif self._is_known:
            self._store.remove(DIRECTORY, 0)

    def _write(self, pane: int, first: int, rows: pa.Table) -> Run:
        marked = rows.append_column(
            LEAVES, pa.repeat(pa.scalar(self._leaves(pane), pa.int64()), rows.num_rows)
        )
        (whole,) = marked.combine_chunks().to_batches()
        values = list(sliced(whole))
        for number, part in enumerate(values, first):
            self._store.put(pane, number, chunks.to_text(chunks.encode(part)))
        self.rows += rows.num_rows
        return Run(first, len(values), rows.num_rows)

    def _read(self, pane: int, run: Run) -> pa.Table:
        texts = (
            self._store.get(pane, number) for number in range(run.first, run.first + run.values)
        )
        parts = [part for text in texts for part in chunks.decode_text(text or "")]
        return pa.Table.from_batches(parts).drop_columns([LEAVES])
