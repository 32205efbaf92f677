"""A YAML value by the type of its column, in a normal form that compares exactly.

Normal forms: TIMESTAMP and TIMESTAMP_NTZ whole microseconds since 1970, DATE whole days, day-time
intervals microseconds, year-month intervals months, BINARY upper-case hex, DECIMAL a Decimal, FLOAT
and DOUBLE a float, VARIANT its JSON text with sorted keys, ARRAY and STRUCT tuples, MAP a tuple of
pairs in order of key. NULL is None everywhere.
"""

from __future__ import annotations

import json
import re
import struct
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from pyspark.sql import types as t

if TYPE_CHECKING:
    from collections.abc import Callable

EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INTEGER_BITS = {t.ByteType: 8, t.ShortType: 16, t.IntegerType: 32, t.LongType: 64}
_DAY_TIME_UNITS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 604_800_000_000,
}
_MONTH_UNITS = {"month": 1, "year": 12}


class ValueFault(Exception):  # noqa: N818
    """A value does not fit its type; the message says what to write."""


def normal(value: Any, kind: t.DataType) -> Any:
    """The normal form of a value as YAML gave it; `ValueFault` if it does not fit."""
    if value is None:
        return None
    if isinstance(kind, t.ArrayType):
        return tuple(normal(item, kind.elementType) for item in _listed(value, kind))
    if isinstance(kind, t.MapType):
        return _map(value, kind)
    if isinstance(kind, t.StructType):
        return tuple(
            normal(item, field.dataType)
            for item, field in zip(_struct_items(value, kind), kind.fields, strict=True)
        )
    return _scalar(value, kind)


def key_order(item: Any) -> tuple[str, str]:
    """Orders normal forms of any type, for maps and for reports."""
    return type(item).__name__, repr(item)


def _scalar(value: Any, kind: t.DataType) -> Any:
    for types, convert in _SCALARS:
        if isinstance(kind, types):
            return convert(value, kind)
    raise ValueFault(f"values of type {kind.simpleString()} cannot be written in a scenario")


def _listed(value: Any, kind: t.DataType) -> list[Any]:
    if not isinstance(value, list):
        raise ValueFault(_wrong(value, kind, "write a list, such as [1, 2]"))
    return value


def _map(value: Any, kind: t.MapType) -> tuple[tuple[Any, Any], ...]:
    if isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        pairs = [(key, item) for key, item in value]
    elif isinstance(value, dict):
        pairs = list(value.items())
    else:
        raise ValueFault(_wrong(value, kind, "write a mapping, or a list of [key, value]"))
    found = [(normal(key, kind.keyType), normal(item, kind.valueType)) for key, item in pairs]
    return tuple(sorted(found, key=lambda pair: key_order(pair[0])))


def _struct_items(value: Any, kind: t.StructType) -> list[Any]:
    names = kind.fieldNames()
    if isinstance(value, dict):
        unknown = [key for key in value if key not in names]
        if unknown:
            raise ValueFault(f"`{unknown[0]}` is no field; the fields are {', '.join(names)}")
        return [value.get(name) for name in names]
    if isinstance(value, list) and len(value) == len(names):
        return value
    raise ValueFault(_wrong(value, kind, f"write the fields {', '.join(names)}"))


def _wrong(value: Any, kind: t.DataType, advice: str) -> str:
    return f"{value!r} is no {kind.simpleString().upper()}: {advice}"


def _text(value: Any, kind: t.DataType) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ValueFault(_wrong(value, kind, "write text, in quotes if YAML reads it otherwise"))


def _boolean(value: Any, kind: t.DataType) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueFault(_wrong(value, kind, "write true or false"))


def _integer(value: Any, kind: t.DataType) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueFault(_wrong(value, kind, "write a whole number"))
    bits = next(bits for type_, bits in _INTEGER_BITS.items() if isinstance(kind, type_))
    limit = 1 << (bits - 1)
    if not -limit <= value < limit:
        raise ValueFault(_wrong(value, kind, f"write a number from {-limit} to {limit - 1}"))
    return value


