"""When the clock closes the times of a relation, by the rules of the language: a reckoning of the
tests' own, in SQLite.

A relation closes a time `t` once no more rows of it with that time can come. A row comes once, and
its `due` is the first clock value at which it is there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Closing:
    """The clock closes `t` when it is at, or past, `t + reach + later`, in microseconds.

    Attributes:
        reach: how far the clock must be for what lies behind a time, as the rest of a window
            behind its start; below zero where times lie ahead of the rows.
        later: how much later rows come than that.
        past: whether the clock must have passed it.
        grid: the step and the phase of the moments that `t` can be, if not all.
    """

    reach: int = 0
    later: int = 0
    past: bool = True
    grid: tuple[int, int] | None = None

    @property
    def total(self) -> int:
        """How long after a time the clock closes it."""
        return self.reach + self.later

    def of(self, time: str) -> str:
        """The first clock value at which all rows until a time are there, itself included."""
        return f"{'past_ms' if self.past else 'from_ms'}({time} + {self.total})"

    def before(self, end: str) -> str:
        """The first clock value at which all rows before an end are there.

        Of windows in windows, the last one that begins before the end decides; it is closed with
        the end, not before.
        """
        if self.grid is None or self.reach <= 0:
            return self.of(f"{end} - 1")
        last = f"floor_to({end} - 1, {self.grid[0]}, {self.grid[1]})"
        return f"from_ms(max({end}, {last} + {self.reach}) + {self.later})"

    def behind(self, micros: int, *, past: bool) -> Closing:
        """Of rows that wait until so long after their times, or until the clock has passed that."""
        waits = past and micros >= self.total
        later = max(self.total, micros) - self.reach
        return replace(self, later=later, past=self.past or waits)

    def beside(self, micros: int, *, past: bool) -> Closing:
        """Of rows whose partners come until so long after their times, or just after that."""
        total, is_past = max((self.total, self.past), (micros, past))
        return replace(self, later=total - self.reach, past=is_past)

    def moved(self, micros: int) -> Closing:
        """Of times that are moved ahead."""
        grid = self.grid and (self.grid[0], (self.grid[1] + micros) % self.grid[0])
        return replace(self, reach=self.reach - micros, grid=grid)


def latest(*closings: Closing | None) -> Closing | None:
    """Of rows of several relations; None if that of one of them is not known."""
    known = [each for each in closings if each is not None]
    if len(known) < len(closings) or all(each == closings[0] for each in closings):
        return closings[0] if known == list(closings) else None
    total = max(each.total for each in known)
    return Closing(later=total, past=any(each.past for each in known if each.total == total))
