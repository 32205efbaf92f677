"""Which windows without rows are filled, and when, against their definition; no Spark."""

from __future__ import annotations

from random import Random

import numpy as np
import pyarrow as pa
import pytest

from tvfc_runtime.fill.step import AT, END, STEP, STEPS, Rules, Step, joined, next_of

SIZE = 10_000_000
"""Microseconds; below, times are numbers of windows, and the clock stands between them."""


def rules(silence: int | None = None, *, later: int = 0, waits: bool = False) -> Rules:
    return Rules(
        size=SIZE,
        later=later * SIZE,
        silence=None if silence is None else silence * SIZE + 1,
        payload=("k", "v"),
        nexts=("v",) if waits else (),
        waits=waits,
    )


def groups(rows: list[tuple[int, int]]) -> pa.RecordBatch:
    """Groups of windows by key and number, with the value key * 100 + number."""
    keys = np.array([key for key, _ in rows], dtype=np.int64)
    ends = np.array([end for _, end in rows], dtype=np.int64)
    return pa.RecordBatch.from_pydict(
        {
            "k": pa.array(keys),
            "v": pa.array(keys * 100 + ends),
            END: pa.array(ends * SIZE),
            "key": pa.array(keys),
            "other_key": pa.array(keys * 7),
            "shard": pa.array(np.zeros(len(rows), dtype=np.int32)),
        }
    )


Row = tuple[int, int, int, int]
"""Key, number of the window, value of the last group, and of the next one, or 0."""


def run(history: list[tuple[int, int]], clocks: list[int], of: Rules) -> tuple[list[set[Row]], int]:
    """What leaves at each clock value, in windows, and how many groups are held at the end."""
    known: pa.RecordBatch | None = None
    found: list[set[Row]] = []
    before = -1_000
    for clock in clocks:
        new = [(k, e) for k, e in history if before < e + of.later // SIZE <= clock]
        before = clock
        rows = joined(known, groups(new) if new else None)
        found.append(set())
        if rows is None:
            continue
        step = Step(rows, of, clock * SIZE // 1000)
        for batch in step.emitted():
            for each in batch.to_pylist():
                is_filled = each[STEP] > 0
                assert is_filled == (each[AT] != each["v"] % 100 * SIZE)
                after = each[next_of("v")] if of.waits and is_filled else 0
                row = (each["k"], each[AT] // SIZE, each["v"], after)
                assert row not in found[-1]
                found[-1].add(row)
                if after:
                    assert each[STEPS] == after % 100 - each["v"] % 100
        known = step.kept() if step.kept().num_rows else None
        if step.next_time is not None:
            assert step.next_time > clock * SIZE // 1000
    return found, 0 if known is None else known.num_rows


def expected(history: list[tuple[int, int]], clock: int, of: Rules) -> set[Row]:
    """All that has left by a clock value."""
    closed = clock - of.later // SIZE
    most = 10**9 if of.silence is None else of.silence // SIZE
    found = {(k, e, k * 100 + e, 0) for k, e in history if e <= closed}
    for key in {k for k, _ in history}:
        ends = sorted(e for k, e in history if k == key and e <= closed)
        for end, after in zip(ends, [*ends[1:], None][: len(ends)], strict=True):
            if of.waits:
                if after is not None and after - 1 - end <= most:
                    value = key * 100 + after
                    found |= {(key, e, key * 100 + end, value) for e in range(end + 1, after)}
                continue
            last = min(closed if after is None else after - 1, end + most)
            found |= {(key, e, key * 100 + end, 0) for e in range(end + 1, last + 1)}
    return found


@pytest.mark.slow
@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("silence", [None, 1, 3, 9])
@pytest.mark.parametrize("later", [0, 2])
def test_random_histories(silence: int | None, later: int, *, waits: bool) -> None:
    of = rules(silence, later=later, waits=waits)
    for seed in range(40):
        random = Random(seed)
        cells = [(key, end) for key in (1, 2, 3) for end in range(1, 40)]
        history = random.sample(cells, random.randint(1, 25))
        clocks = sorted(random.sample(range(1, 70), random.randint(1, 12)))
        found, _ = run(history, clocks, of)
        gone: set[Row] = set()
        for clock, rows in zip(clocks, found, strict=True):
            assert not rows & gone
            gone |= rows
            assert gone == expected(history, clock, of), (seed, clock)


def test_keys_that_are_silent_are_let_go() -> None:
    history = [(1, 5), (2, 8)]
    assert run(history, [8], rules(3))[1] == 1
    assert run(history, [10], rules(3))[1] == 1
    assert run(history, [11], rules(3))[1] == 0
    assert run(history, [9], rules(3, waits=True))[1] == 1
    assert run(history, [12], rules(3, waits=True))[1] == 0
    assert run(history, [60], rules())[1] == 2


def test_the_next_time_is_that_of_the_next_window() -> None:
    rows = joined(None, groups([(1, 5), (2, 3)]))
    assert rows is not None
    assert Step(rows, rules(), 5 * SIZE // 1000).next_time == 6 * SIZE // 1000
    assert Step(rows, rules(later=1), 6 * SIZE // 1000).next_time == 7 * SIZE // 1000
    assert Step(rows, rules(waits=True), 5 * SIZE // 1000).next_time is None
    # What comes last is the window behind the last one that may be filled.
    assert Step(rows, rules(4, waits=True), 5 * SIZE // 1000).next_time == 8 * SIZE // 1000


def test_a_long_silence_leaves_in_parts() -> None:
    rows = joined(None, groups([(1, 1)]))
    assert rows is not None
    sizes = [each.num_rows for each in Step(rows, rules(), 200_001 * SIZE // 1000).emitted()]
    assert sizes == [1, 65_536, 65_536, 65_536, 3_392]
