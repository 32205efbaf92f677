"""A query is changed and goes on with what it has: on real Spark, each kind of change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from run.jobs import tree
from upgrading.upgraded import Site

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SOURCE = """CREATE SOURCE events (id STRING, ts TIMESTAMP, price INT, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in', maxFilesPerTrigger '1');
"""
DELAYED = f"""{SOURCE}
CREATE SINK out USING json OPTIONS (path 'out') AS
SELECT id, price FROM events WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS();
"""
FIRST = [{"id": "a", "ts": 1, "price": 1}, {"id": "b", "ts": 4, "price": 2}]
SECOND = [{"id": "c", "ts": 9, "price": 3}]


def test_a_longer_delay(tmp_path: Path, spark: SparkSession) -> None:
    site = Site(spark, tmp_path)
    site.arrive(FIRST)
    site.arrive(SECOND)
    site.run(DELAYED, "cp")
    assert site.rows("out") == [("a", 1), ("b", 2)]
    before = tree(tmp_path / "cp")
    new = DELAYED.replace("5 SECONDS", "7 SECONDS")
    verdicts = site.plan("cp", new)
    assert verdicts == {"source events": "same", "operator delay/2 of out": "converted", "sink out": "same"}
    site.upgrade("cp", new, "cp2")
    assert tree(tmp_path / "cp") == before
    site.arrive([{"id": "d", "ts": 14, "price": 4}])
    site.run(new, "cp2")
    assert site.rows("out") == [("a", 1), ("b", 2)]
    site.arrive([{"id": "e", "ts": 16, "price": 4}])
    site.run(new, "cp2")
    assert site.rows("out") == [("a", 1), ("b", 2), ("c", 3)]
