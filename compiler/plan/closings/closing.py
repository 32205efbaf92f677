"""When the clock closes a value, and how that follows for what is computed from it.

Before   at: the start of a window of 5 seconds, closed 5 seconds later
After    the windows of 10 seconds that hold such times are closed at their own end
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from compiler.plan.closings.grids import MICROSECOND, ZERO, Grid
from compiler.sql.lengths import moved


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """When no more rows with a value of a column can come.

    Attributes:
        value: the value as a TIMESTAMP in SQL, `{}` for the column.
        past: the moment in SQL, `{}` for that TIMESTAMP.
        end: likewise, for the end of several values that does not belong to them; on `grid`.
        grid: what moments the values are; None: any.
        reach: what lies between that and the last time that a row with the value can have.
        later: for how long after that rows may still come, since they wait or look for partners.
        after: whether the clock must have passed all that, not only reached it.
        window: of the struct of a window: its size; zero: its start has no closing.
        event: names the time of the rows. It is not later than the moment and the reach, for all
            columns of one event.
        is_event: whether the value is that time itself.
        others: times of rows that are joined with these, each by its event, and by how much it is
            later than the moment and the reach at most.
    """

    value: str = "{}"
    past: str = "{}"
    end: str = "{}"
    grid: Grid | None = None
    reach: timedelta = timedelta(0)
    later: timedelta = timedelta(0)
    after: bool = False
    window: timedelta | None = None
    event: str = ""
    is_event: bool = False
    others: tuple[tuple[str, timedelta], ...] = ()

    @property
    def moment(self) -> str:
        """The moment in SQL, `{}` for the column."""
        return self.past.replace("{}", self.value)

    def at(self, sql: str) -> str:
        """The moment for a value, in SQL."""
        return moved(self.moment.replace("{}", sql), self.reach + self.later)

    @property
    def has_calendar(self) -> bool:
        """Whether it is no fixed time after the value, as where days or months are added."""
        return self.past != "{}"

    @property
    def rank(self) -> tuple[int, timedelta, bool]:
        """The least is the simplest one."""
        return len(self.moment), self.reach, self.after

    def of_field(self, name: str) -> Closing | None:
        """Of the struct of a window: when the clock closes its start or its end."""
        if self.window is None or name.lower() not in ("start", "end"):
            return None
        end = replace(self, value=self.value.replace("{}.end", "{}"), window=None)
        if name.lower() == "end":
            return end
        return end.shifted(-self.window) if self.window else None

    def shifted(self, by: timedelta) -> Closing:
        """When the clock closes a value that is later by some time."""
        grid, past, reach = self.grid, self.past, self.reach
        if not self.has_calendar and (grid is None or grid.is_fixed):
            # Windows of the value may begin or end within the time that it is shifted by.
            grid = replace(grid, phase=(grid.phase + by) % grid.step) if grid else None
            return replace(self, reach=reach - by, grid=grid, is_event=False)
        if not self.has_calendar and grid:
            past, reach = moved("{}", grid.step), reach - grid.step
        back = moved("{}", -by)
        end = self.end.replace("{}", grid.first_from(back) if grid else back)
        past = past.replace("{}", back)
        return replace(self, past=past, end=end, reach=reach, grid=None, is_event=False)


def until(
    inner: Closing, ends: Grid, values: Grid, plus: timedelta | str, value: str = "{}"
) -> Closing:
    """When the clock closes a value from which an end follows, of what lies before that end.

    Args:
        inner: of what lies before the ends: the times in a window, or in a day.
        ends: what moments they are.
        values: what moments the values are.
        plus: what lies between a value and its end; as text, such as `INTERVAL 1 DAY`, of the
            calendar.
        value: the value as a TIMESTAMP in SQL, `{}` for the column.
    """
    end, reach = _up_to(inner, ends)
    found = replace(inner, value=value, past="{}", end=end, grid=values, reach=reach)
    found = replace(found, after=False, is_event=False)
    if end == "{}" and isinstance(plus, timedelta):
        return replace(found, reach=reach + plus)
    added = f"{{}} + {plus}" if isinstance(plus, str) else moved("{}", plus)
    found = replace(found, past=end.replace("{}", added))
    if isinstance(plus, str) or plus == values.step:
        return found
    if not plus:
        return replace(found, grid=None)
    # Windows that overlap: the last one that begins before an end reaches beyond it.
    last = moved(values.last_before("{}"), plus)
    return replace(found, end=end.replace("{}", last), grid=None)


def last_days(inner: Closing) -> Closing:
    """When the clock closes the last day of a month."""
    month = Grid(unit="MONTH")
    end, reach = _up_to(inner, month)
    whole = month.first_from("{}")
    return replace(
        inner,
        value="CAST({} AS TIMESTAMP)",
        past=end.replace("{}", "{} + INTERVAL 1 DAY"),
        end=end.replace("{}", whole),
        grid=None,
        reach=reach,
        after=False,
    )


def local(inner: Closing, zone: str) -> Closing:
    """When the clock closes the time of a zone, `from_utc_timestamp(…, zone)`.

    When clocks go back, a time of the zone comes twice; then the second one closes it.
    """
    if zone == UTC:
        return replace(inner, value="{}")
    end, reach = _up_to(inner, ANY)
    past = end.replace("{}", _call("end", zone))
    after = past.replace("{}", "{} + INTERVAL 1 MICROSECOND")
    return replace(inner, value="{}", past=after, end=past, grid=None, reach=reach, after=False)


def universal(inner: Closing, zone: str) -> Closing:
    """When the clock closes the moment of a time of a zone, `to_utc_timestamp(…, zone)`."""
    if zone == UTC:
        return replace(inner, value="{}")
    back = f"from_utc_timestamp({{}}, {zone})"
    if inner.grid is not None:
        # The day that begins when the clocks go forward begins with a time that the zone lacks.
        back = inner.grid.until(back)
    end, reach = _up_to(inner, ANY)
    past = inner.past.replace("{}", back)
    return replace(
        inner,
        value="{}",
        past=past,
        end=end.replace("{}", _call("until", zone)),
        grid=None,
        reach=reach,
    )


def without_zone(inner: Closing) -> Closing:
    """When the clock closes a moment as TIMESTAMP_NTZ, which is a time of the session's zone."""
    found = universal(local(inner, SESSION), SESSION)
    return replace(found, value="CAST({} AS TIMESTAMP)")


