"""What leaves an operator below window functions at a clock value, and what stays in its state.

Rows are record batches; nothing here knows Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pyarrow as pa

from tvfc_runtime.clock.of_batch import END_OF_TIME_MS
from tvfc_runtime.over.frames import (
    Partitions,
    Reach,
    codes_of,
    is_known,
    last_marked,
    last_rows,
    number,
    partitions,
    seen_by_time,
    seen_from,
    seen_marked,
    sort_keys,
)
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.intervals import FOREVER

VALUE_ROWS = 65_536
"""About how many rows one value of state holds."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What the operator knows of a frame: its reach, and (descending, NULL first) a sort key."""

    reach: Reach
    order: tuple[tuple[bool, bool], ...]


@dataclass(frozen=True, slots=True)
class Stepped:
    """What a step has made of the rows of a shard.

    Attributes:
        leaving: rows that leave.
        kept: rows that stay.
        next_time: the clock value at which something changes without further rows, milliseconds
            since the epoch; None: there is none.
    """

    leaving: Iterable[pa.RecordBatch]
    kept: pa.RecordBatch
    next_time: int | None


def sliced(rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Rows in parts of a handy size."""
    for start in range(0, rows.num_rows, VALUE_ROWS):
        yield rows.slice(start, VALUE_ROWS)


def joined(
    known: pa.RecordBatch | None, new: pa.RecordBatch | None, rules: tuple[Rules, ...]
) -> pa.RecordBatch | None:
    """Rows of the state and new ones, which get their numbers and are to leave."""
    if new is None:
        return known
    numbered = numbered_after(known, new, rules)
    return numbered if known is None else chunks.concat([known, numbered])


def numbered_after(
    known: pa.RecordBatch | None, new: pa.RecordBatch, rules: tuple[Rules, ...]
) -> pa.RecordBatch:
    """New rows with a place in each of their partitions; sort keys have done their work then."""
    arrays = {name: new.column(name) for name in new.schema.names if not name.startswith("order_")}
    arrays["emit"] = pa.array(np.ones(new.num_rows, dtype=bool))
    for place, rule in enumerate(rules):
        codes, before = after_known(known, new, place)
        order = [
            key
            for n, (descending, nulls_first) in enumerate(rule.order)
            for key in sort_keys(
                new.column(f"order_{place}_{n}"), descending=descending, nulls_first=nulls_first
            )
        ]
        numbers = number(codes, order, new.column("tie").to_numpy(), before)
        arrays[f"row_number_{place}"] = pa.array(numbers.row_number)
        arrays[f"rank_{place}"] = pa.array(numbers.rank)
        arrays[f"dense_rank_{place}"] = pa.array(numbers.dense_rank)
    return pa.RecordBatch.from_pydict(arrays)


def keys_of(rows: pa.RecordBatch, place: int) -> list[np.ndarray]:
    """What identifies the partitions of a frame."""
    return [rows.column(f"{name}_{place}").to_numpy() for name in ("key", "other_key")]


def after_known(
    known: pa.RecordBatch | None, new: pa.RecordBatch, place: int
) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """The partition of each new row, and how many rows, and different ones, that had."""
    keys = keys_of(new, place)
    if known is None:
        return codes_of(keys), (np.zeros(new.num_rows, dtype=np.int64),) * len(COUNTS)
    both = zip(keys_of(known, place), keys, strict=True)
    codes = codes_of([np.concatenate(each) for each in both])
    own, codes = codes[: known.num_rows], codes[known.num_rows :]
    most = np.zeros((len(COUNTS), known.num_rows + new.num_rows), dtype=np.int64)
    for name, counts in zip(COUNTS, most, strict=True):
        np.maximum.at(counts, own, known.column(f"{name}_{place}").to_numpy())
    return codes, tuple(counts[codes] for counts in most)


COUNTS = ("row_number", "dense_rank")
"""The last row of a partition tells how many rows it had, and how many that differed."""


class Step:
    """What leaves a shard at a clock value, and what stays.

    Attributes:
        next_time: when the next row is complete without further rows; None: no such row.
    """

    def __init__(self, rows: pa.RecordBatch, rules: tuple[Rules, ...], now: int) -> None:
        self._rows = rows
        self._rules = rules
        self._closes = rows.column("closes").to_numpy()
        complete = rows.column("complete").to_numpy()
        waiting = rows.column("emit").to_numpy(zero_copy_only=False)
        self._parts = [
            partitions(codes_of(keys_of(rows, n)), rows.column(f"row_number_{n}").to_numpy())
            for n in range(len(rules))
        ]
        self._leaves = waiting & (complete <= now)
        if now < END_OF_TIME_MS:
            for part, rule in zip(self._parts, rules, strict=True):
                self._leaves &= is_known(part, rule.reach.after)
        incomplete = waiting & ~self._leaves
        due = complete
        if "release" in rows.schema.names:
            # What is released together must not wait for a row that is incomplete yet.
            release = rows.column("release").to_numpy()
            oldest = self._closes[incomplete].min() if incomplete.any() else FOREVER
            self._leaves &= (release <= now) & (release < oldest)
            due = np.maximum(complete, release)
        self._waits = waiting & ~self._leaves
        later = due[self._waits & (due > now)]
        self.next_time = int(later.min()) if len(later) and later.min() < FOREVER else None
        self._now = now

    def emitted(self, columns: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
        """Rows that leave, and those that their frames look at."""
        if not self._leaves.any():
            return
        found = self._with_emit(self._leaves | self._seen_from(self._leaves), self._leaves)
        yield from sliced(found.select(list(columns)))

    def kept(self) -> pa.RecordBatch:
        """Rows that wait, and those that they or later rows look at."""
        keep = self._waits | self._seen_from(self._waits)
        for place, (part, rule) in enumerate(zip(self._parts, self._rules, strict=True)):
            if rule.reach.before is None:
                return self._with_emit(np.ones(len(keep), dtype=bool), self._waits)
            # The last row of each partition tells the number of the next one.
            keep |= last_rows(part, max(rule.reach.before, 1))
            if rule.reach.by_time:
                keep |= self._until(place) > self._now
            if rule.reach.last:
                keep |= last_marked(part, self._marked(place), rule.reach.last)
        return self._with_emit(keep, self._waits)

    def _seen_from(self, some: np.ndarray) -> np.ndarray:
        seen = [
            found
            for place, (part, rule) in enumerate(zip(self._parts, self._rules, strict=True))
            for found in self._looked_at(place, part, rule, some)
        ]
        return reduce(np.logical_or, seen)

    def _looked_at(
        self, place: int, part: Partitions, rule: Rules, some: np.ndarray
    ) -> Iterator[np.ndarray]:
        yield seen_from(part, some, rule.reach)
        if rule.reach.by_time:
            yield seen_by_time(part, some, self._closes, self._until(place))
        if rule.reach.last:
            yield seen_marked(part, some, self._marked(place), rule.reach.last)

    def _until(self, place: int) -> np.ndarray:
        found: np.ndarray = self._rows.column(f"until_{place}").to_numpy()
        return found

    def _marked(self, place: int) -> np.ndarray:
        found: np.ndarray = self._rows.column(f"marked_{place}").to_numpy(zero_copy_only=False)
        return found

    def _with_emit(self, chosen: np.ndarray, emit: np.ndarray) -> pa.RecordBatch:
        place = self._rows.schema.get_field_index("emit")
        marked = self._rows.set_column(place, "emit", pa.array(emit))
        return marked.filter(pa.array(chosen))
