"""State of each kind of operator, under another number, and made anew of the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from upgrading.cases import AFTER, BEFORE, EVENTS, EXTRA, FIRST_SINK, OUT, events
from upgrading.upgraded import Files, Out, Site, since, sinks, verdicts

from commands.upgrading import compare

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.thorough]

OTHERS = """CREATE SOURCE others (id STRING, ts TIMESTAMP, size INT, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'others', maxFilesPerTrigger '1');
"""
LIVE = "FROM events WHERE ts <= WATERMARK_TS() AND WATERMARK_TS() < ts + INTERVAL 9 SECONDS"
KINDS = {
    "groups of two levels": f"{EVENTS}CREATE VIEW w AS SELECT window_end AS till, price, "
    "count(*) AS n FROM TUMBLE(events, ts, INTERVAL 4 SECONDS) "
    "GROUP BY window_start, window_end, price EMIT ON WINDOW CLOSE;\n"
    f"{OUT}SELECT window_start, sum(n) AS n FROM TUMBLE(w, till, INTERVAL 8 SECONDS) "
    "GROUP BY window_start, window_end EMIT ON WINDOW CLOSE;\n",
    "distinct values": f"{EVENTS}{OUT}SELECT window_end, count(DISTINCT price) AS n "
    "FROM TUMBLE(events, ts, INTERVAL 10 SECONDS) GROUP BY window_start, window_end "
    "EMIT ON WINDOW CLOSE;\n",
    "sessions": f"{EVENTS}{OUT}SELECT price % 2 AS odd, window_start, count(*) AS n FROM "
    "SESSION(events, ts, price, INTERVAL 5 SECONDS) GROUP BY price, window_start, window_end "
    "EMIT ON WINDOW CLOSE;\n",
    "a delay below windows": f"{EVENTS}CREATE VIEW d AS SELECT ts, price FROM events WHERE "
    "ts + INTERVAL 5 SECONDS <= WATERMARK_TS();\n"
    f"{OUT}SELECT window_start, sum(price) AS total FROM TUMBLE(d, ts, INTERVAL 4 SECONDS) "
    "GROUP BY window_start, window_end EMIT ON WINDOW CLOSE;\n",
    "window functions": f"{EVENTS}{OUT}SELECT id, lag(id) OVER w AS last, lead(id) OVER w AS next"
    " FROM events WINDOW w AS (PARTITION BY price % 2 ORDER BY ts) EMIT ON WINDOW CLOSE;\n",
    "a pattern": f"{EVENTS}{OUT}SELECT * FROM events MATCH_RECOGNIZE (ORDER BY ts MEASURES "
    "a.id AS a, b.id AS b PATTERN (a b) WITHIN INTERVAL 1 MINUTE DEFINE a AS price < 4, "
    "b AS price > 2) AS m;\n",
    "fill": f"{EVENTS}{OUT}SELECT window_start, count(*) AS n FROM "
    "TUMBLE(events, ts, INTERVAL 4 SECONDS) FILL (0) GROUP BY window_start, window_end "
    "EMIT ON WINDOW CLOSE;\n",
    "rows in a time": f"{EVENTS}{OUT}SELECT id, price {LIVE};\n",
    "totals": f"{EVENTS}{OUT}SELECT price % 2 AS odd, count(*) AS n, max(id) AS last {LIVE} "
    "GROUP BY price % 2;\n",
    "first rows": f"{EVENTS}{OUT}SELECT id, price {LIVE} ORDER BY price DESC LIMIT 2;\n",
    "a join in time": f"{EVENTS}{OTHERS}{OUT}SELECT e.id, o.size FROM events AS e JOIN others AS o "
    "ON e.id = o.id AND o.ts BETWEEN e.ts - INTERVAL 9 SECONDS AND e.ts + INTERVAL 9 SECONDS;\n",
    "an outer join in time": f"{EVENTS}{OTHERS}{OUT}SELECT e.id, o.size FROM events AS e LEFT JOIN "
    "others AS o ON e.id = o.id AND o.ts BETWEEN e.ts AND e.ts + INTERVAL 9 SECONDS "
    "EMIT ON WINDOW CLOSE;\n",
    "an outer join that changes": f"{EVENTS}{OTHERS}{OUT}SELECT e.id, o.size FROM events AS e "
    "LEFT JOIN others AS o ON e.id = o.id;\n",
    "totals of all rows": f"{EVENTS}{OUT}SELECT count(*) AS n, sum(price) AS total FROM events;\n",
    "a watermark of groups": EVENTS.replace("AS ts)", "AS ts PER id)")
    + f"{OUT}SELECT window_start, count(*) AS n FROM TUMBLE(events, ts, INTERVAL 4 SECONDS) "
    "GROUP BY window_start, window_end EMIT ON WINDOW CLOSE;\n",
    "rows in order": f"{EVENTS}{OUT}SELECT id, ts FROM events EMIT ON WINDOW CLOSE;\n",
}


OF_GROUPS = [events(("a", 1, 1), ("b", 3, 1)), events(("a", 9, 1)), events(("b", 5, 1))]
OF_GROUPS_AFTER = [events(("a", 30, 1)), events(("b", 12, 1), ("b", 2, 1)), events(("b", 40, 1))]


def _others(*rows: tuple[str, float, int]) -> Files:
    return {"others": [{"id": id_, "ts": ts, "size": size} for id_, ts, size in rows]}


BEFORE_OF_TWO = [*BEFORE, _others(("c", 10, 7), ("f", 12, 8)), _others(("a", 13, 1))]
AFTER_OF_TWO = [*AFTER, _others(("g", 35, 9)), _others(("x", 60, 9))]


@pytest.mark.parametrize("kind", KINDS)
def test_state_under_another_number(kind: str, tmp_path: Path, spark: SparkSession) -> None:
    old = KINDS[kind] + EXTRA
    new = KINDS[kind].replace(OUT, FIRST_SINK + OUT) + EXTRA
    found, expected, told = _changed(old, new, tmp_path, spark)
    assert {v for k, v in told.items() if k.startswith("operator") and "first" not in k} <= {"same"}
    assert found["out"] == expected["out"]
    assert found == expected


@pytest.mark.parametrize("kind", KINDS)
def test_state_made_anew(
    kind: str, tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "_alike", lambda *_: False)
    query = KINDS[kind] + EXTRA
    found, expected, told = _changed(query, query, tmp_path, spark)
    assert {"needs history", "converted"} & set(told.values())
    assert found == expected


def _changed(
    old: str, new: str, folder: Path, spark: SparkSession
) -> tuple[Out, Out, dict[str, str]]:
    """What comes out after a change, what would have, and the verdicts."""
    before, after = BEFORE, AFTER
    if OTHERS in old:
        before, after = BEFORE_OF_TWO, AFTER_OF_TWO
    elif "PER id" in old:
        before, after = OF_GROUPS, OF_GROUPS_AFTER
    (folder / "one").mkdir()
    site = Site(spark, folder / "one")
    site.arrive(before)
    site.run(old, "cp")
    begun = sinks(site)
    with site.examined("cp", new) as whole:
        told = verdicts(whole)
        site.carry_out(whole, "cp2")
    site.arrive(after)
    site.run(new, "cp2")
    (folder / "other").mkdir()
    other = Site(spark, folder / "other")
    other.arrive(before)
    other.run(new, "cp")
    before_change = sinks(other)
    other.arrive(after)
    other.run(new, "cp")
    return since(begun, sinks(site)), since(before_change, sinks(other)), told
