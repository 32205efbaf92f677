"""Values that lakes do not take, though they are of the right type.

Dates and times outside of the years 1 to 9999 are such: the libraries stop at some of them with
words about themselves, and write others that no reader gets through.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tvfc_runtime.sinks.errors import SinkError

_FIRST, _LAST = (int(np.datetime64(day).astype(int)) for day in ("0001-01-01", "9999-12-31"))
"""Days since 1970."""

_DAY = 86_400_000_000
"""In microseconds."""


def refuse_unfit(what: str, rows: pa.RecordBatch | pa.Table, schema: pa.Schema) -> None:
    """See that a table can have these rows.

    Args:
        what: who writes, for messages.
        rows: the rows, columns by place as in `schema`.
        schema: the columns of the table; dates are `date32`, times in microseconds.

    Raises:
        SinkError: it cannot.
    """
    for column, field in zip(rows.columns, schema, strict=True):
        if not field.nullable and column.null_count:
            raise SinkError(
                f"TVF707: {what}: column {field.name} of a row is NULL, and the table requires a "
                "value; give it one with coalesce"
            )
        for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
            for leaf in _leaves(chunk):
                _refuse_time(what, field.name, leaf)


def _leaves(values: pa.Array) -> Iterator[pa.Array]:
    """The values inside of lists, maps and structs."""
    kind = values.type
    if pa.types.is_struct(kind):
        for inner in values.flatten():
            yield from _leaves(inner)
    elif pa.types.is_map(kind):
        yield from _leaves(values.keys)
        yield from _leaves(values.items)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        yield from _leaves(values.flatten())
    else:
        yield values


def _refuse_time(what: str, name: str, values: pa.Array) -> None:
    if not pa.types.is_date32(values.type) and not pa.types.is_timestamp(values.type):
        return
    is_date = pa.types.is_date32(values.type)
    numbers = values.view(pa.int32() if is_date else pa.int64())
    day = 1 if is_date else _DAY
    low, high = _FIRST * day, (_LAST + 1) * day - 1
    found = pc.min_max(numbers).as_py()
    for number in (found["min"], found["max"]):
        if number is not None and not low <= number <= high:
            shown = np.datetime64(number, "D" if is_date else "us")
            raise SinkError(
                f"TVF707: {what}: column {name} has the {'date' if is_date else 'time'} {shown}, "
                "and lakes have the years 1 to 9999; a CASE may make it NULL"
            )
