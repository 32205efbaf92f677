"""Random rows, cut at random into files, and what becomes of them by the rules of the design."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from oracle.batch import Row
from oracle.dialects import SECOND

STREAMS = ("a", "b")
ROWS = (0, 1, 2, 3, 4, 8)
"""How many rows of a stream are in a file: they cost next to nothing, a batch of a job does."""
FIRST_CLOCK = 1000
"""The first clock value, in microseconds: the clock has none before 1970."""


@dataclass(frozen=True)
class File:
    """Rows that arrive together, and the wall clock afterwards, in milliseconds; None: as before.

    Attributes:
        rows: by stream.
        now: the wall clock.
        waits: whether the job is to come to rest before the next file is there.
        restarts: whether it is stopped then, and started again.
    """

    rows: dict[str, list[Row]]
    now: int | None = None
    waits: bool = False
    restarts: bool = False


@dataclass
class Story:
    """What a job must make of files.

    Attributes:
        arrived: by stream the rows that count, when each has arrived, in microseconds, and in
            which file.
        late: the same of those that were late, whose last column is the clock that refused them.
        clock: the clock after each file, in microseconds; None: it has no value yet.
    """

    arrived: dict[str, list[tuple[Row, int, int]]] = field(
        default_factory=lambda: {name: [] for name in STREAMS}
    )
    late: dict[str, list[tuple[Row, int, int]]] = field(
        default_factory=lambda: {name: [] for name in STREAMS}
    )
    clock: list[int | None] = field(default_factory=list)


def random_files(rng: Random, number: int, *, ticks: bool) -> list[File]:
    """Files, with ticks of the wall clock or without; the last one brings the clock far ahead."""
    files = []
    now = 0
    for place in range(number):
        rows = {name: [_row(rng) for _ in range(rng.choice(ROWS))] for name in STREAMS}
        for name in STREAMS:
            rows[name] += [each for each in rows[name] if rng.random() < 0.2]
        if ticks and rng.random() < 0.8:
            now = max(
                now + 1, _time(rng, 1, 13) // 1000 if rng.random() < 0.3 else now + _step(rng)
            )
        is_last = place == number - 1
        restarts = not is_last and rng.random() < 0.2
        waits = is_last or restarts or rng.random() < 0.2
        files.append(File(rows, now or None if ticks else None, waits=waits, restarts=restarts))
    return files


def moving_files(
    rng: Random, number: int, streams: str = "ab", begin: int = 2 * SECOND
) -> list[File]:
    """Files whose times move on, some rows of them late; the last brings the clock far ahead."""
    files = []
    now = begin
    for _ in range(number):
        rows = {name: [_row_near(rng, now) for _ in range(rng.choice(ROWS))] for name in streams}
        for name in streams:
            rows[name] += [each for each in rows[name] if rng.random() < 0.2]
        files.append(File(rows, waits=rng.random() < 0.6, restarts=rng.random() < 0.2))
        now += rng.choice((0, 500, 1000, 1500, 2000, 4000)) * 1000
    last = {name: [(*_row(rng)[:4], begin + FAR_AHEAD, None)] for name in streams}
    return [*files, File(last, waits=True)]


FAR_AHEAD = 1000 * SECOND


def _row_near(rng: Random, now: int) -> Row:
    aside = rng.choice((0, 0, 0, 0, 400, -400, 1000, -1000, 1))
    time = now + rng.randint(-4, 6) * SECOND // 2 + aside
    return (*_row(rng)[:4], None if rng.random() < 0.05 else time, time + SECOND)


def _step(rng: Random) -> int:
    return rng.choice((0, 1, 499, 500, 501, 1000, 1000, 2000, 3000))


def _row(rng: Random) -> Row:
    starts = _time(rng, 0, 10)
    ends = (
        starts + rng.choice((0, 1, 2, 3, 4, -1)) * SECOND
        if rng.random() < 0.6
        else _time(rng, 0, 12)
    )
    return (
        rng.randint(1, 6),
        rng.choice(("x", "x", "y", "y", "z", "w", None)),
        rng.choice((-1, 0, 1, 2, 3, None)),
        rng.choice((True, False, None)),
        None if rng.random() < 0.1 else starts,
        None if rng.random() < 0.1 else ends,
    )


def _time(rng: Random, first: int, last: int) -> int:
    """A time in microseconds, mostly at a half second."""
    aside = rng.choice((0, 0, 0, 0, 400, -400, 1000))
    return rng.randint(2 * first, 2 * last) * SECOND // 2 + aside


def random_table(rng: Random) -> list[Row]:
    """Rows of the static table."""
    return [_row(rng) for _ in range(3)]


def on_wall_clock(files: list[File]) -> Story:
    """All rows count; those before the first tick arrive at it."""
    story = Story()
    now: int | None = None
    for place, file in enumerate(files):
        for name, rows in file.rows.items():
            story.arrived[name] += [(row, now or 0, place) for row in rows]
        now = now if file.now is None else max(now or 0, file.now * 1000)
        story.clock.append(now)
    return story


def by_watermark(files: list[File], delays: dict[str, int]) -> Story:
    """Late rows do not count; the clock is the least watermark.

    Args:
        files: what arrives.
        delays: by stream how far its watermark is behind, in microseconds.
    """
    story = Story()
    marks = dict.fromkeys(delays, -1)
    now: int | None = None
    for place, file in enumerate(files):
        seen = dict(marks)
        for name, rows in file.rows.items():
            for row in rows:
                time = row[4]
                if name in delays and time is not None:
                    if now is not None and time < now:
                        story.late[name].append(((*row[:5], now), now, place))
                        continue
                    seen[name] = max(seen[name], (time - delays[name]) // 1000 * 1000)
                story.arrived[name].append((row, now or 0, place))
        marks = seen
        least = min(marks.values())
        now = least if least >= FIRST_CLOCK else now
        story.clock.append(now)
    return story
