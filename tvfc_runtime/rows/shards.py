"""Shard keys that spread evenly over Spark's shuffle partitions."""

from __future__ import annotations

from itertools import count

_MASK = 0xFFFFFFFF
_SEED = 42


def shard_keys(partitions: int) -> list[int]:
    """One INT key for each shuffle partition: `pmod(hash(keys[i]), partitions) = i`.

    Spark places a key by its Murmur3 hash; keys 0, 1, 2, ... would leave some partitions empty and
    burden others twice.
    """
    keys: dict[int, int] = {}
    for key in count():
        keys.setdefault(murmur3_int(key) % partitions, key)
        if len(keys) == partitions:
            break
    return [keys[partition] for partition in range(partitions)]


def murmur3_int(value: int) -> int:
    """Spark's `hash(INT)`, as a signed 32-bit number: Murmur3_x86_32 of four bytes, seed 42."""
    k = value * 0xCC9E2D51 & _MASK
    k = (k << 15 | k >> 17) & _MASK
    k = k * 0x1B873593 & _MASK
    h = _SEED ^ k
    h = (h << 13 | h >> 19) & _MASK
    h = h * 5 + 0xE6546B64 & _MASK
    h ^= 4
    h = (h ^ h >> 16) * 0x85EBCA6B & _MASK
    h = (h ^ h >> 13) * 0xC2B2AE35 & _MASK
    h ^= h >> 16
    return h - (1 << 32) if h >= 1 << 31 else h
