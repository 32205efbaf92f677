"""Changes of one batch at different clock values."""

from __future__ import annotations

from collections.abc import Sequence

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


def at_several_times(change: pa.RecordBatch, keys: Sequence[str]) -> np.ndarray:
    """Which changes are of keys that change at several clock values."""
    times = change.column(AT).to_numpy()
    if not len(times) or (times == times[0]).all():
        return np.zeros(len(times), dtype=bool)
    codes, first = group_codes([change.column(name) for name in keys], change.num_rows)
    several = np.zeros(len(first), dtype=bool)
    several[codes[times != times[first][codes]]] = True
    return several[codes]
