"""Whole rows that travel to an operator, each once with how often it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import DoubleType, FloatType

from tvfc_runtime.changing.exact import add_by
from tvfc_runtime.changing.leaves import encoded
from tvfc_runtime.changing.partial import HASH, begun, part_of
from tvfc_runtime.changing.ranks import group_codes
from tvfc_runtime.queue.packing import gathered
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.hashes import has_hash
from tvfc_runtime.rows.sql_text import quote

PACK_ROWS = 1 << 17
"""How many rows a task puts together at a time."""


def netted(rows: pa.RecordBatch, counts: Sequence[str]) -> pa.RecordBatch:
    """Equal rows as one.

    Args:
        rows: rows.
        counts: columns to add up; rows are compared by the others. Where all of them add up to
            nothing, the row is gone.
    """
    names = [name for name in rows.schema.names if name not in counts]
    codes, first = group_codes([rows.column(name) for name in names], rows.num_rows)
    totals = [add_by(codes, len(first), rows.column(name).to_numpy()) for name in counts]
    left = np.flatnonzero(np.any(totals, axis=0))
    columns = {name: rows.column(name).take(pa.array(first[left])) for name in names}
    columns |= {name: pa.array(each[left]) for name, each in zip(counts, totals, strict=True)}
    return pa.RecordBatch.from_pydict(columns)


def pack_rows(
    prepare: Callable[[pa.RecordBatch], pa.RecordBatch], counts: Sequence[str], keys: list[int]
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function from record batches to chunks by shard, `shard` and `text`.

    Args:
        prepare: makes of the rows what is sent.
        counts: of that, the columns to add up.
        keys: the key of each shard.
    """
    return pack_by_shard(lambda batch: netted(prepare(batch), counts), keys)


def pack_by_shard(
    sent: Callable[[pa.RecordBatch], pa.RecordBatch], keys: list[int]
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function from record batches to chunks by shard, `shard` and `text`.

    Args:
        sent: makes of rows what is sent.
        keys: the key of each shard.
    """

    def pack_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in gathered(batches, PACK_ROWS):
            # Spark knows of some columns that they have no NULL; chunks do not mix with those then.
            rows = sent(pa.RecordBatch.from_arrays(batch.columns, names=batch.schema.names))
            shard = np.mod(rows.column(HASH).to_numpy(), len(keys))
            used = np.unique(shard).tolist()
            parts = [rows.take(pa.array(np.flatnonzero(shard == each))) for each in used]
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array([keys[each] for each in used], pa.int32()),
                    pa.array([encoded(part) for part in parts], pa.string()),
                ],
                names=["shard", "text"],
            )

    return pack_batches


class WholeRows:
    """What operators on whole rows do with changes, however several of them become one."""

    def decode(self, text: str) -> pa.RecordBatch:
        """A change."""
        return chunks.decode_text(text)[0]

    def encode(self, change: pa.RecordBatch) -> str:
        """As text."""
        return encoded(change)

    def part(self, change: pa.RecordBatch, part: int, parts: int) -> pa.RecordBatch:
        """The rows of one part."""
        if parts == 1:
            return change
        return change.take(pa.array(part_of(change.column(HASH).to_numpy(), part, parts)))

    def begun(self, change: pa.RecordBatch, now: int) -> pa.RecordBatch:
        """With a clock value for what has come before there was one."""
        return begun(change, now)


@dataclass(frozen=True)
class RowChanges(WholeRows):
    """What operators on whole rows do with changes: `h`, `t`, a row, counts that are added up.

    Attributes:
        counts: the columns with counts.
    """

    counts: tuple[str, ...]

    def combine(self, changes: list[pa.RecordBatch]) -> pa.RecordBatch:
        """As one."""
        return netted(chunks.concat(changes), self.counts)


def hash_of(rows: DataFrame, names: Sequence[str]) -> Column:
    """A BIGINT that is the same for equal rows; of columns of types that have no hash, nothing."""
    known = [name for name in names if has_hash(rows.schema[name].dataType)]
    return F.xxhash64(*map(quote, known)) if known else F.lit(0).cast("bigint")


def without_minus_zero(rows: DataFrame, name: str) -> Column:
    """A column in which 0.0 stands for -0.0, as Spark has it in what it groups by."""
    column, kind = F.col(quote(name)), rows.schema[name].dataType
    return column + F.lit(0.0).cast(kind) if isinstance(kind, FloatType | DoubleType) else column
