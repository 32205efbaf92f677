"""The two forms in which rows leave an operator: as rows, or as chunks to be unpacked above.

As rows they stay Arrow from the state to the JVM: a pandas data frame may have Arrow columns, which
PySpark hands on as they are. Of nested types it would convert each value in Python; rows with such
go as chunks through one more Python stage.

Either form has a column that tells, in a row of its own, how many rows have been taken in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa
from pandas.arrays import ArrowExtensionArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    ByteType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from tvfc_runtime.queue.packing import framed, gathered, unpack
from tvfc_runtime.queue.release_queue import Chunk
from tvfc_runtime.rows import chunks

FLAT = (
    *(BooleanType, ByteType, ShortType, IntegerType, LongType, FloatType, DoubleType, DecimalType),
    *(StringType, BinaryType, DateType, TimestampType, TimestampNTZType),
)
"""Types whose Arrow columns PySpark takes as they are."""

TAKEN = "taken"


@dataclass(frozen=True)
class AsRows:
    """Rows leave as they are; `columns` is their number."""

    columns: int

    def frames(self, due: Iterable[Chunk]) -> Iterator[pd.DataFrame]:
        """Chunks that leave."""
        return self.batches(
            gathered(part for each in due for part in chunks.decode_text(each.text))
        )

    def batches(self, leaving: Iterable[pa.RecordBatch]) -> Iterator[pd.DataFrame]:
        """Rows that leave."""
        for rows in leaving:
            yield frame_of_columns([*rows.columns, pa.nulls(rows.num_rows, pa.int32())])

    def taken(self, rows: int) -> pd.DataFrame:
        """That rows have been taken in."""
        return frame_of_columns([*[pa.nulls(1)] * self.columns, pa.array([rows], pa.int32())])


@dataclass(frozen=True)
class AsChunks:
    """Rows leave as the text of their chunks."""

    def frames(self, due: Iterable[Chunk]) -> Iterator[pd.DataFrame]:
        """Chunks that leave, some of them together."""
        for frame in framed(due, ("text", "rows")):
            yield frame.assign(**{TAKEN: 0})

    def batches(self, leaving: Iterable[pa.RecordBatch]) -> Iterator[pd.DataFrame]:
        """Rows that leave, a batch a chunk."""
        for rows in leaving:
            text = chunks.to_text(chunks.encode(rows))
            yield pd.DataFrame({"text": [text], "rows": [rows.num_rows], TAKEN: [0]})

    def taken(self, rows: int) -> pd.DataFrame:
        """That rows have been taken in."""
        return pd.DataFrame({"text": [None], "rows": [0], TAKEN: [rows]})


def frame_of_columns(columns: list[pa.Array]) -> pd.DataFrame:
    """Arrow columns as a data frame; without names, PySpark does not look for them."""
    return pd.DataFrame(dict(enumerate(map(ArrowExtensionArray, columns))), copy=False)


def is_flat(rows: StructType) -> bool:
    """Whether rows of a schema can leave as they are."""
    return all(type(field.dataType) in FLAT for field in rows)


def numbered(rows: StructType) -> list[StructField]:
    """The columns of a schema under plain names."""
    return [StructField(f"c{place}", each.dataType) for place, each in enumerate(rows)]


Form = AsRows | AsChunks


def form_of(rows: StructType) -> Form:
    """The form in which rows of a schema leave."""
    return AsRows(len(rows)) if is_flat(rows) else AsChunks()


def schema_of(form: Form, rows: StructType) -> StructType:
    """What the operator gives for rows of a schema."""
    if isinstance(form, AsRows):
        fields = numbered(rows)
    else:
        fields = [StructField("text", StringType()), StructField("rows", IntegerType())]
    return StructType([*fields, StructField(TAKEN, IntegerType())])


def rows_of(form: Form, given: DataFrame, rows: StructType) -> DataFrame:
    """The rows in what the operator has given."""
    if isinstance(form, AsRows):
        own = (F.col(f"c{place}").alias(name) for place, name in enumerate(rows.names))
        return given.where(f"{TAKEN} IS NULL").select(*own)
    return given.mapInArrow(unpack, rows)


def count_taken() -> Column:
    """How many rows have been taken in, of what the operator has given."""
    return _total(TAKEN)


def count_released(form: Form) -> Column:
    """How many rows have left, of what the operator has given."""
    rows = F.count_if(F.col(TAKEN).isNull()) if isinstance(form, AsRows) else _total("rows")
    return rows.alias("released")


def _total(rows: str) -> Column:
    """The sum of a column; 0 of nothing."""
    return F.coalesce(F.sum(rows), F.lit(0)).alias(rows)
