"""Multisets of rows, sums of updates, and other cuts of the same steps."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from scenario.compare import Difference, difference, net, same
from scenario.model import Scenario, Step
from scenario.report import Outcome, outcome_lines, summary_line
from scenario.splits import variants


def test_order_and_multiplicity() -> None:
    assert difference([(1,), (2,), (2,)], [(2,), (1,), (2,)]) is None
    assert difference([(1,)], [(1,), (1,)]) == Difference([], [(1,)])
    assert difference([(1,), (3,)], [(2,), (1,)]) == Difference([(3,)], [(2,)])
    assert difference([(1,), (2,)], [(2,), (1,)], ordered=True) == Difference(
        [(1,), (2,)], [(2,), (1,)], order=True
    )


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (0.1 + 0.2, 0.3, True),
        (1.0, 1.001, False),
        (float("nan"), float("nan"), True),
        (Decimal("1.50"), Decimal("1.5"), True),
        (1, 1.0, False),
        (1, True, False),
        ((1, (0.1 + 0.2,)), (1, (0.3,)), True),
        (None, None, True),
    ],
)
def test_same(one: object, other: object, equal: bool) -> None:  # noqa: FBT001
    assert same(one, other) is equal
    assert (difference([(one,)], [(other,)]) is None) is (equal or one == other)


def test_net_adds_up_updates() -> None:
    assert net([(("a",), 1), (("b",), 1), (("a",), -1)]) == ([("b",)], [])
    assert net([(("a",), -1)]) == ([], [("a",)])


def test_other_cuts_keep_the_rows_and_their_order() -> None:
    steps = (
        Step(number=1, rows={"s": [[1], [2]]}),
        Step(number=2, rows={"s": [[3]], "r": [[9]]}, now=5),
        Step(number=3, restart=True),
        Step(number=4, rows={"s": [[4]]}),
    )
    cuts = variants(steps)
    merged = cuts["the rows of consecutive steps merged"]
    assert [(step.rows, step.now, step.restart) for step in merged] == [
        ({"s": [[1], [2], [3]], "r": [[9]]}, 5, False),
        ({}, None, True),
        ({"s": [[4]]}, None, False),
    ]
    single = cuts["one row a step"]
    rows = [{"s": [[1]]}, {"s": [[2]]}, {"s": [[3]]}, {"r": [[9]]}, {}, {}, {"s": [[4]]}]
    assert [step.rows for step in single] == rows
    assert [step.now for step in single] == [None, None, None, None, 5, None, None]
    restarted = cuts["a restart after every step"]
    assert [step.restart for step in restarted] == [False, True, False, True, True, False, True]


def test_report() -> None:
    good = Outcome(title="good", seconds=1.25)
    bad = Outcome(title="bad", seconds=0, faults=("step 1: differs\n    missing  [1]",))
    assert outcome_lines(good) == "ok   good (1.2 s)"
    assert outcome_lines(bad).splitlines() == [
        "FAIL bad (0.0 s)",
        "     step 1: differs",
        "         missing  [1]",
    ]
    assert summary_line([good, bad]) == "1 passed, 1 failed"


def test_where_names_the_place() -> None:
    scenario = Scenario(path=Path("x.yaml"), title="t", query="q")
    assert scenario.where(Step(number=3)) == "x.yaml: `t`, step 3"
