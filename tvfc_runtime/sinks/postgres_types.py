"""Spark's types in Postgres: what a column is declared as, and the form of its values in Arrow.

BOOLEAN                                    boolean
TINYINT, SMALLINT; INT; BIGINT             smallint; integer; bigint
FLOAT; DOUBLE                              real; double precision, NaN and infinities as well
DECIMAL(p, s)                              numeric(p,s)
STRING                                     text
BINARY                                     bytea
DATE                                       date
TIMESTAMP; TIMESTAMP_NTZ                   timestamp with; without time zone, microseconds
ARRAY of one of these but DECIMAL          an array of its type
other ARRAYs, MAP, STRUCT, VARIANT         jsonb
TIME, intervals                            text, as Spark casts them
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pyspark.sql import Column
from pyspark.sql import types as t

from tvfc_runtime.sinks.json_text import json_text

_PLAIN: Mapping[type[t.DataType], str] = {
    t.BooleanType: "boolean",
    t.ByteType: "smallint",
    t.ShortType: "smallint",
    t.IntegerType: "integer",
    t.LongType: "bigint",
    t.FloatType: "real",
    t.DoubleType: "double precision",
    t.StringType: "text",
    t.BinaryType: "bytea",
    t.DateType: "date",
    t.TimestampType: "timestamp with time zone",
    t.TimestampNTZType: "timestamp without time zone",
}

_WIDER: Mapping[str, frozenset[str]] = {
    "smallint": frozenset({"integer", "bigint", "numeric"}),
    "integer": frozenset({"bigint", "numeric"}),
    "bigint": frozenset({"numeric"}),
    "real": frozenset({"double precision"}),
    "text": frozenset({"character varying"}),
    "jsonb": frozenset({"json"}),
}
"""Other types that take all values of a type, or an error; Postgres rounds for some of the rest.

Of a text that is too long for `varchar(n)`, blanks at its end are cut off in silence.
"""


def declared(kind: t.DataType) -> str:
    """The type of a column in CREATE TABLE, as Postgres spells it."""
    match kind:
        case t.DecimalType(precision=digits, scale=scale):
            return f"numeric({digits},{scale})"
        case t.ArrayType(elementType=element) if type(element) in _PLAIN:
            return f"{_PLAIN[type(element)]}[]"
        case t.ArrayType() | t.MapType() | t.StructType() | t.VariantType():
            return "jsonb"
        case _:
            return _PLAIN.get(type(kind), "text")


def carried(kind: t.DataType) -> str:
    """The type of the column in which values come: JSON comes as text."""
    found = declared(kind)
    return "text" if found == "jsonb" else found


def stored(column: Column, kind: t.DataType) -> Column:
    """A column in the form in which it comes."""
    if declared(kind) == "jsonb":
        return json_text(column)
    return column if declared(kind) != "text" else column.cast("string")


def takes(own: str, found: str) -> bool:
    """Whether a column of a table takes all values of a type unchanged, or stops at one.

    Args:
        own: what `declared` says.
        found: the type of the column, as Postgres spells it.
    """
    if own == found:
        return True
    if own.startswith("numeric") and found.startswith("numeric"):
        return _takes_digits(own, found)
    return found in _WIDER.get(own, ())


def _takes_digits(own: str, found: str) -> bool:
    if found == "numeric":
        return True
    digits, scale = map(int, re.findall(r"\d+", own))
    all_digits, all_scale = map(int, re.findall(r"\d+", found))
    return all_scale >= scale and all_digits - all_scale >= digits - scale
