"""The watermark of the running micro-batch, W(N).

Spark writes `<checkpoint>/offsets/N` before it plans and runs batch N and reads the file again when
it replays the batch. So the newest offset file always tells the watermark under which the current
batch runs, and a replay sees the same value. Operators of the runtime read it where they run; for
expressions see `clock_column.py`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from tvfc_runtime.checkpoint.storage import list_numbers, read_text

ERA_MS = 25 * 146_097 * 86_400_000
"""Ten thousand years, as 25 times 400 years of the calendar; see `era.py`."""

END_OF_TIME_MS = 253_402_300_799_999
"""The last millisecond of the year 9999: once the clock is there, no row will follow."""

BEYOND_ALL_MS = (2**63 - 1) // 1000
"""The last moment that Spark has: a watermark that is the least of several only by mistake."""


def clock_ms(watermark_ms: int) -> int:
    """The clock for a watermark of Spark, in the era or not; 0: it has no value yet."""
    if watermark_ms >= BEYOND_ALL_MS:
        raise RuntimeError("no source moves the clock of this query; please report this")
    return watermark_ms - ERA_MS if watermark_ms >= ERA_MS else watermark_ms


def watermark_ms(checkpoint: str) -> int | None:
    """The clock of the newest batch in a checkpoint; Spark's 0 means there is none yet."""
    newest = newest_batch(checkpoint)
    return None if newest is None else clock_ms(int(newest["batchWatermarkMs"])) or None


def newest_batch(checkpoint: str) -> Mapping[str, Any] | None:
    """What Spark has noted of the newest batch in a checkpoint; None: there is none yet."""
    batches = list_numbers(f"{checkpoint}/offsets")
    return noted_of_batch(checkpoint, max(batches)) if batches else None


def noted_of_batch(checkpoint: str, batch: int) -> Mapping[str, Any]:
    """What Spark has noted of a batch, such as `batchWatermarkMs`, before it ran it."""
    return dict(json.loads(read_text(f"{checkpoint}/offsets/{batch}").split("\n")[1]))


def next_watermark_ms(checkpoint: str, batch: int) -> int:
    """The watermark that Spark would give to the batch after a committed one; 0: unknown."""
    with suppress(OSError, ValueError, IndexError, KeyError):
        line = read_text(f"{checkpoint}/commits/{batch}").split("\n")[1]
        return int(json.loads(line)["nextBatchWatermarkMs"])
    return 0


def reached_ms(checkpoint: str) -> int:
    """How far Spark's watermark has come in a checkpoint; the next one is not before it."""
    newest = newest_batch(checkpoint)
    if newest is None:
        return 0
    done = max(list_numbers(f"{checkpoint}/commits"), default=-1)
    return max(int(newest["batchWatermarkMs"]), next_watermark_ms(checkpoint, done))
