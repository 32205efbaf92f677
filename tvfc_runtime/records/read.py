"""The fields of a source out of the value of its records, by its ENCODE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import StructType

from tvfc_runtime.records.bad_rows import BAD, FAULT, FILE, csv_fault
from tvfc_runtime.rows.sql_text import quote, text

if TYPE_CHECKING:
    from tvfc_runtime.spec.source import Source

PARTITION = "__partition"
"""The topic and partition of a record, by which PER PARTITION groups rows."""
VALUE = "__value"
_ROW = "__row"


def read_binary(records: DataFrame, source: Source) -> DataFrame:
    """The declared columns out of the Avro or Protobuf in `value`."""
    from tvfc_runtime.records.rows import row_reader  # noqa: PLC0415  with what it needs

    if source.record is None:
        raise ValueError("no FORMAT")
    ddl = _ddl(source.fields)
    fields = StructType.fromDDL(ddl)
    if not isinstance(fields, StructType):
        raise TypeError(ddl)
    read = row_reader(fields, source.fields, source.record)
    decode: Any = arrow_udf(read, f"row STRUCT<{_struct(source.fields)}>, fault STRING")  # type: ignore[call-overload]
    # Named, so that Spark reads each record once.
    named = _beside(records, source, decode.asNondeterministic()("value").alias(_ROW))
    return named.select(
        *(
            F.col(quote(name)) if name in source.included else F.col(f"{_ROW}.row.{quote(name)}")
            for name in source.columns
        ),
        *_place(named),
        F.col(f"{_ROW}.fault").alias(FAULT),
        F.when(
            F.col(f"{_ROW}.fault").isNotNull(), F.concat(F.lit("X'"), F.hex(VALUE), F.lit("'"))
        ).alias(BAD),
    )


def read_csv(records: DataFrame, source: Source) -> DataFrame:
    """The declared columns out of the line of CSV in `value`."""
    given = dict(source.record.options) if source.record is not None else {}
    given |= {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": BAD}
    line = F.col("value").cast("string")
    parsed = F.from_csv(F.nullif(line, F.lit("")), f"{_ddl(source.fields)}, {BAD} STRING", given)
    named = _beside(records, source, parsed.alias(_ROW))
    rows = named.select(
        F.col(VALUE).cast("string").alias(VALUE),
        *(
            F.col(quote(name)) if name in source.included else F.col(f"{_ROW}.{quote(name)}")
            for name in source.columns
        ),
        F.col(f"{_ROW}.{BAD}").alias(BAD),
        *_place(named),
    )
    names = ", ".join(f"{quote(name)} STRING" for name in source.fields)
    pairs = ", ".join(f"{text(key)}, {text(value)}" for key, value in given.items())
    again = f"from_csv({BAD}, {text(f'{names}, {BAD} STRING')}, map({pairs}))"
    fault = (
        f"CASE WHEN {VALUE} IS NULL THEN 'it has no value' WHEN {VALUE} = '' THEN 'it is empty' "
        f"ELSE {csv_fault(source, BAD, again)} END"
    )
    return rows.select("*", F.expr(fault).alias(FAULT)).drop(VALUE)


def read_bytes(records: DataFrame, source: Source) -> DataFrame:
    """The value of a record as its one field, BINARY or STRING."""
    ((name, kind),) = source.fields.items()
    named = _beside(records, source, F.col("value").alias(_ROW))
    value = F.col(_ROW)
    is_text = kind.upper() == "STRING"
    fault = F.when(value.isNull(), F.lit("it has no value"))
    if is_text:
        fault = fault.when(~F.is_valid_utf8(value.cast("string")), F.lit("it is no UTF-8"))
    columns = [
        value.cast("string" if is_text else "binary").alias(name)
        if each == name
        else F.col(quote(each))
        for each in source.columns
    ]
    bad = F.concat(F.lit("X'"), F.hex(value), F.lit("'"))
    return named.select(
        *columns, *_place(named), fault.alias(FAULT), F.when(fault.isNotNull(), bad).alias(BAD)
    )


def _beside(records: DataFrame, source: Source, row: Any) -> DataFrame:
    """A row beside the record that it is of, and what the source includes of that."""
    included = [quote(name) for name in source.included]
    return records.select(F.col("value").alias(VALUE), *_place(records), *included, row)


def hidden_of(records: DataFrame) -> list[str]:
    """What goes with rows and is no column of their source."""
    return [PARTITION] if PARTITION in records.columns else []


def _place(records: DataFrame) -> list[str]:
    return [name for name in (FILE, PARTITION) if name in records.columns]


def _ddl(fields: Any) -> str:
    return ", ".join(f"{quote(name)} {kind}" for name, kind in fields.items())


def _struct(fields: Any) -> str:
    return ", ".join(f"{quote(name)}: {kind}" for name, kind in fields.items())
