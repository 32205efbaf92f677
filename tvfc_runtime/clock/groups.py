"""PER: the watermark of a source as the least over groups of its rows, such as Kafka's partitions.

Each group has a watermark of its own, the greatest strategy value of its rows so far, and the
source has the least of them. So a group that is behind the others makes nothing late. A group has
none until its first row that is on time has come, and holds nothing up before; one that has been
silent for IDLE AFTER is left out until its next row.

Spark's watermark is the greatest value that it meets. So rows carry none themselves: beside them,
from a second reading of the same batch, comes one value, the least over the groups once the batch
is counted in. What groups have reached lies in the checkpoint (group_marks.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import BinaryType

from tvfc_runtime.checkpoint.storage import list_numbers, read_text, remove, write_text
from tvfc_runtime.clock.group_marks import Groups, groups_folder
from tvfc_runtime.clock.of_batch import clock_ms, newest_batch
from tvfc_runtime.rows.sql_text import quote

KEPT = 3
"""So many of the newest files stay: a restart replays the last batch at most."""

_PARTS = pa.schema([("g", pa.string()), ("w", pa.int64()), ("seen", pa.int64())])
_VALUE = pa.schema([("w", pa.int64())])


def least_of_groups(
    rows: DataFrame,
    strategy: Column,
    arrived: Column,
    per: str,
    *,
    checkpoint: str,
    source: str,
    idle_after: timedelta | None,
) -> DataFrame:
    """The watermark of a source after each batch: column `w`, milliseconds; no row without rows.

    Args:
        rows: those of the source.
        strategy: the watermark that each of them stands for, a TIMESTAMP.
        arrived: when it arrived, a TIMESTAMP: that of its batch.
        per: the column by which they are grouped.
        checkpoint: that of the query.
        source: the name of the source.
        idle_after: the silence from which on a group holds nothing; None: it holds for ever.
    """
    column = F.col(quote(per))
    is_bytes = isinstance(rows.schema[per].dataType, BinaryType)
    name = F.hex(column) if is_bytes else column.cast("string")
    idle_after_ms = None if idle_after is None else idle_after // timedelta(milliseconds=1)
    named = rows.select(
        name.alias("g"), F.unix_millis(strategy).alias("w"), F.unix_millis(arrived).alias("seen")
    )
    parts = named.mapInArrow(_reached, "g STRING, w BIGINT, seen BIGINT").repartition(1)
    return parts.mapInArrow(_counted_in(checkpoint, source, idle_after_ms), "w BIGINT")


def _reached(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The greatest value of each group in a task."""
    groups = Groups()
    for batch in batches:
        table = pa.Table.from_batches([batch]).group_by("g")
        table = table.aggregate([("w", "max"), ("seen", "max")])
        columns = (table[name].to_pylist() for name in ("g", "w_max", "seen_max"))
        groups = groups.after(zip(*columns, strict=True))
    if groups.known:
        parts = [(name, *group) for name, group in groups.known.items()]
        yield pa.record_batch([list(each) for each in zip(*parts, strict=True)], schema=_PARTS)


def _counted_in(
    checkpoint: str, source: str, idle_after_ms: int | None
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def count_in(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        parts = [
            pair
            for batch in batches
            for pair in zip(*(column.to_pylist() for column in batch.columns), strict=True)
        ]
        if not parts:
            return
        least = count_batch(checkpoint, source, parts, idle_after_ms)
        if least is not None:
            yield pa.record_batch([[least]], schema=_VALUE)

    return count_in


def count_batch(
    checkpoint: str,
    source: str,
    parts: Sequence[tuple[str | None, int | None, int]],
    idle_after_ms: int | None,
) -> int | None:
    """Count the running batch in, and answer the watermark of the source after it.

    Raises:
        RuntimeError: the files of earlier batches are gone.
    """
    batch, facts = _running(checkpoint)
    folder = groups_folder(checkpoint, source)
    numbers = sorted(list_numbers(folder))
    earlier = [number for number in numbers if number < batch]
    if earlier:
        before = Groups.of_json(read_text(f"{folder}/{earlier[-1]}"))
    elif idle_after_ms is None and clock_ms(int(facts["batchWatermarkMs"])):
        raise RuntimeError(
            f"TVF753: the checkpoint {checkpoint} has lost what the groups of {source} had reached"
        )
    else:
        before = Groups()
    groups = before.after(parts)
    write_text(f"{folder}/{batch}", groups.to_json(idle_after_ms))
    for number in [each for each in numbers if each < batch][: -(KEPT - 1)]:
        # The same batch may run twice at a time, for two sinks.
        with suppress(FileNotFoundError):
            remove(f"{folder}/{number}")
    return groups.least(max(seen_ms for *_, seen_ms in parts), idle_after_ms)


def _running(checkpoint: str) -> tuple[int, Mapping[str, int]]:
    """The number of the running batch, and what Spark has noted of it."""
    facts = newest_batch(checkpoint)
    if facts is None:
        raise RuntimeError("a batch runs that Spark has not noted; please report this")
    return max(list_numbers(f"{checkpoint}/offsets")), facts
