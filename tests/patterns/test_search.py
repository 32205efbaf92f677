"""Where matches are looked for and how long that takes, over rows of one key."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest
from patterns.by_hand import Row
from patterns.test_matches import COLUMNS, NAMES, SECOND, VALUE, batch_of, equal, known

from tvfc_runtime.pattern import search, spec
from tvfc_runtime.pattern.search import TooManyStepsError
from tvfc_runtime.pattern.step import Matcher


def run_of(
    pattern: spec.Pattern, values: Sequence[int | None], **more: object
) -> list[tuple[object, ...]]:
    """The matches over rows of one key, a second apart; A, B and C are 0, 1 and 2."""
    define = {name: equal(n)[0] for n, name in enumerate(NAMES)}
    matching = spec.Matching(
        **{
            "order": ("time",),
            "pattern": pattern,
            "define": define,
            "measures": {"count": spec.Fold("count"), "last": spec.Pick("value")},
            "output": ("key",),
            **more,
        }  # type: ignore[arg-type]
    )
    matcher = Matcher(matching, COLUMNS, [pa.int64(), pa.int64()], ((False, True),))
    rows = [(0, Row(n * SECOND, value)) for n, value in enumerate(values)]
    stepped = matcher.step(None, batch_of(rows, matching.within_us), len(rows) * 1000)
    assert stepped is not None
    return [
        row
        for leaving in stepped.leaving
        for row in zip(*(column.to_pylist() for column in leaving.columns), strict=True)
    ]


MANY = 100_000


@pytest.mark.slow
def test_a_loop_over_many_rows_is_no_recursion() -> None:
    loop = spec.Sequence((spec.Repeat(spec.Choice(("A", "B")), 0), "C"))
    assert run_of(loop, [n % 2 for n in range(MANY)] + [2]) == [(0, MANY + 1, 2)]


def test_ways_that_have_failed_are_not_gone_again() -> None:
    """A+ A+ A+ C over many A: all ways to cut them would be their number to the third power."""
    plus = spec.Repeat("A", 1)
    pattern = spec.Sequence((plus, plus, plus, "C"))
    assert run_of(pattern, [0] * 3_000 + [1]) == []


def test_ways_are_told_apart_by_what_conditions_read() -> None:
    """A way that has failed with `A C` is gone again with `B C`, as C reads the row of B."""
    last_b = spec.Apply("<=", (spec.Pick("value", of=("B",)), VALUE))
    pattern = spec.Sequence((spec.Choice(("A", "B")), "C"))
    assert run_of(pattern, [0, 1], define={"C": last_b}) == [(0, 2, 1)]
    # And one that has failed from the first row is gone again from the second.
    above = spec.Apply("<", (spec.Pick("value", first=True), VALUE))
    pattern = spec.Sequence((spec.Repeat("A", 1), "C"))
    define = {"A": known()[0], "C": above}
    assert run_of(pattern, [2, 1, 2, None], define=define) == [(0, 2, 2)]


def test_a_pattern_with_too_many_ways_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which of the rows is the last A decides, so that failures cannot be remembered."""
    never = spec.Apply(
        "and", (spec.Pick("is_0"), spec.Apply("<", (spec.Pick("value", of=("A",)), VALUE)))
    )
    a, b = spec.Repeat("A", 1), spec.Repeat("B", 1)
    pattern = spec.Sequence((spec.Repeat(spec.Choice(("A", spec.Sequence((a, "A")))), 1), b))
    # The whole number takes seconds.
    monkeypatch.setattr(search, "STEPS", search.STEPS // 20)
    with pytest.raises(TooManyStepsError):
        run_of(pattern, [0] * 60 + [2], define={"A": spec.Pick("is_0"), "B": never})


@pytest.mark.parametrize(
    ("skip", "skip_to", "counts"),
    [
        ("past last", (), [4, 2]),
        ("to next", (), [4, 3, 2, 2]),
        ("first", ("B",), [4, 2]),
        ("last", ("A",), [4, 3]),
    ],
)
def test_where_the_next_match_begins(
    skip: str, skip_to: tuple[str, ...], counts: list[int]
) -> None:
    pattern = spec.Sequence((spec.Repeat("A", 2 if skip == "last" else 1), "B"))
    values = [0, 0, 0, 1, 0, 1, 2] if skip != "last" else [0, 0, 0, 1, 0, 0, 1, 2]
    found = run_of(pattern, values, skip=skip, skip_to=skip_to)
    assert [row[1] for row in found] == counts
