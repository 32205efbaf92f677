"""The operator of sessions: rows come at any time, sessions leave once the clock has passed them.

    rows --pack--> sessions in chunks by shard --transformWithState--> sessions that are final

The state of a shard is its open sessions, a row each. Rows of a task that are of one session are
put together before the shuffle.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import StructField, StructType, TimestampType

from tvfc_runtime.changing.calls import Call
from tvfc_runtime.changing.rows import without_minus_zero
from tvfc_runtime.clock.era import with_state
from tvfc_runtime.delay.release import FIRST_CLOCK_VALUE
from tvfc_runtime.over.kept_rows import KeptRows
from tvfc_runtime.over.step import Stepped, sliced
from tvfc_runtime.queue.packing import gathered
from tvfc_runtime.queue.released import Form, count_taken, form_of, rows_of, schema_of
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.hashes import hash_of
from tvfc_runtime.rows.shards import shard_keys
from tvfc_runtime.sessions.merged import merge
from tvfc_runtime.sessions.partials import (
    Plan,
    names_of,
    of_rows,
    planned,
    put_together,
    results_of,
)

START, END = "c0", "c1"
"""In state; such names tell those who look into it what the columns of rows are."""
BOUNDS = ("window_start", "window_end")
"""The same as they leave."""

HASHES = ("key", "other_key")

PACK_ROWS = 1 << 17
"""How many rows a task puts together at a time."""

MICROSECOND = timedelta(microseconds=1)
MILLISECOND = 1000
INSTANT = pa.timestamp("us", "UTC")


def kept_sessions(
    rows: DataFrame,
    keys: Sequence[str],
    calls: Sequence[Call],
    types: StructType,
    *,
    start: Column,
    end: Column,
    later: timedelta,
    shards: int,
    observed_as: str,
) -> DataFrame:
    """Sessions of rows, each when it is final.

    Args:
        rows: rows; those that end before they begin, or have no start or end, are in no session.
        keys: columns of which each has sessions of its own; none: all rows have.
        calls: calls of aggregate functions on columns.
        types: the keys, and the results of the calls.
        start: when a row begins, microseconds since the epoch.
        end: when it ends, likewise; rows that overlap are of one session.
        later: by how much later than its end a session is final.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.
        observed_as: the name under which it is counted by how many rows the state grows.

    Returns:
        The keys, `window_start`, `window_end`, and the results.
    """
    kinds = [field.dataType for field in types]
    plan, inputs = planned(len(keys), calls, rows.schema, kinds[len(keys) :])
    own = [without_minus_zero(rows, key) for key in keys]
    typed = list(zip(own, kinds, strict=False))
    given = rows.select(
        *(hash_of(typed, salt).alias(name) for salt, name in enumerate(HASHES, 1)),
        F.timestamp_micros(start).alias(START),
        F.timestamp_micros(end).alias(END),
        *(key.alias(name) for key, name in zip(own, plan.key_names, strict=True)),
        *(F.expr(sql).alias(name) for sql, name in inputs.items()),
    ).where(f"{START} < {END}")
    packed = given.mapInArrow(pack(plan, shard_keys(shards)), "shard INT, text STRING")
    bounds = [StructField(name, TimestampType()) for name in BOUNDS]
    fields = types.fields[: len(keys)] + bounds + types.fields[len(keys) :]
    schema = StructType(fields)
    form = form_of(schema)
    operator = SessionOperator(plan, later // MICROSECOND, form)
    found = with_state(packed, operator, schema_of(form, schema))
    return rows_of(form, found.observe(observed_as, count_taken().alias("rows")), schema)


def pack(plan: Plan, keys: list[int]) -> Any:
    """A function from record batches of rows to sessions, chunks of them by shard."""

    def pack_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in gathered(batches, PACK_ROWS):
            sessions = merged(plan, sessions_of(plan, rows))
            shard = shard_of(sessions.column(HASHES[0]).to_numpy(), len(keys))
            firsts = np.flatnonzero(np.diff(shard, prepend=-1))
            sizes = np.diff(firsts, append=len(shard))
            texts = [
                chunks.to_text(chunks.encode(sessions.slice(first, size)))
                for first, size in zip(firsts.tolist(), sizes.tolist(), strict=True)
            ]
            places = [keys[each] for each in shard[firsts].tolist()]
            yield pa.RecordBatch.from_arrays(
                [pa.array(places, pa.int32()), pa.array(texts)], names=["shard", "text"]
            )

    return pack_batches


def shard_of(key: np.ndarray, shards: int) -> np.ndarray:
    """The shard of each hash: ranges, so that what is in order of keys is in order of shards."""
    return ((key >> 32) + (1 << 31)) * shards >> 32


def sessions_of(plan: Plan, rows: pa.RecordBatch) -> pa.RecordBatch:
    """Rows as sessions, one each."""
    names = [*HASHES, START, END, *plan.key_names]
    columns = dict(zip(names, rows.select(names).columns, strict=True))
    # Spark gives moments in the zone of its session, which may be another one at the next start.
    columns |= {name: rows.column(name).cast(INSTANT) for name in (START, END)}
    partials = [name for own in names_of(plan) for name in own]
    columns |= dict(zip(partials, of_rows(plan, rows), strict=True))
    return pa.RecordBatch.from_pydict(columns)


def merged(plan: Plan, sessions: pa.RecordBatch) -> pa.RecordBatch:
    """Sessions with those put together that overlap, in order of key and start."""
    keys = [sessions.column(name).to_numpy() for name in HASHES]
    start, end = (micros(sessions.column(name)) for name in (START, END))
    found = merge(keys, start, end)
    if found.is_as_before:
        return sessions.take(pa.array(found.order))
    names = names_of(plan)
    first = sessions.drop_columns([END, *(each for own in names for each in own)])
    first = first.take(pa.array(found.order[found.firsts]))
    columns = dict(zip(first.schema.names, first.columns, strict=True))
    columns[END] = pa.array(found.ends).cast(INSTANT)
    order = pa.array(found.order)
    parts = [[sessions.column(each).take(order) for each in own] for own in names]
    new = put_together(plan, parts, found.firsts)
    columns |= dict(zip((each for own in names for each in own), new, strict=True))
    return pa.RecordBatch.from_pydict(columns).select(sessions.schema.names)


def micros(moments: pa.Array) -> np.ndarray:
    """TIMESTAMPs as microseconds since the epoch."""
    return moments.cast(pa.int64()).to_numpy()


class SessionOperator(KeptRows):
    """The open sessions of one shard.

    Args:
        plan: what is kept of a session.
        later: by how much later than its end a session is final, microseconds.
        form: how sessions leave.
    """

    def __init__(self, plan: Plan, later: int, form: Form) -> None:
        super().__init__(form)
        self._plan = plan
        self._later = later

    def step(
        self, known: pa.RecordBatch | None, new: pa.RecordBatch | None, now: int
    ) -> Stepped | None:
        """Sessions that are final, and those that are open."""
        parts = [each for each in (known, new) if each is not None]
        if not parts:
            return None
        sessions = chunks.concat(parts)
        if new is not None:
            sessions = merged(self._plan, sessions)
        final_at = micros(sessions.column(END)) + self._later
        # Before the clock has its first value nothing is final, however long ago it was.
        final = (final_at <= now * MILLISECOND) & (now >= FIRST_CLOCK_VALUE)
        if new is None and not final.any():
            # A timer of a session that has gone on since; the next one is set.
            return None
        still_open = final_at[~final]
        next_time = None
        if len(still_open):
            next_time = max(-(-int(still_open.min()) // MILLISECOND), FIRST_CLOCK_VALUE)
        leaving = self._results(sessions.filter(pa.array(final)))
        return Stepped(leaving, sessions.filter(pa.array(~final)), next_time)

    def _results(self, sessions: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        for some in sliced(sessions):
            partials = [[some.column(each) for each in own] for own in names_of(self._plan)]
            columns = [*some.select([*self._plan.key_names, START, END]).columns]
            columns += results_of(self._plan, partials)
            names = [f"c{place}" for place in range(len(columns))]
            yield pa.RecordBatch.from_arrays(columns, names=names)
