"""Multiplicities over random updates against the rules in plain words."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from changing.feeds import KINDS, Live, MemoryStore, Sum, frozen, timed

from tvfc_runtime.changing.multiplicity import COUNTS, RULES, RowTable, by_leg
from tvfc_runtime.changing.rows import RowChanges, netted
from tvfc_runtime.rows.updates import DIFF

COLUMNS = ("double", "string", "struct")


def draw(source: random.Random) -> tuple[Any, ...]:
    values = [source.choice([None, *KINDS[kind][1][:4]]) for kind in COLUMNS]
    return (*values, source.randrange(2))


def record_batch(updates: list[tuple[tuple[Any, ...], int]]) -> pa.RecordBatch:
    hashes = [hash(frozen(row[:-1])) % 50 * 2**56 for row, _ in updates]
    columns = {"h": pa.array(hashes, pa.int64())}
    for place, kind in enumerate(COLUMNS):
        columns[f"c{place}"] = pa.array([row[place] for row, _ in updates], KINDS[kind][0])
    columns["__leg"] = pa.array([row[-1] for row, _ in updates], pa.int32())
    columns[DIFF] = pa.array([diff for _, diff in updates], pa.int64())
    return pa.RecordBatch.from_pydict(columns)


def often(rule: str, rows: int, others: int) -> int:
    match rule:
        case "distinct":
            return int(rows > 0)
        case "intersect":
            return int(rows > 0 and others > 0)
        case "intersect_all":
            return min(rows, others)
        case "except":
            return int(rows > 0 and others == 0)
        case "except_all":
            return max(rows - others, 0)
        case "anti":
            return rows if others == 0 else 0
        case _:
            return rows if others > 0 else 0


def expected(rule: str, rows: list[Any]) -> Counter[Any]:
    counts = [Counter(frozen(row[:-1]) for row in rows if row[-1] == n) for n in (0, 1)]
    keys = {*counts[0], *counts[1]}
    return +Counter({row: often(rule, counts[0][row], counts[1][row]) for row in keys})


@pytest.mark.parametrize("rule", RULES)
def test_updates_add_up_to_what_the_rule_says(rule: str) -> None:
    live, store, result = Live(7, draw), MemoryStore(), Sum()
    for size in (1, 50, 5, 200, 1, 100):
        steps = live.steps(size)
        parts = [timed((step.at, record_batch(step.updates)) for step in steps)]
        parts = [parts[0].slice(0, 3), parts[0].slice(3)]
        changes = [netted(by_leg(part), COUNTS) for part in parts]
        table = RowTable(rule, ("c0", "c1", "c2"), store, most=4)
        for batch in table.apply(RowChanges(COUNTS).combine(changes)):
            result.add(batch)
        for step in steps:
            assert result.rows(step.at) == expected(rule, step.rows)
    back = timed([(live.clock + 1, record_batch([(row, -1) for row in live.rows]))])
    table = RowTable(rule, ("c0", "c1", "c2"), store, most=4)
    for batch in table.apply(netted(by_leg(back), COUNTS)):
        result.add(batch)
    assert table.rows == 0
    assert not result.rows()
    assert not store.texts


def test_rows_that_cancel_out_within_a_batch_are_not_sent() -> None:
    row = (0.0, "a", None, 0)
    found = netted(by_leg(record_batch([(row, 2), ((-0.0, *row[1:]), -2)])), COUNTS)
    assert found.num_rows == 0
