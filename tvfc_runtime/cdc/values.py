"""Columns of an image of a row, out of what a record of JSON has of them.

Spark takes a number for a TIMESTAMP to be seconds, and captured changes have milliseconds,
microseconds or nanoseconds there, by how they are captured. So times are read as texts first, and
what a number means is said by the query or is a fault. A DATE is a number of days in Debezium's
records, and only that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tvfc_runtime.sql_text import quote, text

MODE = "timestamp.handling.mode"
"""The option of ENCODE that says what a number for a time is."""

MICROS = {"milli": "{} * 1000", "micro": "{}", "nano": "{} div 1000"}
"""Microseconds out of a number, SQL, by mode."""

_WHOLE = "'^-?[0-9]+$'"
_EPOCH_NTZ = "TIMESTAMP_NTZ '1970-01-01 00:00:00'"


@dataclass(frozen=True)
class Image:
    """An image of a row within a record that has been read.

    Attributes:
        parsed: the struct that it has been read to, SQL.
        columns: the columns of the row: Spark types by name.
        mode: what a number for a TIMESTAMP is, one of `MICROS`; None: that is not said.
    """

    parsed: str
    columns: Mapping[str, str]
    mode: str | None

    def struct(self) -> str:
        """The row, NULL if there is no image, SQL."""
        fields = ", ".join(f"{text(name)}, {self.value(name)}" for name in self.columns)
        return f"CASE WHEN {self.parsed} IS NOT NULL THEN named_struct({fields}) END"

    def value(self, name: str) -> str:
        """A column, SQL; NULL if it is none of its type."""
        read, kind = f"{self.parsed}.{quote(name)}", kind_of(self.columns[name])
        number = f"try_cast({read} AS BIGINT)"
        match kind:
            case "DATE":
                days = f"date_from_unix_date(try_cast({read} AS INT))"
                return (
                    f"CASE WHEN {read} RLIKE {_WHOLE} THEN {days} ELSE try_cast({read} AS DATE) END"
                )
            case "TIMESTAMP" | "TIMESTAMP_NTZ":
                told = "NULL"
                if self.mode is not None:
                    micros = MICROS[self.mode].format(number)
                    told = f"timestamp_micros({micros})"
                    if kind == "TIMESTAMP_NTZ":
                        told = f"timestampadd(MICROSECOND, {micros}, {_EPOCH_NTZ})"
                other = f"try_cast({read} AS {kind})"
                return f"CASE WHEN {read} RLIKE {_WHOLE} THEN {told} ELSE {other} END"
            case _:
                return read

    def fault(self, record: str, path: str) -> str:
        """Why the image is no row, NULL if it is one, SQL.

        Args:
            record: the record if Spark could not read all of it, or else NULL, SQL.
            path: where the image is in the record, a JSON path, SQL.
        """
        wrong = [self._wrong(name, record, path) for name in self.columns]
        return f"CASE WHEN {self.parsed} IS NOT NULL THEN coalesce({', '.join(wrong)}) END"

    def _wrong(self, name: str, record: str, path: str) -> str:
        kind, read = self.columns[name], f"{self.parsed}.{quote(name)}"
        said = text(f"{name} is no {kind}")
        if kind_of(kind) in READ_AS_TEXT:
            is_wrong = f"{read} IS NOT NULL AND ({self.value(name)}) IS NULL"
            if self.mode is None and kind_of(kind) != "DATE":
                asked = text(f"{name} is a number, and {MODE} does not say of what")
                said = f"CASE WHEN {read} RLIKE {_WHOLE} THEN {asked} ELSE {said} END"
            return f"CASE WHEN {is_wrong} THEN {said} END"
        if "'" in name:  # No JSON path leads there.
            return "CAST(NULL AS STRING)"
        field = text(f"['{name}']")
        found = f"get_json_object({record}, concat({path}, {field}))"
        return (
            f"CASE WHEN {record} IS NOT NULL AND {read} IS NULL AND {found} IS NOT NULL "
            f"THEN {said} END"
        )


READ_AS_TEXT = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ"})
"""Types whose values are read as texts first."""


def kind_of(ddl: str) -> str:
    """A type in one spelling."""
    return ddl.strip().upper()


def struct_ddl(columns: Mapping[str, str]) -> str:
    """The type of an image as it is read."""
    fields = (
        f"{quote(name)}: {'STRING' if kind_of(kind) in READ_AS_TEXT else kind}"
        for name, kind in columns.items()
    )
    return f"STRUCT<{', '.join(fields)}>"
