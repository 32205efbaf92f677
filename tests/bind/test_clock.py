"""Conditions on the clock, solved for the clock: when rows leave, as the release table says."""

from __future__ import annotations

import pytest
from compiled import Fault, columns_of, faults_of, job_of, plan_of, release_of

ALL = "every row"


@pytest.mark.parametrize(
    ("condition", "release"),
    [
        ("ts <= WATERMARK_TS()", "ts"),
        ("ts < WATERMARK_TS()", "after ts"),
        ("WATERMARK_TS() >= ts", "ts"),
        ("WATERMARK_TS() > ts", "after ts"),
        ("WATERMARK_TS(orders) > ts", "after ts"),
        ("NOT ts > WATERMARK_TS()", "ts"),
        ("NOT (NOT (ts < WATERMARK_TS()))", "after ts"),
        # Arithmetic moves to the other side.
        ("WATERMARK_TS() - INTERVAL 1 HOUR >= ts", "ts + INTERVAL 1 HOUR"),
        ("WATERMARK_TS() + INTERVAL 1 HOUR >= ts", "ts - INTERVAL 1 HOUR"),
        ("INTERVAL 1 HOUR + WATERMARK_TS() > ts", "after ts - INTERVAL 1 HOUR"),
        ("INTERVAL 1 HOUR + ts <= WATERMARK_TS()", "INTERVAL 1 HOUR + ts"),
        ("WATERMARK_TS() - ts >= INTERVAL 1 HOUR", "ts + INTERVAL 1 HOUR"),
        ("ts - WATERMARK_TS() <= INTERVAL 1 HOUR", "ts - INTERVAL 1 HOUR"),
        ("ts - WATERMARK_TS() < -INTERVAL 1 HOUR", "after ts - (-INTERVAL 1 HOUR)"),
        (
            "WATERMARK_TS() - INTERVAL 1 DAY - INTERVAL 1 HOUR > ts",
            "after ts + INTERVAL 1 HOUR + INTERVAL 1 DAY",
        ),
        (
            "WATERMARK_TS() - (ts - day) > ts - INTERVAL 1 DAY",
            "after ts - INTERVAL 1 DAY + (ts - day)",
        ),
        ("ts + id * INTERVAL 1 SECOND <= WATERMARK_TS()", "ts + id * INTERVAL 1 SECOND"),
        ("ts - INTERVAL 1 DAY / 3 <= WATERMARK_TS()", "ts - INTERVAL 1 DAY / 3"),
        ("CAST((WATERMARK_TS()) AS TIMESTAMP) > ts", "after ts"),
        # The first clock value that truncates so.
        ("date_trunc('HOUR', WATERMARK_TS()) > ts", "date_trunc('HOUR', ts) + INTERVAL 1 HOUR"),
        (
            "date_trunc('QUARTER', WATERMARK_TS()) > ts",
            "date_trunc('QUARTER', ts) + INTERVAL 3 MONTHS",
        ),
        ("date(WATERMARK_TS()) > day", "date_trunc('DAY', day) + INTERVAL 1 DAY"),
        ("CAST(WATERMARK_TS() AS DATE) > day", "date_trunc('DAY', day) + INTERVAL 1 DAY"),
        ("WATERMARK_TS()::DATE > day", "date_trunc('DAY', day) + INTERVAL 1 DAY"),
        (
            "date_trunc('HOUR', WATERMARK_TS()) - INTERVAL 5 MINUTES > ts",
            "date_trunc('HOUR', ts + INTERVAL 5 MINUTES) + INTERVAL 1 HOUR",
        ),
        (
            "date_trunc('HOUR', WATERMARK_TS() - INTERVAL 5 MINUTES) > ts",
            "date_trunc('HOUR', ts) + INTERVAL 1 HOUR + INTERVAL 5 MINUTES",
        ),
        (
            "date_trunc('HOUR', WATERMARK_TS()) >= ts",
            "CASE WHEN date_trunc('HOUR', ts) = ts THEN date_trunc('HOUR', ts)"
            " ELSE date_trunc('HOUR', ts) + INTERVAL 1 HOUR END",
        ),
        # Numbers are epoch milliseconds; between two of them the clock has no value.
        ("WATERMARK_TS() >= 1700000000000", "timestamp_millis(1700000000000)"),
        ("WATERMARK_TS() >= id", "timestamp_millis(id)"),
        ("WATERMARK_TS() >= price", "timestamp_millis(CAST(ceil(price) AS BIGINT))"),
        ("WATERMARK_TS() > price", "after timestamp_millis(CAST(floor(price) AS BIGINT))"),
        ("price < WATERMARK_TS()", "after timestamp_millis(CAST(floor(price) AS BIGINT))"),
        # Other moments.
        ("day <= WATERMARK_TS()", "day"),
        ("place.at <= WATERMARK_TS()", "place.at"),
        ("place.at + INTERVAL 1 DAY <= WATERMARK_TS()", "place.at + INTERVAL 1 DAY"),
        ("place.seen.at <= WATERMARK_TS()", "timestamp_millis(place.seen.at)"),
        ("orders.place.seen.at <= WATERMARK_TS()", "timestamp_millis(orders.place.seen.at)"),
        ("tags[0] <= WATERMARK_TS()", "timestamp_millis(tags[0])"),
        (
            "place.lat < WATERMARK_TS()",
            "after timestamp_millis(CAST(floor(place.lat) AS BIGINT))",
        ),
        ("WATERMARK_TS() >= '2024-01-01'", "'2024-01-01'"),
        ("greatest(ts, day) <= WATERMARK_TS()", "greatest(ts, day)"),
        ("CASE WHEN a THEN ts ELSE day END < WATERMARK_TS()",
         "after CASE WHEN a THEN ts ELSE day END"),
        ("(SELECT TIMESTAMP '2024-01-01') <= WATERMARK_TS()", "(SELECT TIMESTAMP '2024-01-01')"),
    ],
)  # fmt: skip
def test_a_single_bound(condition: str, release: str) -> None:
    assert release_of(condition) == [(ALL, release)]


