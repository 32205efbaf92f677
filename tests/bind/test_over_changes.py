"""Window functions and subqueries as values, of rows that come and go: what becomes of them."""

from __future__ import annotations

import pytest
from compiled import faults_of, plan_of

STREAMS = """CREATE SOURCE a (id INT, k STRING, v INT) USING rate;
CREATE SOURCE b (id INT, k STRING, w INT) USING rate;
"""


def steps(query: str, kind: str) -> list[str]:
    """The nodes of a plan whose text begins so, from the result down."""
    lines = (each.strip() for each in plan_of(query, STREAMS))
    return [each for each in lines if each.startswith(f"{kind} ")]


@pytest.mark.parametrize(
    ("windows", "number"),
    [
        ("sum(v) OVER (PARTITION BY k ORDER BY id), lag(v) OVER (PARTITION BY k ORDER BY id)", 1),
        ("sum(v) OVER (PARTITION BY k), lag(v) OVER (PARTITION BY k ORDER BY id)", 1),
        ("sum(v) OVER (PARTITION BY k ORDER BY v), lag(v) OVER (PARTITION BY k ORDER BY id)", 2),
        ("sum(v) OVER (PARTITION BY k), sum(v) OVER ()", 2),
        ("sum(v) OVER w, max(v) OVER (PARTITION BY k ORDER BY id ROWS 2 PRECEDING)", 1),
    ],
)
def test_functions_of_one_partition_and_order_share_a_step(windows: str, number: int) -> None:
    found = steps(
        f"SELECT {windows} FROM a WINDOW w AS (PARTITION BY k ORDER BY id);", "OverChanges"
    )
    assert len(found) == number


def test_a_numbering_with_a_limit_keeps_the_first_rows_alone() -> None:
    numbered = "SELECT id FROM a QUALIFY row_number() OVER (PARTITION BY k ORDER BY v) {};"
    assert steps(numbered.format("<= 3"), "OverChanges") == []
    assert steps(numbered.format("<= 3"), "Top") == ["Top first 3 of k by v"]
    assert len(steps(numbered.format("> 3"), "OverChanges")) == 1


def test_a_value_is_worked_out_once_for_all_who_ask() -> None:
    query = "SELECT id FROM a WHERE v > (SELECT avg(w) FROM b WHERE b.k = a.k AND b.id > 3);"
    assert steps(query, "Paired") == ["Paired left on k = key"]
    assert steps(query, "Totals") == ["Totals avg_1 = avg(w) by k"]
    assert "Filter b.id > 3" in steps(query, "Filter")


def test_a_total_of_everything_needs_no_key() -> None:
    query = "SELECT id FROM a WHERE v > (SELECT max(w) FROM b);"
    assert steps(query, "Paired") == ["Paired inner"]
    assert [each for each in faults_of(query, STREAMS) if "W" not in each.code] == []


def test_how_many_rows_there_are_is_no_change_of_whether_there_are_any() -> None:
    query = "SELECT id FROM a WHERE v = 1 OR EXISTS (SELECT 1 FROM b WHERE b.k = a.k);"
    (projected,) = (each for each in steps(query, "Project") if "is_there" in each and ">" in each)
    assert projected == "Project key, number > 0 AS is_there"
