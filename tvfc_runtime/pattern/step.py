"""What leaves a shard at a clock value, and what stays in its state.

Rows are record batches, in order of partition and of place in it. Of each partition those stay that
wait, as a match may begin with them, and the last ones before those, as many as are looked back at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql.types import DataType

from tvfc_runtime.clock.of_batch import END_OF_TIME_MS
from tvfc_runtime.over.frames import codes_of, firsts, sort_keys
from tvfc_runtime.over.step import Stepped, sliced
from tvfc_runtime.pattern.measured import Given, Measured, place_in
from tvfc_runtime.pattern.path import UnknownRowError
from tvfc_runtime.pattern.search import Outcome, Partition, Search, Taken
from tvfc_runtime.pattern.spec import (
    Matching,
    Measure,
    folds_of,
    picks_of,
)
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.intervals import FAILED


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the rows: its place among them, and its type in the query."""

    place: int
    type: DataType

    @property
    def name(self) -> str:
        """What it is called in record batches."""
        return f"c{self.place}"


class Matcher:
    """Finds the matches in the rows of a shard.

    Args:
        matching: what is looked for.
        columns: the columns of the rows, by name.
        measures: the Arrow types of the measures; of those that stand in a row, any.
        directions: of the sort keys.

    Raises:
        NotComputedError: a condition or a measure is not computed.
    """

    def __init__(
        self,
        matching: Matching,
        columns: dict[str, Column],
        measures: list[pa.DataType],
        directions: Directions,
    ) -> None:
        types = {name: column.type for name, column in columns.items()}
        self._matching = matching
        self._columns = columns
        self._search = Search(matching, types)
        self._measured = Measured(matching, types)
        self._types = measures
        self._directions = directions
        self._read = _columns_read(matching)
        self._skip_to = frozenset(matching.skip_to)

    def step(
        self, known: pa.RecordBatch | None, new: pa.RecordBatch | None, now: int
    ) -> Stepped | None:
        """Find what is final; None: there are no rows."""
        rows, is_new = self._joined(known, new)
        if rows is None:
            return None
        begins = np.flatnonzero(firsts(_keys(rows), rows.num_rows))
        ends = np.append(begins[1:], rows.num_rows)
        waits = rows.column("waits").to_numpy(zero_copy_only=False)
        # Those that wait are the last ones of their partition.
        waiting = np.add.reduceat(waits, begins, dtype=np.int64)
        first = np.minimum(ends - waiting, rows.num_rows - 1)
        if now >= END_OF_TIME_MS:
            # Where nothing else ends a match, the end of time does.
            ends_of = np.minimum(rows.column("ends").to_numpy(), now)
            rows = _with(rows, "ends", pa.array(ends_of))
        due = rows.column("ends").to_numpy()
        active = np.logical_or.reduceat(is_new, begins)
        active |= (waiting > 0) & (due[first] <= now)
        number = rows.column("number").to_numpy().copy()
        given = self._measured.nothing()
        work = self._work(rows, np.repeat(active, ends - begins))
        keep, starts = np.ones(rows.num_rows, dtype=bool), ends - waiting
        taken_up = 0
        for each in np.flatnonzero(active):
            begin, end = int(begins[each]), int(ends[each])
            columns = {
                name: values[taken_up : taken_up + end - begin] for name, values in work.items()
            }
            taken_up += end - begin
            times, limits = columns.pop("time"), columns.pop("ends")
            partition = Partition(columns, times, limits, end - begin, now)
            start, count = self._matches(
                partition, begin, int(starts[each]) - begin, int(number[begin]), given
            )
            starts[each] = begin + start
            number[begin:end] = count
            keep[begin : max(begin, begin + start - self._matching.before)] = False
        waits = np.arange(rows.num_rows) >= np.repeat(starts, ends - begins)
        kept = _with(rows, "waits", pa.array(waits))
        kept = _with(kept, "number", pa.array(number)).filter(pa.array(keep))
        later = due[np.minimum(starts, rows.num_rows - 1)][starts < ends]
        later = later[(later > now) & (later < FAILED)]
        leaving = list(sliced(self._leaving(rows, given))) if given.places else []
        return Stepped(leaving, kept, int(later.min()) if len(later) else None)

    def _joined(
        self, known: pa.RecordBatch | None, new: pa.RecordBatch | None
    ) -> tuple[pa.RecordBatch | None, np.ndarray]:
        """Rows of the state and new ones in order, and which of them are new."""
        if new is None or not new.num_rows:
            return known, np.zeros(known.num_rows if known is not None else 0, dtype=bool)
        added = numbered(new, self._directions)
        rows = added if known is None else chunks.concat([known, added])
        codes = codes_of(_keys(rows))
        order = np.argsort(codes, kind="stable")
        is_new = order >= rows.num_rows - added.num_rows
        if known is not None:
            number = _most(codes, rows.column("number").to_numpy())
            rows = _with(rows, "number", pa.array(number))
        return rows.take(pa.array(order)), is_new

    def _work(self, rows: pa.RecordBatch, active: np.ndarray) -> dict[str, list[Any]]:
        """What is read of the rows of partitions in which something may be decided."""
        some = rows.filter(pa.array(active))
        found = {name: values_of(some.column(self._columns[name].name)) for name in self._read}
        return {**found, **{name: values_of(some.column(name)) for name in ("time", "ends")}}

    def _matches(
        self, rows: Partition, base: int, start: int, number: int, given: Given
    ) -> tuple[int, int]:
        """Add all matches that are final; where the next may begin, and how many there were."""
        attempts = self._search.begin(rows)
        while start < rows.count:
            found = attempts.at(start)
            if found is Outcome.OPEN:
                break
            if isinstance(found, Taken):
                try:
                    self._measured.add(given, rows, base, start, found, number + 1)
                except UnknownRowError:
                    break
                number += 1
                start = self._next(start, found)
            else:
                start += 1
        return start, number

    def _next(self, start: int, taken: Taken) -> int:
        """Where the next match may begin."""
        names = taken.variables
        if self._matching.skip == "to next" or not names:
            return start + 1
        if self._matching.skip == "past last":
            return start + len(names)
        places = [n for n, name in enumerate(names) if name in self._skip_to]
        # The compiler has made sure that there are rows of these, and not the first one alone.
        return start + (places[0] if self._matching.skip == "first" else places[-1])

    def _leaving(self, rows: pa.RecordBatch, given: Given) -> pa.RecordBatch:
        places = pa.array(given.places, pa.int64())
        arrays = [
            rows.column(self._columns[name].name).take(places) for name in self._matching.output
        ]
        for measure, kind, values in zip(
            self._matching.measures.values(), self._types, given.measures, strict=True
        ):
            arrays.append(self._measure(rows, measure, kind, values))
        return pa.RecordBatch.from_arrays(arrays, names=[f"c{n}" for n in range(len(arrays))])

    def _measure(
        self, rows: pa.RecordBatch, measure: Measure, kind: pa.DataType, values: list[Any]
    ) -> pa.Array:
        column = place_in(measure)
        if column is None:
            return pa.array(values, kind)
        return rows.column(self._columns[column].name).take(pa.array(values, pa.int64()))