@pytest.mark.parametrize(
    ("condition", "branches"),
    [
        ("a OR ts <= WATERMARK_TS()", [("a", "at once"), (ALL, "ts")]),
        ("(a AND ts <= WATERMARK_TS()) OR b", [("a", "ts"), ("b", "at once")]),
        ("NOT (a OR ts > WATERMARK_TS())", [("NOT a", "ts")]),
        ("NOT (a AND ts > WATERMARK_TS())", [("NOT a", "at once"), (ALL, "ts")]),
        (
            "CASE WHEN id > 3 THEN ts <= WATERMARK_TS() ELSE day <= WATERMARK_TS() END",
            [("id > 3", "ts"), ("(id > 3) IS NOT TRUE", "day")],
        ),
        ("CASE WHEN a THEN ts <= WATERMARK_TS() END", [("a", "ts")]),
        (
            "CASE name WHEN 'x' THEN ts <= WATERMARK_TS() WHEN 'y' THEN TRUE END",
            [("name = 'x'", "ts"), ("(name = 'x') IS NOT TRUE AND name = 'y'", "at once")],
        ),
        (
            "IF(a, ts <= WATERMARK_TS(), day < WATERMARK_TS())",
            [("a", "ts"), ("a IS NOT TRUE", "after day")],
        ),
        ("COALESCE(a, ts <= WATERMARK_TS())", [("a IS NULL", "ts"), ("a", "at once")]),
        ("nvl(a, ts <= WATERMARK_TS())", [("a IS NULL", "ts"), ("a", "at once")]),
        ("(ts <= WATERMARK_TS()) IS TRUE", [(ALL, "ts")]),
        ("(ts > WATERMARK_TS()) IS FALSE", [(ALL, "ts")]),
        (
            "(ts <= WATERMARK_TS()) IS NULL",
            [("try_add(CAST(ts AS TIMESTAMP), INTERVAL 0 SECONDS) IS NULL", "at once")],
        ),
        (
            "(ts <= WATERMARK_TS()) IS NOT NULL",
            [("try_add(CAST(ts AS TIMESTAMP), INTERVAL 0 SECONDS) IS NOT NULL", "at once")],
        ),
        ("TRUE IN (ts <= WATERMARK_TS(), a)", [(ALL, "ts"), ("a", "at once")]),
        (
            "CASE name LIKE 'x%' WHEN b THEN ts <= WATERMARK_TS() END",
            [("(name LIKE 'x%') = b", "ts")],
        ),
        (
            "NOT ts BETWEEN WATERMARK_TS() AND TIMESTAMP '2030-01-01'",
            [(ALL, "after ts"), ("NOT ts <= TIMESTAMP '2030-01-01'", "at once")],
        ),
        (
            "CASE WHEN name LIKE 'x!_%' ESCAPE '!' THEN ts <= WATERMARK_TS() ELSE TRUE END",
            [
                ("name LIKE 'x!_%' ESCAPE '!'", "ts"),
                ("(name LIKE 'x!_%' ESCAPE '!') IS NOT TRUE", "at once"),
            ],
        ),
    ],
)  # fmt: skip
def test_alternatives(condition: str, branches: list[tuple[str, str]]) -> None:
    assert release_of(condition) == branches


def test_a_condition_that_is_never_true() -> None:
    never = "FALSE AND ts <= WATERMARK_TS() OR NULL AND ts < WATERMARK_TS()"
    ((guard, _),) = release_of(never)
    assert "no row is ever in the result".startswith(guard)


@pytest.mark.parametrize(
    ("condition", "place"),
    [
        ("hour(WATERMARK_TS()) = 12", "hour(WATERMARK_TS())"),
        ("unix_millis(WATERMARK_TS()) >= id", "unix_millis(WATERMARK_TS())"),
        ("date_trunc('CENTURY', WATERMARK_TS()) > ts", "date_trunc('CENTURY', WATERMARK_TS())"),
        ("WATERMARK_TS() >= WATERMARK_TS()", "WATERMARK_TS()"),
        ("WATERMARK_TS() - WATERMARK_TS() > INTERVAL 1 HOUR", "WATERMARK_TS() - WATERMARK_TS()"),
        ("WATERMARK_TS() IS NULL", "WATERMARK_TS()"),
        ("(ts <= WATERMARK_TS())::INT = 1", "(ts <= WATERMARK_TS())::INT"),
        ("(ts <= WATERMARK_TS()) > a", "(ts <= WATERMARK_TS()) > a"),
    ],
)
def test_forms_that_cannot_be_solved(condition: str, place: str) -> None:
    assert faults_of(f"SELECT id FROM orders WHERE {condition};") == [Fault("TVF504", place)]


