"""Values of any type as integers: equal where Spark's values are, and in the order of Spark.

A column becomes a few arrays of int64, its *words*, which compare one after another as the values
do: NULL first, NaN above all numbers and equal to itself, -0.0 equal to 0.0, text and binary by
bytes, arrays and structs item by item. What words are made of text or arrays holds within one call
only: to compare columns, put them together first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

INT64_MIN = np.iinfo(np.int64).min


def group_codes(columns: Sequence[pa.Array], rows: int) -> tuple[np.ndarray, np.ndarray]:
    """A number for each row, the same for equal rows.

    Args:
        columns: what rows are compared by; none: all rows are equal.
        rows: number of rows.

    Returns:
        The numbers, 0, 1, … as they first occur, and where each occurs first.
    """
    return codes_of_words([word for each in columns for word in words(each, ordered=False)], rows)


def codes_of_words(parts: Sequence[np.ndarray], rows: int) -> tuple[np.ndarray, np.ndarray]:
    """`group_codes` by words."""
    codes = np.zeros(rows, dtype=np.int64)
    groups = min(rows, 1)
    for part in parts:
        other, values = pd.factorize(part)
        if groups > 1:
            other, values = pd.factorize(codes * np.int64(len(values)) + other)
        codes, groups = other.astype(np.int64, copy=False), len(values)
    first = np.empty(groups, dtype=np.int64)
    first[codes[::-1]] = np.arange(rows - 1, -1, -1)
    return codes, first


def ranks(columns: Sequence[pa.Array], rows: int) -> np.ndarray:
    """The place of each row among the different rows, from 0; equal rows share one."""
    parts = [word for each in columns for word in words(each)]
    return ranks_of_words(parts, rows)


def ranks_of_words(parts: Sequence[np.ndarray], rows: int) -> np.ndarray:
    """`ranks` by words."""
    found = np.zeros(rows, dtype=np.int64)
    if not parts or not rows:
        return found
    order = np.lexsort(parts[::-1])
    differs = np.zeros(rows, dtype=bool)
    for part in parts:
        in_order = part[order]
        differs[1:] |= in_order[1:] != in_order[:-1]
    found[order] = np.cumsum(differs)
    return found


@dataclass(frozen=True)
class Sort:
    """A column to sort by.

    Attributes:
        name: the column.
        descending: from the greatest value to the least.
        nulls_first: where NULL comes; by itself first, and last from the greatest value on.
    """

    name: str
    descending: bool = False
    nulls_first: bool | None = None


def sort_words(values: pa.Array, sort: Sort) -> list[np.ndarray]:
    """Words that compare as a sort column asks for."""
    parts = [~part if sort.descending else part for part in words(values)]
    # NULL is the least word.
    if values.null_count and sort.nulls_first is sort.descending:
        parts[0] = ~parts[0]
    return parts


def words(values: pa.Array, *, ordered: bool = True) -> list[np.ndarray]:
    """The words of a column; if they need not be `ordered`, they only tell values apart."""
    if not values.null_count:
        return _words(values, ordered=ordered)
    there = values.is_valid().to_numpy(zero_copy_only=False)
    parts = _words(values, ordered=ordered)
    return [there.astype(np.int64), *(np.where(there, part, 0) for part in parts)]


def _words(values: pa.Array, *, ordered: bool) -> list[np.ndarray]:
    kind = values.type
    if pa.types.is_boolean(kind):
        return [values.cast(pa.uint8()).fill_null(0).to_numpy().astype(np.int64)]
    if pa.types.is_integer(kind):
        return [values.cast(pa.int64()).fill_null(0).to_numpy()]
    if pa.types.is_floating(kind):
        return [_float_words(values)]
    if pa.types.is_decimal(kind):
        return decimal_words(values)
    if pa.types.is_temporal(kind):
        return [_stored(values, np.int64 if kind.bit_width == 64 else np.int32)]
    if pa.types.is_struct(kind):
        return [part for child in values.flatten() for part in words(child, ordered=ordered)]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return [_list_words(values, values.values, ordered=ordered)]
    if pa.types.is_map(kind):
        items = pa.StructArray.from_arrays([values.keys, values.items], ["key", "value"])
        return [_list_words(values, items, ordered=ordered)]
    return [_text_words(values, ordered=ordered)]


def _stored(values: pa.Array, kind: type) -> np.ndarray:
    """Numbers as they lie in the memory of a column; anything where it is NULL."""
    if not len(values):
        return np.zeros(0, dtype=np.int64)
    stored: np.ndarray = np.frombuffer(
        values.buffers()[1], dtype=kind, count=values.offset + len(values)
    )
    return stored[values.offset :].astype(np.int64)


def _float_words(values: pa.Array) -> np.ndarray:
    numbers = values.cast(pa.float64()).fill_null(0).to_numpy() + 0.0
    numbers[np.isnan(numbers)] = np.nan
    bits = numbers.view(np.int64)
    return np.where(bits < 0, INT64_MIN - bits - 1, bits)


def decimal_words(values: pa.Array) -> list[np.ndarray]:
    """The halves of unscaled values: the upper one, and the lower one less 2^63."""
    if values.type.precision <= MAX_LONG_DIGITS:
        return [unscaled(values)[:, 0]]
    halves = unscaled(values)
    return [halves[:, 1], halves[:, 0] ^ INT64_MIN]


MAX_LONG_DIGITS = 18
"""Decimals of so many digits fit 64 bits."""


def unscaled(values: pa.Array) -> np.ndarray:
    """Unscaled decimals as pairs of 64-bit halves, the lower one first; anything where NULL."""
    wide = values.cast(pa.decimal128(38, values.type.scale))
    size = 2 * (wide.offset + len(wide))
    if not size:
        return np.zeros((0, 2), dtype=np.int64)
    return np.frombuffer(wide.buffers()[1], dtype=np.int64, count=size).reshape(-1, 2)[
        wide.offset :
    ]


def _text_words(values: pa.Array, *, ordered: bool) -> np.ndarray:
    found = values.dictionary_encode()
    codes = found.indices.fill_null(0).to_numpy().astype(np.int64)
    if not ordered or not len(found.dictionary):
        return codes
    place = np.empty(len(found.dictionary), dtype=np.int64)
    place[pc.sort_indices(found.dictionary).to_numpy()] = np.arange(len(place))
    return place[codes]


def _list_words(values: pa.Array, items: pa.Array, *, ordered: bool) -> np.ndarray:
    """Arrays by their items' ranks, written as text that compares as they do."""
    place = ranks(*_sized(items)) if ordered else group_codes(*_sized(items))[0]
    data = (place + 1).astype(">u4").tobytes()
    offsets = values.offsets.to_numpy()
    sizes = np.diff(offsets)
    there = values.is_valid().to_numpy(zero_copy_only=False)
    texts = [
        data[4 * start : 4 * (start + size)] if valid else b""
        for start, size, valid in zip(offsets[:-1].tolist(), sizes.tolist(), there, strict=True)
    ]
    return _text_words(pa.array(texts, pa.binary()), ordered=ordered)


def _sized(items: pa.Array) -> tuple[list[pa.Array], int]:
    return [items], len(items)
