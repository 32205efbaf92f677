"""What has become of the counters of a query, batch by batch, in bounded memory."""

from __future__ import annotations

from typing import Any

MOST = 1_000
"""So many points are kept of a query; beyond it, each second one of the older half goes."""

Point = list[Any]
"""When the batch began (milliseconds since the epoch), the clock, the rows held, the rows late and
bad, then by source and by sink in their order: watermarks, rows read, rows written."""


class History:
    """Points of a query in order of time."""

    def __init__(self) -> None:
        self.points: list[Point] = []

    def add(self, point: Point) -> None:
        """One more; the oldest and the newest are always kept."""
        self.points.append(point)
        if len(self.points) > MOST:
            half = len(self.points) // 2
            self.points = [*self.points[:half:2], *self.points[half:]]
