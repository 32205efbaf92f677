"""The operator below window functions: rows come out when the rows that they look at are known.

    closed rows --pack--> chunks by shard --transformWithState--> rows + context

Spark's own window functions run above it, batch by batch. So a batch holds, beside the rows that
leave (`__emit`), the rows that their frames look at; those are dropped above. The state of a shard
is the rows that wait and the rows that later ones may look back at.

Rows must be closed when they come, those of one time in one batch, and batches in order of time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import BooleanType, DataType, StructField, StructType

from tvfc_runtime.clock.era import with_state
from tvfc_runtime.over.frames import Reach
from tvfc_runtime.over.kept_rows import KeptRows
from tvfc_runtime.over.step import Rules, Step, Stepped, joined
from tvfc_runtime.queue.packing import gathered
from tvfc_runtime.queue.released import Form, count_taken, form_of, rows_of, schema_of
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.collations import refuse_collations
from tvfc_runtime.rows.hashes import hash_of, hashable
from tvfc_runtime.rows.intervals import FAILED, FOREVER
from tvfc_runtime.rows.plain_types import from_plain, to_plain
from tvfc_runtime.rows.shards import shard_keys

EMIT = "__emit"


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
        last: how many of the rows up to the row itself, of those with `where`, it looks back at.
        where: which rows these are, Spark SQL; None: there are none.
    """

    partition: tuple[str, ...] = ()
    order: tuple[str, ...]
    before: int | None = 0
    after: int = 0
    until: Column | None = None
    last: int = 0
    where: str | None = None


def over(
    rows: DataFrame,
    frames: tuple[Frame, ...],
    closes: Column,
    complete: Column,
    shards: int,
    observed_as: str,
    release: Column | None = None,
) -> DataFrame:
    """Rows that are complete and the rows that their frames look at.

    Args:
        rows: closed rows.
        frames: the window specifications above.
        closes: when a row closes, milliseconds since the epoch.
        complete: when the rows that it looks at by time are closed, likewise.
        shards: degree of parallelism; the number of shuffle partitions, fixed for a checkpoint.
        observed_as: the name under which it is counted by how many rows the state grows.
        release: when the rows that leave together with one are closed, likewise. It leaves once
            none of those waits; then one shard holds all rows.

    Raises:
        AnalysisException: a key is a string with a collation; the operator compares bytes.

    Returns:
        The rows with `__emit`, and for each frame n, from 1, `__row_number_n`, `__rank_n` and
        `__dense_rank_n`.
    """
    payload = [f"c{place}" for place in range(len(rows.columns))]
    inner = [closes.alias("closes"), F.coalesce(complete, F.lit(FOREVER)).alias("complete")]
    sql = [key for frame in frames for key in frame.partition]
    sql += [parsed(each)[0] for frame in frames for each in frame.order]
    typed = typed_keys(rows, sql, "window functions")
    if release is not None:
        inner.append(F.coalesce(release, F.lit(FOREVER)).alias("release"))
    shard = _shard(frames, typed, shards) if release is None else F.lit(0)
    inner.append(shard.alias("shard"))
    for place, frame in enumerate(frames):
        keys = [typed[each] for each in frame.partition]
        until = F.lit(0) if frame.until is None else F.coalesce(frame.until, F.lit(FOREVER))
        inner += [
            hash_of(keys, 1).alias(f"key_{place}"),
            hash_of(keys, 2).alias(f"other_key_{place}"),
            until.alias(f"until_{place}"),
        ]
        if frame.where is not None:
            has_value = F.expr(f"coalesce({frame.where}, false)")
            inner.append(has_value.alias(f"marked_{place}"))
        sorts = [typed[parsed(each)[0]][0] for each in frame.order]
        inner += [each.alias(f"order_{place}_{n}") for n, each in enumerate(sorts)]
    names = rows.columns
    marked = rows.select("*", *inner)
    marked = marked.toDF(*payload, *marked.columns[len(payload) :]).where(f"closes <> {FAILED}")
    schema = rows.schema
    told = [(F.col(payload[place]), schema[place].dataType) for place in hashable(schema)]
    marked = marked.withColumn("tie", hash_of(told, 0))
    plain = to_plain(marked)
    numbers = [
        StructField(f"{kind}_{place}", plain.schema["closes"].dataType)
        for place in range(len(frames))
        for kind in NUMBERS
    ]
    emitted = [*plain.schema.fields[: len(payload)], StructField("emit", BooleanType()), *numbers]
    form = form_of(StructType(emitted))
    packed = plain.mapInArrow(pack(shard_keys(shards)), "shard INT, text STRING")
    columns = tuple(each.name for each in emitted)
    operator = OverOperator(tuple(map(_rules, frames)), columns, form)
    given = with_state(packed, operator, schema_of(form, StructType(emitted)))
    given = given.observe(observed_as, count_taken().alias("rows"))
    own = StructType([*marked.schema.fields[: len(payload)], *emitted[len(payload) :]])
    back = from_plain(rows_of(form, given, StructType(emitted)), own)
    outer = [f"__{kind}_{place + 1}" for place in range(len(frames)) for kind in NUMBERS]
    return back.toDF(*names, EMIT, *outer)


