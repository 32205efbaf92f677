"""A sorted table in the state of one shard, cut into leaves: what changes a few rows touches few.

A state call from Python costs about 0.3 ms however small it is, so rows rest in leaves of some
thousand, an Arrow chunk each. The directory of a table has the first sort key of each leaf: a
B-tree of two levels. A leaf that grows too large is cut, one that has become small is put together
with its neighbour, an empty one is removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np
import pyarrow as pa

from tvfc_runtime.changing.ranks import Sort, ranks_of_words, sort_words
from tvfc_runtime.rows import chunks

LEAF_ROWS = 4096
"""A leaf of more rows is cut."""

DIRECTORY = -1
"""The number under which a table keeps its directory."""


class Store(Protocol):
    """Texts by table and number."""

    def get(self, table: int, number: int) -> str | None:
        """Read a text."""

    def put(self, table: int, number: int, text: str) -> None:
        """Store a text."""

    def remove(self, table: int, number: int) -> None:
        """Remove a text."""


class Leaves:
    """A table sorted by some of its columns.

    Leaves are named by their position in the order. Rows that are equal in the sort columns are in
    one leaf.

    Args:
        store: where it is.
        table: its number there.
        sort: the columns that it is sorted by.
        most: rows of a leaf, at most.
    """

    def __init__(
        self, store: Store, table: int, sort: Sequence[Sort], most: int = LEAF_ROWS
    ) -> None:
        self._store = store
        self._table = table
        self._sort = tuple(sort)
        self._names = [each.name for each in sort]
        self._most = most
        self._loaded: dict[int, pa.RecordBatch] = {}
        self._dirty: set[int] = set()
        self._removed: set[int] = set()
        text = store.get(table, DIRECTORY)
        found = chunks.decode_text(text)[0] if text else None
        self._numbers: list[int] = found.column("__leaf").to_pylist() if found else []
        self._sizes: list[int] = found.column("__rows").to_pylist() if found else []
        self._lows: pa.RecordBatch | None = found.select(self._names) if found else None
        self._stored = set(self._numbers)

    @property
    def sort(self) -> tuple[Sort, ...]:
        """The columns that it is sorted by."""
        return self._sort

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return sum(self._sizes)

    def __len__(self) -> int:
        return len(self._numbers)

    def sizes(self) -> np.ndarray:
        """Rows of each leaf."""
        return np.array(self._sizes, dtype=np.int64)

    def least(self, name: str) -> int | None:
        """The least value of the first sort column, an integer; None: there are no rows."""
        return None if self._lows is None else int(self._lows.column(name)[0].as_py())

    def locate(self, rows: pa.RecordBatch) -> np.ndarray:
        """The leaf of each row, by its sort columns; 0 for all while there is none."""
        lows, wanted = self._compared(rows, len(self._sort))
        return np.maximum(np.searchsorted(lows, wanted, side="right") - 1, 0)

    def span(self, rows: pa.RecordBatch, columns: int) -> tuple[np.ndarray, np.ndarray]:
        """The first and the last leaf that may hold rows like those given.

        A leaf is never empty. So the first row like a given one, if there is any, is in the first
        leaf or in the one after it, and the last one in the last leaf or in the one before.

        Args:
            rows: rows.
            columns: by how many of the sort columns rows are alike.
        """
        lows, wanted = self._compared(rows, columns)
        first = np.searchsorted(lows, wanted, side="left") - 1
        last = np.searchsorted(lows, wanted, side="right") - 1
        return np.maximum(first, 0), np.maximum(last, 0)

    def _compared(self, rows: pa.RecordBatch, columns: int) -> tuple[np.ndarray, np.ndarray]:
        """The lows of leaves and rows as numbers that compare as they do."""
        leaves = len(self)
        if self._lows is None or leaves < 2:
            return np.zeros(leaves, dtype=np.int64), np.zeros(rows.num_rows, dtype=np.int64)
        place = compared([self._lows.select(self._names[:columns]), rows], self._sort[:columns])
        return place[:leaves], place[leaves:]

    def read(self, leaf: int) -> pa.RecordBatch:
        """The rows of a leaf in order."""
        number = self._numbers[leaf]
        if number not in self._loaded:
            text = self._store.get(self._table, number)
            if text is None:
                raise RuntimeError(f"leaf {number} of table {self._table} is gone")
            self._loaded[number] = chunks.decode_text(text)[0]
        return self._loaded[number]

    def read_all(self, leaves: Sequence[int] | np.ndarray) -> pa.RecordBatch | None:
        """The rows of some leaves, one after another; None if there are no leaves."""
        if not len(self) or not len(leaves):
            return None
        return chunks.concat(self.read(int(leaf)) for leaf in leaves)

    def write(self, leaves: np.ndarray, rows: pa.RecordBatch, places: np.ndarray) -> None:
        """Put rows in place of all those of some leaves.

        Args:
            leaves: the leaves, ascending.
            rows: rows in order.
            places: the leaf that each row belongs to, one of `leaves`.
        """
        ends = np.searchsorted(places, leaves, side="right").tolist()
        if not len(self):
            self._replace([], [(0, rows)] if rows.num_rows else [])
            return
        parts: list[tuple[int, pa.RecordBatch]] = []
        start = 0
        for leaf, end in zip(leaves.tolist(), ends, strict=True):
            if end > start:
                self._append(parts, leaf, rows.slice(start, end - start))
            start = end
        self._replace(leaves.tolist(), parts)

    def _append(
        self, parts: list[tuple[int, pa.RecordBatch]], leaf: int, rows: pa.RecordBatch
    ) -> None:
        """Add the rows of a leaf, together with those of the leaf before if both are few."""
        if parts and parts[-1][0] == leaf - 1:
            before = parts[-1][1]
            if before.num_rows + rows.num_rows <= self._most // 2:
                parts[-1] = (leaf, chunks.concat([before, rows]))
                return
        parts.append((leaf, rows))

    def _replace(self, leaves: list[int], parts: list[tuple[int, pa.RecordBatch]]) -> None:
        free = [self._numbers[leaf] for leaf in leaves]
        cut = [(leaf, piece) for leaf, rows in parts for piece in self._cut(rows)]
        unused = max(self._numbers, default=-1) + 1
        numbers = [*free, *range(unused, unused + len(cut) - len(free))][: len(cut)]
        for number in free[len(cut) :]:
            self._forget(number)
        gone = set(leaves)
        entries = [
            (leaf, 0, number, size)
            for leaf, (number, size) in enumerate(zip(self._numbers, self._sizes, strict=True))
            if leaf not in gone
        ]
        for place, (number, (leaf, rows)) in enumerate(zip(numbers, cut, strict=True)):
            self._loaded[number] = rows
            self._dirty.add(number)
            self._removed.discard(number)
            entries.append((leaf, place + 1, number, rows.num_rows))
        entries.sort()
        pool = [] if self._lows is None else [self._lows]
        pool += [rows.slice(0, 1).select(self._names) for _, rows in cut]
        taken, at = [], 0 if self._lows is None else self._lows.num_rows
        starts = {number: at + place for place, number in enumerate(numbers)}
        for leaf, place, number, _ in entries:
            taken.append(starts[number] if place else leaf)
        self._lows = chunks.concat(pool).take(pa.array(taken, pa.int64())) if taken else None
        self._numbers = [entry[2] for entry in entries]
        self._sizes = [entry[3] for entry in entries]

    def _cut(self, rows: pa.RecordBatch) -> list[pa.RecordBatch]:
        """Rows in pieces of a handy size, cut where the sort columns change."""
        if rows.num_rows <= self._most:
            return [rows]
        place = compared([rows], self._sort)
        begins = np.flatnonzero(np.diff(place, prepend=place[0])).tolist()
        pieces = -(-rows.num_rows // (self._most // 2 + self._most // 4))
        ideal = np.linspace(0, rows.num_rows, pieces + 1)[1:-1].astype(int)
        at = np.searchsorted(begins, ideal)
        cuts = {begins[each] for each in at.tolist() if each < len(begins)}
        bounds = [0, *sorted(cuts), rows.num_rows]
        return [rows.slice(start, end - start) for start, end in pairwise(bounds)]

    def _forget(self, number: int) -> None:
        self._loaded.pop(number, None)
        self._dirty.discard(number)
        if number in self._stored:
            self._removed.add(number)

    def flush(self) -> None:
        """Write what has changed to the store, and keep no rows in memory."""
        for number in sorted(self._removed):
            self._store.remove(self._table, number)
        for number in sorted(self._dirty):
            self._store.put(self._table, number, encoded(self._loaded[number]))
        if self._dirty or self._removed:
            self._put_directory()
        self._loaded, self._dirty, self._removed = {}, set(), set()
        self._stored = set(self._numbers)

    def _put_directory(self) -> None:
        if self._lows is None:
            self._store.remove(self._table, DIRECTORY)
            return
        columns = {name: self._lows.column(name) for name in self._names}
        directory = pa.RecordBatch.from_pydict(
            {
                **columns,
                "__leaf": pa.array(self._numbers, pa.int64()),
                "__rows": pa.array(self._sizes, pa.int64()),
            }
        )
        self._store.put(self._table, DIRECTORY, encoded(directory))


def words_of(parts: Sequence[pa.RecordBatch], sort: Sequence[Sort]) -> list[np.ndarray]:
    """Words of the rows of all parts that compare as their sort columns do."""
    return [
        word
        for each in sort
        for word in sort_words(pa.concat_arrays([part.column(each.name) for part in parts]), each)
    ]


def compared(parts: Sequence[pa.RecordBatch], sort: Sequence[Sort]) -> np.ndarray:
    """Rows of all parts as numbers that compare as their sort columns do."""
    words = words_of(parts, sort)
    if len(words) == 1:
        return words[0]
    return ranks_of_words(words, sum(part.num_rows for part in parts))


def encoded(rows: pa.RecordBatch) -> str:
    """Rows as a text of state."""
    return chunks.to_text(chunks.encode(rows))
