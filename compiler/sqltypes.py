"""SQL types, as far as a compiler of time needs them: which are moments, which are numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from sqlglot import exp


class Kind(Enum):
    """What a value can be compared with."""

    TIMESTAMP = "TIMESTAMP"
    TIMESTAMP_NTZ = "TIMESTAMP_NTZ"
    DATE = "DATE"
    NUMBER = "a number"
    INTERVAL = "an interval"
    BOOLEAN = "BOOLEAN"
    STRING = "STRING"
    OTHER = "another type"
    UNKNOWN = "an unknown type"


TIME_KINDS = frozenset({Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ, Kind.DATE})
"""Of a column that has a time."""


@dataclass(frozen=True, slots=True)
class SqlType:
    """A type: its kind, and its name in Spark's DDL."""

    kind: Kind
    ddl: str

    def mentions(self, pattern: re.Pattern[str]) -> bool:
        """Whether a pattern is found in the DDL, names of fields in quotes left out."""
        return pattern.search(_QUOTED.sub("", self.ddl)) is not None

    @property
    def is_time(self) -> bool:
        """Whether values are points in time, or may be."""
        return self.kind in _TIMES


_TIMES = frozenset({Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ, Kind.DATE, Kind.UNKNOWN})

_QUOTED = re.compile(r"`[^`]*`")

UNKNOWN = SqlType(Kind.UNKNOWN, "")

_KINDS: dict[exp.DType, Kind] = {
    exp.DType.TIMESTAMPTZ: Kind.TIMESTAMP,
    exp.DType.TIMESTAMPLTZ: Kind.TIMESTAMP,
    exp.DType.TIMESTAMP: Kind.TIMESTAMP,
    exp.DType.DATETIME: Kind.TIMESTAMP,
    exp.DType.TIMESTAMPNTZ: Kind.TIMESTAMP_NTZ,
    exp.DType.DATE: Kind.DATE,
    exp.DType.BOOLEAN: Kind.BOOLEAN,
    exp.DType.INTERVAL: Kind.INTERVAL,
}


def kind_of(data_type: exp.DataType | None) -> Kind:
    """The kind of a sqlglot type."""
    if data_type is None or data_type.this in (exp.DType.UNKNOWN, exp.DType.NULL):
        return Kind.UNKNOWN
    if isinstance(data_type.this, exp.Interval) or data_type.is_type(exp.DType.INTERVAL):
        return Kind.INTERVAL
    if data_type.is_type(*exp.DataType.NUMERIC_TYPES):
        return Kind.NUMBER
    if data_type.is_type(*exp.DataType.TEXT_TYPES):
        return Kind.STRING
    return _KINDS.get(data_type.this, Kind.OTHER)