@pytest.mark.parametrize(
    ("condition", "place"),
    [
        ("ts > WATERMARK_TS()", "ts > WATERMARK_TS()"),
        ("ts <= WATERMARK_TS() AND NOT day < WATERMARK_TS()", "day < WATERMARK_TS()"),
        ("ts = WATERMARK_TS()", "ts = WATERMARK_TS()"),
        ("ts <> WATERMARK_TS()", "ts <> WATERMARK_TS()"),
        (
            "WATERMARK_TS() BETWEEN ts AND day",
            "WATERMARK_TS() BETWEEN ts AND day",
        ),
        ("a = (ts <= WATERMARK_TS())", "ts <= WATERMARK_TS()"),
        ("CASE WHEN ts <= WATERMARK_TS() THEN a ELSE b END", "ts <= WATERMARK_TS()"),
    ],
)
def test_results_that_change(condition: str, place: str) -> None:
    query = f"SELECT id FROM orders WHERE {condition}"
    assert job_of(f"{query};").changing
    assert faults_of(f"{query} EMIT ON WINDOW CLOSE;") == [Fault("TVF308", place)]


@pytest.mark.parametrize(
    ("condition", "place"),
    [
        ("INTERVAL 1 HOUR <= WATERMARK_TS()", "INTERVAL 1 HOUR"),
        ("a <= WATERMARK_TS()", "a"),
        ("tags <= WATERMARK_TS()", "tags"),
        ("place.seen <= WATERMARK_TS()", "place.seen"),
        ("ts - day <= WATERMARK_TS()", "ts - day"),
        ("INTERVAL 1 HOUR * 3 <= WATERMARK_TS()", "INTERVAL 1 HOUR * 3"),
    ],
)
def test_bounds_that_are_no_moments(condition: str, place: str) -> None:
    assert faults_of(f"SELECT id FROM orders WHERE {condition};") == [Fault("TVF206", place)]


def test_ordinary_terms_are_taken_out_of_a_conjunction() -> None:
    query = "SELECT id FROM orders WHERE a AND ts <= WATERMARK_TS() AND (b OR id > 3) AND NOT a;"
    assert plan_of(query) == [
        "Project id",
        "TemporalFilter clock >= ts",
        "Filter NOT a",
        "Filter (b OR id > 3)",
        "Filter a",
        "Source orders watermark ts",
    ]


def test_the_clock_in_a_select_list_may_be_computed_with() -> None:
    query = "SELECT id, WATERMARK_TS() AS w, WATERMARK_TS() - ts AS waited FROM orders;"
    assert columns_of(query) == "id, WATERMARK_TS() AS w, WATERMARK_TS() - ts AS waited"


def test_the_clock_without_a_name_is_called_what_it_is() -> None:
    job = job_of("SELECT id, WATERMARK_TS(), WATERMARK_TS() - ts FROM orders;")
    assert '"__watermark AS `WATERMARK_TS()`"' in job.text
    assert '"__watermark - __c3_1 AS `WATERMARK_TS() - ts`"' in job.text


def test_the_clock_in_on_of_an_inner_join_is_a_condition_of_the_pair() -> None:
    query = "SELECT sku FROM orders o JOIN items i ON o.id = i.id AND o.ts <= WATERMARK_TS();"
    assert plan_of(query)[:3] == [
        "Project sku",
        "TemporalFilter clock >= o.ts",
        "Join inner on o.id = i.id",
    ]


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("SELECT id FROM orders ORDER BY WATERMARK_TS();", "TVFW305"),
        ("SELECT max(WATERMARK_TS()) FROM orders;", "TVF506"),
        (
            "SELECT date(WATERMARK_TS()) AS d FROM orders UNION ALL SELECT day FROM orders;",
            "TVF506",
        ),
        ("SELECT d FROM (SELECT date(WATERMARK_TS()) AS d FROM orders);", "TVF506"),
        ("SELECT id FROM orders WHERE ts <= mz_now() OR ts < WATERMARK_TS();", "TVF404"),
        ("SELECT WATERMARK_TS() FROM items;", "TVF301"),
        ("SELECT o.id FROM orders o WHERE ts <= WATERMARK_TS(orders);", "TVF207"),
        ("SELECT o.id FROM orders o JOIN items i ON o.ts <= WATERMARK_TS(i);", "TVF301"),
        (
            "SELECT o.id FROM orders o LEFT JOIN items i ON o.ts <= WATERMARK_TS();",
            "TVF503",
        ),
    ],
)
def test_the_clock_where_it_cannot_be(query: str, fault: str) -> None:
    assert fault in {each.code for each in faults_of(query)}
