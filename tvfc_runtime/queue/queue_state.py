"""The state of a release queue on Spark: buckets and values in a map, wake-up calls as timers."""

from __future__ import annotations

from pyspark.sql.streaming.stateful_processor import MapState, StatefulProcessorHandle
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from tvfc_runtime.queue.release_queue import Chunk
from tvfc_runtime.rows.worker import State


class Pace:
    """How far the clock moves in a batch, as this worker process has seen it.

    A jump, such as the first batch after an idle night, does not count; the lesser of the last two
    moves does.
    """

    def __init__(self) -> None:
        self._now = 0
        self._moves = (0, 0)

    def step(self, now: int) -> int:
        """The usual step, in milliseconds; 0 while unknown."""
        if now > self._now:
            self._moves = (self._moves[1], now - self._now if self._now else 0)
            self._now = now
        return min(self._moves)


PACES: dict[tuple[str, int], Pace] = {}
"""By operator and shard. A worker process serves many batches; a new one finds the pace anew."""


def pace_of(operator: str, shard: int) -> Pace:
    """The pace of the clock in one shard of an operator."""
    return PACES.setdefault((operator, shard), Pace())


class QueueState:
    """`release_queue.Store` on a map state and the timers of one grouping key.

    The entry numbered HEADER describes its bucket. A second queue in the same map numbers
    downwards from below it.

    Args:
        handle: sets the timers.
        entries: the map that `QUEUE` declares.
        second: whether another queue lives there already.
    """

    def __init__(
        self, handle: StatefulProcessorHandle, entries: MapState, *, second: bool = False
    ) -> None:
        self._handle = handle
        self._entries = entries
        self._second = second

    def _key(self, start: int, number: int) -> tuple[int, int]:
        return start, 2 * HEADER - 1 - number if self._second else number

    def bucket(self, start: int) -> tuple[int, tuple[int, ...]] | None:
        """Number of values, and the sizes of the last ones."""
        found = self._entries.getValue(self._key(start, HEADER))
        if found is None:
            return None
        count, _, _, tail = found
        return count, tuple(int(rows) for rows in tail.split())

    def put_bucket(self, start: int, count: int, tail: tuple[int, ...]) -> None:
        """Store what `bucket` answers."""
        text = " ".join(str(rows) for rows in tail)
        self._entries.updateValue(self._key(start, HEADER), (count, 0, 0, text))

    def remove_bucket(self, start: int) -> None:
        """Forget a bucket."""
        self._entries.removeKey(self._key(start, HEADER))

    def value(self, start: int, number: int) -> Chunk:
        """Read a value."""
        return Chunk._make(self._entries.getValue(self._key(start, number)) or ())

    def put_value(self, start: int, number: int, value: Chunk) -> None:
        """Store a value."""
        self._entries.updateValue(self._key(start, number), tuple(value))

    def remove_value(self, start: int, number: int) -> None:
        """Remove a value."""
        self._entries.removeKey(self._key(start, number))

    def wake(self, start: int) -> None:
        """Set a timer."""
        self._handle.registerTimer(start)


HEADER = -1
QUEUE = State(
    "entries",
    key=StructType([StructField("start", LongType()), StructField("number", IntegerType())]),
    value=StructType(
        [
            StructField("first", LongType()),
            StructField("last", LongType()),
            StructField("rows", IntegerType()),
            StructField("text", StringType()),
        ]
    ),
)
"""The map in which the queues of an operator live, one for buckets and values of all.

Schemas as objects: a schema in words is parsed by the JVM in every batch.
"""
