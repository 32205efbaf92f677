"""Of which kind values are, and what conditions of a pattern may do with them.

Only what comes out exactly as Spark has it is computed here: numbers but FLOAT, strings without a
collation, booleans, times and day-time intervals. Whatever reads one row alone, Spark has computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    TimestampNTZType,
    TimestampType,
)


class Family(Enum):
    """What may be compared with what; times and intervals are numbers, of days or microseconds."""

    BOOLEAN = "BOOLEAN"
    INTEGER = "a whole number"
    DECIMAL = "DECIMAL"
    DOUBLE = "DOUBLE"
    STRING = "STRING"
    DATE = "DATE"
    TIMESTAMP = "TIMESTAMP"
    TIMESTAMP_NTZ = "TIMESTAMP_NTZ"
    INTERVAL = "INTERVAL DAY TO SECOND"


@dataclass(frozen=True, slots=True)
class Of:
    """The kind of a value: its family, and how large it may be.

    `bits` is the width of a whole number; `precision` and `scale` those of a DECIMAL.
    """

    family: Family
    bits: int = 0
    precision: int = 0
    scale: int = 0

    @property
    def as_decimal(self) -> Of:
        """The DECIMAL that Spark makes of a whole number."""
        if self.family is Family.DECIMAL:
            return self
        return Of(Family.DECIMAL, precision=_DIGITS[self.bits])


_DIGITS = {8: 3, 16: 5, 32: 10, 64: 20}

MOST_DIGITS = 38
"""Of a DECIMAL; beyond that Spark rounds."""

BOOLEAN = Of(Family.BOOLEAN)
DOUBLE = Of(Family.DOUBLE)
LONG = Of(Family.INTEGER, bits=64)

NUMBERS = (Family.INTEGER, Family.DECIMAL, Family.DOUBLE)

_PLAIN: dict[type[DataType], Of] = {
    BooleanType: BOOLEAN,
    ByteType: Of(Family.INTEGER, bits=8),
    ShortType: Of(Family.INTEGER, bits=16),
    IntegerType: Of(Family.INTEGER, bits=32),
    LongType: LONG,
    DoubleType: DOUBLE,
    DateType: Of(Family.DATE),
    TimestampType: Of(Family.TIMESTAMP),
    TimestampNTZType: Of(Family.TIMESTAMP_NTZ),
    DayTimeIntervalType: Of(Family.INTERVAL),
}


class NotComputedError(Exception):
    """A condition or aggregate that is not computed, in words for whoever wrote the query."""


class FailedMatchError(Exception):
    """Why a MATCH_RECOGNIZE ends its job, with the code of the message."""


def kind_of(kind: DataType) -> Of:
    """The kind of a column.

    Raises:
        NotComputedError: conditions do not compute with such values.
    """
    if isinstance(kind, DecimalType):
        return Of(Family.DECIMAL, precision=kind.precision, scale=kind.scale)
    is_plain_text = isinstance(kind, StringType) and kind == StringType()
    if is_plain_text:
        return Of(Family.STRING)
    found = _PLAIN.get(type(kind))
    if found is None:
        raise NotComputedError(
            f"values of several rows of type {kind.simpleString()} are not compared or computed "
            "with: CAST them, in a column of one row, to a type that is (FLOAT to DOUBLE, others "
            "to STRING)"
        )
    return found
