"""Tables for readers: lines below headings, JSON, CSV. Values come from outside and act nowhere."""

from __future__ import annotations

import csv
import io
import json
import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from compiler.escapes import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDEST = 60
"""Characters of a value that a line shows."""


def values_of(column: pa.ChunkedArray) -> list[Any]:
    """The values of a column; moments that Python does not have are text."""
    try:
        return list(column.to_pylist())
    except (ValueError, OverflowError):
        return list(map(_value_of, column))


def _value_of(value: pa.Scalar) -> Any:
    try:
        return value.as_py()
    except (ValueError, OverflowError):
        # Arrow itself writes years beyond 32767 wrong.
        is_moment = pa.types.is_timestamp(value.type)
        return f"{value.value} {value.type.unit} since 1970" if is_moment else "beyond all years"


def as_text(value: Any) -> str:
    """A value as text; TIMESTAMPs are in UTC."""
    plain = as_plain(value)
    if plain is None:
        return "NULL"
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def as_plain(value: Any) -> Any:
    """A value as JSON has it."""
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case None | bool() | int() | float() | str():
            return value
        case datetime():
            naive = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
            return naive.isoformat(sep=" ").removesuffix("000")
        case date() | time():
            return value.isoformat()
        case Decimal() | timedelta():
            return str(value)
        case bytes():
            return value.hex()
        case dict():
            return {str(key): as_plain(each) for key, each in value.items()}
        case list() | tuple():
            return [as_plain(each) for each in value]
        case _:
            return str(value)


def as_lines(table: pa.Table) -> list[str]:
    """A table in lines below its headings; numbers are flushed right."""
    columns = [[as_text(each) for each in values_of(column)] for column in table.columns]
    shown = [
        [_cell(name), *map(_cell, column)]
        for name, column in zip(table.column_names, columns, strict=True)
    ]
    widths = [max(map(len, column)) for column in shown]
    right = [_is_number(each.type) for each in table.schema]
    return [
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in zip(*shown, strict=True)
    ]


def _cell(text: str) -> str:
    plain = visible(text)
    return plain if len(plain) <= WIDEST else f"{plain[: WIDEST - 1]}…"


def _is_number(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def as_objects(table: pa.Table) -> list[dict[str, Any]]:
    """A table as JSON objects; what a row does not have is left out of it."""
    columns = {
        name: list(map(as_plain, values_of(column)))
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return [
        {name: value for name, value in zip(columns, row, strict=True) if value is not None}
        for row in zip(*columns.values(), strict=True)
    ]


def as_csv(table: pa.Table) -> str:
    """A table as CSV with a header; NULL is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.column_names)
    columns: Sequence[list[str]] = [
        ["" if each is None else as_text(each) for each in values_of(column)]
        for column in table.columns
    ]
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue()
