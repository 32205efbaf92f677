"""A side of a join that changes at several clock values, and what becomes of its pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tvfc_runtime.changing.exact import add_by
from tvfc_runtime.changing.join_spans import Changes, Spans, spans_of, standing, united
from tvfc_runtime.changing.partial import AT
from tvfc_runtime.changing.ranks import group_codes
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.updates import DIFF


@dataclass(frozen=True)
class Side:
    """Rows of a side and how they change.

    Attributes:
        rows: the rows, each once.
        before: how often each was there.
        row: the row of each change.
        at: the clock value of each change.
        diff: how much more often the row is there from then on.
    """

    rows: pa.RecordBatch
    before: np.ndarray
    row: np.ndarray
    at: np.ndarray
    diff: pa.Array

    def spans(self, key: np.ndarray) -> Spans:
        """When each row is there, by the number of its key."""
        still = np.ones(len(self.before), dtype=bool)
        still[self.row] = False
        rest = np.flatnonzero(still)
        changed = spans_of(self.row, key, self.at, self.diff.to_numpy(), self.before)
        return united(changed, standing(rest, key[rest], self.before[rest]))

    @property
    def net(self) -> pa.RecordBatch:
        """The rows that change, and how much more often they are there in the end."""
        changed = np.unique(self.row)
        total = add_by(self.row, len(self.before), self.diff.to_numpy())[changed]
        rows = self.rows.take(pa.array(changed))
        rows = rows.append_column(AT, pa.repeat(pa.scalar(0, pa.int64()), len(changed)))
        return rows.append_column(DIFF, pa.array(total))


def side_of(
    known: Sequence[pa.RecordBatch],
    change: pa.RecordBatch,
    hashes: Sequence[str],
    names: Sequence[str],
) -> Side:
    """The rows of a side, those that are known first, so that they stay as they were written.

    Args:
        known: rows, each once, and how often each is there.
        change: changes of such rows.
        hashes: columns that depend on the others.
        names: those that tell rows apart.
    """
    both = chunks.concat([each.select([*hashes, *names]) for each in (*known, change)])
    codes, first = group_codes([both.column(name) for name in names], both.num_rows)
    before = np.zeros(len(first), dtype=np.int64)
    start = 0
    for each in known:
        before[codes[start : start + each.num_rows]] = each.column(DIFF).to_numpy()
        start += each.num_rows
    at, diff = change.column(AT).to_numpy(), change.column(DIFF)
    return Side(both.take(pa.array(first)), before, codes[start:], at, diff)


def as_updates(
    pairs: Changes, left: pa.RecordBatch, right: pa.RecordBatch | None = None
) -> pa.RecordBatch:
    """Rows of one side, or pairs with those of the other, as they change."""
    columns: dict[str, pa.Array] = {}
    for rows, place in ((left, pairs.one), (right, pairs.other)):
        if rows is not None:
            taken = rows.take(pa.array(place))
            columns |= dict(zip(taken.schema.names, taken.columns, strict=True))
    own = {AT: pa.array(pairs.at), DIFF: pa.array(pairs.diff)}
    return pa.RecordBatch.from_pydict(columns | own)
