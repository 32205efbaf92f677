"""The operator below window functions: rows come out when the rows that they look at are known.

    closed rows --pack--> chunks by shard --transformWithState--> rows + context

Spark's own window functions run above it, batch by batch. So a batch holds, beside the rows that
leave (`__emit`), the rows that their frames look at; those are dropped above. The state of a shard
is the rows that wait and the rows that later ones may look back at.

Rows must be closed when they come, those of one time in one batch, and batches in order of time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)
from pyspark.sql.types import BooleanType, StringType, StructField, StructType

from tvfc_runtime import chunks
from tvfc_runtime.delay import gathered
from tvfc_runtime.frames import (
    FOREVER,
    Partitions,
    Reach,
    is_known,
    last_rows,
    number,
    partitions,
    seen_by_time,
    seen_from,
    sort_keys,
)
from tvfc_runtime.hashes import hash_of, hashable
from tvfc_runtime.plain_types import from_plain, to_plain
from tvfc_runtime.released import frame_of_columns, is_flat, numbered, unpack
from tvfc_runtime.shards import shard_keys
from tvfc_runtime.worker import settle

EMIT = "__emit"
VALUE_ROWS = 65_536
"""About how many rows one value of state holds."""


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A window specification and how far the frames over it look.

    Attributes:
        partition: keys, Spark SQL.
        order: sort keys, Spark SQL, with DESC and NULLS as in ORDER BY; the first is the time.
        before: rows before the row itself; None: all of them.
        after: rows after it.
        until: of a row, the clock value at which rows close that may still look back at it by
            time, milliseconds since the epoch.
    """

    partition: tuple[str, ...] = ()
    order: tuple[str, ...]
    before: int | None = 0
    after: int = 0
    until: Column | None = None


def over(
    rows: DataFrame, frames: tuple[Frame, ...], closes: Column, complete: Column, shards: int
) -> DataFrame:
    """Rows that are complete and the rows that their frames look at.

    Args:
        rows: closed rows.
        frames: the window specifications above.
        closes: when a row closes, milliseconds since the epoch.
        complete: when the rows that it looks at by time are closed, likewise.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.

    Returns:
        The rows with `__emit`, and for each frame n, from 1, `__row_number_n`, `__rank_n` and
        `__dense_rank_n`.
    """
    payload = [f"c{place}" for place in range(len(rows.columns))]
    inner = [closes.alias("closes"), F.coalesce(complete, F.lit(FOREVER)).alias("complete")]
    inner.append(_shard(frames, shards).alias("shard"))
    inner.append(hash_of([rows[place] for place in hashable(rows.schema)], 0).alias("tie"))
    for place, frame in enumerate(frames):
        keys = [F.expr(each) for each in frame.partition]
        until = F.lit(0) if frame.until is None else F.coalesce(frame.until, F.lit(FOREVER))
        inner += [
            hash_of(keys, 1).alias(f"key_{place}"),
            hash_of(keys, 2).alias(f"other_key_{place}"),
            until.alias(f"until_{place}"),
        ]
        sorts = [parsed(each)[0] for each in frame.order]
        inner += [F.expr(each).alias(f"order_{place}_{n}") for n, each in enumerate(sorts)]
    names = rows.columns
    marked = rows.select("*", *inner).where("closes IS NOT NULL")
    marked = marked.toDF(*payload, *marked.columns[len(payload) :])
    plain = to_plain(marked)
    numbers = [
        StructField(f"{kind}_{place}", plain.schema["closes"].dataType)
        for place in range(len(frames))
        for kind in NUMBERS
    ]
    emitted = StructType(
        [*plain.schema.fields[: len(payload)], StructField("emit", BooleanType()), *numbers]
    )
    flat = is_flat(emitted)
    packed = plain.mapInArrow(pack(shard_keys(shards)), "shard INT, text STRING")
    processor = OverProcessor(tuple(map(_rules, frames)), tuple(emitted.names), flat=flat)
    found = packed.groupBy("shard").transformWithStateInPandas(
        statefulProcessor=processor,
        outputStructType=StructType(numbered(emitted)) if flat else "text STRING",
        outputMode="append",
        timeMode="eventTime",
    )
    given = found.toDF(*emitted.names) if flat else found.mapInArrow(unpack, emitted)
    own = StructType([*marked.schema.fields[: len(payload)], *emitted.fields[len(payload) :]])
    back = from_plain(given, own)
    outer = [f"__{kind}_{place + 1}" for place in range(len(frames)) for kind in NUMBERS]
    return back.toDF(*names, EMIT, *outer)


