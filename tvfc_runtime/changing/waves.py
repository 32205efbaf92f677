"""Changes of one batch at different clock values: in order, and in waves of one value a key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from tvfc_runtime.changing.partial import AT
from tvfc_runtime.changing.ranks import group_codes
from tvfc_runtime.changing.runs import Runs


def runs_in_time(
    change: pa.RecordBatch, codes: np.ndarray, chosen: np.ndarray
) -> tuple[np.ndarray, Runs]:
    """The changes of some keys in order of time, a run for each key.

    Args:
        change: rows with the column `t`.
        codes: the key of each.
        chosen: the keys whose changes are wanted, each once.

    Returns:
        The places of these changes, in order of their run in `chosen`, then of time; the runs.
    """
    place = np.full(codes.max(initial=-1) + 1, -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    run = place[codes]
    used = np.flatnonzero(run >= 0)
    run, times = run[used], change.column(AT).to_numpy()[used]
    single = len(used) == len(chosen)
    order = np.argsort(run, kind="stable") if single else np.lexsort((times, run))
    run = run[order]
    return used[order], Runs(run, np.flatnonzero(np.diff(run, prepend=-1)))


def waves(change: pa.RecordBatch, keys: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Changes in parts in each of which a key has those of one clock value; earlier ones first.

    Args:
        change: rows with the columns `t` and `keys`.
        keys: what is changed independently of all else.
    """
    times = change.column(AT).to_numpy()
    if not len(times) or (times == times[0]).all():
        yield change
        return
    codes, _ = group_codes([change.column(name) for name in keys], change.num_rows)
    order = np.lexsort((times, codes))
    codes, times = codes[order], times[order]
    begins = np.append(True, codes[1:] != codes[:-1])
    later = np.cumsum(begins | np.append(True, times[1:] != times[:-1]))
    wave = later - later[np.maximum.accumulate(np.where(begins, np.arange(len(codes)), 0))]
    in_waves = np.argsort(wave, kind="stable")
    bounds = np.flatnonzero(np.diff(wave[in_waves], prepend=-1)).tolist()
    for start, end in pairwise([*bounds, len(order)]):
        yield change.take(pa.array(np.sort(order[in_waves[start:end]])))
