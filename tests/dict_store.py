"""State of one shard of a release queue in dicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tvfc_runtime.queue.release_queue import Chunk


@dataclass
class DictStore:
    """State of one shard, and what was asked of it."""

    buckets: dict[int, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    values: dict[tuple[int, int], Chunk] = field(default_factory=dict)
    timers: set[int] = field(default_factory=set)
    read: list[int] = field(default_factory=list)
    written: list[Chunk] = field(default_factory=list)

    def bucket(self, start: int) -> tuple[int, tuple[int, ...]] | None:
        return self.buckets.get(start)

    def put_bucket(self, start: int, count: int, tail: tuple[int, ...]) -> None:
        self.buckets[start] = (count, tail)

    def remove_bucket(self, start: int) -> None:
        del self.buckets[start]

    def value(self, start: int, number: int) -> Chunk:
        self.read.append(start)
        return self.values[start, number]

    def put_value(self, start: int, number: int, value: Chunk) -> None:
        self.written.append(value)
        self.values[start, number] = value

    def remove_value(self, start: int, number: int) -> None:
        del self.values[start, number]

    def wake(self, start: int) -> None:
        self.timers.add(start)
