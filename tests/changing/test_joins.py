"""Joins of two changing relations over random updates against joins in plain words."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from changing.feeds import KINDS, Live, MemoryStore, Sum, frozen, timed

from tvfc_runtime.changing.hashed import PORTION_ROWS
from tvfc_runtime.changing.joins import KEPT, Joined, Joins, JoinTables
from tvfc_runtime.rows.updates import DIFF

KEYS = ("string", "double")
VALUES = ("struct", "bigint")
SIDES = (("a0",), ("b0",))


def draw(source: random.Random) -> tuple[Any, ...]:
    """Two keys, a value, and the side that has it."""
    leg = source.randrange(2)
    keys = [source.choice(KINDS[kind][1][:3]) for kind in KEYS]
    return (*keys, source.choice(KINDS[VALUES[leg]][1][:3]), leg)


def record_batch(updates: list[tuple[tuple[Any, ...], int]], keys: int) -> pa.RecordBatch:
    """What the shuffle brings, with hashes that often meet."""
    hashes = [hash(frozen(row[:keys])) % 3 * 2**60 for row, _ in updates]
    of_rows = [hash(frozen((row[:keys], row[2:]))) % 9 * 2**57 for row, _ in updates]
    columns = {"h": pa.array(hashes, pa.int64()), "row": pa.array(of_rows, pa.int64())}
    for place in range(keys):
        columns[f"k{place}"] = pa.array([row[place] for row, _ in updates], KINDS[KEYS[place]][0])
    for leg, (name,) in enumerate(SIDES):
        values = [row[2] if row[-1] == leg else None for row, _ in updates]
        columns[name] = pa.array(values, KINDS[VALUES[leg]][0])
    columns["__leg"] = pa.array([row[-1] for row, _ in updates], pa.int32())
    columns[DIFF] = pa.array([diff for _, diff in updates], pa.int64())
    return pa.RecordBatch.from_pydict(columns)


def joined(rows: list[tuple[Any, ...]], how: str, keys: int) -> Counter[Any]:
    """The result over rows of both sides, by looking at each pair of them."""
    left, right = ([row for row in rows if row[-1] == leg] for leg in (0, 1))

    def has_partner(row: tuple[Any, ...], others: list[tuple[Any, ...]]) -> bool:
        return any(frozen(row[:keys]) == frozen(each[:keys]) for each in others)

    if how in ("leftsemi", "leftanti"):
        kept = (row for row in left if has_partner(row, right) == (how == "leftsemi"))
        return Counter(frozen((row[2],)) for row in kept)
    found = Counter(
        frozen((one[2], two[2])) for one in left for two in right if has_partner(one, [two])
    )
    if how in ("left", "full"):
        found.update(frozen((row[2], None)) for row in left if not has_partner(row, right))
    if how in ("right", "full"):
        found.update(frozen((None, row[2])) for row in right if not has_partner(row, left))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("portion", [2, PORTION_ROWS])
@pytest.mark.parametrize("keys", [2, 0])
@pytest.mark.parametrize("how", KEPT)
def test_updates_add_up_to_the_join(
    how: str, keys: int, portion: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("joins", "hashed"):
        monkeypatch.setattr(f"tvfc_runtime.changing.{module}.PORTION_ROWS", portion)
    live, store, result = Live(7, draw), MemoryStore(), Sum()
    what = Joined(how, SIDES, ("k0", "k1")[:keys])
    operator = Joins((DIFF,), what)
    for size in (1, 20, 5, 40, 20):
        steps = live.steps(size)
        rows = timed((step.at, record_batch(step.updates, keys)) for step in steps)
        change = operator.combine([rows])
        # What fits into memory comes without what cancels out.
        for batch in JoinTables(what, store, most=4).apply(change):
            result.add(batch, net=portion == PORTION_ROWS)
        for step in steps:
            assert result.rows(step.at) == joined(step.rows, how, keys)
    gone = record_batch([(row, -1) for row in live.rows], keys)
    back = operator.combine([timed([(live.clock + 1, gone)])])
    table = JoinTables(what, store, most=4)
    for batch in table.apply(back):
        result.add(batch, net=False)
    assert table.rows == 0
    assert not result.rows()
    assert not store.texts
