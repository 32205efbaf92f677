"""Sums that are exact, so that what has been added can be taken away again without a trace.

Whole numbers and unscaled decimals are added in *limbs* of 32 bits, in columns of int64, so that a
transient overflow does no harm. Floating point numbers are added as whole multiples of the least
one there is: Python's integers, a *big* for each group, made of limbs in bulk.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tvfc_runtime.changing.ranks import MAX_LONG_DIGITS, unscaled

LIMB = np.int64(0xFFFFFFFF)
SCALE = 1126
"""A big of first powers counts multiples of 2^-1126, one of squares multiples of 2^-2252."""

MOST_DIFFS = 1 << 31
"""So many rows at a time cannot overflow a sum of limbs."""


def add_by(codes: np.ndarray, groups: int, values: np.ndarray) -> np.ndarray:
    """Sums of int64 values by code."""
    found = np.zeros(groups, dtype=np.int64)
    np.add.at(found, codes, values)
    return found


def limbs_of(values: pa.Array) -> list[np.ndarray]:
    """Whole numbers or unscaled decimals in limbs, the lowest first, the last one with the sign."""
    there = values.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_decimal(values.type):
        halves = unscaled(values) * there[:, np.newaxis]
        if values.type.precision > MAX_LONG_DIGITS:
            return [*split(halves[:, 0], signed=False), *split(halves[:, 1])]
        return split(halves[:, 0])
    return split(values.cast(pa.int64()).fill_null(0).to_numpy())


def split(values: np.ndarray, *, signed: bool = True) -> list[np.ndarray]:
    """The lower and the upper half of 64-bit numbers."""
    upper = values >> 32
    return [values & LIMB, upper if signed else upper & LIMB]


def carried(limbs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The same numbers with all limbs but the last between 0 and 2^32."""
    found: list[np.ndarray] = []
    carry = np.zeros(len(limbs[0]), dtype=np.int64)
    for limb in limbs[:-1]:
        whole = limb + carry
        carry = whole >> 32
        found.append(whole & LIMB)
    return [*found, limbs[-1] + carry]


def numbers(limbs: Sequence[np.ndarray]) -> list[int]:
    """Numbers out of their limbs."""
    found = [0] * len(limbs[0])
    for limb in reversed(limbs):
        found = [(number << 32) + low for number, low in zip(found, limb.tolist(), strict=True)]
    return found


def longs(limbs: Sequence[np.ndarray]) -> np.ndarray:
    """Numbers of two limbs as int64.

    Raises:
        ArithmeticError: if one does not fit.
    """
    if overflow(limbs).any():
        raise ArithmeticError("[ARITHMETIC_OVERFLOW] a sum does not fit BIGINT")
    low, high = carried(limbs)
    return (high << 32) | low


def overflow(limbs: Sequence[np.ndarray]) -> np.ndarray:
    """Which numbers of two limbs do not fit int64."""
    high = carried(limbs)[1]
    return (high >= 1 << 31) | (high < -(1 << 31))


def doubles(limbs: Sequence[np.ndarray]) -> np.ndarray:
    """Numbers as the nearest doubles."""
    low, high = carried(limbs[:2])
    if len(limbs) == 2 and (not len(high) or np.abs(high).max() < 1 << 20):
        return ((high << 32) | low).astype(np.float64)
    return np.array([float(number) for number in numbers(limbs)], dtype=np.float64)


def decimals(unscaled_values: Sequence[int | None], kind: pa.DataType) -> pa.Array:
    """Decimals out of unscaled numbers.

    Raises:
        ArithmeticError: if one has too many digits.
    """
    bound = 10**kind.precision
    for number in unscaled_values:
        if number is not None and not -bound < number < bound:
            raise ArithmeticError(
                f"[NUMERIC_VALUE_OUT_OF_RANGE] a sum does not fit DECIMAL({kind.precision}, "
                f"{kind.scale})"
            )
    data = b"".join((number or 0).to_bytes(16, "little", signed=True) for number in unscaled_values)
    there = pa.array([number is not None for number in unscaled_values], pa.bool_())
    return pa.Array.from_buffers(
        kind, len(unscaled_values), [there.buffers()[1], pa.py_buffer(data)]
    )


