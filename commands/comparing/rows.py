"""In which rows two answers differ: bags of rows, compared column by column in Arrow."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from commands.inside.shown import as_text, values_of
from tvfc_runtime.sinks.net import canonical

_FIRST, _SECOND, _PLACE = "__first", "__second", "__place"


@dataclass(frozen=True)
class Bag:
    """Rows, and how often each is there; a row may stand here several times.

    Attributes:
        rows: their columns.
        counts: int64, one for each; the sum over equal rows counts.
    """

    rows: pa.Table
    counts: pa.ChunkedArray | pa.Array


@dataclass(frozen=True)
class Difference:
    """What two bags have, by the columns that both have.

    Attributes:
        both: how many rows are in both.
        only: how many are in the first alone, and in the second alone.
        examples: some of these, each once.
        columns: the columns that only the first has, and only the second.
    """

    both: int
    only: tuple[int, int]
    examples: tuple[pa.Table, pa.Table]
    columns: tuple[tuple[str, ...], tuple[str, ...]]

    @property
    def is_none(self) -> bool:
        """Whether both are the same."""
        return not any(self.only) and not any(self.columns)


def difference(first: Bag, second: Bag, most: int) -> Difference:
    """In which rows two bags differ.

    Args:
        first: one.
        second: the other.
        most: how many examples there may be of each kind.
    """
    names = first.rows.column_names, second.rows.column_names
    # A folder without rows does not tell which columns they would have.
    empty = not names[0] or not names[1]
    shared = (
        [name for name in names[0] if name in names[1]] if not empty else [*names[0], *names[1]]
    )
    of_one = tuple(name for name in names[0] if name not in shared)
    of_other = tuple(name for name in names[1] if name not in shared)
    if not shared:
        totals = pc.sum(first.counts).as_py() or 0, pc.sum(second.counts).as_py() or 0
        some = first.rows.slice(0, most), second.rows.slice(0, most)
        return Difference(0, totals, some, (of_one, of_other))
    rows = _together(*(_selected(each.rows, shared) for each in (first, second)))
    zeros = np.zeros(rows.num_rows, np.int64)
    counts = zeros.copy(), zeros.copy()
    counts[0][: first.rows.num_rows] = np.asarray(first.counts, np.int64)
    counts[1][first.rows.num_rows :] = np.asarray(second.counts, np.int64)
    net = (
        canonical(rows)
        .append_column(_FIRST, pa.array(counts[0]))
        .append_column(_SECOND, pa.array(counts[1]))
        .append_column(_PLACE, pa.array(np.arange(rows.num_rows)))
        .group_by(shared, use_threads=False)
        .aggregate([(_FIRST, "sum"), (_SECOND, "sum"), (_PLACE, "min")])
    )
    left, right = (net[f"{each}_sum"].to_numpy() for each in (_FIRST, _SECOND))
    places = net[f"{_PLACE}_min"].to_numpy()
    more = np.maximum(left - right, 0), np.maximum(right - left, 0)
    examples = [rows.take(pa.array(np.sort(places[each > 0])[:most])) for each in more]
    return Difference(
        both=int(np.minimum(left, right).sum()),
        only=(int(more[0].sum()), int(more[1].sum())),
        examples=(examples[0], examples[1]),
        columns=(of_one, of_other),
    )


def _selected(rows: pa.Table, names: list[str]) -> pa.Table:
    return rows.select(names) if rows.num_columns else rows


def _together(first: pa.Table, second: pa.Table) -> pa.Table:
    """Both, one below the other, in types that can be grouped by."""
    if not first.num_columns or not second.num_columns:
        return _plain(first if first.num_columns else second)
    try:
        both = pa.concat_tables([first, second], promote_options="permissive")
    except pa.ArrowException:
        both = pa.concat_tables([_as_texts(first), _as_texts(second)])
    return _plain(both)


def _plain(rows: pa.Table) -> pa.Table:
    for place, field in enumerate(rows.schema):
        if pa.types.is_nested(field.type) or pa.types.is_interval(field.type):
            rows = rows.set_column(place, field.name, _texts(rows.column(place)))
    return rows


def _as_texts(rows: pa.Table) -> pa.Table:
    return pa.table({name: _texts(rows[name]) for name in rows.column_names})


def _texts(column: pa.ChunkedArray) -> pa.Array:
    """Values as texts, of all types alike; NULL stays NULL."""
    return pa.array(
        [None if each is None else as_text(each) for each in values_of(column)], pa.string()
    )


def changed(rows: pa.Table, until: str, diff: str, clock: pa.Scalar | None) -> Bag:
    """Changes as a bag, those up to a clock value or of before there was one.

    Args:
        rows: changes.
        until: the column with the clock value of each, a TIMESTAMP or its text.
        diff: the column with +1 and -1.
        clock: the clock value; None: there was none yet.
    """
    if not rows.num_columns:
        return Bag(rows, pa.array([], pa.int64()))
    times = rows[until]
    if pa.types.is_string(times.type):
        times = _moments(times)
    early = pc.is_null(times)
    if clock is not None:
        early = pc.or_kleene(early, pc.less_equal(times, clock))
    kept = rows.filter(early)
    return Bag(kept.drop_columns([until, diff]), kept[diff].cast(pa.int64()))


def _moments(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Moments as Spark writes them into JSON and CSV, with the offset of the session's zone."""
    values = [None if each is None else datetime.fromisoformat(each) for each in texts.to_pylist()]
    return pa.chunked_array([pa.array(values, pa.timestamp("us", "UTC"))])
