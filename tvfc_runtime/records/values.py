"""Values of records as those of declared types: nothing is rounded or cut in silence.

What Avro itself widens is widened: an int is a BIGINT or a DOUBLE, a float a DOUBLE, text is BINARY
and the other way round where it is UTF-8. All else that is not of the declared type does not fit.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

from pyspark.sql import types as T  # noqa: N812

Convert = Callable[[Any], Any]
"""A value of Avro, not None, as one of a type; raises Misfit, ValueError, OverflowError."""


class MisfitError(ValueError):
    """A value is not of its column's type."""


_INTEGERS: dict[type[T.DataType], int] = {
    T.ByteType: 8,
    T.ShortType: 16,
    T.IntegerType: 32,
    T.LongType: 64,
}


def converter(kind: T.DataType) -> Convert | None:  # noqa: C901  a line for each type
    """What makes values of a type; None: Avro has no values of it."""
    match kind:
        case T.BooleanType():
            return _boolean
        case T.ByteType() | T.ShortType() | T.IntegerType() | T.LongType():
            return _integer(_INTEGERS[type(kind)])
        case T.FloatType():
            return _float
        case T.DoubleType():
            return _double
        case T.DecimalType(precision=precision, scale=scale):
            return _decimal(precision, scale)
        case T.StringType() | T.VarcharType() | T.CharType():
            return _string
        case T.BinaryType():
            return _binary
        case T.DateType():
            return _date
        case T.TimestampType():
            return _timestamp
        case T.TimestampNTZType():
            return _local
        case T.ArrayType(elementType=inner):
            return _array(inner)
        case T.MapType(keyType=T.StringType(), valueType=inner):
            return _map(inner)
        case T.StructType():
            return _struct(kind)
        case _:
            return None


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise MisfitError
    return value


def _integer(bits: int) -> Convert:
    first, behind = -(2 ** (bits - 1)), 2 ** (bits - 1)

    def convert(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not first <= value < behind:
            raise MisfitError
        return value

    return convert


def _double(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MisfitError
    return float(value)


def _float(value: Any) -> float:
    wide = _double(value)
    is_same = math.isnan(wide) or struct.unpack("f", struct.pack("f", wide))[0] == wide
    if isinstance(value, float) and not is_same:
        raise MisfitError
    return wide


def _decimal(precision: int, scale: int) -> Convert:
    unit = Decimal(1).scaleb(-scale)
    # 38 digits and more in between.
    limit = Decimal(10) ** (precision - scale)

    def convert(value: Any) -> Decimal:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise MisfitError
        exact = Decimal(value)
        _, digits, exponent = exact.as_tuple()
        if not isinstance(exponent, int) or abs(exact) >= limit:
            raise MisfitError
        if exponent < -scale and any(digits[exponent + scale :]):
            raise MisfitError
        return exact if exponent == -scale else _scaled(exact, unit)

    return convert


def _scaled(value: Decimal, unit: Decimal) -> Decimal:
    from decimal import Context  # noqa: PLC0415  the default context has 28 digits

    return value.quantize(unit, context=Context(prec=77))


def _string(value: Any) -> str:
    match value:
        case str():
            return value
        case UUID():
            return str(value)
        case bytes():
            return value.decode()
        case time():
            return value.isoformat()
        case _:
            raise MisfitError


def _binary(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if not isinstance(value, bytes):
        raise MisfitError
    return value


def _date(value: Any) -> date:
    if not isinstance(value, date) or isinstance(value, datetime):
        raise MisfitError
    return value


def _timestamp(value: Any) -> datetime:
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise MisfitError
    return value


def _local(value: Any) -> datetime:
    if not isinstance(value, datetime) or value.tzinfo is not None:
        raise MisfitError
    return value


def _array(inner: T.DataType) -> Convert | None:
    element = converter(inner)
    if element is None:
        return None

    def convert(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise MisfitError
        return [None if each is None else element(each) for each in value]

    return convert


def _map(inner: T.DataType) -> Convert | None:
    element = converter(inner)
    if element is None:
        return None

    def convert(value: Any) -> list[tuple[str, Any]]:
        if not isinstance(value, dict):
            raise MisfitError
        return [(k, None if each is None else element(each)) for k, each in value.items()]

    return convert


def _struct(kind: T.StructType) -> Convert | None:
    fields = {each.name: converter(each.dataType) for each in kind.fields}
    given = {name: convert for name, convert in fields.items() if convert is not None}
    if len(given) < len(fields):
        return None
    names = Names(tuple(given))

    def convert(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise MisfitError
        return values_of(value, given, names)

    return convert


class Names:
    """How declared names are called in records: as they are, or else in another case."""

    def __init__(self, declared: tuple[str, ...]) -> None:
        self._declared = declared
        self._known: dict[tuple[str, ...], dict[str, str]] = {}

    def of(self, record: Mapping[str, Any]) -> dict[str, str]:
        """For each declared name that of the record; nothing for one that it has not."""
        keys = tuple(record)
        found = self._known.get(keys)
        if found is None:
            folded: dict[str, list[str]] = {}
            for key in keys:
                folded.setdefault(key.lower(), []).append(key)
            found = {
                name: name if name in record else folded[name.lower()][0]
                for name in self._declared
                if name in record or len(folded.get(name.lower(), ())) == 1
            }
            self._known[keys] = found
        return found


def values_of(
    record: Mapping[str, Any], converters: Mapping[str, Convert], names: Names
) -> dict[str, Any]:
    """The declared fields of a record; what it has not is None.

    Raises:
        MisfitError: one of them is not of its type; the message is its name.
    """
    called = names.of(record)
    row: dict[str, Any] = {}
    for name, convert in converters.items():
        value = record[called[name]] if name in called else None
        if value is None:
            row[name] = None
            continue
        try:
            row[name] = convert(value)
        except (ValueError, OverflowError) as error:
            inner = str(error) if isinstance(error, MisfitError) else ""
            raise MisfitError(f"{name}.{inner}" if inner else name) from None
    return row
