"""Matches found batch by batch against an enumeration of all ways over all rows at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from patterns.by_hand import Condition, Enumeration, Row, TooManyError, matches
from pyspark.sql.types import BooleanType, LongType

from tvfc_runtime.pattern import spec
from tvfc_runtime.pattern.step import Column, Matcher
from tvfc_runtime.rows import chunks
from tvfc_runtime.rows.intervals import FOREVER

NAMES = "ABC"

THOROUGH = pytest.mark.thorough

VALUE = spec.Pick("value")


def _is(rows: Sequence[Row], start: int, names: list[str], shift: int = 0) -> int | None:
    place = start + len(names) - 1 + shift
    return rows[place].value if 0 <= place < len(rows) else None


def _values(rows: Sequence[Row], start: int, names: list[str], of: str) -> list[int | None]:
    return [rows[start + n].value for n, name in enumerate(names) if name in of]


def _less(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and one < other


def _mean(values: list[int | None]) -> float | None:
    known = [each for each in values if each is not None]
    return sum(known) / len(known) if known else None


def equal(number: int) -> tuple[spec.Expression, Condition]:
    """`x = number`, which is a column of the rows."""
    pick = spec.Pick(f"is_{number}")
    return pick, lambda rows, start, names: _is(rows, start, names) == number


def falls() -> tuple[spec.Expression, Condition]:
    """`x < PREV(x)`."""
    term = spec.Apply("<", (VALUE, spec.Pick("value", shift=-1)))
    return term, lambda rows, start, names: _less(
        _is(rows, start, names), _is(rows, start, names, -1)
    )


def rises_next() -> tuple[spec.Expression, Condition]:
    """`x < NEXT(x)`."""
    term = spec.Apply("<", (VALUE, spec.Pick("value", shift=1)))
    return term, lambda rows, start, names: _less(
        _is(rows, start, names), _is(rows, start, names, 1)
    )


def above_first() -> tuple[spec.Expression, Condition]:
    """`FIRST(x) < x OR x = 0`, of all rows of the match."""
    term = spec.Apply(
        "or", (spec.Apply("<", (spec.Pick("value", first=True), VALUE)), spec.Pick("is_0"))
    )
    return (
        term,
        lambda rows, start, names: (
            _less(rows[start].value, _is(rows, start, names)) or _is(rows, start, names) == 0
        ),
    )


def above_last_of(of: str) -> tuple[spec.Expression, Condition]:
    """`LAST(A.x) <= x`, or there is no A and `x = x`."""
    last = spec.Pick("value", of=(of,))
    none = spec.Apply("and", (spec.Apply("is null", (last,)), spec.Apply("=", (VALUE, VALUE))))
    term = spec.Apply("or", (none, spec.Apply("<=", (last, VALUE))))

    def condition(rows: Sequence[Row], start: int, names: list[str]) -> bool:
        values, value = _values(rows, start, names, of), _is(rows, start, names)
        if value is None:
            return False
        return not values or values[-1] is None or values[-1] <= value

    return term, condition


def below_mean_of(of: str) -> tuple[spec.Expression, Condition]:
    """`x <= avg(A.x)`, as NOT (avg(A.x) < x)."""
    mean = spec.Fold("avg", "value", of=(of,))
    term = spec.Apply("not", (spec.Apply("<", (mean, VALUE)),))

    def condition(rows: Sequence[Row], start: int, names: list[str]) -> bool:
        found, value = _mean(_values(rows, start, names, of)), _is(rows, start, names)
        return found is not None and value is not None and not found < value

    return term, condition


def known() -> tuple[spec.Expression, Condition]:
    """`x = x`."""
    term = spec.Apply("=", (VALUE, VALUE))
    return term, lambda rows, start, names: _is(rows, start, names) is not None


def condition_of(chance: Random) -> tuple[spec.Expression, Condition]:
    """A condition, a simple one more often than not."""
    ways: list[Callable[[], tuple[spec.Expression, Condition]]] = [
        known,
        lambda: equal(chance.randrange(3)),
        falls,
        rises_next,
        above_first,
        lambda: above_last_of(chance.choice(NAMES)),
        lambda: below_mean_of(chance.choice(NAMES)),
    ]
    return chance.choices(ways, weights=[2, 3, 1, 1, 1, 2, 2])[0]()


def pattern_of(chance: Random, leaves: int) -> spec.Pattern:
    """A pattern with so many places for variables."""
    if leaves == 1 and chance.random() < 0.6:
        return chance.choice(NAMES)
    kind = chance.choices(["sequence", "choice", "repeat", "excluded"], [5, 2, 4, 1])[0]
    if kind in ("sequence", "choice") and leaves > 1:
        first = chance.randrange(1, leaves)
        parts = (pattern_of(chance, first), pattern_of(chance, leaves - first))
        return spec.Sequence(parts) if kind == "sequence" else spec.Choice(parts)
    if kind == "excluded":
        return spec.Excluded(pattern_of(chance, leaves))
    least = chance.choice([0, 0, 1, 1, 2])
    most = chance.choice([None, None, least + chance.randrange(3)])
    part = pattern_of(chance, leaves) if leaves > 1 else chance.choice(NAMES)
    return spec.Repeat(part, least, most, greedy=chance.random() < 0.6)


@dataclass(frozen=True)
class Trial:
    """What is looked for, and the rows by key."""

    matching: spec.Matching
    conditions: dict[str, Condition]
    rows: dict[int, list[Row]]


MEASURES: dict[str, spec.Measure] = {
    "number": spec.MatchNumber(),
    "variable": spec.Classifier(),
    "first": spec.Pick("value", first=True),
    "last_a": spec.Pick("value", of=("A",)),
    "second_ab": spec.Pick("value", of=("A", "B"), first=True, offset=1),
    "count": spec.Fold("count"),
    "sum_b": spec.Fold("sum", "value", of=("B",)),
    "most": spec.Fold("max", "value", final=True),
}

SECOND = 1_000_000


def trial_of(chance: Random) -> Trial:
    """A pattern, conditions, and rows of two keys in order of time."""
    defined = {name: condition_of(chance) for name in NAMES}
    rows: dict[int, list[Row]] = {0: [], 1: []}
    clocks = [0, 0]
    for _ in range(chance.randrange(4, 16)):
        key = chance.choice([0, 0, 0, 1])
        clocks[key] += chance.choice([1, 1, 2])
        value = chance.choice([0, 0, 1, 1, 2, 3, None])
        rows[key].append(Row(clocks[key] * SECOND, value))
    within = chance.choice([None, None, 2, 3, 5])
    matching = spec.Matching(
        order=("time",),
        pattern=pattern_of(chance, chance.randrange(2, 6)),
        define={name: each for name, (each, _) in defined.items()},
        measures=MEASURES,
        output=("key", "time"),
        all_rows=chance.random() < 0.5,
        skip=chance.choice(["past last", "to next"]),
        omit_empty=chance.random() < 0.5,
        within_us=None if within is None else within * SECOND,
    )
    return Trial(matching, {name: each for name, (_, each) in defined.items()}, rows)


COLUMNS = {
    "key": Column(0, LongType()),
    "time": Column(1, LongType()),
    "value": Column(2, LongType()),
    **{f"is_{n}": Column(3 + n, BooleanType()) for n in range(3)},
}
KINDS = [pa.int64(), pa.string(), *[pa.int64()] * 6]


def batch_of(rows: list[tuple[int, Row]], within: int | None) -> pa.RecordBatch:
    keys = np.array([key for key, _ in rows], dtype=np.int64)
    times = np.array([row.time for _, row in rows], dtype=np.int64)
    values = [row.value for _, row in rows]
    ends = np.full(len(rows), FOREVER) if within is None else (times + within) // 1000
    equals = {
        f"c{3 + n}": pa.array([None if v is None else v == n for v in values], pa.bool_())
        for n in range(3)
    }
    return pa.RecordBatch.from_pydict(
        {
            "c0": keys,
            "c1": times,
            "c2": pa.array(values, pa.int64()),
            **equals,
            "key": keys,
            "other_key": keys,
            "time": times,
            "ends": ends,
            "order_0": times,
            "tie": np.zeros(len(rows), dtype=np.int64),
        }
    )


def streamed(trial: Trial, cuts: list[int]) -> list[tuple[object, ...]]:
    """What comes out batch by batch; the clock passes the rows of each, state goes by the store."""
    matching = trial.matching
    matcher = Matcher(matching, COLUMNS, KINDS, ((False, True),))
    rows = sorted(
        ((key, row) for key, some in trial.rows.items() for row in some),
        key=lambda each: (each[1].time, each[0]),
    )
    kept: pa.RecordBatch | None = None
    found: list[tuple[object, ...]] = []
    edges = sorted({*cuts, (rows[-1][1].time // SECOND + 1) if rows else 1})
    before = -1
    for edge in edges:
        new = [each for each in rows if before <= each[1].time // SECOND < edge]
        before = edge
        for part in (batch_of(new, matching.within_us) if new else None, None):
            stepped = matcher.step(kept, part, edge * 1000)
            if stepped is None:
                continue
            for leaving in stepped.leaving:
                found += zip(*(column.to_pylist() for column in leaving.columns), strict=True)
            text = chunks.to_text(chunks.encode(stepped.kept))
            (kept,) = chunks.decode_text(text)
            kept = kept if kept.num_rows else None
            assert stepped.next_time is None or stepped.next_time > edge * 1000
    return found


def at_once(trial: Trial) -> list[tuple[object, ...]]:
    """The same by enumeration; no match begins with the last row, which makes nothing true."""
    matching = trial.matching
    found: list[tuple[object, ...]] = []
    for key, rows in trial.rows.items():
        ways = Enumeration(rows, trial.conditions, matching.within_us)
        all_of_them = matches(matching.pattern, ways, matching.skip, matching.skip_to)
        for number, (start, way) in enumerate(all_of_them, 1):
            found += [
                (key, rows[place].time, number, *_measures(rows, start, way, last))
                for place, last in _leaving(matching, start, way)
            ]
    return found


def _leaving(
    matching: spec.Matching, start: int, way: tuple[tuple[str, bool], ...]
) -> list[tuple[int, int]]:
    if not way:
        return [] if matching.omit_empty else [(start, -1)]
    if not matching.all_rows:
        return [(start + len(way) - 1, len(way) - 1)]
    return [(start + n, n) for n, (_, excluded) in enumerate(way) if not excluded]


def _measures(
    rows: list[Row], start: int, way: tuple[tuple[str, bool], ...], last: int
) -> tuple[object, ...]:
    names = [name for name, _ in way]
    so_far = [(name, rows[start + n].value) for n, name in enumerate(names[: last + 1])]
    a = [value for name, value in so_far if name == "A"]
    a_or_b = [value for name, value in so_far if name in "AB"]
    b = [value for name, value in so_far if name == "B" and value is not None]
    everything = [rows[start + n].value for n in range(len(names))]
    return (
        names[last] if names else None,
        so_far[0][1] if so_far else None,
        a[-1] if a else None,
        a_or_b[1] if len(a_or_b) > 1 else None,
        len(so_far),
        sum(b) if b else None,
        max((each for each in everything if each is not None), default=None),
    )


def ended(trial: Trial) -> Trial:
    """The same with a row at the end of each key that makes no condition true, long after."""
    last = max((row.time for rows in trial.rows.values() for row in rows), default=0)
    end = Row(last + 10 * SECOND, None)
    rows = {key: [*some, end] for key, some in trial.rows.items()}
    return Trial(trial.matching, trial.conditions, rows)


def real(found: list[tuple[object, ...]], trial: Trial) -> list[tuple[object, ...]]:
    """Without what begins with the row at the end."""
    end = trial.rows[0][-1].time
    return [each for each in found if each[1] != end]


def compared(seed: int) -> int:
    """How many rows a trial gives, all at once and cut by chance as by enumeration."""
    chance = Random(seed)
    trial = ended(trial_of(chance))
    try:
        expected = real(at_once(trial), trial)
    except TooManyError:
        return 0
    some = sorted(chance.sample(range(40), chance.randrange(12)))
    for cuts in ([], some, list(range(40))):
        found = real(streamed(trial, cuts), trial)
        assert sorted(found, key=repr) == sorted(expected, key=repr), (seed, cuts, trial)
    return len(expected)


TRIALS = 40


@pytest.mark.slow
@pytest.mark.parametrize("part", [0, *(pytest.param(n, marks=THOROUGH) for n in range(1, 50))])
def test_matches_are_those_of_an_enumeration(part: int) -> None:
    rows = [compared(seed) for seed in range(part * TRIALS, (part + 1) * TRIALS)]
    # Trials without matches show little, and those with one row not much.
    assert sum(each > 0 for each in rows) > TRIALS // 3
    assert sum(rows) > TRIALS
