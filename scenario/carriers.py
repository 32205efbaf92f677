"""Typed columns to JSON and back on Spark's side, without loss for any type.

Spark's own JSON reader and Python's own times would round, or refuse far years; so every scalar
travels as text and SQL casts it. ARRAY and STRUCT stay what they are, a MAP is an array of
entries `k`, `v`. The Python ends are `to_carrier` (what is written to a file) and `from_carrier`
(what comes out of a job, as the normal form of `values`).
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pyspark.sql import types as t

from scenario.values import EPOCH, key_order, single_precision
from tvfc_runtime.rows.sql_text import quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

_MICROSECOND = timedelta(microseconds=1)


def columns_of(ddl: str) -> t.StructType:
    """The columns that a text such as `a INT, b STRING` declares."""
    columns = t.StructType.fromDDL(ddl)
    assert isinstance(columns, t.StructType)
    return columns


def carrier_ddl(kind: t.DataType) -> str:
    """The type of the carrier of a column."""
    if isinstance(kind, t.ArrayType):
        return f"ARRAY<{carrier_ddl(kind.elementType)}>"
    if isinstance(kind, t.MapType):
        return f"ARRAY<STRUCT<k: {carrier_ddl(kind.keyType)}, v: {carrier_ddl(kind.valueType)}>>"
    if isinstance(kind, t.StructType):
        fields = (f"f{i}: {carrier_ddl(field.dataType)}" for i, field in enumerate(kind.fields))
        return f"STRUCT<{', '.join(fields)}>"
    return "STRING"


def decode_sql(kind: t.DataType, carrier: str, depth: int = 0) -> str:
    """SQL from the expression of a carrier to the typed value."""
    item = f"e{depth}"
    if isinstance(kind, t.ArrayType):
        return f"transform({carrier}, {item} -> {decode_sql(kind.elementType, item, depth + 1)})"
    if isinstance(kind, t.MapType):
        key = decode_sql(kind.keyType, f"{item}.k", depth + 1)
        value = decode_sql(kind.valueType, f"{item}.v", depth + 1)
        return f"map_from_entries(transform({carrier}, {item} -> struct({key}, {value})))"
    if isinstance(kind, t.StructType):
        parts = [
            f"{_text(field.name)}, {decode_sql(field.dataType, f'{carrier}.f{i}', depth)}"
            for i, field in enumerate(kind.fields)
        ]
        return _unless_null(carrier, f"named_struct({', '.join(parts)})")
    return _scalar_sql(kind, carrier, _DECODE)


def encode_sql(kind: t.DataType, value: str, depth: int = 0) -> str:
    """SQL from the expression of a typed value to its carrier."""
    item = f"e{depth}"
    if isinstance(kind, t.ArrayType):
        return f"transform({value}, {item} -> {encode_sql(kind.elementType, item, depth + 1)})"
    if isinstance(kind, t.MapType):
        key = encode_sql(kind.keyType, f"{item}.key", depth + 1)
        entry = encode_sql(kind.valueType, f"{item}.value", depth + 1)
        return f"transform(map_entries({value}), {item} -> named_struct('k', {key}, 'v', {entry}))"
    if isinstance(kind, t.StructType):
        parts = [
            f"'f{i}', {encode_sql(field.dataType, f'{value}.{quote(field.name)}', depth)}"
            for i, field in enumerate(kind.fields)
        ]
        return _unless_null(value, f"named_struct({', '.join(parts)})")
    return _scalar_sql(kind, value, _ENCODE)


def _text(name: str) -> str:
    """A name as a string of SQL."""
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def to_carrier(value: Any, kind: t.DataType) -> Any:
    """A normal form as it stands in a JSON line."""
    if value is None:
        return None
    if isinstance(kind, t.ArrayType):
        return [to_carrier(item, kind.elementType) for item in value]
    if isinstance(kind, t.MapType):
        return [
            {"k": to_carrier(key, kind.keyType), "v": to_carrier(item, kind.valueType)}
            for key, item in value
        ]
    if isinstance(kind, t.StructType):
        pairs = zip(value, kind.fields, strict=True)
        return {f"f{i}": to_carrier(item, field.dataType) for i, (item, field) in enumerate(pairs)}
    if isinstance(kind, t.BooleanType):
        return "true" if value else "false"
    if isinstance(kind, t.DayTimeIntervalType):
        return format(Decimal(value) / 1_000_000, "f")
    if isinstance(kind, t.TimestampNTZType):
        return (EPOCH + timedelta(microseconds=value)).isoformat()
    return str(value)


def from_carrier(carrier: Any, kind: t.DataType) -> Any:
    """The normal form of what `encode_sql` has made."""
    if carrier is None:
        return None
    if isinstance(kind, t.ArrayType):
        return tuple(from_carrier(item, kind.elementType) for item in carrier)
    if isinstance(kind, t.MapType):
        pairs = (
            (from_carrier(each["k"], kind.keyType), from_carrier(each["v"], kind.valueType))
            for each in carrier
        )
        return tuple(sorted(pairs, key=lambda pair: key_order(pair[0])))
    if isinstance(kind, t.StructType):
        return tuple(
            from_carrier(carrier[f"f{i}"], field.dataType) for i, field in enumerate(kind.fields)
        )
    return _reader(kind)(carrier)


def as_text(frame: DataFrame) -> DataFrame:
    """The rows of a frame as JSON text of their carriers, one column, `line`."""
    plain = frame.toDF(*(f"c{i}" for i in range(len(frame.columns))))
    carriers = [
        f"'c{i}', {encode_sql(field.dataType, f'c{i}')}"
        for i, field in enumerate(frame.schema.fields)
    ]
    text = f"to_json(named_struct({', '.join(carriers)}), map('ignoreNullFields', 'false'))"
    return plain.selectExpr(f"{text} AS line")


def row_of(line: str, schema: t.StructType) -> tuple[Any, ...]:
    """A row in normal form, of a line of `as_text`."""
    carriers = json.loads(line)
    return tuple(
        from_carrier(carriers.get(f"c{i}"), field.dataType) for i, field in enumerate(schema.fields)
    )


def _unless_null(carrier: str, sql: str) -> str:
    return f"CASE WHEN {carrier} IS NOT NULL THEN {sql} END"


_Template = tuple[type[t.DataType] | tuple[type[t.DataType], ...], str]

# {0} the expression, {1} the type as DDL. Intervals go by seconds: adding them to a time, or
# subtracting times, would bring in the calendar of the session's time zone.
_DECODE: tuple[_Template, ...] = (
    (t.TimestampType, "timestamp_micros(CAST({0} AS BIGINT))"),
    (t.DateType, "date_from_unix_date(CAST({0} AS INT))"),
    (t.BinaryType, "unhex({0})"),
    (
        t.DayTimeIntervalType,
        "CAST(CAST(CAST({0} AS DECIMAL(20, 6)) AS INTERVAL SECOND) AS {1})",
    ),
    (t.YearMonthIntervalType, "CAST(CAST(CAST({0} AS INT) AS INTERVAL MONTH) AS {1})"),
    (t.VariantType, "parse_json({0})"),
    (t.DataType, "CAST({0} AS {1})"),
)
_ENCODE: tuple[_Template, ...] = (
    (t.TimestampType, "CAST(unix_micros({0}) AS STRING)"),
    (t.DateType, "CAST(unix_date({0}) AS STRING)"),
    (t.BinaryType, "hex({0})"),
    (
        t.DayTimeIntervalType,
        "CAST(CAST(CAST({0} AS INTERVAL SECOND) AS DECIMAL(20, 6)) AS STRING)",
    ),
    (t.YearMonthIntervalType, "CAST(CAST(CAST({0} AS INTERVAL MONTH) AS INT) AS STRING)"),
    (t.VariantType, "to_json({0})"),
    (t.DataType, "CAST({0} AS STRING)"),
)


def _scalar_sql(kind: t.DataType, expression: str, templates: tuple[_Template, ...]) -> str:
    template = next(template for types, template in templates if isinstance(kind, types))
    return template.format(expression, kind.simpleString())


def _ntz(text: str) -> int | str:
    try:
        return (datetime.fromisoformat(text) - EPOCH) // _MICROSECOND
    except ValueError:  # a year that Python does not know: as Spark writes it
        return text


_READERS: tuple[tuple[Any, Callable[[str], Any]], ...] = (
    (
        (t.ByteType, t.ShortType, t.IntegerType, t.LongType, t.TimestampType, t.DateType),
        int,
    ),
    (t.YearMonthIntervalType, int),
    (t.DayTimeIntervalType, lambda text: int(Decimal(text) * 1_000_000)),
    (t.TimestampNTZType, _ntz),
    (t.BooleanType, lambda text: text == "true"),
    (t.DecimalType, Decimal),
    (t.FloatType, lambda text: single_precision(float(text))),
    (t.DoubleType, float),
    (t.VariantType, lambda text: json.dumps(json.loads(text), sort_keys=True)),
)


def _reader(kind: t.DataType) -> Callable[[str], Any]:
    return next((reader for types, reader in _READERS if isinstance(kind, types)), str)
