"""By how much a due time moves, from what descriptions say of it."""

from __future__ import annotations

import pytest

from commands.upgrading.conversion import bound_moved_by

AT = "at ts + interval 5 second"


@pytest.mark.parametrize(
    ("was", "now", "ms"),
    [
        (AT, AT, 0),
        (AT, "at ts + interval 7 second", 2_000),
        (AT, "at ts - interval 1 minute", -65_000),
        (AT, "at ts", -5_000),
        (AT, "at ts + interval 1 hour + interval 500 millisecond", 3_595_500),
        (AT, "after ts + interval 5 second", None),
        (AT, "at seen + interval 5 second", None),
        # A day has 23 hours somewhere, a month has 28 days.
        (AT, "at ts + interval 1 day", None),
        (AT, "at ts + interval 25 hour", None),
        (AT, "at ts + interval 1 month", None),
        (f"{AT} if (a)", "at ts + interval 6 second if (a)", 1_000),
        (f"{AT} if (a)", "at ts + interval 6 second if (b)", None),
        ("at f(ts + interval 5 second)", "at f(ts + interval 6 second)", None),
        ("at ts if (x + interval 5 second)", "at ts if (x + interval 6 second)", None),
    ],
)
def test_a_bound(was: str, now: str, ms: int | None) -> None:
    assert bound_moved_by(was, now) == ms
