"""The watermark of the running micro-batch, W(N).

Spark writes `<checkpoint>/offsets/N` before it plans and runs batch N and reads the file again when
it replays the batch. So the newest offset file always tells the watermark under which the current
batch runs, and a replay sees the same value. Operators of the runtime read it where they run; for
expressions see `clock_column.py`.
"""

from __future__ import annotations

import json

from tvfc_runtime.storage import list_numbers, read_text


def watermark_ms(checkpoint: str) -> int | None:
    """The watermark of the newest batch in a checkpoint; Spark's 0 means there is none yet."""
    batches = list_numbers(f"{checkpoint}/offsets")
    if not batches:
        return None
    lines = read_text(f"{checkpoint}/offsets/{max(batches)}").split("\n")
    return int(json.loads(lines[1])["batchWatermarkMs"]) or None
