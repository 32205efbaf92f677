"""The moments that a column can have, where those are not all: starts of windows, hours, days.

Before   closed windows of 5 seconds, by their starts, in windows of 10 seconds
After    the last start before 00:10 is 00:05, so [00:00, 00:10) is final when that one is: at 00:10
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from compiler.sql.lengths import interval_sql, moved

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
    """Moments `step` apart, one of them `phase` after 1970; or the beginnings of a `unit`.

    `floor` is how the last one until a moment is computed, in SQL, where that alone is known, and
    `length` what is added to it for the next one.
    """

    step: timedelta = ZERO
    phase: timedelta = ZERO
    unit: str = ""
    floor: str = ""
    length: str = ""

    @property
    def is_fixed(self) -> bool:
        """Whether its moments are the same in all time zones."""
        return not (self.unit or self.floor)

    def until(self, moment: str) -> str:
        """The last moment that is not after another, in SQL."""
        if not self.is_fixed:
            return (self.floor or f"date_trunc('{self.unit}', {{}})").replace("{}", moment)
        phase = self.phase % self.step
        if self.step < timedelta(days=1):
            origin = datetime(1970, 1, 1) + phase
            return f"time_bucket({interval_sql(self.step)}, {moment}, TIMESTAMP '{origin}Z')"
        # Buckets of whole days would be days of the session's time zone.
        micros, shift = f"unix_micros({moment})", phase // MICROSECOND
        since = f"{micros} - {shift}" if shift else micros
        return f"timestamp_micros({micros} - pmod({since}, {self.step // MICROSECOND}))"

    def last_before(self, end: str) -> str:
        """The last moment before an end, in SQL."""
        return self.until(f"{end} - INTERVAL 1 MICROSECOND")

    def first_from(self, end: str) -> str:
        """The first moment that is not before an end, in SQL."""
        last = self.last_before(end)
        if self.is_fixed:
            return moved(last, self.step)
        return f"{last} + {self.length or f'INTERVAL 1 {self.unit}'}"

    def before(self, end: Grid) -> timedelta | None:
        """How long before an end of another grid the last moment is; None: not always the same."""
        if not self.is_fixed:
            is_known = self.unit == "HOUR" and end.unit in _COARSER["HOUR"]
            return timedelta(hours=1) if is_known else None
        if end.floor:
            return None
        if end.unit:
            return None if _EVERY_ZONE % self.step or self.phase % self.step else self.step
        if end.step % self.step:
            return None
        return (end.phase - self.phase) % self.step or self.step

    def has_all(self, other: Grid) -> bool:
        """Whether all moments of another grid are among these."""
        if self.floor:
            return self == other
        if self.unit:
            return other.unit in _COARSER[self.unit]
        return self.before(other) == self.step
