"""The moments that a column can have, where those are not all: starts of windows, hours, days.

Before   closed windows of 5 seconds, by their starts, in windows of 10 seconds
After    the last start before 00:10 is 00:05, so [00:00, 00:10) is final when that one is: at 00:10
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from compiler.plan.lengths import interval_sql, moved

ZERO = timedelta(0)
MICROSECOND = timedelta(microseconds=1)
_EVERY_ZONE = timedelta(minutes=15)
"""The time of a zone differs from UTC by a multiple of this."""

_COARSER = {
    "HOUR": {"HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR"},
    "DAY": {"DAY", "WEEK", "MONTH", "QUARTER", "YEAR"},
    "WEEK": {"WEEK"},
    "MONTH": {"MONTH", "QUARTER", "YEAR"},
    "QUARTER": {"QUARTER", "YEAR"},
    "YEAR": {"YEAR"},
}
"""Units, and those that begin only where such a one begins; hours and days are the session's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Moments `step` apart, one of them `phase` after 1970; or the beginnings of a `unit`."""

    step: timedelta = ZERO
    phase: timedelta = ZERO
    unit: str = ""

    def last_before(self, end: str) -> str:
        """The last moment before an end, in SQL."""
        if self.unit:
            return f"date_trunc('{self.unit}', {end} - INTERVAL 1 MICROSECOND)"
        if self.step < timedelta(days=1):
            phase = datetime(1970, 1, 1) + self.phase % self.step
            before = f"{end} - INTERVAL 1 MICROSECOND"
            return f"time_bucket({interval_sql(self.step)}, {before}, TIMESTAMP '{phase}Z')"
        # Buckets of whole days would be days of the session's time zone.
        micros, since_1970 = f"unix_micros({end}) - 1", self.phase % self.step // MICROSECOND
        since = f"{micros} - {since_1970}" if since_1970 else micros
        return f"timestamp_micros({micros} - pmod({since}, {self.step // MICROSECOND}))"

    def first_from(self, end: str) -> str:
        """The first moment that is not before an end, in SQL."""
        last = self.last_before(end)
        return f"{last} + INTERVAL 1 {self.unit}" if self.unit else moved(last, self.step)

    def before(self, end: Grid) -> timedelta | None:
        """How long before an end of another grid the last moment is; None: not always the same."""
        if self.unit:
            is_fixed = self.unit == "HOUR" and end.unit in _COARSER["HOUR"]
            return timedelta(hours=1) if is_fixed else None
        if end.unit:
            return None if _EVERY_ZONE % self.step or self.phase % self.step else self.step
        if end.step % self.step:
            return None
        return (end.phase - self.phase) % self.step or self.step

    def has_all(self, other: Grid) -> bool:
        """Whether all moments of another grid are among these."""
        if self.unit:
            return other.unit in _COARSER[self.unit]
        return self.before(other) == self.step
