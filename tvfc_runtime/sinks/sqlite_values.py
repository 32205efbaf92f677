"""Spark's types in SQLite: what a column is declared as, and the form of its values.

    BOOLEAN, integers, DECIMAL of up to 18 digits without a fraction     INTEGER
    FLOAT, DOUBLE                                                        REAL; NaN is NULL
    DECIMAL of up to 15 digits                                           NUMERIC
    longer DECIMALs                                                      TEXT, all digits
    STRING                                                               TEXT
    BINARY                                                               BLOB
    DATE                                                                 TEXT 2024-01-31
    TIMESTAMP                                         TEXT 2024-01-31T23:59:59.123456Z, in UTC
    TIMESTAMP_NTZ                                     the same without Z
    ARRAY, MAP, STRUCT, VARIANT                                          TEXT, JSON
    TIME, intervals                                                      TEXT, as Spark casts them

Texts of times sort as the times do, and SQLite's own functions take them.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as t

from tvfc_runtime.sinks.json_text import json_text

DIGITS_OF_A_DOUBLE = 15
DIGITS_OF_A_BIGINT = 18
MICROS_A_DAY = 86_400_000_000
IN_SPARK = {"INTEGER": "bigint", "NUMERIC": "double", "TEXT": "string"}


def declared(kind: t.DataType) -> str:
    """The type of a column in CREATE TABLE."""
    match kind:
        case t.BooleanType() | t.ByteType() | t.ShortType() | t.IntegerType() | t.LongType():
            return "INTEGER"
        case t.FloatType() | t.DoubleType():
            return "REAL"
        case t.DecimalType(precision=digits, scale=scale):
            if scale == 0 and digits <= DIGITS_OF_A_BIGINT:
                return "INTEGER"
            return "NUMERIC" if digits <= DIGITS_OF_A_DOUBLE else "TEXT"
        case t.BinaryType():
            return "BLOB"
        case _:
            return "TEXT"


def stored(column: Column, kind: t.DataType) -> Column:
    """A column in the form in which SQLite has it."""
    match kind:
        case t.FloatType():
            # By way of its text: 0.1 is 0.1, not 0.10000000149011612.
            return _number(column.cast("string").cast("double"))
        case t.DoubleType():
            return _number(column)
        case t.TimestampType():
            return _utc(column)
        case t.TimestampNTZType():
            return _padded(column.cast("string"))
        case t.ArrayType() | t.MapType() | t.StructType() | t.VariantType():
            return json_text(column)
        case t.BinaryType():
            return column
        case _:
            return column.cast(IN_SPARK[declared(kind)])


def _number(column: Column) -> Column:
    return F.when(~F.isnan(column), column)


def _utc(column: Column) -> Column:
    """By numbers: the session's time zone has no part in it, and no year is too far away."""
    micros = F.unix_micros(column)
    rest = F.pmod(micros, F.lit(MICROS_A_DAY))
    day = F.date_from_unix_date(((micros - rest) / MICROS_A_DAY).cast("int"))
    second = F.floor(rest / 1_000_000)
    parts = (F.floor(second / 3600), F.floor(second / 60) % 60, second % 60, rest % 1_000_000)
    text = F.format_string("%sT%02d:%02d:%02d.%06dZ", day.cast("string"), *parts)
    return F.when(column.isNotNull(), text)


def _padded(text: Column) -> Column:
    """`2024-01-31 23:59:59.5` with a T and six digits."""
    whole = F.replace(F.substring_index(text, ".", 1), F.lit(" "), F.lit("T"))
    fraction = F.when(F.contains(text, F.lit(".")), F.substring_index(text, ".", -1)).otherwise("")
    return F.concat(whole, F.lit("."), F.rpad(fraction, 6, "0"))
