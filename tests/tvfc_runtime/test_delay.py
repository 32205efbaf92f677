"""What stands around the release queue: rows to chunks by shard, and chunks back to rows."""

from __future__ import annotations

import random
from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql.conversion import PandasToArrowConversion
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from tvfc_runtime.delay.operator import pack_batch
from tvfc_runtime.over.step import sliced
from tvfc_runtime.queue import packing, released
from tvfc_runtime.queue.release_queue import CHUNK_ROWS, DUE, Chunk
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.shards import shard_keys

Packed = list[tuple[int, list[tuple[int, int]]]]


def rows_of(due: list[int]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({DUE: pa.array(due, pa.int64()), "n": list(range(len(due)))})


def packed(batch: pa.RecordBatch, keys: list[int], task: int) -> Packed:
    """(shard, (due, n) of its rows) of each chunk; what a chunk says of itself is true."""
    found: Packed = []
    for chunk in pack_batch(batch, keys, task).to_pylist():
        (part,) = chunks.decode_text(chunk["text"])
        due = part.column(DUE).to_pylist()
        assert due == sorted(due)
        assert (chunk["first"], chunk["last"], chunk["rows"]) == (due[0], due[-1], len(due))
        assert len(due) <= CHUNK_ROWS
        found.append((chunk["shard"], list(zip(due, part.column("n").to_pylist(), strict=True))))
    return found


@settings(max_examples=40, deadline=None)
@given(
    due=st.lists(
        st.one_of(st.integers(0, 5_000), st.integers(0, 1 << 50)), min_size=1, max_size=40
    ),
    shards=st.integers(1, 5),
    task=st.integers(0, 9),
    seed=st.randoms(use_true_random=False),
)
def test_every_row_is_in_one_chunk_of_a_shard_that_only_it_decides(
    due: list[int], shards: int, task: int, seed: random.Random
) -> None:
    keys = shard_keys(shards)
    batch = rows_of(due)
    found = packed(batch, keys, task)
    assert sorted(row for _, part in found for row in part) == sorted(
        zip(due, range(len(due)), strict=True)
    )
    where = {row: shard for shard, part in found for row in part}
    assert set(where.values()) <= set(keys)
    # The task runs again after a failure, and its rows come in another order.
    order = list(range(len(due)))
    seed.shuffle(order)
    again = packed(batch.take(pa.array(order)), keys, task)
    assert {row: shard for shard, part in again for row in part} == where


def test_rows_that_are_due_one_after_another_use_all_shards() -> None:
    due = [1_700_000_000_000 + 100 * n for n in range(1_000)]
    used = {shard for shard, _ in packed(rows_of(due), shard_keys(4), task=0)}
    assert used == set(shard_keys(4))


def test_tasks_spread_rows_of_one_instant() -> None:
    """An embargo: each task sends its rows to a shard of its own."""
    due = [1_700_000_000_000] * 10
    used = [packed(rows_of(due), shard_keys(4), task)[0][0] for task in range(4)]
    assert sorted(used) == sorted(shard_keys(4))


def test_small_batches_are_gathered_and_nothing_is_lost() -> None:
    batches = [rows_of([n] * size) for n, size in enumerate([3, 0, 70_000, 1, 0, 200_000, 2])]
    gathered = list(packing.gathered(iter(batches)))
    assert [batch.num_rows for batch in gathered] == [70_003, 200_001, 2]
    assert pa.Table.from_batches(gathered).equals(
        pa.Table.from_batches([batch for batch in batches if batch.num_rows])
    )
    assert list(packing.gathered(iter([rows_of([])]))) == []


def test_rows_come_out_chunk_by_chunk() -> None:
    parts = [rows_of([1, 2]), rows_of([3])]
    texts = [chunks.to_text(chunks.encode(part)) for part in parts]
    batch = pa.RecordBatch.from_pydict({"text": [chunks.SEPARATOR.join(texts), texts[0]]})
    out = list(packing.unpack(iter([batch])))
    assert [each.column_names for each in out] == [[DUE, "n"]] * 3
    assert [each.num_rows for each in out] == [2, 1, 2]


def test_rows_of_flat_types_leave_as_the_arrow_columns_that_they_are() -> None:
    columns = {
        "c0": pa.array([-62_135_596_800_000_000, None], pa.timestamp("us", tz="UTC")),
        "c1": pa.array([None, 253_402_300_799_999_999], pa.timestamp("us")),
        "c2": pa.array([float("nan"), None]),
        "c3": pa.array(["x", None]),
        "c4": pa.array([None, Decimal("1.20")], pa.decimal128(20, 2)),
        "c5": pa.array([date(9999, 12, 31), None]),
    }
    kinds = [TimestampType(), TimestampNTZType(), DoubleType(), StringType(), DecimalType(20, 2)]
    own = StructType([StructField(f"c{n}", kind) for n, kind in enumerate([*kinds, DateType()])])
    form = released.form_of(own)
    schema = released.schema_of(form, own)
    text = chunks.to_text(chunks.encode(pa.RecordBatch.from_pydict(columns)))
    frames = [*form.frames([Chunk(0, 0, 2, text)]), form.taken(7)]
    rows, taken = (
        PandasToArrowConversion.convert(frame, schema, timezone="UTC", assign_cols_by_name=True)
        for frame in frames
    )
    # As text, since NaN equals nothing.
    assert f"{rows.select(list(columns))}" == f"{pa.RecordBatch.from_pydict(columns)}"
    assert rows.column("taken").null_count == 2
    assert taken.to_pylist() == [dict.fromkeys(columns) | {"taken": 7}]
    nested = own.add("c6", ArrayType(StringType()))
    assert isinstance(released.form_of(nested), released.AsChunks)


def test_parts_of_many_rows_leave_whole() -> None:
    numbers = range(150_001)
    columns = {
        "c0": pa.array([None if n % 7 == 0 else f"{n}" for n in numbers]),
        "c1": pa.array([n % 3 == 0 for n in numbers]),
    }
    rows = pa.RecordBatch.from_pydict(columns)
    own = StructType([StructField("c0", StringType()), StructField("c1", BooleanType())])
    form = released.form_of(own)
    parts = [
        PandasToArrowConversion.convert(
            frame, released.schema_of(form, own), timezone="UTC", assign_cols_by_name=True
        )
        for frame in form.batches(sliced(rows))
    ]
    assert len(parts) > 1
    assert chunks.concat(parts).select(list(columns)) == rows
    texts = [text for frame in released.AsChunks().batches(sliced(rows)) for text in frame["text"]]
    assert chunks.concat(part for text in texts for part in chunks.decode_text(text)) == rows


@pytest.mark.parametrize("sizes", [[], [10], [400_000] * 7, [5_000_000, 1, 1]])
def test_chunks_are_handed_on_in_order_and_in_frames_of_bounded_size(sizes: list[int]) -> None:
    due = [Chunk(1, 2, number, f"{number}" + "x" * size) for number, size in enumerate(sizes)]
    frames = list(released.AsChunks().frames(due))
    handed_on = [row for frame in frames for row in zip(frame["text"], frame["rows"], strict=True)]
    assert handed_on == [(chunk.text, chunk.rows) for chunk in due]
    # A frame is closed by the chunk that fills it.
    assert all(sum(map(len, frame["text"][:-1])) < packing.FRAME_BYTES for frame in frames)
