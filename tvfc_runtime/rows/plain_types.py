"""Types that Arrow does not carry between Spark and Python, rewritten to ones that it does.

Year-month intervals travel as a number of months, calendar intervals and columns of NULL alone as
text; inside arrays, maps and structs, too. All in Spark SQL, so that the rows do not pass Python
once more.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import (
    ArrayType,
    CalendarIntervalType,
    DataType,
    MapType,
    NullType,
    StructField,
    StructType,
    YearMonthIntervalType,
)

Leaf = Callable[[Column, DataType], Column]


def to_plain(rows: DataFrame) -> DataFrame:
    """Rows with only types that Arrow carries."""
    return _rewrite(rows, rows.schema, _plain_leaf)


def from_plain(rows: DataFrame, schema: StructType) -> DataFrame:
    """What `to_plain` has made of rows of a schema, back again."""
    return _rewrite(rows, schema, _own_leaf)


def _rewrite(rows: DataFrame, schema: StructType, leaf: Leaf) -> DataFrame:
    if not any(_is_odd(field.dataType) for field in schema):
        return rows
    columns = [
        _convert(rows[position], field.dataType, leaf).alias(field.name)
        for position, field in enumerate(schema)
    ]
    return rows.select(*columns)


def _is_odd(kind: DataType) -> bool:
    match kind:
        case YearMonthIntervalType() | CalendarIntervalType() | NullType():
            return True
        case ArrayType():
            return _is_odd(kind.elementType)
        case MapType():
            return _is_odd(kind.keyType) or _is_odd(kind.valueType)
        case StructType():
            return any(_is_odd(field.dataType) for field in kind)
        case _:
            return False


def _convert(column: Column, kind: DataType, leaf: Leaf) -> Column:
    """A column of a type that holds odd ones, with `leaf` applied to those."""
    if not _is_odd(kind):
        return column
    match kind:
        case ArrayType():
            return F.transform(column, lambda each: _convert(each, kind.elementType, leaf))
        case MapType():
            keys = F.transform_keys(column, lambda key, _: _convert(key, kind.keyType, leaf))
            return F.transform_values(keys, lambda _, each: _convert(each, kind.valueType, leaf))
        case StructType():
            fields = [_field(column, field, leaf) for field in kind]
            return F.when(column.isNotNull(), F.struct(*fields))
        case _:
            return leaf(column, kind)


def _field(column: Column, field: StructField, leaf: Leaf) -> Column:
    return _convert(column.getField(field.name), field.dataType, leaf).alias(field.name)


def _plain_leaf(column: Column, kind: DataType) -> Column:
    if isinstance(kind, CalendarIntervalType | NullType):
        return column.cast("string")
    return column.cast(YearMonthIntervalType(MONTH, MONTH)).cast("int")


def _own_leaf(column: Column, kind: DataType) -> Column:
    if isinstance(kind, NullType):
        return F.lit(None)
    if isinstance(kind, CalendarIntervalType):
        return column.cast(kind)
    return column.cast(YearMonthIntervalType(MONTH, MONTH)).cast(kind)


MONTH = YearMonthIntervalType.MONTH