NUMBERS = ("row_number", "rank", "dense_rank")


def _shard(frames: tuple[Frame, ...], shards: int) -> Column:
    """By the keys that all frames share, so that every partition is in one shard."""
    shared = [key for key in frames[0].partition if all(key in each.partition for each in frames)]
    if not shared:
        return F.lit(0)
    return F.pmod(hash_of([F.expr(key) for key in shared], 3), F.lit(shards)).cast("int")


_SORT = re.compile(
    r"(.*?)(?:\s+(ASC|DESC))?(?:\s+NULLS\s+(FIRST|LAST))?", re.IGNORECASE | re.DOTALL
)


def parsed(order: str) -> tuple[str, bool, bool]:
    """A sort key of ORDER BY: expression, whether descending, whether NULL comes first."""
    found = _SORT.fullmatch(order)
    expression, way, nulls = found.groups() if found else (order, None, None)
    descending = (way or "").upper() == "DESC"
    return expression, descending, nulls.upper() == "FIRST" if nulls else not descending


@dataclass(frozen=True, slots=True)
class Rules:
    """What the operator knows of a frame: its reach, and (descending, NULL first) a sort key."""

    reach: Reach
    order: tuple[tuple[bool, bool], ...]


def _rules(frame: Frame) -> Rules:
    reach = Reach(before=frame.before, after=frame.after, by_time=frame.until is not None)
    return Rules(reach, tuple(parsed(each)[1:] for each in frame.order))


