"""What `tvfc run` shows on stderr: a line that lives while rows come, a summary at the end."""

from __future__ import annotations

import sys
import time
from collections import Counter, deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tvfc_runtime.counters.progress import Counters

RATE_OVER_S = 5.0


class ProgressDisplay:
    """Shows the sum of some counters while they grow, on a terminal."""

    def __init__(self, counters: Sequence[Counters]) -> None:
        self._counters = counters
        self._console = Console(stderr=True)
        self._live: Live | None = None
        self._samples: deque[tuple[float, int]] = deque()
        self._began = time.monotonic()

    def start(self) -> None:
        """Begin to show progress."""
        if self._console.is_terminal:
            self._live = Live(
                Text("starting"), console=self._console, redirect_stdout=False, auto_refresh=False
            )
            self._live.start()

    def show(self) -> None:
        """Bring the display up to date."""
        if self._live is not None:
            rate = f"{self._rate():,.0f} rows/s"
            self._live.update(Text(" | ".join([*self._parts(), rate])), refresh=True)

    def print_row(self, line: str) -> None:
        """A row to stdout; on a terminal it goes above the line of progress."""
        if self._live is not None and sys.stdout.isatty():
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)
        else:
            sys.stdout.write(f"{line}\n")

    def warn(self, line: str) -> None:
        """A line of warning to stderr, above the line of progress."""
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def finish(self) -> None:
        """Take the line of progress away."""
        if self._live is not None:
            self._live.update(Text(""), refresh=True)
            self._live.stop()

    def summary(self) -> str:
        """Counts, and the mean rate since the start."""
        seconds = time.monotonic() - self._began
        rows = sum(each.rows_in for each in self._counters)
        return " | ".join([*self._parts(), f"{rows / max(seconds, 1e-3):,.0f} rows/s"])

    def _parts(self) -> list[str]:
        counters = self._counters
        late = sum(sum(each.late.values()) for each in counters)
        bad = sum(sum(each.bad.values()) for each in counters)
        timeless = sum(sum(each.without_time.values()) for each in counters)
        lost = sum(each.never_due for each in counters)
        return [
            f"rows in {sum(each.rows_in for each in counters):,}",
            _held(counters),
            f"out {sum(each.rows_out for each in counters):,}",
            f"late {late:,}",
            *([f"without time {timeless:,}"] if timeless else []),
            *([f"bad {bad:,}"] if bad else []),
            *([f"never due: bound out of range {lost:,}"] if lost else []),
            f"watermark {_watermark(counters)}",
        ]

    def _rate(self) -> float:
        """Rows read a second, over the last few seconds."""
        now, rows = time.monotonic(), sum(each.rows_in for each in self._counters)
        self._samples.append((now, rows))
        while now - self._samples[0][0] > RATE_OVER_S and len(self._samples) > 2:
            self._samples.popleft()
        then, before = self._samples[0]
        return (rows - before) / (now - then) if now > then else 0.0


def _held(counters: Sequence[Counters]) -> str:
    """Rows held; by kind of operator if there are several."""
    kinds = sum((each.held_by_kind() for each in counters), Counter())
    text = f"held {sum(each.rows_held for each in counters):,}"
    if len(kinds) < 2:
        return text
    return f"{text} ({', '.join(f'{kind} {rows:,}' for kind, rows in kinds.items())})"


def _watermark(counters: Sequence[Counters]) -> str:
    values = [each.watermark_ms for each in counters if each.watermark_ms is not None]
    if not values:
        return "none"
    moment = datetime.fromtimestamp(min(values) / 1000, tz=UTC)
    return moment.strftime("%Y-%m-%d %H:%M:%S")
