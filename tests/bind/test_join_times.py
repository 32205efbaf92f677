"""Until when rows of a join find partners, and what then closes above it."""

from __future__ import annotations

import ast
import re

import pytest
from compiled import job_of, plan_of

STREAMS = "".join(
    f"CREATE SOURCE {name} (id INT, n INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)"
    " USING json OPTIONS (path 'p');\n"
    for name in "abcd"
)


def shown(code: ast.expr) -> str:
    return ast.unparse(code).replace("tvfc.", "").replace("'", '"')


def untils(on: str) -> tuple[str | None, str | None]:
    """When rows of either side of `a JOIN b ON … on` find no more partners."""
    text = job_of(f"SELECT a.n FROM a JOIN b ON a.id = b.id AND {on};", STREAMS).text
    calls = (each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Call))
    until = {str(k.arg): shown(k.value) for each in calls for k in each.keywords}
    left, right = (until.get(f"{side}_until") for side in ("left", "right"))
    return left, right


FIVE = "timedelta(seconds=5)"


@pytest.mark.parametrize(
    ("on", "left", "right"),
    [
        ("b.ts <= a.ts + INTERVAL 5 SECONDS", f'passed("a.ts", plus={FIVE})', None),
        ("b.ts < a.ts + INTERVAL 5 SECONDS", f'reached("a.ts", plus={FIVE})', None),
        ("a.ts > b.ts - INTERVAL 5 SECONDS", f'reached("a.ts", plus={FIVE})', None),
        ("b.ts >= a.ts", None, 'passed("b.ts")'),
        ("a.ts + INTERVAL 1 SECOND < b.ts", None, 'reached("b.ts", plus=timedelta(seconds=-1))'),
        ("b.ts = a.ts", 'passed("a.ts")', 'passed("b.ts")'),
        (
            "(b.n = 1 AND b.ts < a.ts + INTERVAL 5 SECONDS OR b.ts <= a.ts + INTERVAL 2 SECONDS)",
            f'reached("a.ts", plus={FIVE})',
            None,
        ),
        ("(b.ts < a.ts + INTERVAL 5 SECONDS OR b.n = 1)", None, None),
        (
            "b.ts <= a.ts AND b.ts < a.ts + INTERVAL 5 SECONDS",
            f'earliest(passed("a.ts"), reached("a.ts", plus={FIVE}))',
            None,
        ),
    ],
)
def test_until_when_rows_find_partners(on: str, left: str | None, right: str | None) -> None:
    assert untils(on) == (left, right)


def closings(query: str) -> str:
    """What the clock closes in the rows of the topmost join of a query."""
    text = job_of(query, STREAMS).stages["plan"]
    line = next(each for each in text.splitlines() if re.match(r"\s+Join .*append-only", each))
    return re.split(r"\s{2,}", line.strip())[2]


def test_the_time_of_every_stream_closes_above_joins_in_any_order() -> None:
    joined = (
        "SELECT a.n FROM a JOIN b "
        "ON a.id = b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 5 SECONDS "
    )
    assert closings(f"{joined};") == "after ts + INTERVAL 5 SECONDS, after ts"
    # By the other stream's time: c comes up to 3 seconds after b, thus up to 8 seconds after a.
    by_other = joined + "JOIN c ON a.id = c.id AND c.ts BETWEEN b.ts AND b.ts + INTERVAL 3 SECONDS "
    found = closings(f"{by_other};").split(", ")
    assert found == ["after ts + INTERVAL 8 SECONDS", "after ts + INTERVAL 3 SECONDS", "after ts"]


def test_a_side_that_may_be_left_out_closes_nothing() -> None:
    query = (
        "SELECT a.n FROM a LEFT JOIN b "
        "ON a.id = b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 5 SECONDS"
    )
    assert closings(f"{query} EMIT ON WINDOW CLOSE;") == "after ts + INTERVAL 5 SECONDS"


def test_the_wall_clock_ends_no_search_for_partners() -> None:
    query = "SELECT a.n FROM a JOIN b ON a.id = b.id AND b.ts = a.ts WHERE a.ts <= mz_now();"
    assert "join_in_time" not in job_of(query, STREAMS).text


def test_an_anti_join_behind_another_join_keeps_the_columns_of_both() -> None:
    query = (
        "SELECT a.n, b.n AS m FROM a JOIN b ON a.id = b.id AND b.ts = a.ts "
        "LEFT ANTI JOIN c ON a.id = c.id AND c.ts = b.ts EMIT ON WINDOW CLOSE;"
    )
    assert '.select("a.*", "b.*")' in job_of(query, STREAMS).text
    assert "Join leftanti on a.id = c.id AND c.ts = b.ts" in plan_of(query, STREAMS)
