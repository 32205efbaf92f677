"""What is said when a large part of the rows of a source comes late."""

from __future__ import annotations

from collections.abc import Callable

from tvfc_runtime.counters.progress import Counters

A_TENTH = 10
FEWEST = 10
"""Fewer late rows than this are no news, whatever their share is."""


class LateRowWatch:
    """Warns once more than a tenth of the rows of a source is late, and each time it is tenfold.

    A few late rows are what a watermark is for, and are counted; many of them mean that it is ahead
    of its data, such as files of a day that are read in another order than they were written.

    Args:
        warn: takes a line.
    """

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._next: dict[str, int] = {}

    def begin(self, counters: Counters) -> None:
        """Take what was counted before this start as known."""
        for source, number in counters.late.items():
            self._next[source] = max(FEWEST, number + 1)

    def look(self, counters: Counters) -> None:
        """Warn of late rows that have come since."""
        for source, number in counters.late.items():
            of_all = counters.rows[source] or counters.rows_in
            if number < self._next.get(source, FEWEST) or number * A_TENTH <= of_all:
                continue
            self._next[source] = 10 * number
            self._warn(
                f"warning[TVFW721]: {number:,} of {of_all:,} rows of {source} came late, behind "
                f"the watermark, and are left out; LATE({source}) has them, a longer delay in "
                "WATERMARK FOR lets them in"
            )