SESSION = "current_timezone()"
"""The zone of the session, in SQL."""
UTC = "'UTC'"
ANY = Grid(floor="{}")
"""Ends of which nothing is known."""


def _call(what: str, zone: str) -> str:
    """A call of a function of the runtime (local_times.py), in SQL.

    `end`: from when times of a zone before some other come no more; `until`: the end of the times
    of a zone that are before a moment.
    """
    return f"tvfc_session_{what}({{}})" if zone == SESSION else f"tvfc_local_{what}({{}}, {zone})"


def _up_to(inner: Closing, ends: Grid) -> tuple[str, timedelta]:
    """When all values before an end are past: in SQL, `{}` for the end, and the reach."""
    grid = inner.grid
    if grid is None:
        return inner.end, inner.reach
    if inner.has_calendar:
        end = "{}" if grid.has_all(ends) else grid.first_from("{}")
        return inner.end.replace("{}", end), inner.reach
    if inner.reach <= ZERO:
        return inner.end, inner.reach
    before = grid.before(ends)
    if before is not None:
        # A window of ends of windows closes with its own end, not with the last one in it.
        return inner.end, max(inner.reach - before, ZERO)
    return inner.end.replace("{}", grid.last_before("{}")), inner.reach


def grids_of(kind: str, lengths: dict[str, timedelta]) -> tuple[Grid, Grid]:
    """The starts of windows of a kind and their lengths by name, and the ends."""
    size, offset = lengths["size"], lengths.get("offset", ZERO)
    slide = lengths.get("slide", size)
    step = lengths["step"] if kind == "cumulate" else slide
    while kind == "cumulate" and size % step:
        step = size % step
    return Grid(step=slide, phase=offset % slide), Grid(step=step, phase=(offset + size) % step)


def struct_of(start: Closing | None, end: Closing) -> Closing:
    """When the clock closes the struct of a window, given its start and its end."""
    is_known = start is not None and not end.has_calendar
    size = start.reach - end.reach if start is not None and is_known else ZERO
    return replace(end, value=end.value.replace("{}", "{}.end"), window=size)


def window_time(closing: Closing) -> Closing | None:
    """When the clock closes the last microsecond of a window, by which windows are in windows."""
    end = closing.of_field("end")
    return end.shifted(-MICROSECOND) if end else None
