"""Records that do not fit the columns of their source: which they are, and what is said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from tvfc_runtime.changing.latest import GONE
from tvfc_runtime.rows.sql_text import quote, text

if TYPE_CHECKING:
    from tvfc_runtime.spec.source import Source

BAD = "__bad"
"""The column in which Spark's text formats put the record that they could not read."""
FAULT = "__fault"
"""Why a record does not fit; NULL if it does."""
FILE = "__file"
"""The file of a record, or its topic, partition and offset."""

FIRST_MS, LAST_MS = -62_135_596_800_000, 253_402_300_799_999
"""The years 1 to 9999, which a TIMESTAMP has: milliseconds since the epoch."""

SHOWN = 200
"""So many characters of a record stand in a message."""


def fault_of(rows: DataFrame, source: Source) -> Column | None:
    """Why a row does not fit its source, NULL if it does; None if all do."""
    given = [FAULT] if FAULT in rows.columns else []
    # A key that goes has nothing else; what rows that come lack is known.
    required = () if GONE in rows.columns else source.required
    nulls = [null_fault(quote(name), name) for name in required]
    times = [
        f"CASE WHEN {is_no_time(name)} THEN "
        f"{text(f'{name} is no time of the years 1 to 9999 in milliseconds')} END"
        for name in source.epoch_ms
    ]
    faults = [*given, *nulls, *times]
    if not faults:
        return None
    return F.expr(f"coalesce({', '.join(faults)})" if len(faults) > 1 else faults[0])


def null_fault(value: str, name: str) -> str:
    """Why a value does not fit a column that is declared NOT NULL, SQL."""
    return f"CASE WHEN {value} IS NULL THEN {text(f'{name} is NULL, and declared NOT NULL')} END"


def is_no_time(name: str) -> str:
    """Whether the number in a column is no time in milliseconds, SQL; NULL without a number."""
    return f"{quote(name)} NOT BETWEEN {FIRST_MS} AND {LAST_MS}"


def json_fault(source: Source) -> str:
    """Why a record in `__bad` is no JSON of the columns, which Spark has read as far as it could.

    SQL, NULL where there is no such record.
    """
    wrong = [
        f"CASE WHEN {quote(name)} IS NULL AND get_json_object({BAD}, {text(_path(name))}) "
        f"IS NOT NULL THEN {text(f'{name} is no {kind}')} END"
        for name, kind in source.fields.items()
        if "'" not in name
    ]
    return (
        f"CASE WHEN {BAD} IS NULL THEN NULL "
        f"WHEN try_parse_json({BAD}) IS NULL THEN 'no JSON' "
        f"ELSE {_first_of(wrong, 'it does not fit the columns')} END"
    )


def csv_fault(source: Source, record: str, fields: str) -> str:
    """Why a CSV record does not fit the columns, which Spark has read as far as it could.

    Args:
        source: says what the columns are.
        record: where it stands if it does not fit, SQL.
        fields: the same as texts, read from it once more, SQL.
    """
    wrong = [
        f"CASE WHEN {quote(name)} IS NULL AND {fields}.{quote(name)} IS NOT NULL "
        f"THEN {text(f'{name} is no {kind}')} END"
        for name, kind in source.fields.items()
    ]
    number = len(source.fields)
    count = f"it has not {number} field{'' if number == 1 else 's'}"
    return (
        f"CASE WHEN {record} IS NULL THEN NULL "
        f"WHEN {fields}.{BAD} IS NOT NULL THEN {text(count)} "
        f"ELSE {_first_of(wrong, 'it does not fit the columns')} END"
    )


def _path(name: str) -> str:
    return f"$['{name}']"


def _first_of(faults: list[str], otherwise: str) -> str:
    return f"coalesce({', '.join([*faults, text(otherwise)])})"


def record_of(rows: DataFrame, source: Source) -> Column:
    """The record that a row was read from: as it stands in its file, or else as JSON."""
    values = F.to_json(F.struct(*(quote(name) for name in source.columns)))
    return F.coalesce(F.col(BAD), values) if BAD in rows.columns else values


def described(rows: DataFrame, source: Source) -> DataFrame:
    """Bad rows as `BAD(source)` has them: `record`, `reason` and `file`."""
    place = F.col(FILE) if FILE in rows.columns else F.lit(None).cast("string")
    more = [name for name in rows.columns if name == "__proc_time"]
    return rows.select(
        record_of(rows, source).alias("record"),
        F.col(FAULT).alias("reason"),
        place.alias("file"),
        *more,
    )


def example(rows: DataFrame, source: Source) -> Column:
    """One of the bad rows, as an aggregate: `reason`, the begin of `record`, and `file`."""
    place = F.col(FILE) if FILE in rows.columns else F.lit(None).cast("string")
    record = F.substring(record_of(rows, source), 1, SHOWN)
    whole = F.struct(F.col(FAULT).alias("reason"), record.alias("record"), place.alias("file"))
    return F.min(F.when(F.col(FAULT).isNotNull(), whole))


def refused(rows: DataFrame, source: Source) -> Column:
    """True for rows that fit; one that does not stops the job, with the row in the message."""
    place = (
        F.coalesce(F.concat(F.lit(" of "), F.col(FILE)), F.lit("")) if FILE in rows.columns else ""
    )
    message = F.concat(
        F.lit(f"TVF704: a row of {source.name} does not fit its columns: "),
        F.substring(record_of(rows, source), 1, SHOWN),
        F.lit(" ("),
        F.col(FAULT),
        place,
        F.lit(")"),
    )
    failure = F.raise_error(message).cast("boolean")
    return F.when(F.col(FAULT).isNotNull(), failure).otherwise(F.lit(True))  # noqa: FBT003


def all_null(source: Source) -> str:
    """The condition that a row has nothing in any of its columns."""
    return " AND ".join(f"{quote(name)} IS NULL" for name in source.columns)