def bigs_by(
    values: np.ndarray, diff: np.ndarray, codes: np.ndarray, groups: int, power: int
) -> list[int]:
    """Exact sums of finite doubles, or of their squares, by code.

    Args:
        values: the doubles.
        diff: how often each counts.
        codes: the group of each.
        groups: number of groups.
        power: 1 or 2.
    """
    found = [0] * groups
    mantissa, exponent = np.frexp(values)
    whole = np.ldexp(np.abs(mantissa), 53).astype(np.uint64)
    shift = exponent.astype(np.int64) - 53 + SCALE
    used = np.flatnonzero((whole != 0) & (diff != 0))
    whole, shift, codes = whole[used], shift[used], codes[used]
    if power == 1:
        _add_shifted(found, whole, shift, diff[used] * np.sign(values[used]).astype(int), codes)
        return found
    upper, lower = whole >> np.uint64(27), whole & np.uint64((1 << 27) - 1)
    for part, places in (
        (lower * lower, 0),
        (upper * lower * np.uint64(2), 27),
        (upper * upper, 54),
    ):
        _add_shifted(found, part, 2 * shift + places, diff[used], codes)
    return found


def _add_shifted(
    found: list[int], values: np.ndarray, shift: np.ndarray, diff: np.ndarray, codes: np.ndarray
) -> None:
    """Add `values * 2^shift * diff` to the groups that `codes` name; values are below 2^55."""
    place, within = shift >> 5, (shift & 31).astype(np.uint64)
    low = np.uint64(LIMB)
    top = np.where(within > 0, values >> (np.uint64(64) - np.maximum(within, 1)), 0)
    limbs = [(values << within) & low, (values >> (np.uint64(32) - within)) & low, top]
    keys = np.concatenate([codes * PLACES + place + number for number in range(3)])
    parts = np.concatenate([limb.astype(np.int64) * diff for limb in limbs])
    where, distinct = pd.factorize(keys)
    sums = add_by(where, len(distinct), parts)
    for key, total in zip(distinct.tolist(), sums.tolist(), strict=True):
        if total:
            found[key // PLACES] += total << 32 * (key % PLACES)


PLACES = 256
"""More limbs than a big has."""


def encode_bigs(values: Sequence[int]) -> pa.Array:
    """Bigs as bytes: how many zero bytes there are at the low end, then the others."""
    return pa.array([_encode(value) for value in values], pa.binary())


def _encode(value: int) -> bytes:
    if not value:
        return b""
    zeros = ((value & -value).bit_length() - 1) // 8
    digits = value >> 8 * zeros
    size = digits.bit_length() // 8 + 1
    return zeros.to_bytes(2, "little") + digits.to_bytes(size, "little", signed=True)


def decode_bigs(values: pa.Array) -> list[int]:
    """Bigs out of what `encode_bigs` made."""
    return [_decode(value) for value in values.to_pylist()]


def _decode(value: bytes) -> int:
    digits = int.from_bytes(value[2:], "little", signed=True)
    return digits << 8 * int.from_bytes(value[:2], "little")


def add_bigs_by(codes: np.ndarray, groups: int, values: pa.Array) -> pa.Array:
    """Sums of encoded bigs by code."""
    if len(values) == groups:
        order = np.argsort(codes)
        if np.array_equal(codes[order], np.arange(groups)):
            return values.take(pa.array(order))
    found = [0] * groups
    for code, value in zip(codes.tolist(), decode_bigs(values), strict=True):
        found[code] += value
    return encode_bigs(found)


def big_to_double(value: int, power: int = 1) -> float:
    """The double nearest to a big."""
    return ratio(value, 1 << SCALE * power)


def ratio(numerator: int, denominator: int) -> float:
    """The double nearest to a quotient; infinite if it is too large."""
    try:
        return numerator / denominator
    except OverflowError:
        return float("inf") if (numerator < 0) == (denominator < 0) else float("-inf")


def finite(values: pa.Array) -> np.ndarray:
    """Doubles with 0 in place of NULL, NaN and the infinite ones."""
    found = pc.fill_null(values, 0.0).to_numpy(zero_copy_only=False)
    return np.where(np.isfinite(found), found, 0.0)
