"""The chunks of an operator opened: tables of rows, with what the operator knows of each.

What an operator knows has names that begin with `_`: `_due`, the clock value at which a row leaves
or changes next; `_diff`, by how much its count changes then, and `_then`, when it changes back and
forth after that; `_count`, how often it is there; `_waits`, whether it is still to come out.
The columns of the rows still have their plain names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tvfc_runtime.changing.leaves import DIRECTORY
from tvfc_runtime.changing.pending import from_binary
from tvfc_runtime.changing.processor import WAITING
from tvfc_runtime.fill.step import FILLED
from tvfc_runtime.panes.kept import DIRECTORY as PANES
from tvfc_runtime.panes.kept import LEAVES
from tvfc_runtime.queue.queue_state import HEADER
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.intervals import Moments
from tvfc_runtime.sessions.operator import END

if TYPE_CHECKING:
    from commands.inside.state_store import Texts

BEYOND_MS = 253_402_300_800_000
"""The year 10000, milliseconds since the epoch: no clock gets there."""

PAYLOAD = re.compile(r"[abck]\d+")
"""Plain names of columns of rows."""

BEFORE = "before the clock has a value"
"""The part of rows that wait for the first clock value."""

Columns = dict[str, pa.Array]


@dataclass(frozen=True)
class Opened:
    """Rows of one kind that an operator holds.

    Attributes:
        number: Spark's number of the operator.
        kinds: what the operator may be, in the words of `holdings.py`.
        part: which of its rows these are; empty if they are all of one kind.
        own: what the operator knows of them.
        payload: their columns.
    """

    number: int
    kinds: tuple[str, ...]
    part: str
    own: pa.Table
    payload: pa.Table


def opened(texts: Texts) -> list[Opened]:
    """The rows of an operator of the runtime, by part; parts without rows are left out."""
    if texts.variable == "kept":
        return _of_chunks(texts, texts.table.column("text").to_pylist(), "", _kept)
    if texts.variable == "panes":
        found = zip(
            *(texts.table.column(name).to_pylist() for name in ("pane", "text")), strict=True
        )
        return _of_chunks(texts, [text for pane, text in found if pane != PANES], "", _paned)
    if "start" in texts.table.column_names:
        numbers = texts.table.column("number").to_pylist()
        found = zip(numbers, texts.table.column("text").to_pylist(), strict=True)
        # Two numbers are those of headers, one for each of the two queues that may be there.
        values = [text for number, text in found if number not in (HEADER, HEADER - 1)]
        return _of_chunks(texts, values, "", _queued)
    return list(_of_tables(texts))


Reading = Callable[[pa.RecordBatch], tuple[tuple[str, ...], Columns]]
"""What kinds of operator hold such rows, and what they know of them."""


def _of_chunks(texts: Texts, found: list[str], part: str, reading: Reading) -> list[Opened]:
    batches = [each for text in found for each in chunks.decode_text(text) if each.num_rows]
    by_form: dict[tuple[str, ...], list[pa.RecordBatch]] = defaultdict(list)
    for batch in batches:
        by_form[tuple(batch.schema.names)].append(batch)
    opened_ = []
    for alike in by_form.values():
        kinds = reading(alike[0])[0]
        own = [pa.table(reading(batch)[1]) for batch in alike]
        payload = [_payload(batch) for batch in alike]
        rows = pa.concat_tables(own), pa.concat_tables(payload)
        opened_.append(Opened(texts.number, kinds, part, *rows))
    return opened_


def _payload(batch: pa.RecordBatch) -> pa.Table:
    names = [name for name in batch.schema.names if PAYLOAD.fullmatch(name)]
    if any(name[0] in "ab" for name in names):  # What a join compares is among its columns.
        names = [name for name in names if name[0] in "ab"]
    if not names:  # A table without columns would have no rows.
        return pa.table({"": pa.nulls(batch.num_rows)})
    return pa.table(batch.select(names))


def _queued(batch: pa.RecordBatch) -> tuple[tuple[str, ...], Columns]:
    """Rows of a queue: of a delay, or of rows that are in a result for a time."""
    own = {"_due": _moments(batch.column("__due"))}
    if "__diff" not in batch.schema.names:
        return ("delay",), own
    own["_diff"] = batch.column("__diff").cast(pa.int64())
    if "__rest" in batch.schema.names:
        rest = batch.column("__rest")
        lists = pa.ListArray.from_arrays(
            _offsets(pc.list_value_length(rest)), _moments(rest.flatten())
        )
        own["_then"] = lists
    else:
        own["_then"] = _no_moments(batch.num_rows)
    return ("temporal",), own


def _kept(batch: pa.RecordBatch) -> tuple[tuple[str, ...], Columns]:
    """Rows below window functions that wait or are looked at, of patterns, windows, sessions."""
    if FILLED in batch.schema.names:
        until = pc.divide(batch.column(FILLED), 1000)
        return ("fill",), {"_filled": _moments(until)}
    if "ends" in batch.schema.names:
        return ("match",), {"_until": _moments(batch.column("ends"))}
    if "complete" not in batch.schema.names:
        return ("sessions",), {"_until": batch.column(END)}
    due = batch.column("complete").to_numpy()
    if "release" in batch.schema.names:
        due = np.maximum(due, batch.column("release").to_numpy())
    waits = batch.column("emit")
    own = {"_due": _moments(pa.array(due, mask=~waits.to_numpy(zero_copy_only=False)))}
    return ("over",), own | {"_waits": waits}


def _paned(batch: pa.RecordBatch) -> tuple[tuple[str, ...], Columns]:
    """Keys in panes, which stay until the last window that holds them has left."""
    return ("panes",), {"_until": _moments(batch.column(LEAVES))}


def _of_tables(texts: Texts) -> Iterator[Opened]:
    """The tables of an operator on rows that come and go."""
    leaves: dict[int, list[str]] = defaultdict(list)
    columns = (
        texts.table.column(name).to_pylist() for name in ("shard", "table", "number", "text")
    )
    by_shard: dict[int, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for shard, table, number, text in zip(*columns, strict=True):
        if table == WAITING:
            # Of an aggregate, bags of values follow the groups; they name these by place.
            leaves[WAITING].append(text.split(chunks.SEPARATOR)[0])
        elif table >= 0 and number != DIRECTORY:
            leaves[table].append(text)
            by_shard[shard][table].append(text)
    yield from _of_chunks(texts, leaves.pop(WAITING, []), BEFORE, _changes)
    first = _of_chunks(texts, leaves.pop(0, []), "", _counted)
    is_join = any("join" in each.kinds for each in first)
    totals = any("totals" in each.kinds for each in first)
    for each in first:
        name = "left" if is_join else "groups" if totals else ""
        yield Opened(each.number, each.kinds, name, each.own, each.payload)
    if totals:
        yield from _values(texts.number, by_shard)
        return
    for found in leaves.values():
        part = "right" if is_join or _looks_joined(found) else BEFORE
        yield from _of_chunks(texts, found, part, _counted)


def _looks_joined(found: list[str]) -> bool:
    """Whether chunks are of the right side of a join, whose left side may have no rows."""
    return "row" in chunks.decode_text(found[0])[0].schema.names


def _counted(batch: pa.RecordBatch) -> tuple[tuple[str, ...], Columns]:
    names = set(batch.schema.names)
    if "__rest" in names:
        own = {
            "_due": _moments(batch.column("__due")),
            "_diff": batch.column("d" if "d" in names else "__diff"),
        }
        rest = from_binary(batch.column("__rest"))
        return ("pending",), own | {"_then": _lists(rest)}
    if "gid" in names:
        return ("totals",), {"_count": batch.column("s0_0")}
    if "n0" in names:
        return ("multiplicity",), {"_count": batch.column("n0"), "_others": batch.column("n1")}
    if "row" in names:
        return ("join",), {"_count": batch.column("__diff")}
    if not names & {"d", "__diff"}:
        return ("last rows",), {"_count": pa.array([1] * batch.num_rows, pa.int64())}
    return ("first rows", "partitions"), {"_count": batch.column("d" if "d" in names else "__diff")}


def _changes(batch: pa.RecordBatch) -> tuple[tuple[str, ...], Columns]:
    """Changes that wait for the first clock value."""
    names = set(batch.schema.names)
    known = [name for name in ("d", "__diff", "n0", "s0_0") if name in names]
    kinds = (
        ("join",)
        if "row" in names
        else ("multiplicity",)
        if "n0" in names
        else ("totals",)
        if "s0_0" in names
        else ("first rows", "partitions")
    )
    return kinds, {"_count": batch.column(known[0])} if known else {}


def _values(number: int, by_shard: dict[int, dict[int, list[str]]]) -> Iterator[Opened]:
    """The values that groups keep, each with the keys of its group."""
    for tables in by_shard.values():
        groups = pa.Table.from_batches(
            [each for text in tables.get(0, []) for each in chunks.decode_text(text)]
        )
        place = {gid: row for row, gid in enumerate(groups.column("gid").to_pylist())}
        for table, texts in sorted(tables.items()):
            for values in (each for text in texts for each in chunks.decode_text(text) if table):
                at = [place.get(gid) for gid in values.column("gid").to_pylist()]
                keys = [name for name in groups.column_names if PAYLOAD.fullmatch(name)]
                own: Columns = {"_count": values.column("d")}
                named = [name for name in values.schema.names if name.startswith("v")]
                for column, name in enumerate(named, 1):
                    own["_value" if column == 1 else f"_value_{column}"] = values.column(name)
                taken = groups.select(keys).take(pa.array(at, pa.int64()))
                if not keys:
                    taken = pa.table({"": pa.nulls(values.num_rows)})
                yield Opened(number, ("totals",), "values", pa.table(own), taken)


def _moments(milliseconds: pa.Array) -> pa.Array:
    """Clock values as TIMESTAMPs; NULL for those that no clock gets to."""
    if isinstance(milliseconds, pa.ChunkedArray):
        milliseconds = milliseconds.combine_chunks()
    never = pc.greater_equal(milliseconds, BEYOND_MS)
    return pc.if_else(never, None, milliseconds).cast(pa.timestamp("ms", "UTC"))


def _lists(moments: Moments) -> pa.Array:
    return pa.ListArray.from_arrays(
        _offsets(pa.array(moments.counts, pa.int32())),
        _moments(pa.array(moments.times, pa.int64())),
    )


def _offsets(lengths: pa.Array) -> pa.Array:
    return pa.array(np.concatenate([[0], np.cumsum(lengths.to_numpy())]), pa.int32())


def _no_moments(rows: int) -> pa.Array:
    return pa.ListArray.from_arrays(
        _offsets(pa.array([0] * rows, pa.int32())), _moments(pa.array([], pa.int64()))
    )
