"""EMIT CHANGES [EVERY …]: where it stands, and what is refused."""

from __future__ import annotations

import pytest
from compiled import ORDERS, Fault, faults_of, job_of

TOTALS = "SELECT name, count(*) AS n FROM orders GROUP BY name"


def test_changes_alone_are_what_a_query_emits_anyway() -> None:
    with_words = job_of(f"{TOTALS} EMIT CHANGES;").text

    def code(text: str) -> str:
        return text.split('"""', 2)[2]

    assert code(with_words) == code(job_of(f"{TOTALS};").text)
    assert faults_of(f"CREATE VIEW v AS {TOTALS} EMIT CHANGES; SELECT * FROM v;") == []
    assert faults_of("SELECT id FROM orders EMIT CHANGES;") == []


def test_the_time_comes_with_the_output() -> None:
    text = job_of(f"{TOTALS} EMIT CHANGES EVERY INTERVAL 90 SECONDS;").text
    assert "every=timedelta(seconds=90))" in text
    assert '"told every": "0:01:30"' in text


def test_a_keyed_sink_is_told_of_each_clock_value() -> None:
    """It is to hold the answer at a multiple, not that at the end of a batch."""
    sink = "CREATE SINK s USING sqlite OPTIONS (path 'p', key 'name') AS "
    every = job_of(f"{sink}{TOTALS} EMIT CHANGES EVERY INTERVAL 1 MINUTE;").text
    assert "per_batch" not in every
    assert "per_batch" in job_of(f"{sink}{TOTALS};").text


def test_another_time_is_another_job() -> None:
    def fingerprint(query: str) -> str:
        text = job_of(query).text
        return next(line for line in text.splitlines() if "fingerprint" in line)

    one, two = (f"{TOTALS} EMIT CHANGES EVERY INTERVAL {n} MINUTES;" for n in (1, 2))
    assert fingerprint(one) != fingerprint(two)
    assert fingerprint(f"{TOTALS};") == fingerprint(f"{TOTALS} EMIT CHANGES;") != fingerprint(one)


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        (f"{TOTALS} EMIT CHANGES EVERY INTERVAL 1 MONTH;", Fault("TVF206", "INTERVAL 1 MONTH")),
        (f"{TOTALS} EMIT CHANGES EVERY INTERVAL 0 SECONDS;",
         Fault("TVF206", "INTERVAL 0 SECONDS")),
        (f"{TOTALS} EMIT CHANGES EVERY INTERVAL 1500 MICROSECONDS;",
         Fault("TVF206", "INTERVAL 1500 MICROSECONDS")),
        (f"{TOTALS} EMIT CHANGES EVERY 10;", Fault("TVF206", "10")),
        ("SELECT id FROM orders EMIT CHANGES EVERY INTERVAL 1 MINUTE;",
         Fault("TVF310", "EMIT CHANGES EVERY INTERVAL 1 MINUTE")),
        (f"SELECT * FROM ({TOTALS} EMIT CHANGES EVERY INTERVAL 1 MINUTE);",
         Fault("TVF501", "EMIT CHANGES EVERY INTERVAL 1 MINUTE")),
        (f"CREATE VIEW v AS {TOTALS} EMIT CHANGES EVERY INTERVAL 1 MINUTE; TABLE v;",
         Fault("TVF501", "EMIT CHANGES EVERY INTERVAL 1 MINUTE")),
        ("SELECT ts FROM (SELECT ts FROM orders EMIT CHANGES) EMIT ON WINDOW CLOSE;",
         Fault("TVF308", "EMIT CHANGES")),
    ],
)  # fmt: skip
def test_what_is_refused(query: str, fault: Fault) -> None:
    assert fault in faults_of(query)


def test_there_is_a_clock() -> None:
    without = ORDERS.replace(",\n  WATERMARK FOR ts AS ts", "")
    query = f"{TOTALS} EMIT CHANGES EVERY INTERVAL 1 MINUTE;"
    assert [each.code for each in faults_of(query, without)] == ["TVF301"]
    by_wall_clock = query.replace("orders", "orders WHERE mz_now() < ts")
    assert faults_of(by_wall_clock, without) == []
