"""INTERSECT and EXCEPT under EMIT ON WINDOW CLOSE: what closes them, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from compiled import Fault, faults_of, plan_of

WINDOWS = "SELECT window_end, count(*) AS n FROM TUMBLE(orders, ts, INTERVAL 1 MINUTE)"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ts FROM orders INTERSECT SELECT ts FROM orders WHERE a",
        "SELECT id, ts FROM orders EXCEPT SELECT id, ts FROM orders INTERSECT ALL TABLE pairs",
        "SELECT count(*), ts FROM (SELECT ts FROM orders EXCEPT TABLE times) GROUP BY ts",
        f"{WINDOWS} GROUP BY window_end EXCEPT {WINDOWS} WHERE a GROUP BY window_end",
        "SELECT DISTINCT ts FROM orders INTERSECT SELECT ts FROM orders GROUP BY id, ts",
    ],
)
def test_what_closes(query: str) -> None:
    views = (
        "CREATE VIEW pairs AS SELECT id, ts FROM orders;CREATE VIEW times AS SELECT ts FROM orders;"
    )
    assert faults_of(f"{views} {query} EMIT ON WINDOW CLOSE;") == []


def test_each_side_is_told_by_a_number_of_its_own() -> None:
    plan = plan_of(
        "SELECT id, ts FROM orders EXCEPT SELECT id, ts FROM orders EMIT ON WINDOW CLOSE;"
    )
    assert plan[0] == "Aggregate id, ts by id, ts having count_if(__side = 2) = 0, closes after ts"
    assert [line[-1] for line in plan if line.startswith("Project id, ts, ")] == ["1", "2"]


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("SELECT id FROM orders EXCEPT SELECT id FROM orders",
         Fault("TVF302", "SELECT id FROM orders EXCEPT SELECT id FROM orders")),
        # A time of another row: the same value may come on the right side long after.
        ("SELECT id, ts FROM orders EXCEPT SELECT id, place.at FROM orders",
         Fault("TVF302", "SELECT id, ts FROM orders EXCEPT SELECT id, place.at FROM orders")),
        ("SELECT ts, ts FROM orders EXCEPT SELECT ts, ts FROM orders",
         Fault("TVF203", "SELECT ts, ts FROM orders EXCEPT SELECT ts, ts FROM orders")),
        ("SELECT ts FROM orders WHERE ts + INTERVAL 1 HOUR > WATERMARK_TS() EXCEPT TABLE orders",
         Fault("TVF308", "ts + INTERVAL 1 HOUR > WATERMARK_TS()")),
        ("SELECT id, ts FROM orders EXCEPT SELECT id, id FROM items",
         Fault("TVF501", "SELECT id, id FROM items")),
        ("SELECT id, ts FROM orders WHERE ts + id * INTERVAL 1 HOUR <= WATERMARK_TS()"
         " INTERSECT SELECT id, ts FROM orders",
         Fault("TVF309", "SELECT id, ts FROM orders WHERE ts + id * INTERVAL 1 HOUR <= "
               "WATERMARK_TS() INTERSECT SELECT id, ts FROM orders")),
    ],
)  # fmt: skip
def test_what_never_closes(query: str, fault: Fault) -> None:
    found = faults_of(f"{query} EMIT ON WINDOW CLOSE;")
    assert fault in [
        replace(each, at=each.at.removesuffix(" EMIT ON WINDOW CLOSE")) for each in found
    ]
