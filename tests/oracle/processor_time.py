"""What a process and all below it have used of processors: a figure that no other work bends."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def used_s() -> float:
    """Seconds of processor time of this process, its descendants, and those of them that ended.

    Processes that nobody has waited for are missing, as PySpark's workers once they end.
    """
    times: dict[int, float] = {}
    children: dict[int, list[int]] = defaultdict(list)
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # After the name in parentheses: state, parent, and from the twelfth on the times.
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        number = int(stat.parent.name)
        times[number] = sum(map(int, fields[11:15])) / TICKS_A_SECOND
        children[int(fields[1])].append(number)
    found, pending = 0.0, [os.getpid()]
    while pending:
        number = pending.pop()
        found += times.get(number, 0.0)
        pending += children[number]
    return found
