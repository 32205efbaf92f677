"""Columns of an image of a row, out of what a record of JSON has of them.

Captured changes have milliseconds, microseconds or nanoseconds for a TIMESTAMP, by how they are
captured, and a number of days for a DATE. What a number means is said by the query or is a fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import types as T  # noqa: N812

from tvfc_runtime.cdc.reads import (
    MODE,
    NONE,
    TIMES,
    fault,
    first,
    read_ddl,
    shown,
    value,
    wide_scale,
)
from tvfc_runtime.cdc.unavailable import is_unavailable
from tvfc_runtime.records.bad_rows import BAD
from tvfc_runtime.rows.sql_text import quote, text

__all__ = ["DECIMALS", "MODE", "Image", "struct_ddl", "type_of"]

DECIMALS = "decimal.handling.mode"
"""The option of ENCODE that says how Debezium writes numbers of type DECIMAL."""

_BASE64 = "'^([A-Za-z0-9+/]{4})+$'"
_NUMBER = "'^[+-]?([0-9]*)[.]?([0-9]*)(?:[eE]([+-]?[0-9]+))?$'"


@dataclass(frozen=True)
class Image:
    """An image of a row within a record that has been read.

    Attributes:
        parsed: the struct that it has been read to, SQL.
        columns: the columns of the row: Spark types by name.
        mode: what a number for a TIMESTAMP is, one of `MICROS`; None: that is not said.
        may_be_bytes: whether a text for a DECIMAL may be the bytes of the number in base64, as
            Debezium writes them unless it is told otherwise. Most of them are no numbers, and
            faults; a few look like some.
        placeholder: what stands for a value that has not been logged; None: nothing does.
    """

    parsed: str
    columns: Mapping[str, str]
    mode: str | None
    may_be_bytes: bool = False
    placeholder: str | None = None

    def struct(self) -> str:
        """The row, NULL if there is no image, SQL."""
        fields = ", ".join(f"{text(name)}, {self.value(name)}" for name in self.columns)
        return f"CASE WHEN {self.parsed} IS NOT NULL THEN named_struct({fields}) END"

    def value(self, name: str) -> str:
        """A column, SQL; NULL if it is none of its type."""
        return value(self._read(name), type_of(self.columns[name]), self.mode)

    def fault(self, record: str, path: str) -> str:
        """Why the image is no row, NULL if it is one, SQL.

        Args:
            record: the record if Spark could not read all of it, or else NULL, SQL.
            path: where the image is in the record, a JSON path, SQL.
        """
        wrong = [self._wrong(name, record, path) for name in self.columns]
        return f"CASE WHEN {self.parsed} IS NOT NULL THEN coalesce({', '.join(wrong)}, {NONE}) END"

    def _read(self, name: str) -> str:
        return f"{self.parsed}.{quote(name)}"

    def _wrong(self, name: str, record: str, path: str) -> str:
        read, kind = self._read(name), type_of(self.columns[name])
        faults = [
            self._unavailable(name),
            fault(read, kind, self.mode, name),
            _unread(read, kind, name, record, path, f"['{name}']"),
        ]
        if isinstance(kind, T.DecimalType) and "'" not in name:
            found = f"get_json_object(value, concat({path}, {text(_step(name))}))"
            faults += [self._bytes(name, found), _beyond(read, kind, name, found)]
        return first(faults) or NONE

    def _unavailable(self, name: str) -> str | None:
        kind = type_of(self.columns[name])
        if self.placeholder is None:
            return None
        condition = is_unavailable(self._read(name), kind, self.placeholder)
        said = f"{name} is not in the record: Postgres logs it with REPLICA IDENTITY FULL"
        return None if condition is None else f"CASE WHEN {condition} THEN {text(said)} END"

    def _bytes(self, name: str, found: str) -> str | None:
        if not self.may_be_bytes:
            return None
        asked = text(f"{name} may be the bytes of a number, and {DECIMALS} does not say")
        read = self._read(name)
        return f"CASE WHEN {read} = floor({read}) AND {found} RLIKE {_BASE64} THEN {asked} END"


def type_of(ddl: str) -> T.DataType:
    """A type that a job declares."""
    return T.DataType.fromDDL(ddl)


def struct_ddl(columns: Mapping[str, str]) -> str:
    """The type of an image as it is read."""
    fields = (f"{quote(name)}: {read_ddl(type_of(kind))}" for name, kind in columns.items())
    return f"STRUCT<{', '.join(fields)}>"


def _step(name: str) -> str:
    return f"['{name}']"


def _unread(
    read: str, kind: T.DataType, name: str, record: str, path: str, steps: str
) -> str | None:
    """Why something has not been read, which the record has, SQL."""
    if isinstance(kind, TIMES):
        return None
    found = f"get_json_object({record}, concat({path}, {text(steps)}))"
    if "'" in name:  # No JSON path leads to such a name, and to fields within no other way either.
        if steps != _step(name):
            return None
        image = f"from_json(get_json_object({record}, {path}), 'MAP<STRING, STRING>')"
        found = f"{image}[{text(name)}]"
    wrong = (
        f"CASE WHEN {record} IS NOT NULL AND {read} IS NULL AND {found} IS NOT NULL "
        f"THEN {text(f'{name} is no {shown(kind)}')} END"
    )
    if isinstance(kind, (T.ArrayType, T.MapType)) and _has_struct(kind):
        # Of a STRUCT in there, Spark reads what it can, and no path leads to each of them.
        again = f"concat('{{\"v\":', {found}, '}}')"
        ddl = text(f"STRUCT<v: {read_ddl(kind)}, {BAD}: STRING>")
        options = f"map('mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', '{BAD}')"
        inside = f"{record} IS NOT NULL AND from_json({again}, {ddl}, {options}).{BAD} IS NOT NULL"
        misfit = text(f"{name} has what is none of its type")
        return first([wrong, f"CASE WHEN {inside} THEN {misfit} END"])
    if not isinstance(kind, T.StructType):
        return wrong
    inner = [
        _unread(
            f"{read}.{quote(each.name)}",
            each.dataType,
            f"{name}.{each.name}",
            record,
            path,
            steps + _step(each.name),
        )
        for each in kind.fields
    ]
    return first([wrong, *inner])


def _has_struct(kind: T.DataType) -> bool:
    match kind:
        case T.ArrayType(elementType=inside) | T.MapType(valueType=inside):
            return _has_struct(inside)
        case _:
            return isinstance(kind, T.StructType)


def _beyond(read: str, kind: T.DecimalType, name: str, found: str) -> str:
    """Why a DECIMAL is not the number of the record: that has digits beyond all that are read."""
    before, behind, power = (
        f"regexp_extract(trim({found}), {_NUMBER}, {group})" for group in (1, 2, 3)
    )
    digits = f"concat({before}, {behind})"
    zeros = f"(length({digits}) - length(rtrim('0', {digits})))"
    scale = f"length({behind}) - coalesce(try_cast({power} AS INT), 0) - {zeros}"
    more = text(f"{name} has more digits than {shown(kind)}")
    return (
        f"CASE WHEN {read} IS NOT NULL AND rtrim('0', {digits}) <> '' "
        f"AND {scale} > {wide_scale(kind)} THEN {more} END"
    )
