"""Sessions that overlap put together: which of the sessions of a key are one.

A session is from its start, which belongs to it, to its end, which does not; a row is one of its
own, until it is merged. All of it is arithmetic on NumPy arrays; nothing here knows Spark.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Merged:
    """Sessions that have been merged, in order of key and start.

    Attributes:
        order: positions of what they were made of, in that order.
        firsts: where in `order` each session begins.
        ends: the end of each session.
    """

    order: np.ndarray
    firsts: np.ndarray
    ends: np.ndarray

    @property
    def is_as_before(self) -> bool:
        """Whether no two have become one."""
        return len(self.firsts) == len(self.order)


def merge(keys: list[np.ndarray], start: np.ndarray, end: np.ndarray) -> Merged:
    """Put sessions together, an element each.

    Args:
        keys: hashes that tell keys apart, int64; shards are ranges of the first one.
        start: when each begins, microseconds since the epoch.
        end: when each ends, which is later.
    """
    order = np.lexsort((start, *reversed(keys)))
    start, end = start[order], end[order]
    new_key = np.zeros(len(order), dtype=bool)
    new_key[:1] = True
    for key in keys:
        key = key[order]
        new_key[1:] |= key[1:] != key[:-1]
    until = greatest_so_far(end, new_key)
    begins = new_key
    begins[1:] |= start[1:] >= until[:-1]
    firsts = np.flatnonzero(begins)
    lasts = np.append(firsts[1:], len(order)) - 1
    return Merged(order, firsts, until[lasts])


def greatest_so_far(values: np.ndarray, new_group: np.ndarray) -> np.ndarray:
    """The greatest of the values up to each, within its group."""
    falls = values[1:] < values[:-1]
    if not (falls & ~new_group[1:]).any():
        return values
    # A group outweighs all values of those before it, so that one pass serves all groups.
    known, rank = np.unique(values, return_inverse=True)
    raised = np.maximum.accumulate(np.cumsum(new_group) * len(known) + rank)
    return known[raised % len(known)]
