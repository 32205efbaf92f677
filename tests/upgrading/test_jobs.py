"""Jobs of several queries, keyed sinks, sources of changes and the wall clock are upgraded, too."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from run.jobs import status, table
from upgrading.cases import AFTER, BEFORE, DELAYED, EVENTS, EXTRA, FIRST_SINK, events
from upgrading.test_commands import row
from upgrading.upgraded import Site, sinks, verdicts

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.thorough]

ORDERS = """CREATE SOURCE orders (id STRING, price INT, PRIMARY KEY (id))
USING json OPTIONS (path 'orders') FORMAT DEBEZIUM ENCODE JSON;
CREATE SINK totals USING sqlite OPTIONS (path 'totals.db', table 'totals', key 'price') AS
SELECT price, count(*) AS n FROM orders GROUP BY price;
"""
LIVE = f"""{EVENTS}{EXTRA}
CREATE SINK live USING sqlite OPTIONS (path 'totals.db', table 'totals', key 'odd') AS
SELECT price % 2 AS odd, count(*) AS n FROM events
WHERE ts <= WATERMARK_TS() AND WATERMARK_TS() < ts + INTERVAL 9 SECONDS GROUP BY price % 2;
"""
WAITS_FOR_YEARS = """CREATE SOURCE events (id STRING, ts TIMESTAMP, price INT)
USING json OPTIONS (path 'in', maxFilesPerTrigger '1');
CREATE SINK out USING json OPTIONS (path 'out') AS
SELECT id, ts FROM events WHERE ts + INTERVAL 100 YEARS <= mz_now();
"""


def test_a_job_of_several_queries(tmp_path: Path, spark: SparkSession) -> None:
    site = Site(spark, tmp_path)
    site.arrive([*BEFORE, {"orders": [{"op": "c", "after": {"id": "a", "price": 1}}]}])
    site.run(DELAYED + ORDERS, "cp")
    new = DELAYED.replace("5 SECONDS", "6 SECONDS") + ORDERS
    with site.examined("cp", new) as whole:
        told = verdicts(whole)
        assert told["delay out"] == "converted"
        assert set(told.values()) == {"same", "converted"}
        site.carry_out(whole, "cp2")
    site.arrive([events(("f", 14, 6)), {"orders": [{"op": "u", "after": {"id": "a", "price": 2}}]}])
    site.run(new, "cp2")
    left = [("a", 1), ("b", 2), ("d", 9)]
    assert site.rows("out") == Counter(row(id=name, price=price) for name, price in left)
    assert table(tmp_path / "totals.db", "SELECT price, n FROM totals") == [(2, 1)]


def test_a_keyed_sink_goes_on(tmp_path: Path, spark: SparkSession) -> None:
    site = Site(spark, tmp_path)
    site.arrive(BEFORE)
    site.run(LIVE, "cp")
    new = LIVE.replace(EXTRA, FIRST_SINK + EXTRA)
    with site.examined("cp", new) as whole:
        assert not whole.lost
        assert verdicts(whole)["sink live"] == "same"
        site.carry_out(whole, "cp2")
    site.arrive(AFTER[:1])
    site.run(new, "cp2")
    # At 14 c, d, e and f count, whose prices are 3, 9, 5 and 6.
    found = table(tmp_path / "totals.db", "SELECT odd, n FROM totals ORDER BY odd")
    assert found == [(0, 1), (1, 3)]


def test_a_keyed_sink_with_another_answer_is_lost(tmp_path: Path, spark: SparkSession) -> None:
    site = Site(spark, tmp_path)
    site.arrive(BEFORE)
    site.run(LIVE, "cp")
    with site.examined("cp", LIVE.replace("count(*)", "sum(price)")) as whole:
        told = verdicts(whole)
        assert told["sink live"] == "lost"
        # The rows are held without their prices.
        assert told["temporal live"] == told["changing live"] == "needs history"


def test_history_that_is_gone(tmp_path: Path, spark: SparkSession) -> None:
    site = Site(spark, tmp_path)
    site.arrive(BEFORE)
    site.run(LIVE, "cp")
    next((tmp_path / "in").iterdir()).unlink()
    with site.examined("cp", LIVE.replace("count(*)", "sum(price)")) as whole:
        (_, _, changes) = whole.takeovers[0]
        lost = [each for each in changes if each.what == "operator" and each.verdict == "lost"]
        assert len(lost) == 2
        assert all("is gone" in each.why for each in lost)


def test_the_wall_clock(tmp_path: Path, spark: SparkSession) -> None:
    site = Site(spark, tmp_path)
    site.arrive(BEFORE)
    site.run(WAITS_FOR_YEARS, "cp")
    new = WAITS_FOR_YEARS.replace("100 YEARS", "99 YEARS")
    with site.examined("cp", new) as whole:
        assert verdicts(whole)["delay out"] == "converted"
        site.carry_out(whole, "cp2")
    site.arrive(AFTER)
    site.run(new, "cp2")
    assert status(tmp_path / "cp2").held == {"delay": 8}
    assert sinks(site) == {}
