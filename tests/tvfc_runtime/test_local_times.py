"""Up to when times of a zone come, compared with a search through all minutes around a change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from tvfc_runtime.rows.local_times import define

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CHANGES = [
    ("America/New_York", 2026, 3, 8),
    ("America/New_York", 2026, 11, 1),
    ("Australia/Lord_Howe", 2026, 4, 5),  # half an hour
    ("Australia/Lord_Howe", 2026, 10, 4),
    ("America/Sao_Paulo", 2018, 11, 4),  # at midnight
    ("America/Sao_Paulo", 2018, 2, 18),
    ("America/St_Johns", 2010, 3, 14),  # at 00:01
    ("America/St_Johns", 2010, 11, 7),
    ("Pacific/Apia", 2011, 12, 30),  # a whole day
    ("Antarctica/Troll", 2026, 10, 25),  # two hours
    ("Asia/Kathmandu", 2026, 5, 5),  # none
]
MINUTE = timedelta(minutes=1)


def local(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def ends_of(name: str, year: int, month: int, day: int) -> list[tuple[str, datetime, datetime]]:
    """Ends, and the moment from which no time before them comes.

    For an end amid times that the zone lacks, that is by as much later as some of those are before.
    """
    zone, first = ZoneInfo(name), datetime(year, month, day, tzinfo=UTC)
    moments = [first + MINUTE * n for n in range(-60 * 60, 60 * 60)]
    times = [local(each, zone) for each in moments]
    skipped = [(early + MINUTE, late) for early, late in pairwise(times) if late - early > MINUTE]
    found = []
    for quarter in range(-36 * 4, 36 * 4):
        end = datetime(year, month, day) + timedelta(minutes=15) * quarter
        last = max(n for n, each in enumerate(times) if each < end)
        begun = next((begin for begin, until in skipped if begin < end <= until), end)
        exact = (moments[last] + MINUTE).replace(tzinfo=None)
        found.append((name, end, exact + (end - begun)))
    return found


@pytest.mark.spark
def test_local_end(spark: SparkSession) -> None:
    rows = [each for change in CHANGES for each in ends_of(*change)]
    known = spark.createDataFrame(rows, "zone STRING, end TIMESTAMP_NTZ, moment TIMESTAMP_NTZ")
    define("tvfc_local_end(…)")
    found = known.selectExpr("*", "tvfc_local_end(CAST(end AS TIMESTAMP), zone) AS found")
    wrong = found.where("found IS NULL OR CAST(found AS TIMESTAMP_NTZ) <> moment").collect()
    assert wrong == []


@pytest.mark.spark
def test_local_until(spark: SparkSession) -> None:
    """No time before a moment, as Spark takes it, is at its end or after; most are just before."""
    define("tvfc_local_until(…)")
    minutes = [
        (name, datetime(year, month, day) + MINUTE * 5 * n)
        for name, year, month, day in CHANGES
        for n in range(-12 * 40, 12 * 40)
    ]
    times = spark.createDataFrame(minutes, "zone STRING, time TIMESTAMP_NTZ")
    times = times.selectExpr("zone", "CAST(time AS TIMESTAMP) AS time")
    times.selectExpr("*", "to_utc_timestamp(time, zone) AS moment").createOrReplaceTempView("times")
    query = """
        SELECT probe.zone, tvfc_local_until(any_value(probe.moment), probe.zone) AS found,
          max(times.time) AS last
        FROM times AS probe JOIN times ON probe.zone = times.zone AND times.moment < probe.moment
        WHERE minute(probe.time) % 30 = 0
        GROUP BY probe.zone, probe.moment
    """
    found = spark.sql(query).selectExpr("found > last AS is_after", "found - last AS by").collect()
    assert all(each.is_after for each in found)
    exact = sum(each.by == MINUTE * 5 for each in found)
    assert exact > len(found) * 0.95
