"""Random updates without Spark, and a store in memory."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

import pyarrow as pa

from tvfc_runtime.changing.partial import AT
from tvfc_runtime.rows import chunks

Row = tuple[Any, ...]
Update = tuple[Row, int]

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)

KINDS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "bigint": (pa.int64(), [0, 1, -1, 7, 1 << 40, -(1 << 56), (1 << 55) - 1]),
    "int": (pa.int32(), [0, 3, -3, 2**31 - 1]),
    "tinyint": (pa.int8(), [0, 1, -128]),
    "decimal": (pa.decimal128(10, 2), [Decimal("0.00"), Decimal("1.25"), Decimal("-99999999.99")]),
    "wide": (pa.decimal128(30, 4), [Decimal("1.5000"), Decimal("-12345678901234567890.1234")]),
    "double": (pa.float64(), [0.0, -0.0, 0.1, 1e300, -1e300, 5e-324, float("nan"), float("inf")]),
    "float": (pa.float32(), [0.0, -0.0, 0.5, -2.25, float("-inf")]),
    "string": (pa.string(), ["", "a", "b", "ab", "é", "aa", "z" * 40]),
    "binary": (pa.binary(), [b"", b"\x00", b"\xff", b"a"]),
    "boolean": (pa.bool_(), [True, False]),
    "date": (pa.date32(), [date(1969, 12, 31), date(2026, 3, 1)]),
    "timestamp": (
        pa.timestamp("us", "UTC"),
        [DAY, DAY.replace(year=1950), DAY.replace(microsecond=1)],
    ),
    "array": (pa.list_(pa.int64()), [[], [1], [1, 2], [2], [None], [1, None]]),
    "struct": (
        pa.struct({"x": pa.int64(), "y": pa.string()}),
        [{"x": 1, "y": "a"}, {"x": 1, "y": None}, {"x": None, "y": "a"}, {"x": 0, "y": "b"}],
    ),
}
"""Types and values that are likely to go wrong."""


class MemoryStore:
    """`Store` in memory."""

    def __init__(self) -> None:
        self.texts: dict[tuple[int, int], str] = {}
        self.calls = 0

    def get(self, table: int, number: int) -> str | None:
        self.calls += 1
        return self.texts.get((table, number))

    def put(self, table: int, number: int, text: str) -> None:
        self.calls += 1
        self.texts[table, number] = text

    def remove(self, table: int, number: int) -> None:
        self.calls += 1
        del self.texts[table, number]


def frozen(value: Any) -> Any:
    """A value such that Spark's equality is Python's."""
    if isinstance(value, float):
        return "NaN" if value != value else value + 0.0
    if isinstance(value, dict):
        return tuple(frozen(each) for each in value.values())
    if isinstance(value, list | tuple):
        return tuple(frozen(each) for each in value)
    return value


def ordered(value: Any) -> Any:
    """A key that sorts values as Spark does."""
    if value is None:
        return (0,)
    if isinstance(value, float):
        return (2,) if value != value else (1, value + 0.0)
    if isinstance(value, dict):
        return (1, tuple(ordered(each) for each in value.values()))
    if isinstance(value, list | tuple):
        return (1, tuple(ordered(each) for each in value))
    if isinstance(value, str):
        return (1, value.encode())
    return (1, value)


class Step(NamedTuple):
    """Updates at a clock value, and the rows that are there then."""

    at: int
    updates: list[Update]
    rows: list[Row]


def timed(changes: Iterable[tuple[int, pa.RecordBatch]]) -> pa.RecordBatch:
    """Changes of several clock values as one batch, with the column `t`."""
    parts = [
        batch.add_column(1, AT, pa.repeat(pa.scalar(at, pa.int64()), batch.num_rows))
        for at, batch in changes
    ]
    return chunks.concat(parts)


class Live:
    """Rows that are there, and a feed of updates of them."""

    def __init__(self, seed: int, draw: Any) -> None:
        self.random = random.Random(seed)
        self._draw = draw
        self.rows: list[Row] = []
        self.clock = 0

    def draw(self) -> Row:
        """A row of the feed."""
        row: Row = self._draw(self.random)
        return row

    def steps(self, size: int) -> list[Step]:
        """About so many updates at one clock value, or at several one after another."""
        number = self.random.choice([1, 2, 5])
        found = []
        for _ in range(number):
            self.clock += self.random.choice([1, 1000])
            updates = self.batch(-(-size // number))
            found.append(Step(self.clock, updates, list(self.rows)))
        return found

    def batch(self, size: int) -> list[Update]:
        """Updates; within the batch a row may be taken back before it has come."""
        found: list[Update] = []
        for _ in range(size):
            if self.rows and self.random.random() < 0.45:
                row = self.rows.pop(self.random.randrange(len(self.rows)))
                found.append((row, -1))
            else:
                row = self._draw(self.random)
                times = self.random.choice([1, 1, 1, 2])
                self.rows += [row] * times
                found.append((row, times))
        self.random.shuffle(found)
        return found


class Sum:
    """What updates add up to, at any clock value."""

    def __init__(self) -> None:
        self.counts: dict[int, Counter[Row]] = defaultdict(Counter)

    def add(self, batch: pa.RecordBatch, *, net: bool = True) -> None:
        """Add updates, whose last columns are their clock value and how often they count."""
        seen: dict[int, Counter[Row]] = defaultdict(Counter)
        before = {at: counts.copy() for at, counts in self.counts.items()}
        for row in batch.to_pylist():
            *values, at, diff = row.values()
            key = frozen(values)
            self.counts[at][key] += diff
            seen[at][key] += abs(diff)
        if net:
            for at, keys in seen.items():
                known = before.get(at, Counter())
                for key, times in keys.items():
                    assert times == abs(self.counts[at][key] - known[key])

    def rows(self, at: int = 2**62) -> Counter[Row]:
        """The rows that are there at a clock value."""
        found: Counter[Row] = Counter()
        for time, counts in self.counts.items():
            if time <= at:
                for key, count in counts.items():
                    found[key] += count
        assert all(count >= 0 for count in found.values())
        return +found
