"""First rows of groups over random updates against sorting all rows anew."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import groupby
from typing import Any

import pyarrow as pa
import pytest
from changing.feeds import KINDS, Live, MemoryStore, Sum, frozen, ordered, timed

from tvfc_runtime.changing import top
from tvfc_runtime.changing.partial import DIFF
from tvfc_runtime.changing.ranks import Sort
from tvfc_runtime.changing.rows import RowChanges, netted
from tvfc_runtime.changing.top import TopTable, Wanted

COLUMNS = ("int", "double", "string", "array")
NAMES = ("c0", "c1", "c2", "c3")

ORDERS = [
    (Sort("c1"),),
    (Sort("c1", descending=True, nulls_first=False), Sort("c2", nulls_first=False)),
    (Sort("c2", descending=True, nulls_first=True), Sort("c3", descending=True)),
    (),
]


def draw(source: random.Random) -> tuple[Any, ...]:
    return tuple(source.choice([None, *KINDS[kind][1]]) for kind in COLUMNS)


def record_batch(
    updates: list[tuple[tuple[Any, ...], int]], partition: tuple[str, ...]
) -> pa.RecordBatch:
    places = [NAMES.index(name) for name in partition]
    hashes = [hash(tuple(frozen(row[n]) for n in places)) % 5 * 2**60 for row, _ in updates]
    columns = {"h": pa.array(hashes, pa.int64())}
    for place, kind in enumerate(COLUMNS):
        columns[NAMES[place]] = pa.array([row[place] for row, _ in updates], KINDS[kind][0])
    columns[DIFF] = pa.array([diff for _, diff in updates], pa.int64())
    return pa.RecordBatch.from_pydict(columns)


class Backwards:
    """A sort key in descending order."""

    def __init__(self, key: Any) -> None:
        self.key = key

    def __lt__(self, other: Backwards) -> bool:
        return (other.key < self.key) is True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Backwards) and self.key == other.key

    __hash__ = None  # type: ignore[assignment]


def sort_key(order: tuple[Sort, ...], row: tuple[Any, ...]) -> tuple[Any, ...]:
    found = []
    for each in order:
        value = row[NAMES.index(each.name)]
        key = ordered(value)
        nulls_first = not each.descending if each.nulls_first is None else each.nulls_first
        place = (value is None) != nulls_first
        found.append((place, Backwards(key) if each.descending else key))
    return tuple(found)


def expected(wanted: Wanted, rows: list[tuple[Any, ...]]) -> Counter[Any]:
    places = [NAMES.index(name) for name in wanted.partition]

    def key(row: tuple[Any, ...]) -> Any:
        return tuple(ordered(row[n]) for n in places)

    def by_order(row: tuple[Any, ...]) -> Any:
        return sort_key(wanted.order, row)

    found: Counter[Any] = Counter()
    end = len(rows) + 1 if wanted.limit is None else wanted.offset + wanted.limit
    for _, group in groupby(sorted(rows, key=key), key=key):
        rest = [Sort(name) for name in NAMES if name not in {each.name for each in wanted.order}]
        in_order = sorted(group, key=lambda row: (by_order(row), sort_key(tuple(rest), row)))
        for row, number in numbered(wanted.kind, in_order, by_order):
            if wanted.offset < number <= end:
                found[frozen([*row, number] if wanted.numbered else row)] += 1
    return found


def numbered(kind: str, rows: list[tuple[Any, ...]], key: Any) -> list[tuple[Any, int]]:
    rank = dense = 0
    found = []
    for place, row in enumerate(rows):
        if not place or key(row) != key(rows[place - 1]):
            rank, dense = place + 1, dense + 1
        found.append((row, {"row_number": place + 1, "rank": rank}.get(kind, dense)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["row_number", "rank", "dense_rank"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("partition", "limit", "offset", "with_number"),
    [((), 3, 0, False), ((), 10, 4, True), (("c0",), 2, 1, True), (("c1",), None, 2, False)],
)
def test_updates_add_up_to_the_first_rows(
    kind: str,
    order: tuple[Sort, ...],
    partition: tuple[str, ...],
    limit: int | None,
    offset: int,
    with_number: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(top, "PORTION_ROWS", 20)
    wanted = Wanted(
        partition=partition,
        order=order,
        limit=limit,
        offset=offset,
        kind=kind,
        numbered=with_number,
    )
    live, store, result = Live(5, draw), MemoryStore(), Sum()
    for size in (2, 60, 1, 80, 7):
        steps = live.steps(size)
        rows = timed((step.at, record_batch(step.updates, partition)) for step in steps)
        parts = (rows.slice(0, size // 3), rows.slice(size // 3))
        changes = [netted(part, (DIFF,)) for part in parts]
        table = TopTable(wanted, NAMES, store, most=4)
        for batch in table.apply(RowChanges((DIFF,)).combine(changes)):
            result.add(batch)
        for step in steps:
            assert result.rows(step.at) == expected(wanted, step.rows)
    table = TopTable(wanted, NAMES, store, most=4)
    gone = record_batch([(row, -1) for row in live.rows], partition)
    back = netted(timed([(live.clock + 1, gone)]), (DIFF,))
    for batch in table.apply(back):
        result.add(batch)
    assert not result.rows()
    assert table.rows == 0
    assert not store.texts


@pytest.mark.parametrize("kind", ["row_number", "rank", "dense_rank"])
def test_the_first_of_all_are_among_the_first_of_parts(kind: str) -> None:
    source = random.Random(4)
    order = (Sort("c2", descending=True), Sort("c0"))
    wanted = Wanted(order=order, limit=4, offset=2, kind=kind, numbered=True)
    rows = [draw(source) for _ in range(200)]
    first = replace(top.first_of_parts(wanted), partition=())
    found: list[tuple[Any, ...]] = []
    for part in range(3):
        table = TopTable(first, NAMES, MemoryStore())
        of_part = record_batch([(row, 1) for row in rows[part::3]], ())
        batch = netted(timed([(1, of_part)]), (DIFF,))
        for each in table.apply(batch):
            found += [
                tuple(row) for *row, _, n in map(dict.values, each.to_pylist()) for _ in range(n)
            ]
    assert len(found) < len(rows)
    assert expected(wanted, found) == expected(wanted, rows)


def test_a_batch_touches_few_leaves_of_a_large_group() -> None:
    wanted = Wanted(order=(Sort("c0"),), limit=10)
    store = MemoryStore()
    rows = [((n, None, None, None), 1) for n in range(5_000)]
    list(TopTable(wanted, NAMES, store, most=50).apply(timed([(1, record_batch(rows, ()))])))
    store.calls = 0
    for n in (4_000, 3, 0):
        table = TopTable(wanted, NAMES, store, most=50)
        change = record_batch([((n, None, None, None), -1)], ())
        list(table.apply(timed([(2, change)])))
    assert store.calls <= 3 * 8
