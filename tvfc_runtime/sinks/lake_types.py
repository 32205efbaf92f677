"""Spark's types in lakes, which have nearly all of them: the form of values in Arrow.

VARIANT, inside others as well      STRING, JSON: the whole column
TIME, intervals                     STRING, as Spark casts them; inside others: JSON
TIMESTAMP                           in UTC
all others                          as they are
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import types as t

from tvfc_runtime.sinks.json_text import json_text

_SAME = (
    *(t.BooleanType, t.ByteType, t.ShortType, t.IntegerType, t.LongType, t.FloatType),
    *(t.DoubleType, t.DecimalType, t.StringType, t.BinaryType, t.DateType, t.TimestampType),
    t.TimestampNTZType,
)
UTC = pa.timestamp("us", "UTC")


def stored(column: Column, kind: t.DataType) -> Column:
    """A column in the form in which it comes."""
    if _is_same(kind):
        return column if not isinstance(kind, t.StringType) else column.cast("string")
    is_nested = isinstance(kind, t.ArrayType | t.MapType | t.StructType | t.VariantType)
    return json_text(column) if is_nested else column.cast("string")


def _is_same(kind: t.DataType) -> bool:
    match kind:
        case t.ArrayType(elementType=element):
            return _is_same(element)
        case t.MapType(keyType=key, valueType=value):
            return _is_same(key) and _is_same(value)
        case t.StructType(fields=fields):
            return all(_is_same(each.dataType) for each in fields)
        case _:
            return isinstance(kind, _SAME)


def in_arrow(kind: t.DataType, leaf: Callable[[pa.DataType], pa.DataType]) -> pa.DataType:
    """The type of a column in Arrow; times are in UTC.

    Args:
        kind: what Spark has.
        leaf: what becomes of types that are not nested.
    """
    if not _is_same(kind):
        return pa.string()
    match kind:
        case t.ArrayType(elementType=element):
            return pa.list_(in_arrow(element, leaf))
        case t.MapType(keyType=key, valueType=value):
            return pa.map_(in_arrow(key, leaf), in_arrow(value, leaf))
        case t.StructType(fields=fields):
            inner = [(each.name, in_arrow(each.dataType, leaf)) for each in fields]
            return pa.struct(inner)
        case t.DecimalType(precision=digits, scale=scale):
            return pa.decimal128(digits, scale)
        case _:
            return leaf(_LEAVES[type(kind)])


_LEAVES: Mapping[type[t.DataType], pa.DataType] = {
    t.BooleanType: pa.bool_(),
    t.ByteType: pa.int8(),
    t.ShortType: pa.int16(),
    t.IntegerType: pa.int32(),
    t.LongType: pa.int64(),
    t.FloatType: pa.float32(),
    t.DoubleType: pa.float64(),
    t.StringType: pa.string(),
    t.BinaryType: pa.binary(),
    t.DateType: pa.date32(),
    t.TimestampType: UTC,
    t.TimestampNTZType: pa.timestamp("us"),
}


def arrow_schema(
    columns: t.StructType,
    names: list[str] | None = None,
    leaf: Callable[[pa.DataType], pa.DataType] = lambda kind: kind,
) -> pa.Schema:
    """The columns in Arrow, under their own or other names."""
    kinds = [in_arrow(each.dataType, leaf) for each in columns.fields]
    return pa.schema(list(zip(names or columns.names, kinds, strict=True)))
