"""The last row of each key over random changes against a dictionary."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from changing.feeds import KINDS, MemoryStore, frozen

from tvfc_runtime.changing.latest import Latest, LatestTable
from tvfc_runtime.changing.partial import AT, DIFF

KINDS_OF = ("bigint", "string", "double", "array")
NAMES = ("c0", "c1", "c2", "c3")
KEYS = ("c0", "c1")

Change = tuple[tuple[Any, ...], bool, tuple[int, str, int, int]]


def draw(source: random.Random, number: int) -> Change:
    """A change of one of a few keys, and where it stands."""
    row = [source.choice(KINDS[kind][1]) for kind in KINDS_OF[:2]]
    row += [source.choice([None, *KINDS[kind][1]]) for kind in KINDS_OF[2:]]
    return tuple(row), source.random() < 0.3, (number // 7, "a", number // 3, number)


def record_batch(changes: list[Change]) -> pa.RecordBatch:
    rows = [row for row, _, _ in changes]
    # Few hashes, so that keys share them.
    columns = {"h": pa.array([hash(row[:2]) % 5 * 2**60 for row in rows], pa.int64())}
    columns[AT] = pa.array([17] * len(changes), pa.int64())
    for place, kind in enumerate(KINDS_OF):
        columns[NAMES[place]] = pa.array([row[place] for row in rows], KINDS[kind][0])
    columns["__gone"] = pa.array([gone for _, gone, _ in changes])
    for place in range(4):
        columns[f"o{place}"] = pa.array([each[2][place] for each in changes])
    return pa.RecordBatch.from_pydict(columns)


def updates(batch: pa.RecordBatch) -> Counter[Any]:
    """What is told, added up."""
    found: Counter[Any] = Counter()
    for row in batch.to_pylist():
        assert row[AT] == 17
        found[frozen([row[name] for name in NAMES])] += row[DIFF]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_updates_add_up_to_the_last_row_of_each_key(seed: int) -> None:
    source = random.Random(seed)
    store, operator = MemoryStore(), Latest(KEYS, NAMES)
    live: dict[Any, Any] = {}
    told: Counter[Any] = Counter()
    number = 0
    for _ in range(source.randint(2, 8)):
        changes = [draw(source, number + place) for place in range(source.randint(1, 40))]
        number += len(changes)
        for row, gone, _ in changes:
            if gone:
                live.pop(frozen(row[:2]), None)
            else:
                live[frozen(row[:2])] = frozen(row)
        source.shuffle(changes)  # Which task has read a change tells nothing.
        cut = source.randint(0, len(changes))
        parts = [
            operator.last(record_batch(each)) for each in (changes[:cut], changes[cut:]) if each
        ]
        decoded = [operator.decode(operator.encode(each)) for each in parts]
        table = LatestTable(KEYS, NAMES, store, most=source.choice((2, 8, 4096)))
        before = Counter(told)
        for batch in table.apply(operator.combine(decoded)):
            told.update(updates(batch))
        assert {row: n for row, n in told.items() if n} == dict.fromkeys(live.values(), 1)
        assert LatestTable(KEYS, NAMES, store).rows == len(live)
        assert all(before[row] in (0, 1) for row in before)


def test_nothing_is_told_of_what_stays_as_it_is() -> None:
    store, operator = MemoryStore(), Latest(("c0",), NAMES)
    row = (1, "a", 0.5, [1])
    place = (0, "", 0, 0)
    first = record_batch([(row, False, place)])
    table = LatestTable(("c0",), NAMES, store)
    assert sum(batch.num_rows for batch in table.apply(operator.combine([first]))) == 1
    again = record_batch([(row, False, place), ((2, "b", None, None), True, (0, "", 0, 1))])
    table = LatestTable(("c0",), NAMES, store)
    assert sum(batch.num_rows for batch in table.apply(operator.combine([again]))) == 0
    gone = record_batch([((1, "z", None, None), True, place)])
    (told,) = LatestTable(("c0",), NAMES, store).apply(operator.combine([gone]))
    assert updates(told) == Counter({frozen(row): -1})
    assert not store.texts
