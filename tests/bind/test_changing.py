"""What the compiler makes of results that change: limits of numbers, names in groups, partners."""

from __future__ import annotations

import re

import pytest
from compiled import Fault, faults_of, job_of, plan_of, release_of

NUMBER = "row_number() OVER (PARTITION BY name ORDER BY ts)"


@pytest.mark.parametrize(
    ("condition", "limit"),
    [
        (f"{NUMBER} <= 3", 3),
        (f"{NUMBER} < 3", 2),
        (f"{NUMBER} = 1", 1),
        (f"3 >= {NUMBER}", 3),
        (f"3 > {NUMBER}", 2),
        (f"1 = {NUMBER}", 1),
        (f"{NUMBER} BETWEEN 2 AND 4", 4),
        (f"{NUMBER} <= 3 AND a", 3),
    ],
)
def test_how_far_a_numbering_counts(condition: str, limit: int) -> None:
    job = job_of(f"SELECT id FROM orders WHERE WATERMARK_TS() < ts QUALIFY {condition};")
    assert re.findall(r"limit=(\d+)", job.text) == [str(limit)]


@pytest.mark.parametrize("condition", [f"{NUMBER} > 3", f"3 <= {NUMBER}", f"{NUMBER} <> 3"])
def test_a_numbering_without_end(condition: str) -> None:
    query = f"SELECT id FROM orders WHERE WATERMARK_TS() < ts QUALIFY {condition};"
    text = job_of(query).text
    assert "job.windows(" in text
    assert "limit=" not in text


@pytest.mark.parametrize("function", ["sum", "try_sum", "mean"])
def test_different_values_are_aggregated(function: str) -> None:
    """Also by functions that sqlglot has no class for."""
    plan = plan_of(f"SELECT name, {function}(DISTINCT id) AS x FROM orders GROUP BY name;")
    known = {"mean": "avg"}.get(function, function)
    assert plan[1:3] == [f"Totals {known}_1 = {known}(DISTINCT id) by name", "Project name, id"]


def test_names_in_groups_are_told_apart() -> None:
    sources = (
        "CREATE SOURCE s (count_1 INT, counts INT, p BOOLEAN, te TIMESTAMP)"
        " USING parquet OPTIONS (path 's');\n"
    )
    job = job_of(
        "SELECT count_1, counts, p, count(*), count(*) FILTER (WHERE p),"
        " count(*) FILTER (WHERE mz_now() < te) FROM s GROUP BY count_1, counts, p;",
        sources,
    )
    called = re.findall(r'Call\(name="(\w+)", function="count", filter="(\w+)"', job.text)
    assert called == [("count_1_2", "counts_2"), ("count_2", "p_2"), ("count_3", "in_count_3")]
    assert '"FALSE AS p_2"' in job.text.replace("tvfc.sql(", "")
    assert "FALSE AS p," not in job.text


@pytest.mark.parametrize(
    ("condition", "release"),
    [
        ("WATERMARK_TS() <=> ts", [("every row", "ts")]),
        ("NOT WATERMARK_TS() IS DISTINCT FROM ts", [("every row", "ts")]),
        ("CAST(WATERMARK_TS() AS DATE) = day", [("every row", "date_trunc('DAY', day)")]),
    ],
)
def test_equality_with_the_clock(condition: str, release: list[tuple[str, str]]) -> None:
    found = release_of(condition)
    assert [guard for guard, _ in found] == [guard for guard, _ in release]
    assert all(wanted in at for (_, at), (_, wanted) in zip(found, release, strict=True))


@pytest.mark.parametrize(
    "value",
    [
        "coalesce(mz_now() < te, n > 1)",
        "CASE WHEN n = 1 THEN mz_now() < te ELSE n > 3 END",
        "CASE n WHEN 1 THEN n > 3 ELSE mz_now() < te END",
        "if(n = 1, p, mz_now() < te)",
    ],
)
def test_a_boolean_of_the_clock_is_compared_with_a_column(value: str) -> None:
    source = "CREATE SOURCE s (n INT, p BOOLEAN, te TIMESTAMP) USING parquet OPTIONS (path 's');\n"
    plan = plan_of(f"SELECT n FROM s WHERE {value} = p;", source)
    assert any("TemporalFilter" in each for each in plan)


