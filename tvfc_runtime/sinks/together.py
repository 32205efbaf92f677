"""Several outputs of one streaming query: one frame with a column for each, cut apart in a batch.

A query has one sink. So the rows of all outputs go through one: each row says whose it is, and
holds its columns as a struct beside the structs of the others, which are NULL. That way a batch
takes each decision once for all outputs, and each is written from one and the same evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

OUTPUT = "output"
"""The number of the output that a row belongs to; its columns are in the struct `o<number>`."""


@dataclass(frozen=True)
class Together:
    """Outputs as one frame, and what each calls its columns."""

    frame: DataFrame
    columns: tuple[tuple[str, ...], ...]


def together(frames: Sequence[DataFrame]) -> Together:
    """Put the frames of several outputs together."""
    packed = [_packed(number, rows) for number, rows in enumerate(frames)]
    return Together(
        reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), packed),
        tuple(tuple(rows.columns) for rows in frames),
    )


def _packed(number: int, rows: DataFrame) -> DataFrame:
    # Plain names: several columns of an output may have one name.
    plain = rows.toDF(*(f"c{place}" for place in range(len(rows.columns))))
    return plain.select(F.lit(number).alias(OUTPUT), F.struct("*").alias(f"o{number}"))


def rows_of(batch: DataFrame, number: int, columns: Sequence[str]) -> DataFrame:
    """The rows of one output in a batch of all."""
    own = batch.where(F.col(OUTPUT) == number).select(f"o{number}.*")
    return own.toDF(*columns)


@dataclass(frozen=True)
class SeveralWriters:
    """Writes a batch of several outputs, each to its own sink; plain data, so that it may travel.

    The batch is evaluated once, when it is asked whose rows there are. An output without rows is
    left alone, but for the first batch of all, in which file sinks say what their columns are.
    """

    columns: tuple[tuple[str, ...], ...]
    writers: tuple[Callable[[DataFrame, int], None], ...]

    def __call__(self, batch: DataFrame, number: int) -> None:
        """Write one batch."""
        kept = batch.persist()
        try:
            found = kept.agg(F.collect_set(OUTPUT)).first()
            present = set(found[0]) if found is not None else set()
            for place, write in enumerate(self.writers):
                if place in present or number == 0:
                    write(rows_of(kept, place, self.columns[place]), number)
        finally:
            kept.unpersist()