def pack(keys: list[int]) -> Any:
    """A function from record batches to chunks, one a shard."""

    def pack_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        settle()
        for rows in gathered(batches):
            shard = rows.column("shard").to_numpy()
            order = np.argsort(shard, kind="stable")
            rows, shard = rows.take(pa.array(order)), shard[order]
            starts = np.flatnonzero(np.diff(shard, prepend=-1))
            ends = [*starts[1:], len(shard)]
            texts = [
                chunks.to_text(chunks.encode(rows.slice(start, end - start)))
                for start, end in zip(starts, ends, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(
                [pa.array([keys[shard[start]] for start in starts], pa.int32()), pa.array(texts)],
                names=["shard", "text"],
            )

    return pack_batches


class OverProcessor(StatefulProcessor):
    """The rows of one shard that wait or are looked at, on Spark's state store.

    Args:
        rules: what is known of each frame.
        emitted: the columns to hand on.
        flat: whether rows leave as they are, not as chunks.
    """

    def __init__(self, rules: tuple[Rules, ...], emitted: tuple[str, ...], *, flat: bool) -> None:
        self._rules = rules
        self._emitted = emitted
        self._flat = flat

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state."""
        settle()
        self._handle = handle
        self._kept = handle.getListState("kept", KEPT)

    # Spark calls the next two by keyword, so that their parameters must have these names.

    def handleInputRows(  # noqa: N802
        self,
        key: Any,  # noqa: ARG002
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """Rows that the watermark has closed."""
        texts = [text for frame in rows for text in frame["text"]]
        new = chunks.concat([part for text in texts for part in chunks.decode_text(text)])
        yield from self._step(new, timerValues.getCurrentWatermarkInMs())

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,  # noqa: ARG002
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: ARG002, N803
    ) -> Iterator[pd.DataFrame]:
        """The watermark has closed all that some rows look at by time."""
        yield from self._step(None, timerValues.getCurrentWatermarkInMs())

    def _step(self, new: pa.RecordBatch | None, now: int) -> Iterator[pd.DataFrame]:
        kept = [part for (text,) in self._kept.get() for part in chunks.decode_text(text)]
        known = chunks.concat(kept) if kept else None
        rows = joined(known, new, self._rules)
        if rows is None:
            return
        found = Step(rows, self._rules, now)
        for part in found.emitted(self._emitted):
            yield frame_of_columns(part.columns) if self._flat else frame_of_text(part)
        state = found.kept()
        values = [(chunks.to_text(chunks.encode(part)),) for part in sliced(state)]
        if values:
            self._kept.put(values)
        else:
            self._kept.clear()
        if found.next_time is not None:
            self._handle.registerTimer(found.next_time)

    def close(self) -> None:
        """Nothing to close; Spark owns the state."""


def frame_of_text(rows: pa.RecordBatch) -> pd.DataFrame:
    """Rows as a data frame of one chunk."""
    return pd.DataFrame({"text": [chunks.to_text(chunks.encode(rows))]})


KEPT = StructType([StructField("text", StringType())])


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
        keys = keys_of(new, place)
        order = [
            key
            for n, (descending, nulls_first) in enumerate(rule.order)
            for key in sort_keys(
                new.column(f"order_{place}_{n}"), descending=descending, nulls_first=nulls_first
            )
        ]
        before = counts_before(known, keys, place)
        numbers = number(keys, order, new.column("tie").to_numpy(), before)
        arrays[f"row_number_{place}"] = pa.array(numbers.row_number)
        arrays[f"rank_{place}"] = pa.array(numbers.rank)
        arrays[f"dense_rank_{place}"] = pa.array(numbers.dense_rank)
    return pa.RecordBatch.from_pydict(arrays)


def keys_of(rows: pa.RecordBatch, place: int) -> list[np.ndarray]:
    """What identifies the partitions of a frame."""
    return [rows.column(f"{name}_{place}").to_numpy() for name in ("key", "other_key")]


def counts_before(
    known: pa.RecordBatch | None, keys: list[np.ndarray], place: int
) -> tuple[np.ndarray, np.ndarray]:
    """How many rows, and different ones, the partition of each row had; its last row tells."""
    wanted = pd.DataFrame({"key": keys[0], "other": keys[1]})
    if known is None:
        nothing = np.zeros(len(wanted), dtype=np.int64)
        return nothing, nothing
    names = ["key", "other", "rows", "different"]
    own = [*keys_of(known, place), *(known.column(f"{n}_{place}").to_numpy() for n in COUNTS)]
    table = pd.DataFrame(dict(zip(names, own, strict=True)))
    most = table.groupby(["key", "other"], as_index=False, sort=False).max()
    found = wanted.merge(most, how="left", on=["key", "other"])[["rows", "different"]]
    filled = found.fillna(0).astype(np.int64)
    return filled["rows"].to_numpy(), filled["different"].to_numpy()


COUNTS = ("row_number", "dense_rank")


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
            partitions(keys_of(rows, n), rows.column(f"row_number_{n}").to_numpy())
            for n in range(len(rules))
        ]
        self._leaves = waiting & (complete <= now)
        for part, rule in zip(self._parts, rules, strict=True):
            self._leaves &= is_known(part, rule.reach.after)
        self._waits = waiting & ~self._leaves
        later = complete[self._waits & (complete > now)]
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

    def _until(self, place: int) -> np.ndarray:
        found: np.ndarray = self._rows.column(f"until_{place}").to_numpy()
        return found

    def _with_emit(self, chosen: np.ndarray, emit: np.ndarray) -> pa.RecordBatch:
        place = self._rows.schema.get_field_index("emit")
        marked = self._rows.set_column(place, "emit", pa.array(emit))
        return marked.filter(pa.array(chosen))
