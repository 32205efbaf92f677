"""Panes of a shard against windows that are computed anew from all rows."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import count
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tvfc_runtime.clock.of_batch import END_OF_TIME_MS
from tvfc_runtime.panes.grids import Cumulate, Grid, Hop
from tvfc_runtime.panes.kept import DIRECTORY
from tvfc_runtime.panes.partials import PANE, Partial, of_rows, unordered
from tvfc_runtime.panes.step import Rules, Step
from tvfc_runtime.rows import chunks

SECOND = 1_000_000
PARTIALS = (
    Partial("count"),
    Partial("count", "v"),
    Partial("sum", "v"),
    Partial("sum", "r"),
    Partial("min", "r", is_real=True),
    Partial("max", "r", is_real=True),
    Partial("min", "s"),
    Partial("max", "v"),
)
GRIDS = [
    Hop(10, 2),
    Hop(10, 4),
    Hop(10, 4, 3),
    Hop(7, 3, 1),
    Hop(6, 6, 5),
    Hop(3, 5),
    Hop(12, 1),
    Cumulate(24, 1),
    Cumulate(10, 4),
    Cumulate(5, 2),
    Cumulate(6, 6),
]
ROWS = pa.schema(
    {"k0": pa.string(), "v": pa.int64(), "r": pa.float64(), "s": pa.string(), "time": pa.int64()}
)
Row = tuple[Any, ...]


class Values:
    """State in memory that counts what is read and written."""

    def __init__(self) -> None:
        self.texts: dict[tuple[int, int], str] = {}
        self.reads = self.writes = 0

    def get(self, pane: int, number: int) -> str | None:
        self.reads += 1
        return self.texts.get((pane, number))

    def put(self, pane: int, number: int, text: str) -> None:
        self.writes += 1
        self.texts[pane, number] = text

    def remove(self, pane: int, number: int) -> None:
        del self.texts[pane, number]


def whole(grid: Grid) -> Grid:
    """A grid of seconds."""
    if isinstance(grid, Hop):
        return Hop(grid.size * SECOND, grid.slide * SECOND, grid.offset * SECOND)
    return Cumulate(grid.size * SECOND, grid.step * SECOND)


def bounds(grid: Grid, time: int) -> list[tuple[int, int]]:
    """The windows that hold a moment, by their definition."""
    if isinstance(grid, Hop):
        last = (time - grid.offset) // grid.slide * grid.slide + grid.offset
        starts = range(last, time - grid.size, -grid.slide)
        return [(start, start + grid.size) for start in starts]
    start = time // grid.size * grid.size
    ends = (min(start + n * grid.step, start + grid.size) for n in range(1, grid.most + 1))
    return [(start, end) for end in ends if end > time]


def answer(grid: Grid, rows: list[Row]) -> dict[Row, Row]:
    """All windows of some rows."""
    groups: dict[Row, list[Row]] = defaultdict(list)
    for row in rows:
        for window in bounds(grid, row[-1]):
            groups[row[0], *window].append(row)
    return {of: summed(members) for of, members in groups.items()}


def summed(rows: list[Row]) -> Row:
    values = [row[1] for row in rows if row[1] is not None]
    reals = [row[2] for row in rows if row[2] is not None]
    texts = [row[3] for row in rows if row[3] is not None]
    none = None
    return (
        len(rows),
        len(values),
        sum(values) if values else none,
        sum(reals) if reals else none,
        min(reals, default=none, key=_nan_last),
        max(reals, default=none, key=_nan_last),
        min(texts, default=none),
        max(values, default=none),
    )


def _nan_last(value: float) -> tuple[bool, float]:
    return value != value, value


def taken(step: Step, rules: Rules, rows: list[Row]) -> None:
    table = pa.Table.from_pylist(
        [dict(zip(ROWS.names, row, strict=True)) for row in rows], schema=ROWS
    )
    panes = rules.grid.panes_of(table.column("time").to_numpy())
    table = table.append_column(PANE, pa.array(panes))
    half = table.num_rows // 2
    parts = [part for part in (table.slice(0, half), table.slice(half)) if part.num_rows]
    step.take([of_rows(part, rules.keys, rules.partials) for part in parts])


def left(step: Step, rules: Rules) -> list[tuple[Row, Row]]:
    found = []
    for batch in step.closed():
        columns = batch.to_pydict()
        windows = columns[PANE]
        columns["p4"], columns["p5"] = (
            unordered(batch.column(p)).to_pylist() for p in ("p4", "p5")
        )
        for place, window in enumerate(windows):
            key = columns["k0"][place], rules.grid.start(window), rules.grid.end(window)
            found.append((key, tuple(columns[f"p{n}"][place] for n in range(len(PARTIALS)))))
    return found


def random_row(choose: random.Random, begin: int, end: int) -> Row:
    return (
        choose.choice(["a", "b", None, ""]),
        choose.choice([None, *range(-3, 9)]),
        choose.choice([None, 0.5, -1.25, 3.0, 1e6]),
        choose.choice([None, "x", "yy", ""]),
        choose.randrange(begin, end),
    )


@pytest.mark.parametrize("grid", GRIDS, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_windows_leave_once_when_they_close(grid: Grid, seed: int) -> None:
    choose = random.Random(seed)
    later = choose.choice([0, 0, 1500])
    rules = Rules(whole(grid), ("k0",), PARTIALS, later * 1000)
    store, rows, seen = Values(), [], {}
    # Before 1970, too: the clock has no value there.
    now, high = 0, choose.choice([-30_000, 0, 1_700_000_000_000]) * 1000
    timer: int | None = None
    for _ in range(choose.randrange(3, 25)):
        low = max(now * 1000 - later * 1000, high - 20 * SECOND) if now else high - 20 * SECOND
        new = [
            random_row(choose, low, max(low + 1, high + choose.choice([1, 4, 40]) * SECOND))
            for _ in range(choose.choice([0, 1, 5, 60]))
        ]
        if new or (timer is not None and timer <= now):
            step = Step(store, rules, now)
            if new:
                taken(step, rules, new)
            rows += new
            for window, result in left(step, rules):
                assert window not in seen
                seen[window] = result
            timer = step.close()
            assert timer is None or timer > now
        done = now * 1000 - rules.later
        expected = {of: values for of, values in answer(rules.grid, rows).items() if of[2] <= done}
        assert (seen == expected) if now else not seen
        high = max([high, *(row[-1] for row in new)])
        now = max(now, high // 1000 - choose.choice([0, 3000]), 0)
    step = Step(store, rules, END_OF_TIME_MS)
    seen |= dict(left(step, rules))
    assert step.close() is None
    assert seen == answer(rules.grid, rows)
    assert not store.texts


@pytest.mark.parametrize("grid", [Hop(10, 2), Cumulate(24, 1)], ids=str)
def test_what_stays_is_a_row_for_each_key_and_pane(grid: Grid) -> None:
    rules = Rules(whole(grid), ("k0",), PARTIALS)
    store, choose, grown = Values(), random.Random(1), 0
    for second in range(1_000, 1_100):
        new = [random_row(choose, second * SECOND, (second + 1) * SECOND) for _ in range(50)]
        step = Step(store, rules, second * 1000)
        taken(step, rules, new)
        left(step, rules)
        step.close()
        grown += step.grown
        rows = [
            part.num_rows
            for (pane, _), text in store.texts.items()
            if pane != DIRECTORY
            for part in chunks.decode_text(text)
        ]
        assert grown == sum(rows) <= 4 * 5


def test_small_batches_write_little_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pane that grows key by key is written as often as it doubles, not anew in each batch."""
    written = []
    encode = chunks.encode

    def noted(rows: pa.RecordBatch) -> bytes:
        written.append(rows.num_rows)
        return encode(rows)

    monkeypatch.setattr(chunks, "encode", noted)
    rules = Rules(Hop(10_000 * SECOND, 1_000 * SECOND), ("k0",), (Partial("count"),))
    store = Values()
    names = count()
    for _ in range(512):
        rows = pa.table({"k0": [str(next(names)) for _ in range(4)], PANE: [7] * 4})
        step = Step(store, rules, 1)
        step.take([of_rows(rows, ("k0",), rules.partials)])
        list(step.closed())
        step.close()
    assert sum(written) <= 2048 * 12