Directions = tuple[tuple[bool, bool], ...]
"""Of sort keys: whether descending, and whether NULL comes first."""


def numbered(new: pa.RecordBatch, directions: Directions) -> pa.RecordBatch:
    """New rows in order, with what the state has of a row; sort keys have done their work then.

    Rows that are equal in all sort keys are in an order that follows from their values.
    """
    keys = [
        key
        for n, (descending, nulls_first) in enumerate(directions)
        for key in sort_keys(
            new.column(f"order_{n}"), descending=descending, nulls_first=nulls_first
        )
    ]
    place = np.lexsort((new.column("tie").to_numpy(), *reversed(keys)))
    payload = [name for name in new.schema.names if name.startswith("c") and name[1:].isdigit()]
    arrays = {name: new.column(name) for name in (*payload, "key", "other_key", "time", "ends")}
    arrays["waits"] = pa.array(np.ones(new.num_rows, dtype=bool))
    arrays["number"] = pa.array(np.zeros(new.num_rows, dtype=np.int64))
    return pa.RecordBatch.from_pydict(arrays).take(pa.array(place))


def _keys(rows: pa.RecordBatch) -> list[np.ndarray]:
    """What identifies partitions."""
    return [rows.column(name).to_numpy() for name in ("key", "other_key")]


def _most(codes: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The greatest number of each partition, by row."""
    found = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.int64)
    np.maximum.at(found, codes, numbers)
    return found[codes]


def _with(rows: pa.RecordBatch, name: str, values: pa.Array) -> pa.RecordBatch:
    return rows.set_column(rows.schema.get_field_index(name), name, values)


def values_of(column: pa.Array) -> list[Any]:
    """The values of a column for conditions; times and intervals are numbers (kinds.py)."""
    if pa.types.is_timestamp(column.type) or pa.types.is_duration(column.type):
        column = column.cast(pa.int64())
    elif pa.types.is_date32(column.type):
        column = column.cast(pa.int32())
    found: list[Any] = column.to_pylist()
    return found


def _columns_read(matching: Matching) -> tuple[str, ...]:
    """The columns whose values conditions and aggregates read."""
    places = (*matching.define.values(), *matching.measures.values())
    picks = [each.column for one in matching.define.values() for each in picks_of(one)]
    folds = [each.column for one in places for each in folds_of(one) if each.column is not None]
    return tuple(dict.fromkeys((*picks, *folds)))
