"""What is read for a value of a type, so that nothing of it is lost before it can be judged.

Spark takes a number for a TIMESTAMP to be seconds, rounds a number that has more digits than its
DECIMAL, and cuts a time below microseconds. So times are read as texts, a DECIMAL with as many
digits as there can be, also inside of STRUCT, ARRAY and MAP, and what would not be the same value
is a fault.
"""

from __future__ import annotations

from pyspark.sql import types as T  # noqa: N812

from tvfc_runtime.records.bad_rows import FIRST_MS, LAST_MS
from tvfc_runtime.rows.sql_text import quote, text

MODE = "timestamp.handling.mode"
"""The option of ENCODE that says what a number for a time is."""

MICROS = {"milli": "try_multiply({}, 1000)", "micro": "{}", "nano": "{} div 1000"}
"""Microseconds out of a number, SQL, by mode."""

TIMES = (T.DateType, T.TimestampType, T.TimestampNTZType)
"""Types whose values are read as texts first."""

WIDEST = 38
"""So many digits has a DECIMAL at most."""

NONE = "CAST(NULL AS STRING)"
_WHOLE = "'^-?[0-9]+$'"
_BELOW_MICROS = "'[.][0-9]{6}[0-9]*[1-9]'"
_TIME_OF_DAY = "'[T ].*[1-9]'"
_EPOCH_NTZ = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"


def read_ddl(kind: T.DataType) -> str:
    """The type that a value is read as."""
    match kind:
        case T.DateType() | T.TimestampType() | T.TimestampNTZType():
            return "STRING"
        case T.DecimalType():
            return f"DECIMAL({WIDEST}, {wide_scale(kind)})"
        case T.StructType(fields=fields):
            inner = (f"{quote(each.name)}: {read_ddl(each.dataType)}" for each in fields)
            return f"STRUCT<{', '.join(inner)}>"
        case T.ArrayType(elementType=element):
            return f"ARRAY<{read_ddl(element)}>"
        case T.MapType(keyType=key, valueType=each):
            return f"MAP<{_ddl(key)}, {read_ddl(each)}>"
        case _:
            return _ddl(kind)


def wide_scale(kind: T.DecimalType) -> int:
    """The digits behind the point that are read of a DECIMAL; before it are no more than it has."""
    return WIDEST - (kind.precision - kind.scale)


def value(read: str, kind: T.DataType, mode: str | None, depth: int = 0) -> str:
    """A value of a type, SQL; NULL if what was read is none, or would not stay the same.

    Args:
        read: what was read by `read_ddl`, SQL.
        kind: its type.
        mode: what a number for a TIMESTAMP is, one of `MICROS`; None: that is not said.
        depth: in how many ARRAYs and MAPs it is.
    """
    each = f"x{depth}"
    match kind:
        case T.DecimalType():
            narrow = f"try_cast({read} AS {_ddl(kind)})"
            return f"CASE WHEN {narrow} = {read} THEN {narrow} END"
        case T.DateType() | T.TimestampType() | T.TimestampNTZType():
            given = _time(read, kind, mode)
            fits = f"{_in_years(given, kind)} AND NOT {_is_cut(read, kind)}"
            return f"CASE WHEN {fits} THEN {given} END"
        case T.StructType(fields=fields) if _is_rebuilt(kind):
            inner = ", ".join(
                f"{text(f.name)}, {value(f'{read}.{quote(f.name)}', f.dataType, mode, depth)}"
                for f in fields
            )
            return f"CASE WHEN {read} IS NOT NULL THEN named_struct({inner}) END"
        case T.ArrayType(elementType=element) if _is_rebuilt(kind):
            return f"transform({read}, {each} -> {value(each, element, mode, depth + 1)})"
        case T.MapType(valueType=inside) if _is_rebuilt(kind):
            made = value(each, inside, mode, depth + 1)
            return f"transform_values({read}, (k{depth}, {each}) -> {made})"
        case _:
            return read


