"""The operator with its state in a list: what it keeps, when it wakes, and how it fails."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from patterns.by_hand import Row
from patterns.test_matches import COLUMNS, SECOND, batch_of, equal
from pyspark.sql.streaming.stateful_processor import TimerValues
from pyspark.sql.types import DoubleType, FloatType

from tvfc_runtime.pattern import spec
from tvfc_runtime.pattern.kinds import FailedMatchError, NotComputedError
from tvfc_runtime.pattern.operator import MatchOperator
from tvfc_runtime.pattern.step import Column, Matcher
from tvfc_runtime.queue.released import AsRows
from tvfc_runtime.reports.reasons import FAILURES, reason
from tvfc_runtime.rows import chunks

VALUE = spec.Pick("value")
IN_ORDER = ((False, True),)


@dataclass
class Store:
    """A list state and the timers of one key."""

    values: list[tuple[str]] = field(default_factory=list)
    timers: list[int] = field(default_factory=list)

    def get(self) -> list[tuple[str]]:
        return self.values

    def put(self, values: list[tuple[str]]) -> None:
        self.values = values

    def clear(self) -> None:
        self.values = []

    def registerTimer(self, expiry: int) -> None:  # noqa: N802
        self.timers.append(expiry)


def operator_of(define: dict[str, spec.Expression], store: Store, **more: Any) -> MatchOperator:
    matching = spec.Matching(
        order=("time",),
        pattern=spec.Sequence(("A", spec.Repeat("B", 1))),
        define=define,
        measures={"count": spec.Fold("count")},
        output=("key",),
        **more,
    )
    found = MatchOperator(matching, COLUMNS, [pa.int64()], IN_ORDER, AsRows(2))
    found.open(store, store)  # type: ignore[arg-type]
    return found


def rows_of(frames: list[pd.DataFrame]) -> list[tuple[Any, ...]]:
    """Rows that leave, without those that say how many have been taken in."""
    lines = [line for frame in frames for line in frame.itertuples(index=False)]
    return [tuple(line[:2]) for line in lines if pd.isna(line[2])]


def step(
    operator: MatchOperator, values: list[int], now: int, first: int = 0, within: int | None = None
) -> list[tuple[Any, ...]]:
    rows = [(7, Row((first + n) * SECOND, value)) for n, value in enumerate(values)]
    text = chunks.to_text(chunks.encode(batch_of(rows, within)))
    frame = pd.DataFrame({"text": [text]})
    timers = TimerValues(0, now * 1000)
    return rows_of(list(operator.handleInputRows(1, iter([frame]), timers)))


def wake(operator: MatchOperator, now: int) -> list[tuple[Any, ...]]:
    timers = TimerValues(0, now * 1000)
    return rows_of(list(operator.handleExpiredTimer(1, timers, None)))  # type: ignore[arg-type]


def test_a_timer_ends_a_match_and_frees_its_rows() -> None:
    store, within = Store(), 10 * SECOND
    operator = operator_of({"A": equal(0)[0], "B": equal(1)[0]}, store, within_us=within)
    assert step(operator, [0, 1, 1], now=3, within=within) == []
    assert store.timers == [10_000]
    assert wake(operator, now=9) == []
    assert wake(operator, now=10) == [(7, 3)]
    assert store.values == []


def test_rows_that_are_looked_back_at_stay() -> None:
    store = Store()
    rises = spec.Apply(">", (VALUE, spec.Pick("value", shift=-1)))
    operator = operator_of({"A": rises, "B": equal(1)[0]}, store)
    assert step(operator, [5, 4, 3], now=3) == []
    (kept,) = (part for (text,) in store.values for part in chunks.decode_text(text))
    assert kept.column("c2").to_pylist() == [3]
    assert step(operator, [4, 1, 9], now=6, first=3) == [(7, 2)]


@pytest.mark.parametrize(
    ("condition", "values", "code"),
    [
        (spec.Apply("<", (spec.Pick("value", of=("A",)), VALUE)), [], "TVF718"),
        (spec.Apply("=", (spec.Apply("*", (VALUE, VALUE)), VALUE)), [0, 1 << 62], "TVF720"),
        (spec.Apply("<", (spec.Apply("/", (VALUE, VALUE)), VALUE)), [0, 0], "TVF720"),
        (spec.Apply("<", (spec.Fold("sum", "value"), VALUE)), [(1 << 63) - 1, 1], "TVF720"),
    ],
)
def test_why_a_job_ends(condition: spec.Expression, values: list[int], code: str) -> None:
    if code == "TVF718":
        columns = {**COLUMNS, "value": Column(2, FloatType())}
        matching = spec.Matching(order=("time",), pattern="A", define={"A": condition})
        with pytest.raises(NotComputedError, match="CAST"):
            Matcher(matching, columns, [], IN_ORDER)
        Matcher(matching, {**columns, "value": Column(2, DoubleType())}, [], IN_ORDER)
        return
    operator = operator_of({"B": condition}, Store())
    with pytest.raises(FailedMatchError, match=code) as caught:
        step(operator, values, now=len(values))
    assert isinstance(caught.value, FAILURES)
    assert reason(caught.value).startswith(code)