def _number(value: Any) -> Decimal | None:
    """The exact number that a YAML value or text is, or None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | str | float):
        return None
    text = str(value)
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def _decimal(value: Any, kind: t.DecimalType) -> Decimal:
    number = _number(value)
    if number is None:
        raise ValueFault(_wrong(value, kind, "write a number, such as 1.25"))
    try:
        scaled = number.scaleb(kind.scale)
        fits = scaled == scaled.to_integral_value() and abs(scaled) < Decimal(10) ** kind.precision
    except InvalidOperation:
        fits = False
    if not fits:
        whole = kind.precision - kind.scale
        raise ValueFault(
            _wrong(
                value, kind, f"write at most {whole} digits before the point, {kind.scale} after"
            )
        )
    return number


def _double(value: Any, kind: t.DataType) -> float:
    special = {".inf": "inf", "+.inf": "inf", "-.inf": "-inf", ".nan": "nan"}
    text = special.get(str(value).lower(), str(value))
    try:
        number = float(text) if not isinstance(value, bool) else None
    except ValueError:
        number = None
    if number is None:
        raise ValueFault(_wrong(value, kind, "write a number, such as 1.25, .inf or .nan"))
    return single_precision(number) if isinstance(kind, t.FloatType) else number


def single_precision(number: float) -> float:
    """The nearest FLOAT: it has fewer digits than what is written for it."""
    rounded: float = struct.unpack("f", struct.pack("f", number))[0]
    return rounded


def _timestamp(value: Any, kind: t.DataType) -> int:
    number = _number(value)
    if number is not None and not isinstance(kind, t.TimestampNTZType):
        return _whole(number * 1_000_000, value, kind, "write at most six decimals")
    moment = _iso(value, kind)
    if moment.tzinfo is not None:
        if isinstance(kind, t.TimestampNTZType):
            raise ValueFault(_wrong(value, kind, "write it without a time zone"))
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return (moment - EPOCH) // _MICROSECOND


def _iso(value: Any, kind: t.DataType) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except (ValueError, TypeError):
        advice = "write 2024-02-28T12:30:00"
        if not isinstance(kind, t.TimestampNTZType):
            advice += "Z, or seconds since 1970 such as 1.5"
        raise ValueFault(_wrong(value, kind, advice)) from None


def _whole(number: Decimal, value: Any, kind: t.DataType, advice: str) -> int:
    if number != number.to_integral_value():
        raise ValueFault(_wrong(value, kind, advice))
    return int(number)


def _date(value: Any, kind: t.DataType) -> int:
    try:
        return (date.fromisoformat(value) - EPOCH.date()).days
    except (ValueError, TypeError):
        raise ValueFault(_wrong(value, kind, "write 2024-02-28")) from None


def _binary(value: Any, kind: t.DataType) -> str:
    if isinstance(value, bytes):
        return value.hex().upper()
    if not isinstance(value, str):
        raise ValueFault(_wrong(value, kind, "write text, X'0AFF', or !!binary with base64"))
    literal = re.fullmatch(r"[xX]'((?:[0-9a-fA-F]{2})*)'", value)
    return literal[1].upper() if literal else value.encode().hex().upper()


def _interval(units: dict[str, int], unit: str) -> Callable[[Any, t.DataType], int]:
    """Reads `90`, `90 seconds` or `INTERVAL 1 minute 30 seconds`."""

    def convert(value: Any, kind: t.DataType) -> int:
        advice = f"write such as `3 {unit}s`, or a number of {unit}s"
        number = _number(value)
        if number is not None:
            return _whole(number * units[unit], value, kind, advice)
        words = re.sub(r"^interval\b|'", "", str(value).strip().lower()).split()
        amounts = [_number(word) for word in words[::2]]
        names = [word.removesuffix("s") for word in words[1::2]]
        if len(amounts) != len(names) or not names or None in amounts or set(names) - units.keys():
            raise ValueFault(_wrong(value, kind, advice))
        total = sum(
            (amount or 0) * units[name] for amount, name in zip(amounts, names, strict=True)
        )
        return _whole(Decimal(total), value, kind, advice)

    return convert


def _variant(value: Any, _kind: t.DataType) -> str:
    return json.dumps(value, sort_keys=True)


_SCALARS: tuple[tuple[Any, Callable[[Any, Any], Any]], ...] = (
    ((t.StringType, t.CharType, t.VarcharType), _text),
    (t.BooleanType, _boolean),
    (tuple(_INTEGER_BITS), _integer),
    (t.DecimalType, _decimal),
    ((t.FloatType, t.DoubleType), _double),
    ((t.TimestampType, t.TimestampNTZType), _timestamp),
    (t.DateType, _date),
    (t.BinaryType, _binary),
    (t.DayTimeIntervalType, _interval(_DAY_TIME_UNITS, "second")),
    (t.YearMonthIntervalType, _interval(_MONTH_UNITS, "month")),
    (t.VariantType, _variant),
)
