"""What is said of rows that do not fit their source, and when there are too many of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tvfc_runtime.counters.progress import Counters


class TooManyBadRowsError(Exception):
    """More rows of a source do not fit than its `maxBadRows` allows."""


class BadRowWatch:
    """Warns of the bad rows of a query as soon as there are any, and each time they are tenfold.

    Args:
        limits: how many rows of a source may not fit, by source.
        warn: takes a line.
    """

    def __init__(self, limits: Mapping[str, int], warn: Callable[[str], None]) -> None:
        self._limits = limits
        self._warn = warn
        self._next: dict[str, int] = {}

    def begin(self, counters: Counters) -> None:
        """Take what was counted before this start as known.

        Raises:
            TooManyBadRowsError: it is too much already.
        """
        for source, number in counters.bad.items():
            self._next[source] = max(1, number + 1)
        self._check(counters)

    def look(self, counters: Counters) -> None:
        """Warn of bad rows that have come since.

        Raises:
            TooManyBadRowsError: there are too many.
        """
        for source, number in counters.bad.items():
            if number >= self._next.get(source, 1):
                self._next[source] = 10 * number
                do = (
                    "does not fit its columns and is"
                    if number == 1
                    else ("do not fit its columns and are")
                )
                self._warn(
                    f"warning[TVFW704]: {rows(number)} of {source} {do} left out, such as "
                    f"{example(counters, source)}"
                )
        self._check(counters)

    def _check(self, counters: Counters) -> None:
        for source, limit in self._limits.items():
            number = counters.bad[source]
            if number > limit:
                raise TooManyBadRowsError(
                    f"TVF708: {rows(number)} of {source} did not fit its columns, more than its "
                    f"maxBadRows, {limit}; such as {example(counters, source)}"
                )


def rows(number: int) -> str:
    """A number of rows in words."""
    return f"{number:,} row{'' if number == 1 else 's'}"


def example(counters: Counters, source: str) -> str:
    """One of the bad rows of a source, with what is wrong with it and where it stands."""
    found = counters.examples.get(source)
    if found is None:
        return "those that BAD() has"
    place = f"; {found['file']}" if found["file"] else ""
    record = " ".join((found["record"] or "NULL").split())
    return f"{record} ({found['reason']}{place})"
