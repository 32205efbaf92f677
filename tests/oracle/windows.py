"""Windows in both dialects, and when the clock closes their starts and their ends."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from oracle.closing import Closing
from oracle.dialects import SECOND, Pair

NAMES = ("window_start", "window_end")


@dataclass(frozen=True)
class Windows:
    """A function that puts rows in windows.

    Attributes:
        call: the call in Spark SQL, `{}` for a query of the rows.
        rows: the same as a query in SQLite.
        starts: when the starts are closed; None: that varies.
        ends: the same of the ends.
    """

    call: str
    rows: str
    starts: Closing | None
    ends: Closing | None

    def of(self, rows: Pair) -> Pair:
        """The rows of a query in windows."""
        return Pair(self.call.format(rows.spark), self.rows.format(rows.lite))


def tumbling(size: int, closing: Closing, offset: int = 0) -> Windows:
    """Windows of so many microseconds, one beside the other."""
    call = f"TUMBLE(({{}}), ts, {_ms(size)}{f', {_ms(offset)}' if offset else ''})"
    return _hop(call, size, size, offset, closing)


def random_windows(rng: Random, closing: Closing) -> Windows:
    """Any windows of times that are closed so."""
    kind = rng.choice(("tumble", "tumble", "hop", "cumulate"))
    if kind == "tumble":
        size = rng.choice((1000, 2000, 2000, 3000, 6000, 1500)) * 1000
        offset = rng.choice((0, 0, 500, -300)) * 1000
        return tumbling(size, closing, offset)
    if kind == "hop":
        slide = rng.choice((500, 1000, 2000)) * 1000
        number = rng.choice((1, 2, 3))
        # Of which more than three hold a row they are counted in panes.
        number = {1: 1, 2: 4, 3: 5}[number] if slide < SECOND else number
        size = slide * number + rng.choice((0, 0, 500)) * 1000
        offset = rng.choice((0, 0, 300)) * 1000
        call = f"HOP(({{}}), ts, {_ms(slide)}, {_ms(size)}{f', {_ms(offset)}' if offset else ''})"
        return _hop(call, slide, size, offset, closing)
    step = rng.choice((500, 1000)) * 1000
    number = rng.choice((2, 3))
    return _cumulate(step, step * (2 * number if step < SECOND else number), closing)


def _ms(micros: int) -> str:
    return f"INTERVAL {micros // 1000} MILLISECONDS"


def _hop(call: str, slide: int, size: int, offset: int, closing: Closing) -> Windows:
    start = f"floor_to(ts, {slide}, {offset}) - n * {slide}"
    rows = (
        f"SELECT *, window_start + {size} AS window_end FROM"
        f" (SELECT *, {start} AS window_start FROM ({{}}) AS w, {_numbers(-(-size // slide))}) AS w"
        f" WHERE ts < window_start + {size}"
    )
    ends = _ends(closing, (slide, (offset + size) % slide))
    starts = ends and Closing(
        ends.reach + size, ends.later, past=False, grid=(slide, offset % slide)
    )
    return Windows(call, rows, starts, ends)


def _cumulate(step: int, size: int, closing: Closing) -> Windows:
    start = f"floor_to(ts, {size}, 0)"
    end = f"floor_to(ts, {step}, 0) + {step} + n * {step}"
    rows = (
        f"SELECT *, {start} AS window_start FROM"
        f" (SELECT *, {end} AS window_end FROM ({{}}) AS w, {_numbers(size // step)}) AS w"
        f" WHERE window_end <= {start} + {size}"
    )
    call = f"CUMULATE(({{}}), ts, {_ms(step)}, {_ms(size)})"
    return Windows(call, rows, None, _ends(closing, (step, 0)))


def _numbers(number: int) -> str:
    return f"({' UNION ALL '.join(f'SELECT {each} AS n' for each in range(number))}) AS n"


def _ends(closing: Closing, grid: tuple[int, int]) -> Closing | None:
    """When ends are closed: with the last time before each, which is as far before all of them."""
    reach = closing.reach
    if closing.grid is not None and reach > 0:
        step, phase = closing.grid
        if grid[0] % step:
            return None
        reach = max(reach - ((grid[1] - phase) % step or step), 0)
    return Closing(reach, closing.later, past=False, grid=grid)
