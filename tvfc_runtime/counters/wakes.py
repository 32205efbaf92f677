"""When a query has something to do by its clock alone: spans of clock values, the nearest first.

Operators tell which timers they set (waking.py). From the first value of a span to its last one
something may be due at any time; between spans nothing is, so that no batch is needed there.

Units: whole milliseconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

Span = list[int]
"""The first and the last of some clock values at which there is something to do."""

MOST = 64


def put_together(known: Iterable[Span], more: Iterable[int], clock_ms: int | None) -> list[Span]:
    """Spans in order, without what the clock has passed.

    Of more than there may be, those that are nearest to each other become one.

    Args:
        known: of earlier batches.
        more: the timers that the last batch has set.
        clock_ms: its clock; None: it had none.
    """
    passed = clock_ms or 0
    found = sorted(
        [max(first, passed), last]
        for first, last in (*known, *([each, each] for each in more))
        if last >= passed
    )
    whole: list[Span] = []
    for first, last in found:
        if whole and first <= whole[-1][1]:
            whole[-1][1] = max(last, whole[-1][1])
        else:
            whole.append([first, last])
    while len(whole) > MOST:
        gaps = [later[0] - earlier[1] for earlier, later in pairwise(whole)]
        place = gaps.index(min(gaps))
        whole[place : place + 2] = [[whole[place][0], whole[place + 1][1]]]
    return whole