def fault(read: str, kind: T.DataType, mode: str | None, name: str, depth: int = 0) -> str | None:
    """Why something that was read is no value of a type, SQL, NULL if it is; None: it always is.

    Args:
        read: what was read by `read_ddl`, SQL.
        kind: its type.
        mode: see `value`.
        name: what it is called.
        depth: see `value`.
    """
    each = f"x{depth}"
    match kind:
        case T.DecimalType():
            more = text(f"{name} has more digits than {shown(kind)}")
            lost = f"{read} IS NOT NULL AND ({value(read, kind, mode)}) IS NULL"
            return f"CASE WHEN {lost} THEN {more} END"
        case T.DateType() | T.TimestampType() | T.TimestampNTZType():
            return _time_fault(read, kind, mode, name)
        case T.StructType(fields=fields):
            inner = [
                fault(f"{read}.{quote(f.name)}", f.dataType, mode, f"{name}.{f.name}", depth)
                for f in fields
            ]
            return first(inner)
        case T.ArrayType(elementType=element):
            return _fault_of_any(read, fault(each, element, mode, f"{name}[…]", depth + 1), each)
        case T.MapType(valueType=inside):
            found = fault(each, inside, mode, f"{name}[…]", depth + 1)
            return _fault_of_any(f"map_values({read})", found, each)
        case _:
            return None


def first(faults: list[str | None]) -> str | None:
    """The first fault there is, SQL; None: there cannot be one."""
    found = [each for each in faults if each is not None]
    return f"coalesce({', '.join(found)}, {NONE})" if found else None


def shown(kind: T.DataType) -> str:
    """A type in a message."""
    if isinstance(kind, (T.StructType, T.ArrayType, T.MapType)):
        return kind.typeName().upper()
    return _ddl(kind).upper().replace(",", ", ")


def _time(read: str, kind: T.DataType, mode: str | None) -> str:
    """A time of any year, and without the digits that it has no place for, SQL."""
    number = f"try_cast({read} AS BIGINT)"
    told = "NULL"
    if isinstance(kind, T.DateType):
        told = f"date_from_unix_date(try_cast({read} AS INT))"
    elif mode is not None:
        micros = MICROS[mode].format(number)
        told = f"timestamp_micros({micros})"
        if isinstance(kind, T.TimestampNTZType):
            told = f"timestampadd(MICROSECOND, {micros}, {_EPOCH_NTZ})"
    return f"CASE WHEN {read} RLIKE {_WHOLE} THEN {told} ELSE try_cast({read} AS {_ddl(kind)}) END"


def _in_years(given: str, kind: T.DataType) -> str:
    """Whether a time is of the years 1 to 9999, SQL."""
    match kind:
        case T.DateType():
            return f"({given}) BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'"
        case T.TimestampNTZType():
            first_, last = "0001-01-01 00:00:00", "9999-12-31 23:59:59.999999"
            return f"({given}) BETWEEN TIMESTAMP_NTZ '{first_}' AND TIMESTAMP_NTZ '{last}'"
        case _:
            return f"unix_micros({given}) BETWEEN {FIRST_MS}000 AND {LAST_MS}999"


def _is_cut(read: str, kind: T.DataType) -> str:
    """Whether a text for a time says more than its type has, SQL."""
    more = _TIME_OF_DAY if isinstance(kind, T.DateType) else _BELOW_MICROS
    return f"trim({read}) RLIKE {more}"


def _time_fault(read: str, kind: T.DataType, mode: str | None, name: str) -> str:
    given, is_date = _time(read, kind, mode), isinstance(kind, T.DateType)
    asked = ""
    if mode is None and not is_date:
        said = text(f"{name} is a number, and {MODE} does not say of what")
        asked = f"WHEN {read} RLIKE {_WHOLE} THEN {said} "
    cut = f"{name} has a time of day" if is_date else f"{name} has more digits than microseconds"
    return (
        f"CASE WHEN {read} IS NULL THEN NULL {asked}"
        f"WHEN ({given}) IS NULL THEN {text(f'{name} is no {shown(kind)}')} "
        f"WHEN NOT ({_in_years(given, kind)}) "
        f"THEN {text(f'{name} is in none of the years 1 to 9999')} "
        f"WHEN {_is_cut(read, kind)} THEN {text(cut)} END"
    )


def _fault_of_any(values: str, found: str | None, each: str) -> str | None:
    if found is None:
        return None
    return f"get(filter(transform({values}, {each} -> {found}), f -> f IS NOT NULL), 0)"


def _is_rebuilt(kind: T.DataType) -> bool:
    """Whether a value is read as another type than its own."""
    match kind:
        case T.StructType(fields=fields):
            return any(_is_rebuilt(each.dataType) for each in fields)
        case T.ArrayType(elementType=inside) | T.MapType(valueType=inside):
            return _is_rebuilt(inside)
        case _:
            return isinstance(kind, (*TIMES, T.DecimalType))


def _ddl(kind: T.DataType) -> str:
    return kind.simpleString()