NUMBERS = ("row_number", "rank", "dense_rank")


Typed = dict[str, tuple[Column, DataType]]
"""Keys by their Spark SQL."""


def typed_keys(rows: DataFrame, keys: Iterable[str], what: str) -> Typed:
    """Keys with their types, which Spark is asked for once.

    Raises:
        AnalysisException: one is a string with a collation; `what` compares bytes.
    """
    each_once = list(dict.fromkeys(keys))
    columns = [F.expr(each) for each in each_once]
    kinds = [field.dataType for field in rows.select(*columns).schema]
    refuse_collations(what, dict(zip(each_once, kinds, strict=True)))
    return dict(zip(each_once, zip(columns, kinds, strict=True), strict=True))


def _shard(frames: tuple[Frame, ...], typed: Typed, shards: int) -> Column:
    """By the keys that all frames share, so that every partition is in one shard."""
    shared = [key for key in frames[0].partition if all(key in each.partition for each in frames)]
    if not shared:
        return F.lit(0)
    return F.pmod(hash_of([typed[key] for key in shared], 3), F.lit(shards)).cast("int")


_SORT = re.compile(
    r"(.*?)(?:\s+(ASC|DESC))?(?:\s+NULLS\s+(FIRST|LAST))?", re.IGNORECASE | re.DOTALL
)


def parsed(order: str) -> tuple[str, bool, bool]:
    """A sort key of ORDER BY: expression, whether descending, whether NULL comes first."""
    found = _SORT.fullmatch(order)
    expression, way, nulls = found.groups() if found else (order, None, None)
    descending = (way or "").upper() == "DESC"
    return expression, descending, nulls.upper() == "FIRST" if nulls else not descending


def _rules(frame: Frame) -> Rules:
    by_time = frame.until is not None
    reach = Reach(before=frame.before, after=frame.after, by_time=by_time, last=frame.last)
    return Rules(reach, tuple(parsed(each)[1:] for each in frame.order))


def pack(keys: list[int]) -> Any:
    """A function from record batches to chunks, one a shard."""

    def pack_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
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


class OverOperator(KeptRows):
    """The rows of one shard that wait or are looked at.

    Args:
        rules: what is known of each frame.
        emitted: the columns to hand on.
        form: how rows leave.
    """

    def __init__(self, rules: tuple[Rules, ...], emitted: tuple[str, ...], form: Form) -> None:
        super().__init__(form)
        self._rules = rules
        self._emitted = emitted

    def step(
        self, known: pa.RecordBatch | None, new: pa.RecordBatch | None, now: int
    ) -> Stepped | None:
        """Rows that are complete, with those that their frames look at."""
        rows = joined(known, new, self._rules)
        if rows is None:
            return None
        found = Step(rows, self._rules, now)
        return Stepped(found.emitted(self._emitted), found.kept(), found.next_time)
