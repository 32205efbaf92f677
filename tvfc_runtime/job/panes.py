"""What a generated job does with windows that overlap; the part of `Job` that is about them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructField

from tvfc_runtime.changing.calls import Call
from tvfc_runtime.counters.progress import PREFIX
from tvfc_runtime.job.changing import ChangingJob
from tvfc_runtime.panes.grids import Grid
from tvfc_runtime.panes.windows import windows_of_panes
from tvfc_runtime.rows.sql_text import quote


class PaneJob(ChangingJob):
    """Windows out of panes in the frame of one streaming query; see panes/."""

    def panes(
        self,
        rows: DataFrame,
        time: str,
        grid: Grid,
        keys: Sequence[str],
        *calls: Call,
        later: timedelta = timedelta(0),
    ) -> DataFrame:
        """Groups of keys and windows, each when it is final; see panes/windows.py.

        Args:
            rows: rows on time.
            time: their time, Spark SQL.
            grid: the windows.
            keys: the other columns by which they are grouped.
            calls: aggregates of columns.
            later: by how much later than its end a window closes.

        Returns:
            The keys, `window_start`, `window_end`, and the calls by their names.
        """
        place = f"{PREFIX}/panes/{next(self._places)}"
        kinds = rows.select(*(F.col(quote(each)) for each in keys)).schema
        held = [StructField(f"k{number}", each.dataType) for number, each in enumerate(kinds)]
        self._hold(place, "panes", list(keys), held)
        return windows_of_panes(
            rows,
            time,
            grid,
            keys=keys,
            calls=calls,
            later=later,
            shards=self._shards,
            observed_as=place,
        )