@pytest.mark.parametrize("sign", [1, -1])
def test_sums_beyond_bigint_are_refused(sign: int) -> None:
    rows = pa.table({"k0": ["a", "a", "b"], PANE: [0, 0, 0], "v": [sign * 2**62, sign * 2**62, 5]})
    if sign < 0:  # -2^63 is a BIGINT.
        assert of_rows(rows, ("k0",), (Partial("sum", "v"),)).column("p0").to_pylist() == [
            -(2**63),
            5,
        ]
        return
    with pytest.raises(ArithmeticError, match="ARITHMETIC_OVERFLOW"):
        of_rows(rows, ("k0",), (Partial("sum", "v"),))


def test_large_numbers_that_cancel_out_are_summed() -> None:
    rows = pa.table({"k0": ["a"] * 4, PANE: [0] * 4, "v": [2**62, -(2**62), 2**62, -(2**62) + 7]})
    assert of_rows(rows, ("k0",), (Partial("sum", "v"),)).column("p0").to_pylist() == [7]


def test_nan_is_the_greatest() -> None:
    reals = [float("nan"), -1.0, float("inf"), -0.0, float("-inf"), None]
    rows = pa.table({"k0": ["a"] * 6, PANE: [0] * 6, "r": pa.array(reals, pa.float64())})
    wanted = (Partial("min", "r", is_real=True), Partial("max", "r", is_real=True))
    found = of_rows(rows, ("k0",), wanted)
    least, most = (unordered(found.column(name)).to_pylist()[0] for name in ("p0", "p1"))
    assert least == float("-inf")
    assert np.isnan(most)
