"""The operator below window functions, against a count by hand, in batches of any cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from tvfc_runtime.over.frames import NARROW, Reach, codes_of, number, sort_keys
from tvfc_runtime.over.operator import parsed
from tvfc_runtime.over.step import Rules, Step, joined
from tvfc_runtime.rows.intervals import FOREVER

Row = tuple[int, int, int]
"""Key, time, and a number that no other row has."""


@dataclass(frozen=True)
class Looks:
    """How far frames look: in rows, and in time."""

    before: int | None
    after: int
    back: int | None
    ahead: int
    last: int = 0


def is_marked(number: int) -> bool:
    """Some rows have what frames look back for."""
    return number % 3 == 1


def batch_of(rows: list[Row], looks: Looks) -> pa.RecordBatch:
    times = np.array([time for _, time, _ in rows], dtype=np.int64)
    keys = np.array([key for key, _, _ in rows], dtype=np.int64)
    until = times + 1 + looks.back if looks.back is not None else np.zeros_like(times)
    return pa.RecordBatch.from_pydict(
        {
            "id": pa.array([each for _, _, each in rows], pa.int64()),
            "closes": times + 1,
            "complete": times + 1 + looks.ahead,
            "tie": np.array([each for _, _, each in rows], dtype=np.int64),
            "key_0": keys,
            "other_key_0": keys,
            "until_0": until,
            "marked_0": pa.array([is_marked(each) for _, _, each in rows], pa.bool_()),
            "order_0_0": times,
        }
    )


def frame_of(row: Row, rows: list[Row], looks: Looks) -> set[int]:
    """The rows that a frame of a row holds, among the rows of all time."""
    mine = sorted((time, each) for key, time, each in rows if key == row[0])
    place = mine.index((row[1], row[2]))
    start = 0 if looks.before is None else max(place - looks.before, 0)
    found = {each for _, each in mine[start : place + looks.after + 1]}
    if looks.back is not None:
        found |= {e for time, e in mine if row[1] - looks.back <= time <= row[1] + looks.ahead}
    if looks.last:
        found |= set([each for _, each in mine[: place + 1] if is_marked(each)][-looks.last :])
    return found


def follows(row: Row, rows: list[Row], now: int, looks: Looks) -> bool:
    """Whether the rows that follow a row within its frame are closed, and all by time."""
    mine = sorted((time, each) for key, time, each in rows if key == row[0] and time < now)
    return row[1] + looks.ahead < now and mine.index((row[1], row[2])) + looks.after < len(mine)


@settings(max_examples=200, deadline=None)
@given(
    cells=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30)), max_size=30),
    moves=st.lists(st.integers(1, 15), min_size=1, max_size=6),
    before=st.sampled_from([None, 0, 1, 3]),
    after=st.integers(0, 2),
    back=st.sampled_from([None, 0, 4]),
    ahead=st.sampled_from([0, 5]),
    last=st.integers(0, 2),
)
def test_rows_leave_once_with_all_that_they_look_at(
    cells: list[tuple[int, int]],
    moves: list[int],
    before: int | None,
    after: int,
    back: int | None,
    ahead: int,
    last: int,
) -> None:
    looks = Looks(before, after, back if back is not None or not ahead else 0, ahead, last)
    rules = (Rules(Reach(before, after, looks.back is not None, last), ((False, True),)),)
    rows = [(key, time, each) for each, (key, time) in enumerate(cells)]
    state: pa.RecordBatch | None = None
    left: set[int] = set()
    closed = now = 0
    for move in moves:
        now += move
        new = [row for row in rows if closed <= row[1] < now]
        closed = now
        all_of_them = joined(state, batch_of(new, looks) if new else None, rules)
        if all_of_them is None:
            continue
        step = Step(all_of_them, rules, now)
        out = [part.to_pylist() for part in step.emitted(("id", "emit", "row_number_0"))]
        given_out = {each["id"]: each for part in out for each in part}
        for row in (row for row in rows if given_out.get(row[2], {}).get("emit")):
            assert row[2] not in left
            left.add(row[2])
            assert frame_of(row, [r for r in rows if r[1] < now], looks) <= set(given_out)
            mine = sorted((time, each) for key, time, each in rows if key == row[0])
            place = mine.index((row[1], row[2]))
            assert given_out[row[2]]["row_number_0"] == place + 1
        state = step.kept()
    wanted = {r[2] for r in rows if r[1] < now and follows(r, rows, now, looks)}
    assert left == wanted


def test_what_nothing_looks_at_is_forgotten() -> None:
    looks = Looks(before=1, after=0, back=None, ahead=0)
    rules = (Rules(Reach(1, 0, by_time=False), ((False, True),)),)
    rows = [(0, time, time) for time in range(100)]
    step = Step(joined(None, batch_of(rows, looks), rules) or pa.RecordBatch(), rules, 200)
    assert step.kept().num_rows == 1
    assert step.next_time is None


def test_of_marked_rows_the_last_ones_stay() -> None:
    looks = Looks(before=0, after=0, back=None, ahead=0, last=2)
    rules = (Rules(Reach(0, 0, by_time=False, last=2), ((False, True),)),)
    rows = [(key, time, 10 * time + key) for time in range(100) for key in (0, 1)]
    step = Step(joined(None, batch_of(rows, looks), rules) or pa.RecordBatch(), rules, 200)
    marked = [each for _, _, each in rows if is_marked(each)]
    last = {key: [each for each in marked if each % 10 == key][-2:] for key in (0, 1)}
    # The last row of each partition counts its rows.
    assert set(step.kept()["id"].to_pylist()) == {*last[0], *last[1], 990, 991}


def test_a_row_wakes_its_shard_when_what_it_looks_at_is_closed() -> None:
    looks = Looks(before=0, after=0, back=0, ahead=50)
    rules = (Rules(Reach(0, 0, by_time=True), ((False, True),)),)
    batch = joined(None, batch_of([(0, 7, 1), (0, 9, 2)], looks), rules)
    assert batch is not None
    assert Step(batch, rules, 20).next_time == 58


def test_ranks_after_a_gap() -> None:
    known = (np.array([4, 4, 4]), np.array([2, 2, 2]))
    codes, order, tie = np.zeros(3), np.array([1, 1, 2]), np.arange(3)
    found = number(codes, [order], tie, known)
    assert found.row_number.tolist() == [5, 6, 7]
    assert found.rank.tolist() == [5, 5, 7]
    assert found.dense_rank.tolist() == [3, 3, 4]


def test_keys_sort_as_spark_does() -> None:
    values = pa.array([1.5, None, float("nan"), -2.0])
    keys = sort_keys(values, descending=False, nulls_first=True)
    assert np.lexsort(keys[::-1]).tolist() == [1, 3, 0, 2]
    keys = sort_keys(values, descending=True, nulls_first=False)
    assert np.lexsort(keys[::-1]).tolist() == [2, 0, 3, 1]
    words = pa.array(["b", None, "a"])
    keys = sort_keys(words, descending=True, nulls_first=True)
    assert np.lexsort(keys[::-1]).tolist() == [1, 0, 2]


def test_sort_keys_are_read_as_written() -> None:
    assert parsed("ts") == ("ts", False, True)
    assert parsed("a + b DESC") == ("a + b", True, False)
    assert parsed("a ASC NULLS LAST") == ("a", False, False)
    assert parsed("a desc nulls first") == ("a", True, True)
    assert FOREVER > 1 << 62


@given(cells=st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2)), min_size=1, max_size=40))
def test_rows_have_one_code_where_both_keys_agree(cells: list[tuple[int, int]]) -> None:
    keys = [np.array(each, dtype=np.int64) for each in zip(*cells, strict=True)]
    codes = codes_of(keys)
    pairs = set(zip(cells, codes.tolist(), strict=True))
    assert len(pairs) == len(set(cells)) == len(set(codes.tolist()))


def test_more_partitions_than_narrow_codes_have_room_for() -> None:
    keys = [np.arange(NARROW + 1) % 3, np.arange(NARROW + 1)]
    assert len(set(codes_of(keys).tolist())) == NARROW + 1
