"""A batch of a result as upserts and deletes by key, column by column, in Arrow.

The same rule as changes.py has for rows in Python, for batches of any size. NULL is one key; NaN is
one number, and so are 0.0 and -0.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tvfc_runtime.sinks.changes import Row, two_rows

SAME = "same"
"""Beside columns that Arrow cannot group by, arrays, maps and structs: all of them as one text."""

_PLACE, _DIFF, _UP, _DOWN = "place", "diff", "up", "down"


@dataclass(frozen=True, kw_only=True)
class NetChanges:
    """What a batch does to a table with a key.

    Attributes:
        upserts: rows that are to be there, in place of what had their key; one for each key.
        is_new: for each of them, whether nobody may have its key yet; None: nobody knows, and the
            row takes the place of any.
        deletes: keys whose row goes, key columns alone.
        names: what the query calls the columns of the key.
    """

    upserts: pa.Table
    is_new: pa.BooleanArray | None
    deletes: pa.Table
    names: tuple[str, ...]

    @property
    def new_keys(self) -> pa.Table:
        """The keys that nobody may have yet."""
        keys = self.upserts.select(self.deletes.column_names)
        return keys.slice(0, 0) if self.is_new is None else keys.filter(self.is_new)

    @property
    def touched(self) -> pa.Table:
        """The keys whose row, if there is one, goes: replaced or deleted."""
        keys = self.upserts.select(self.deletes.column_names)
        old = keys if self.is_new is None else keys.filter(pc.invert(self.is_new))
        return pa.concat_tables([old, self.deletes])


def net_growth(rows: pa.Table, key: Sequence[str], names: tuple[str, ...]) -> NetChanges:
    """Rows of a result that only grows: the last row of a key takes the place of those before."""
    numbered = _numbered(canonical(rows.select([*key])))
    last = numbered.group_by([*key], use_threads=False).aggregate([(_PLACE, "max")])
    upserts = rows.take(last[f"{_PLACE}_max"])
    return NetChanges(
        upserts=_data(upserts), is_new=None, deletes=rows.select([*key]).slice(0, 0), names=names
    )


def net_changes(
    rows: pa.Table, diff: pa.ChunkedArray, key: Sequence[str], names: tuple[str, ...]
) -> NetChanges:
    """Updates of a result that changes, rows and +1 or -1 in any order, net of what cancels.

    Raises:
        SinkError: a key would have two rows.
    """
    compared = [each for each in rows.column_names if not pa.types.is_nested(rows[each].type)]
    numbered = _numbered(canonical(rows.select(compared))).append_column(_DIFF, diff)
    net = numbered.group_by(compared, use_threads=False).aggregate(
        [(_DIFF, "sum"), (_PLACE, "min")]
    )
    number = net[f"{_DIFF}_sum"]
    is_there = pc.greater(number, 0)
    marked = net.select([*key])
    marked = marked.append_column(_UP, pc.if_else(is_there, number, 0))
    marked = marked.append_column(_DOWN, pc.if_else(pc.less(number, 0), 1, 0))
    none = pa.scalar(None, pa.int64())
    marked = marked.append_column("new", pc.if_else(is_there, net[f"{_PLACE}_min"], none))
    marked = marked.append_column("old", net[f"{_PLACE}_min"])
    keys = marked.group_by([*key], use_threads=False).aggregate(
        [(_UP, "sum"), (_DOWN, "max"), ("new", "max"), ("old", "min")]
    )
    up, down = keys[f"{_UP}_sum"], keys[f"{_DOWN}_max"]
    places = keys["old_min"]
    if pc.max(up).as_py() not in (None, 0, 1):
        twice = rows.select([*key]).take(places.filter(pc.greater(up, 1)).slice(0, 1))
        raise two_rows(_first(twice), names)
    stays = pc.equal(up, 1)
    goes = pc.and_(pc.equal(up, 0), pc.equal(down, 1))
    return NetChanges(
        upserts=_data(rows.take(keys["new_max"].filter(stays))),
        is_new=pc.equal(down, 0).filter(stays).combine_chunks(),
        deletes=rows.select([*key]).take(places.filter(goes)),
        names=names,
    )


def refuse_known(new: pa.Table, there: pa.Table, names: tuple[str, ...]) -> None:
    """See that keys are not in a table yet.

    Args:
        new: the keys.
        there: those of the table, in columns of the same names and types.
        names: what the query calls them.

    Raises:
        SinkError: one of them is there.
    """
    if new.num_rows and there.num_rows:
        known = new.filter(are_among(new, there))
        if known.num_rows:
            raise two_rows(_first(known), names)


def are_among(rows: pa.Table, keys: pa.Table) -> pa.BooleanArray:
    """For each of some rows, key columns alone, whether it is among the keys; NULL is a value."""
    one, other = _joinable(canonical(rows), canonical(keys))
    first = one.column_names[1]
    # Most rows fall out here, many times faster than in a join.
    likely = _numbered(one).filter(pc.is_in(one[first], value_set=other[first].combine_chunks()))
    found = likely.join(other, keys=one.column_names, join_type="left semi")
    mask = np.zeros(rows.num_rows, np.bool_)
    mask[found[_PLACE].to_numpy()] = True
    return pa.array(mask)


def canonical(rows: pa.Table) -> pa.Table:
    """Columns in which equal values have equal bits."""
    for place, name in enumerate(rows.column_names):
        column = rows[name]
        if pa.types.is_floating(column.type):
            column = pc.add(column, pa.scalar(0.0, column.type))
            nan = pa.scalar(float("nan"), column.type)
            column = pc.if_else(pc.is_nan(column), nan, column)
            bits = pa.int64() if column.type.bit_width == 64 else pa.int32()
            pieces = [piece.view(bits) for piece in column.chunks]
            rows = rows.set_column(place, name, pa.chunked_array(pieces, bits))
    return rows


def _joinable(one: pa.Table, other: pa.Table) -> tuple[pa.Table, pa.Table]:
    """The same without NULLs, by which a join finds nothing: a flag, and any value in their place.

    A batch of Spark's and a table that was read may have different sizes of offsets.
    """
    columns: tuple[dict[str, pa.ChunkedArray], dict[str, pa.ChunkedArray]] = ({}, {})
    for place, name in enumerate(one.column_names):
        left, right = one[name], other[name].cast(one[name].type)
        valid = pc.drop_null(pa.chunked_array([*left.chunks, *right.chunks], left.type))
        for found, column in zip(columns, (left, right), strict=True):
            found[f"n{place}"] = column.is_null()
            found[f"v{place}"] = pc.fill_null(column, valid[0]) if len(valid) else column.is_null()
    return pa.table(columns[0]), pa.table(columns[1])


def _numbered(rows: pa.Table) -> pa.Table:
    return rows.append_column(_PLACE, pa.array(np.arange(rows.num_rows)))


def _data(rows: pa.Table) -> pa.Table:
    return rows.drop_columns([SAME]) if SAME in rows.column_names else rows


def _first(keys: pa.Table) -> Row:
    return tuple(column[0].as_py() for column in keys.columns)
