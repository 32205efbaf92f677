"""When rows that are held are due, roughly: bins of due times, which a batch adds to and ends.

A bin is a due time in milliseconds since the epoch, about which rows are due, and their number.
Spark makes a few of the rows of a batch; those of many batches are put together, the nearest first.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column

BINS = 24
"""Of a batch."""

MOST = 64

Bin = list[int]
"""A due time and a number of rows."""


def due_times(due: Column) -> Column:
    """The bins of the rows of a batch, as an aggregate; those without a due time are in none."""
    # `tvfc status` reads counters without PySpark.
    from pyspark.sql import functions as F  # noqa: N812, PLC0415

    from tvfc_runtime.rows.intervals import FAILED  # noqa: PLC0415

    return F.histogram_numeric(F.when(due != FAILED, due), F.lit(BINS)).alias("bins")


def put_together(known: Iterable[Bin], more: Iterable[Bin], clock_ms: int | None) -> list[Bin]:
    """Bins in order, those that the clock has reached left out.

    Args:
        known: of earlier batches.
        more: of the last one.
        clock_ms: its clock, milliseconds since the epoch; None: it has none yet.
    """
    found = sorted(
        [due, rows] for due, rows in (*known, *more) if clock_ms is None or due > clock_ms
    )
    while len(found) > MOST:
        gaps = [later[0] - earlier[0] for earlier, later in pairwise(found)]
        place = gaps.index(min(gaps))
        (due, rows), (other, others) = found[place : place + 2]
        whole = rows + others
        found[place : place + 2] = [[due + (other - due) * others // whole, whole]]
    return found
