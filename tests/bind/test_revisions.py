"""EMIT ON WINDOW CLOSE THEN REVISE: what it becomes, and what is refused."""

from __future__ import annotations

import pytest
from compiled import Fault, faults_of, job_of, plan_of

GROUPS = (
    "SELECT window_end, count(*) AS n FROM TUMBLE(orders, ts, INTERVAL 1 MINUTE) "
    "GROUP BY window_end"
)
REVISED = "EMIT ON WINDOW CLOSE THEN REVISE FOR INTERVAL 1 HOUR"


def test_rows_count_while_their_group_may_change() -> None:
    plan = plan_of(f"{GROUPS} {REVISED};")
    assert "TemporalFilter clock >= window_end AND clock < window_end + INTERVAL 1 HOUR" in plan
    text = job_of(f"{GROUPS} {REVISED};").text
    assert 'tvfc.Watermark(time="ts", allowance=timedelta(hours=1))' in text
    assert 'job.changelog(rows(job), until=tvfc.reached("__until"))' in text


def test_a_column_closes_once_the_clock_has_passed_it() -> None:
    text = job_of(f"SELECT day, count(*) FROM orders GROUP BY ts, day {REVISED};").text
    assert 'until=tvfc.passed("__until")' in text
    assert 'tvfc.between(tvfc.passed("ts"), tvfc.passed("ts", plus=timedelta(hours=1)))' in text


def test_a_keyed_sink_is_told_of_each_clock_value() -> None:
    """At the end of a batch a group may be past its revisions, and would never be there."""
    sink = "CREATE SINK s USING sqlite OPTIONS (path 'p', key 'window_end') AS "
    assert "per_batch" not in job_of(f"{sink}{GROUPS} {REVISED};").text


def test_late_rows_are_those_that_are_not_taken() -> None:
    late = "CREATE SINK s USING json OPTIONS (path 'p') AS SELECT * FROM LATE(orders);"
    assert job_of(f"{late} {GROUPS} {REVISED};").text.count("allowance=timedelta(hours=1)") == 1


def test_another_time_is_another_job() -> None:
    texts = [
        job_of(f"{GROUPS} EMIT ON WINDOW CLOSE THEN REVISE FOR INTERVAL {n} HOURS;").text
        for n in (1, 2)
    ]
    one, two = (
        next(line for line in text.splitlines() if "fingerprint=" in line) for text in texts
    )
    assert one != two


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        (f"{GROUPS} EMIT ON WINDOW CLOSE THEN REVISE;", Fault("TVF206", "THEN REVISE")),
        (f"{GROUPS} {REVISED.replace('HOUR', 'MONTH')};", Fault("TVF206", "INTERVAL 1 MONTH")),
        (f"SELECT id FROM orders {REVISED};", Fault("TVF501", REVISED[21:])),
        (f"SELECT DISTINCT ts FROM orders {REVISED};", Fault("TVF501", REVISED[21:])),
        (f"{GROUPS} UNION ALL {GROUPS} {REVISED};", Fault("TVF501", REVISED[21:])),
        (f"SELECT * FROM ({GROUPS} {REVISED});", Fault("TVF501", REVISED[21:])),
        (f"CREATE VIEW v AS {GROUPS} {REVISED}; TABLE v;", Fault("TVF501", REVISED[21:])),
        (f"SELECT id, count(*) FROM orders GROUP BY id {REVISED};",
         Fault("TVF302", "GROUP BY id")),
        (f"SELECT ts, rank() OVER (ORDER BY ts) FROM orders GROUP BY ts {REVISED};",
         Fault("TVF501", REVISED[21:])),
        (f"SELECT ts, count(*) FROM orders WHERE day <= WATERMARK_TS() GROUP BY ts {REVISED};",
         Fault("TVF501", REVISED[21:])),
        ("SELECT a.ts, count(*) FROM orders a JOIN orders b ON a.ts = b.ts GROUP BY a.ts"
         f" {REVISED};", Fault("TVF501", REVISED[21:])),
        *((f"SELECT ts, count(*) {items} FROM orders GROUP BY ts {having} {REVISED};",
           Fault("TVF501", REVISED[21:]))
          for items, having in (
              ("AS n", "HAVING ts + INTERVAL 2 HOURS <= WATERMARK_TS()"),
              ("FILTER (WHERE ts + INTERVAL 1 MINUTE > WATERMARK_TS())", ""),
              ("+ (SELECT max(id) FROM orders) AS n", ""),
          )),
        (f"SELECT count(*) FROM orders GROUP BY window(ts, '1 minute') {REVISED};",
         Fault("TVF501", REVISED[21:])),
        ("CREATE SINK s USING json OPTIONS (path 'p');"
         f"INSERT INTO s (a, b) {GROUPS} {REVISED};", Fault("TVF501", REVISED[21:])),
        ("CREATE SINK s USING json OPTIONS (path 'p') AS SELECT id FROM orders;"
         f"{GROUPS} {REVISED};", Fault("TVF325", "WATERMARK FOR ts AS ts")),
        (f"CREATE SINK s USING jdbc AS {GROUPS} {REVISED};", Fault("TVF608", "s")),
    ],
)  # fmt: skip
def test_what_is_refused(query: str, fault: Fault) -> None:
    assert fault in faults_of(query)


def test_tables_may_be_joined() -> None:
    query = (
        "SELECT window_end, sku, count(*) FROM TUMBLE(orders, ts, INTERVAL 1 MINUTE) o "
        f"JOIN items ON items.id = o.id GROUP BY window_end, sku {REVISED};"
    )
    assert faults_of(query) == []