@pytest.mark.parametrize(
    "join",
    [
        "orders AS o LEFT JOIN live AS i ON o.id = i.id",
        "live AS i RIGHT JOIN orders AS o ON o.id = i.id",
        "orders AS o LEFT ANTI JOIN live AS i ON o.id = i.id",
    ],
)
def test_partners_in_a_table_come_and_go(join: str) -> None:
    tables = (
        "CREATE SOURCE orders (id BIGINT) USING parquet OPTIONS (path 'o');\n"
        "CREATE TABLE items (id BIGINT, te TIMESTAMP) USING parquet OPTIONS (path 'i');\n"
        "CREATE VIEW live AS SELECT id FROM items WHERE mz_now() < te;\n"
    )
    assert any(each.startswith("Anti") for each in plan_of(f"SELECT o.id FROM {join};", tables))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM orders AS o WHERE EXISTS (SELECT 1 FROM live AS l WHERE l.id = o.id);",
        "SELECT id FROM orders WHERE id IN (SELECT id FROM live);",
    ],
)
def test_a_view_of_a_table_under_the_clock_is_asked_as_it_stands(query: str) -> None:
    tables = (
        "CREATE SOURCE orders (id BIGINT) USING parquet OPTIONS (path 'o');\n"
        "CREATE TABLE items (id BIGINT, te TIMESTAMP) USING parquet OPTIONS (path 'i');\n"
        "CREATE VIEW live AS SELECT id FROM items WHERE mz_now() < te;\n"
    )
    assert any(each.startswith("Semi") for each in plan_of(query, tables))
    grouped = (
        "SELECT o.id FROM orders AS o JOIN (SELECT DISTINCT id FROM live) AS l ON o.id = l.id;"
    )
    assert [each.code for each in faults_of(grouped, tables)] == ["TVF502"]


PARTS = (
    "CREATE SOURCE orders (id BIGINT, n INT, te TIMESTAMP) USING parquet OPTIONS (path 'o');\n"
    "CREATE SOURCE items (id BIGINT, n INT, te TIMESTAMP) USING parquet OPTIONS (path 'i');\n"
    "CREATE TABLE names (id BIGINT, te TIMESTAMP) USING parquet OPTIONS (path 'n');\n"
    "CREATE VIEW sums AS SELECT id, sum(n) AS n FROM items WHERE mz_now() < te GROUP BY id;\n"
)


@pytest.mark.parametrize(
    ("query", "join"),
    [
        ("SELECT o.id FROM orders o JOIN sums s ON o.id + 1 = s.id", "inner on id + 1 = s_id"),
        ("SELECT o.id FROM orders o, sums s WHERE s.id = o.id AND s.n > 1", "inner on id = s_id"),
        ("SELECT id FROM orders JOIN sums USING (id)", "inner on id = sums_id"),
        ("SELECT s.id FROM sums s FULL JOIN orders o ON s.id <=> o.id",
         "full on named_struct('key', id) = named_struct('key', o_id)"),
        ("SELECT id FROM sums WHERE id IN (SELECT id FROM orders)", "leftsemi on id = orders_id"),
        ("SELECT o.id FROM orders o WHERE NOT EXISTS "
         "(SELECT 1 FROM (SELECT id, max(n) AS m FROM sums GROUP BY id) AS s WHERE o.id = s.id)",
         "leftanti on id = s_id"),
        ("SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM items WHERE mz_now() < te)",
         "leftsemi"),
        ("SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM items i WHERE i.n > o.n)", "inner"),
        ("SELECT s.id FROM sums s JOIN (SELECT avg(n) AS mean FROM sums) m ON n > mean", "inner"),
        ("SELECT s.id FROM sums s LEFT JOIN orders o ON s.id = o.id AND o.n < s.n",
         "inner on id = o_id"),
    ],
)  # fmt: skip
def test_joins_of_what_changes(query: str, join: str) -> None:
    plan = [each.strip() for each in plan_of(query + ";", PARTS)]
    assert {each for each in plan if each.startswith("Paired")} == {f"Paired {join}"}


@pytest.mark.parametrize(("asks", "changes"), [("EXISTS", False), ("NOT EXISTS", True)])
def test_rows_without_a_partner_leave_when_one_comes(asks: str, *, changes: bool) -> None:
    query = f"SELECT id FROM orders WHERE {asks} (SELECT 1 FROM items WHERE n > 1);"
    assert ("job.changelog(" in job_of(query, PARTS).text) == changes


def test_a_condition_of_where_ends_a_side_below_the_join() -> None:
    query = "SELECT o.id FROM orders o JOIN sums s ON o.id = s.id WHERE mz_now() < o.te;"
    plan = [each.strip() for each in plan_of(query, PARTS)]
    assert "TemporalFilter clock < o.te" in plan[plan.index("Paired inner on id = s_id") :]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM sums WHERE id IN (SELECT id FROM names WHERE mz_now() < te)",
        "SELECT s.id FROM sums s LEFT JOIN (SELECT id FROM names WHERE mz_now() < te) m USING (id)",
    ],
)
def test_joins_of_what_changes_that_are_refused(query: str) -> None:
    assert [each.code for each in faults_of(query + ";", PARTS)] == ["TVF502"]


@pytest.mark.parametrize(
    ("condition", "place"),
    [
        ("mz_now() + 5000 > ts", "mz_now() + 5000"),
        ("mz_now() - id < 5000", "mz_now() - id"),
        ("mz_now() - ts < 5000", "mz_now() - ts"),
        ("ts - mz_now() < id", "ts - mz_now()"),
    ],
)
def test_numbers_have_no_unit_beside_the_clock(condition: str, place: str) -> None:
    faults = faults_of(
        f"SELECT id FROM s WHERE {condition};",
        "CREATE SOURCE s (id INT, ts TIMESTAMP) USING parquet OPTIONS (path 's');",
    )
    assert faults == [Fault("TVF206", place)]
