"""The watermark of the running micro-batch, W(N), as a one-row batch source.

Spark writes `<checkpoint>/offsets/N` before it runs batch N and reads the file again when it
replays the batch. So the newest offset file always tells the watermark under which the current
batch runs, and a replay sees the same value.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from tvfc_runtime.storage import list_numbers, read_text
from tvfc_runtime.worker import settle

CLOCK_FORMAT = "tvfc_clock"


class ClockSource(DataSource):
    """`spark.read.format("tvfc_clock").option("checkpoint", dir)`: one row, `clock.w BIGINT`.

    `w` is W(N) in milliseconds since the epoch, or NULL while there is no watermark yet. A struct,
    since a number that a subquery gives would stand in the code that Spark generates, so that
    every batch compiled its own; a struct is passed to the same code.
    """

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return CLOCK_FORMAT

    def schema(self) -> str:
        """One column."""
        return "clock STRUCT<w: BIGINT>"

    def reader(self, schema: Any) -> DataSourceReader:  # noqa: ARG002
        """Read the clock of one query."""
        return ClockReader(self.options["checkpoint"])


class ClockReader(DataSourceReader):
    """Reads the offset log while the batch runs.

    In `read`, not in `partitions`: Spark asks a batch source for its partitions once a query, and
    reads them in every batch.
    """

    def __init__(self, checkpoint: str) -> None:
        self._checkpoint = checkpoint

    def read(self, partition: InputPartition) -> Iterator[tuple[tuple[int | None]]]:  # noqa: ARG002
        """The row."""
        settle()
        yield ((watermark_ms(self._checkpoint),),)


def watermark_ms(checkpoint: str) -> int | None:
    """The watermark of the newest batch in a checkpoint; Spark's 0 means there is none yet."""
    batches = list_numbers(f"{checkpoint}/offsets")
    if not batches:
        return None
    lines = read_text(f"{checkpoint}/offsets/{max(batches)}").split("\n")
    return int(json.loads(lines[1])["batchWatermarkMs"]) or None
