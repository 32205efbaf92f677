"""Which sources of a scenario have fallen silent, as its `now:` goes on."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from scenario.engine import idle_tick
from tvfc_runtime.clock.idle import Silence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class IdleSources:
    """The sources of a job that have IDLE AFTER, over the steps of a run.

    Rows that arrive before the first `now:` count as having arrived at it. A restart takes no
    time, and so is no arrival.

    Args:
        idle_after: the silence after which a source is idle, by source.
    """

    def __init__(self, idle_after: Mapping[str, timedelta]) -> None:
        self._silences = {
            name: Silence(after // timedelta(milliseconds=1)) for name, after in idle_after.items()
        }

    def arrive(self, sources: Iterable[str], now_micros: int | None) -> None:
        """Rows of sources arrive, at a time in microseconds since the epoch if there is one."""
        for name in sources:
            silence = self._silences.get(name)
            if silence is not None and now_micros is not None:
                silence.look(now_micros // 1000, arrived=True)

    def ticks(self, now_micros: int) -> Iterator[str]:
        """The clock moves to a time in microseconds since the epoch: lines for the engine."""
        for name, silence in self._silences.items():
            # The job looks once and finds nothing; what that means it knows at the next look.
            silence.look(now_micros // 1000, arrived=False)
            watermark_ms = silence.look(now_micros // 1000, arrived=False)
            if watermark_ms is not None:
                yield idle_tick(name, watermark_ms)
