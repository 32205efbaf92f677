"""Rows as written in a scenario, by the columns they are for: to normal forms, and back to text."""

from __future__ import annotations

from datetime import timedelta
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pyspark.sql import types as t

from scenario.model import Row, ScenarioError
from scenario.values import EPOCH, ValueFault, normal

if TYPE_CHECKING:
    from collections.abc import Iterable

# Small clock values are easier to read as the seconds that the scenario gave.
_READABLE_SECONDS = 10_000_000


def normal_rows(rows: Iterable[Row], schema: t.StructType, where: str) -> list[tuple[Any, ...]]:
    """Rows in normal form; whatever does not fit is a `ScenarioError`."""
    return [_normal_row(row, schema, where) for row in rows]


def show_row(row: tuple[Any, ...], schema: t.StructType) -> str:
    """A row of normal forms as a scenario would write it."""
    kinds = [field.dataType for field in schema.fields]
    return "[" + ", ".join(map(_show, row, kinds)) + "]"


def nearest(name: str, known: Iterable[str]) -> str:
    """The advice behind an unknown name."""
    names = list(known)
    close = get_close_matches(name, names, n=1, cutoff=0.5)
    return f"did you mean `{close[0]}`?" if close else f"there are: {', '.join(names)}"


def _normal_row(row: Row, schema: t.StructType, where: str) -> tuple[Any, ...]:
    names = schema.fieldNames()
    if isinstance(row, dict):
        for key in row:
            if key not in names:
                raise ScenarioError(f"{where}: no column `{key}`; {nearest(str(key), names)}")
        row = [row.get(name) for name in names]
    if len(row) != len(names):
        raise ScenarioError(
            f"{where}: the row {row} has {len(row)} values for {len(names)} columns"
            f" ({', '.join(names)})"
        )
    return tuple(_value(item, field, where) for item, field in zip(row, schema.fields, strict=True))


def _value(item: Any, field: t.StructField, where: str) -> Any:
    try:
        return normal(item, field.dataType)
    except ValueFault as fault:
        raise ScenarioError(f"{where}: column `{field.name}`: {fault}") from None


def _show(value: Any, kind: t.DataType) -> str:
    if value is None:
        return "null"
    if isinstance(kind, t.ArrayType):
        return "[" + ", ".join(_show(item, kind.elementType) for item in value) + "]"
    if isinstance(kind, t.StructType):
        return show_row(value, kind)
    if isinstance(kind, t.MapType):
        pairs = (f"{_show(k, kind.keyType)}: {_show(v, kind.valueType)}" for k, v in value)
        return "{" + ", ".join(pairs) + "}"
    if isinstance(kind, t.TimestampType | t.TimestampNTZType | t.DateType):
        return _show_time(value, kind)
    if isinstance(kind, t.BinaryType):
        return f"X'{value}'"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _show_time(value: Any, kind: t.DataType) -> str:
    if not isinstance(value, int):
        return str(value)
    if isinstance(kind, t.TimestampType) and abs(value) < _READABLE_SECONDS * 1_000_000:
        return show_seconds(value)
    try:
        if isinstance(kind, t.DateType):
            return (EPOCH + timedelta(days=value)).date().isoformat()
        text = (EPOCH + timedelta(microseconds=value)).isoformat()
    except OverflowError:
        return str(value)
    return f"{text}Z" if isinstance(kind, t.TimestampType) else text


def show_seconds(micros: int) -> str:
    """Microseconds as seconds, without needless zeros."""
    sign, magnitude = "-" if micros < 0 else "", abs(micros)
    fraction = f"{magnitude % 1_000_000:06}".rstrip("0")
    return f"{sign}{magnitude // 1_000_000}" + (f".{fraction}" if fraction else "")
