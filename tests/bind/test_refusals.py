"""What is refused or warned of: the code, and the text that it points at."""

from __future__ import annotations

import pytest
from compiled import ITEMS, ORDERS, Fault, columns_of, diagnostics_of, faults_of, job_of

NOT_YET = "TVF501"


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("SELECT id FROM orders SORT BY id;", "SORT BY id"),
        ("SELECT id FROM orders VERSION AS OF 3;", "VERSION AS OF 3"),
        ("SELECT id FROM orders EXCEPT SELECT id FROM items EMIT ON WINDOW CLOSE;",
         "SELECT id FROM items"),
        (
            "SELECT id FROM orders WHERE id NOT IN (SELECT id FROM orders) EMIT ON WINDOW CLOSE;",
            "id NOT IN (SELECT id FROM orders)",
        ),
        (
            "SELECT id FROM orders WHERE a OR EXISTS (SELECT 1 FROM orders) EMIT ON WINDOW CLOSE;",
            "EXISTS (SELECT 1 FROM orders)",
        ),
        ("SELECT id FROM orders WHERE lag(id) OVER (ORDER BY ts) > 1;",
         "lag(id) OVER (ORDER BY ts)"),
        ("SELECT (SELECT max(id) FROM orders) FROM orders EMIT ON WINDOW CLOSE;",
         "SELECT max(id) FROM orders"),
        ("SELECT (SELECT id FROM orders) FROM orders;", "SELECT id FROM orders"),
        ("SELECT PROC_TIME() FROM (SELECT id FROM orders);", "PROC_TIME()"),
        ("SELECT PROC_TIME() FROM items JOIN (SELECT id FROM orders) o USING (id);", "PROC_TIME()"),
        ("SELECT id FROM orders UNION ALL SELECT id FROM items EMIT ON WINDOW CLOSE;",
         "SELECT id FROM items"),
        ("SELECT id AS k, k + 1 AS l, WATERMARK_TS() AS w FROM orders;", "k + 1"),
        ("SELECT *, id AS k FROM orders ORDER BY 2 LIMIT 1;", "2"),
    ],
)  # fmt: skip
def test_not_supported_yet(query: str, place: str) -> None:
    found = [fault for fault in faults_of(query) if fault.code == NOT_YET]
    assert place in {
        fault.at.strip("()") if place.startswith("SELECT") else fault.at for fault in found
    }


@pytest.mark.parametrize(
    ("join", "place"),
    [
        ("orders o RIGHT JOIN items i ON o.id = i.id", "RIGHT JOIN items i ON o.id = i.id"),
        ("orders o FULL JOIN items i ON o.id = i.id", "FULL JOIN items i ON o.id = i.id"),
        ("items i LEFT JOIN orders o ON o.id = i.id", "LEFT JOIN orders o ON o.id = i.id"),
    ],
)  # fmt: skip
def test_joins_that_are_not_supported(join: str, place: str) -> None:
    query = f"SELECT o.id FROM {join} EMIT ON WINDOW CLOSE;"
    assert Fault("TVF502", place) in faults_of(query)


@pytest.mark.parametrize(
    "join",
    [
        "orders o JOIN items i ON o.id = i.id",
        "orders o LEFT JOIN items i ON o.id = i.id",
        "items i RIGHT JOIN orders o ON o.id = i.id",
        "orders o LEFT SEMI JOIN items i ON o.id = i.id",
        "orders o LEFT ANTI JOIN items i ON o.id = i.id",
        "orders o CROSS JOIN items i",
        "orders o, items i",
        "orders o NATURAL JOIN items i",
        "orders o NATURAL LEFT JOIN items i",
        "items i JOIN items j USING (id) JOIN orders o USING (id)",
    ],
)
def test_joins_that_are(join: str) -> None:
    assert faults_of(f"SELECT o.ts FROM {join};") == []


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("CREATE SOURCE t (a INT, A INT) USING rate; SELECT 1 FROM t;", Fault("TVF204", "A")),
        ("CREATE SOURCE t (s STRING, WATERMARK FOR s AS s) USING rate; SELECT s FROM t;",
         Fault("TVF206", "s")),
        ("CREATE SOURCE t (a INT, WATERMARK FOR b AS b) USING rate; SELECT a FROM t;",
         Fault("TVF202", "b")),
        ("CREATE SOURCE t (a TIMESTAMP, WATERMARK FOR a AS c) USING rate; SELECT a FROM t;",
         Fault("TVF202", "c")),
        ("CREATE SOURCE t (a TIMESTAMP, WATERMARK FOR a AS mz_now()) USING rate; SELECT a FROM t;",
         Fault("TVF403", "mz_now()")),
        ("CREATE SOURCE t (a INT); SELECT a FROM t;", Fault("TVF602", "t")),
        ("CREATE TABLE t (a DATE, WATERMARK FOR a AS a) USING rate; SELECT id FROM orders, t;",
         Fault("TVF303", "WATERMARK FOR a AS a")),
        ("CREATE SOURCE t (a TIMESTAMP, WATERMARK FOR a AS a IDLE AFTER INTERVAL 1 YEAR)"
         " USING rate; SELECT a FROM t;", Fault("TVF507", "IDLE AFTER INTERVAL 1 YEAR")),
        ("CREATE SOURCE t (a TIMESTAMP, WATERMARK FOR a AS a IDLE AFTER INTERVAL 0.5 SECONDS)"
         " USING rate; SELECT a FROM t;", Fault("TVF507", "IDLE AFTER INTERVAL 0.5 SECONDS")),
        ("SELECT id FROM LATE(items);", Fault("TVF321", "LATE(items)")),
        ("SELECT l.id FROM LATE((SELECT id, ts AS _watermark FROM orders)) l;",
         Fault("TVF204", "LATE((SELECT id, ts AS _watermark FROM orders)) l")),
        ("SELECT id FROM WATERMARK(orders, ts, WATERMARK_TS());",
         Fault("TVF403", "WATERMARK_TS()")),
        ("SELECT id FROM WATERMARK(orders, tss, ts);", Fault("TVF202", "tss")),
        ("SELECT id FROM WATERMARK(orders, ts, name);", Fault("TVF206", "name")),
        ("SELECT id FROM WATERMARK(LATE(orders), ts, ts);",
         Fault("TVF323", "WATERMARK(LATE(orders), ts, ts)")),
        ("SELECT id FROM WATERMARK(order, ts, ts);", Fault("TVF201", "order")),
        ("SELECT n FROM WATERMARK((SELECT window_end AS ts, count(*) AS n FROM"
         " TUMBLE(orders, ts, INTERVAL 1 MINUTE) GROUP BY window_end), ts, ts)"
         " EMIT ON WINDOW CLOSE;",
         Fault("TVF323", "WATERMARK((SELECT window_end AS ts, count(*) AS n FROM"
               " TUMBLE(orders, ts, INTERVAL 1 MINUTE) GROUP BY window_end), ts, ts)")),
        ("CREATE SOURCE t (a TIMESTAMP, b DATE, WATERMARK FOR a AS a, WATERMARK FOR b AS b)"
         " USING rate; SELECT a FROM t;", Fault("TVF304", "WATERMARK FOR b AS b")),
        ("CREATE VIEW v (a, b) AS SELECT id FROM orders; SELECT a FROM v;",
         Fault("TVF205", "a, b")),
        ("SELECT id, name FROM orders UNION ALL SELECT id FROM orders;",
         Fault("TVF205", "SELECT id FROM orders")),
        ("INSERT INTO s SELECT id FROM orders;", Fault("TVF601", "s")),
        ("CREATE SINK s USING rate; SELECT id FROM orders;", Fault("TVF604", "s")),
        ("CREATE SINK s USING json AS SELECT id FROM orders; INSERT INTO S SELECT id FROM orders;",
         Fault("TVF606", "S")),
        ("SELECT id FROM items;", Fault("TVF603", "SELECT id FROM items")),
    ],
)  # fmt: skip
def test_declarations(query: str, fault: Fault) -> None:
    assert fault in faults_of(query)


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("SELECT id FROM orders GROUP BY id, WATERMARK_TS();", Fault("TVF506", "WATERMARK_TS()")),
        ("SELECT mz_now() AS k, count(*) FROM orders GROUP BY 1;", Fault("TVF506", "mz_now()")),
        ("SELECT ts FROM orders GROUP BY ts, WATERMARK_TS() EMIT ON WINDOW CLOSE;",
         Fault("TVF506", "WATERMARK_TS()")),
        ("SELECT DISTINCT id, WATERMARK_TS() FROM orders;", Fault("TVF506", "WATERMARK_TS()")),
        ("SELECT id FROM orders ORDER BY WATERMARK_TS() LIMIT 1;",
         Fault("TVF506", "WATERMARK_TS()")),
        ("SELECT id, row_number() OVER (PARTITION BY mz_now() ORDER BY ts) AS n FROM orders"
         " QUALIFY n = 1;", Fault("TVF506", "mz_now()")),
        ("SELECT lag(id) OVER w FROM orders WINDOW w AS (ORDER BY ts, WATERMARK_TS())"
         " EMIT ON WINDOW CLOSE;", Fault("TVF506", "WATERMARK_TS()")),
        ("SELECT id FROM orders WHERE id IN (SELECT WATERMARK_TS() FROM orders);",
         Fault("TVF506", "id IN (SELECT WATERMARK_TS() FROM orders)")),
        ("SELECT id, PROC_TIME() FROM orders GROUP BY id;", Fault("TVF209", "PROC_TIME()")),
        ("SELECT ts FROM orders GROUP BY ts HAVING max(ts) < PROC_TIME() EMIT ON WINDOW CLOSE;",
         Fault("TVF209", "PROC_TIME()")),
        ("SELECT 1 FROM orders HAVING id > 1;", Fault("TVF209", "id")),
        ("SELECT sum(1 + max(id)) FROM orders GROUP BY name;", Fault("TVF209", "max(id)")),
        ("SELECT ts, sum(sum(id)) FROM orders GROUP BY ts EMIT ON WINDOW CLOSE;",
         Fault("TVF209", "sum(id)")),
        ("SELECT count(*) FROM orders GROUP BY session_window(ts, '5 seconds');",
         Fault("TVF302", "session_window(ts, '5 seconds')")),
        ("SELECT session_window(ts, '5 seconds') AS w, count(*) FROM orders GROUP BY w;",
         Fault("TVF302", "session_window(ts, '5 seconds')")),
        ("SELECT count(*) FROM orders GROUP BY window(ts, '5 s'), session_window(ts, '5 s')"
         " EMIT ON WINDOW CLOSE;", Fault("TVF501", "session_window(ts, '5 s')")),
        *((f"SELECT 1 FROM orders GROUP BY {call};", Fault("TVF206", call))
          for call in ("window(*)",)),
        *((f"SELECT 1 FROM orders GROUP BY {call};", Fault("TVF211", call))
          for call in ("window()", "window(NULL)")),
    ],
)  # fmt: skip
def test_groups_and_windows(query: str, fault: Fault) -> None:
    assert fault in faults_of(query)


@pytest.mark.parametrize(
    "call",
    ["listagg()", "element_at(id)", "map(id)", "max_by(id)", "count()", "regexp_replace(id, name)",
     "xmlelement(id, id, id, id)", "extract()", "percentile_approx(id)", "j_s_o_n_object(id)"],
)  # fmt: skip
def test_calls_that_lack_arguments_are_left_to_spark(call: str) -> None:
    """Functions are Spark's: what it makes of a call is not known here."""
    for query in (
        f"SELECT {call} FROM orders;",
        f"SELECT ts FROM orders GROUP BY ts, {call} EMIT ON WINDOW CLOSE;",
        f"SELECT id FROM orders WHERE {call} <= WATERMARK_TS();",
    ):
        faults_of(query)


def test_keys_that_differ_in_capitals() -> None:
    """Names of columns are one in any case, strings are not."""
    one = "SELECT TS, count(*) AS n FROM orders GROUP BY TS, ts EMIT ON WINDOW CLOSE;"
    assert "GROUP BY __close, TS, TS\n" in job_of(one).text
    both = "date_format(ts, 'MM'), date_format(ts, 'mm')"
    closing = f"SELECT {both} FROM orders GROUP BY ts, {both} EMIT ON WINDOW CLOSE;"
    assert f"GROUP BY __close, ts, {both}\n" in job_of(closing).text
    assert '["key_1", "key_2"]' in job_of(f"SELECT {both} FROM orders GROUP BY {both};").text


def test_a_script_without_a_query() -> None:
    assert [fault.code for fault in faults_of("")] == ["TVF605"]


def test_one_run_finds_the_faults_of_all_statements_in_order() -> None:
    query = (
        "CREATE VIEW v AS SELECT idd FROM orders;"
        "CREATE SOURCE t (a STRING, WATERMARK FOR a AS a) USING rate;"
        "SELECT x, sum(id) FROM orders JOIN nowhere ON TRUE WHERE mz_now() > day;"
    )
    assert [fault.code for fault in faults_of(query)] == [
        "TVF202",
        "TVF206",
        "TVF209",
        "TVF201",
    ]


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("SELECT id FROM TUMBEL(orders, ts, INTERVAL 1 MINUTE) GROUP BY id;",
         Fault("TVF201", "TUMBEL(orders, ts, INTERVAL 1 MINUTE)")),
        ("CREATE VIEW v AS SELECT window_start, ts FROM TUMBLE(orders, ts, INTERVAL 1 MINUTE);"
         "SELECT window_start FROM TUMBLE(v, ts, INTERVAL 1 HOUR);",
         Fault("TVF204", "TUMBLE(v, ts, INTERVAL 1 HOUR)")),
        ("SELECT id FROM orders EMIT ON WINDOW CLOSED;", Fault("TVF117", "EMIT")),
    ],
)  # fmt: skip
def test_what_follows_from_a_fault_goes_unsaid(query: str, fault: Fault) -> None:
    assert faults_of(query) == [fault]


def test_a_fault_is_told_once() -> None:
    query = "CREATE VIEW v AS SELECT idd FROM orders; SELECT * FROM v, v AS w WHERE v.idd = w.idd;"
    assert faults_of(query) == [Fault("TVF202", "idd")]


def test_every_refusal_says_what_to_write_instead() -> None:
    queries = [
        "SELECT DISTINCT count(*) OVER () FROM orders GROUP BY id ORDER BY id LIMIT 1;",
        "SELECT last(id) FROM orders SORT BY id;",
        "SELECT median(id) FROM orders WHERE id > (SELECT id FROM orders);",
        "SELECT id FROM orders WHERE hour(WATERMARK_TS()) = 3;",
        "SELECT o.id FROM orders o FULL JOIN items i ON o.id = i.id AND o.ts <= WATERMARK_TS();",
        "SELECT o.id FROM orders o FULL JOIN items i ON o.id = i.id EMIT ON WINDOW CLOSE;",
        "SELECT id FROM orders ORDER BY id LIMIT 3 EMIT ON WINDOW CLOSE;",
        "SELECT d FROM (SELECT date(WATERMARK_TS()) AS d FROM orders) WHERE mz_now() > d;",
    ]
    found = [each for query in queries for each in diagnostics_of(query)]
    assert len(found) >= 8
    assert all(each.help for each in found if each.code.startswith("TVF5"))


@pytest.mark.parametrize(
    "now", ["now()", "current_timestamp()", "current_timestamp", "current_date()"]
)
def test_a_comparison_with_the_current_time_is_warned_of(now: str) -> None:
    (warning,) = job_of(f"SELECT id FROM orders WHERE ts < {now} AND a;").warnings
    assert warning.code == "TVFW401"
    assert "WATERMARK_TS()" in (warning.help or "")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT now() AS arrived FROM orders;",
        "SELECT id FROM orders WHERE now() > TIMESTAMP '2030-01-01';",
        "SELECT id FROM orders WHERE ts < WATERMARK_TS();",
    ],
)
def test_what_is_not_warned_of(query: str) -> None:
    assert job_of(query).warnings == ()


def test_a_join_of_two_streams_is_warned_of_by_its_columns() -> None:
    query = "SELECT o.id FROM orders o JOIN orders p ON o.id = p.id AND o.name = 'x';"
    (warning,) = diagnostics_of(query)
    assert warning.code == "TVFW302"
    assert "`o.id`, `p.id`" in warning.labels[0].text
    assert "unbounded" in job_of(query).stages["plan"]


@pytest.mark.parametrize(
    ("condition", "side"),
    [
        ("b.ts >= a.ts", "left"),
        ("a.ts < b.ts + INTERVAL 5 SECONDS", "left"),
        ("b.ts <= a.ts", "right"),
        ("b.ts BETWEEN a.ts AND a.ts + INTERVAL 5 SECONDS", None),
    ],
)
def test_a_time_range_with_an_open_end_is_warned_of(condition: str, side: str | None) -> None:
    query = f"SELECT a.id FROM a JOIN b ON a.id = b.id AND {condition} EMIT ON WINDOW CLOSE;"
    found = [(each.code, each.labels[0].text) for each in diagnostics_of(query, WATERMARKED)]
    assert found == ([("TVFW302", f"keeps every row of the {side} side")] if side else [])


def test_warnings_come_in_order_of_place() -> None:
    query = "SELECT o.id FROM orders o JOIN orders p ON o.id = p.id JOIN orders q ON q.id = p.id;"
    assert [fault.at[:13] for fault in faults_of(query)] == ["JOIN orders p", "JOIN orders q"]


def test_in_a_scenario_a_source_needs_no_format() -> None:
    assert faults_of("SELECT id FROM orders;", ORDERS + ITEMS) == []
    bare = "CREATE SOURCE t (id INT); SELECT id FROM t;"
    assert faults_of(bare, "") == [Fault("TVF602", "t")]


STREAMS = """CREATE SOURCE a (id INT, v INT) USING rate;
CREATE SOURCE b (id INT, w INT) USING rate;
CREATE SOURCE c (id INT, k INT) USING rate;
CREATE TABLE t (id INT, x INT) USING parquet OPTIONS (path 't');
"""


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.w > a.v + (SELECT sum(k) FROM"
         " c));", Fault("TVF501", "(SELECT sum(k) FROM c)")),
        ("SELECT id, (SELECT max(w) + w FROM b WHERE b.id = a.id) AS m FROM a;",
         Fault("TVF209", "w")),
        ("SELECT id, (SELECT max(a.v) FROM b WHERE b.id = a.id) AS m FROM a;",
         Fault("TVF501", "a.v")),
        ("SELECT id, (SELECT max(w), min(w) FROM b) AS m FROM a;",
         Fault("TVF205", "SELECT max(w), min(w) FROM b")),
        ("SELECT id FROM a WHERE (id, v, v, v) NOT IN (SELECT id, w, w, w FROM b);",
         Fault("TVF501", "(id, v, v, v)")),
        ("SELECT v, count(*), (SELECT max(w) FROM b WHERE b.id = a.id) AS m FROM a GROUP BY v;",
         Fault("TVF209", "a.id")),
        ("SELECT v, count(*), (SELECT max(w) + a.id FROM b WHERE b.id = a.v) AS m FROM a"
         " GROUP BY v;", Fault("TVF209", "a.id")),
        ("SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE EXISTS (SELECT 1 FROM c"
         " WHERE c.id = a.id));", Fault("TVF501", "a.id")),
        ("SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.id = a.id AND EXISTS"
         " (SELECT 1 FROM t WHERE t.id = a.v));", Fault("TVF501", "a.v")),
        ("SELECT id FROM a WHERE id IN (SELECT id FROM t WHERE x IN (SELECT w FROM b));",
         Fault("TVF501", "x IN (SELECT w FROM b)")),
        ("SELECT a.id FROM a LEFT JOIN b ON a.id = b.id AND a.v IN (SELECT k FROM c);",
         Fault("TVF501", "a.v IN (SELECT k FROM c)")),
        ("SELECT a.id FROM a LEFT JOIN t ON a.id = t.id AND EXISTS (SELECT 1 FROM t AS u"
         " WHERE u.id = a.v);", Fault("TVF501", "a.v")),
        ("SELECT (SELECT max(x) FROM t WHERE t.id = a.id) AS m FROM a"
         " WHERE EXISTS (SELECT 1 FROM b WHERE b.id = a.id);", Fault("TVF501", "a.id")),
        ("SELECT id FROM a WHERE (id, v) IN (SELECT id FROM b);",
         Fault("TVF205", "(id, v) IN (SELECT id FROM b)")),
        ("SELECT a.id FROM a JOIN b ON a.id = b.id JOIN c USING (id);", Fault("TVF203", "id")),
        ("SELECT id FROM t, a JOIN b USING (id) WHERE x > v;", Fault("TVF203", "id")),
        ("SELECT a.id FROM a, b WHERE a.id < b.id;", Fault("TVFW304", "b")),
        ("SELECT a.id FROM a LEFT JOIN b WHERE a.id = b.id;", Fault("TVFW304", "LEFT JOIN b")),
        ("SELECT a.id FROM a, b, c WHERE a.id = c.id AND (a.id = b.id OR b.id = c.k);",
         Fault("TVFW304", "b")),
    ],
)  # fmt: skip
def test_subqueries_and_joins(query: str, fault: Fault) -> None:
    assert {each for each in faults_of(query, STREAMS) if each.code != "TVFW302"} == {fault}


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b JOIN c ON b.id = c.id AND b.w = a.v);",
         "move the condition to the WHERE of the subquery"),
        ("SELECT id FROM a WHERE NOT (EXISTS (SELECT 1 FROM b WHERE b.id = a.id) OR a.v = 1)"
         " EMIT ON WINDOW CLOSE;", "write `NOT EXISTS (…) AND NOT EXISTS (…)`"),
        ("SELECT a.id FROM a LEFT JOIN b ON a.id = b.id AND EXISTS (SELECT 1 FROM c"
         " WHERE c.id = a.id);", "of an outer join, into a subquery in FROM"),
        ("SELECT e FROM a CROSS JOIN UNNEST(array(v)) AS x(e);", "LATERAL VIEW"),
    ],
)  # fmt: skip
def test_what_is_written_instead(query: str, said: str) -> None:
    (found,) = (each for each in diagnostics_of(query, STREAMS) if each.code != "TVFW302")
    assert said in (found.help or "")


@pytest.mark.parametrize(
    ("condition", "place"),
    [
        ("EXISTS (SELECT count(*) FROM t WHERE t.id = a.id)", "a.id"),
        ("EXISTS (SELECT 1 FROM t WHERE t.x > a.v HAVING count(*) > 2)", "a.v"),
        ("1 IN (SELECT min(t.x) FROM t WHERE t.id = a.id)", "a.id"),
        ("EXISTS (SELECT 1 FROM t LEFT JOIN t AS u ON t.id = u.id AND u.x = a.v)", "a.v"),
        ("EXISTS (SELECT 1 FROM t WHERE t.id = a.id UNION ALL SELECT 1 FROM t)", "a.id"),
        ("EXISTS (SELECT 1 FROM t WHERE t.id = a.id AND t.x > a.v LIMIT 1)", "a.v"),
        ("v IN (SELECT DISTINCT x FROM t WHERE t.id > a.id)", "a.id"),
        ("v IN (SELECT t.x + a.id FROM t)", "a.id"),
        ("v IN (SELECT row_number() OVER (ORDER BY x) FROM t WHERE t.id + 1 = a.id)", "a.id"),
        ("EXISTS (SELECT 1 FROM (SELECT * FROM t WHERE t.x > a.v) q GROUP BY q.id)", "a.v"),
        ("EXISTS (SELECT 1 FROM t LATERAL VIEW explode(array(a.v)) e AS y WHERE y = x)", "a.v"),
        ("(SELECT max(x) FROM t WHERE t.id + 1 = a.id) > 0", "a.id"),
    ],
)  # fmt: skip
def test_rows_of_a_stream_that_spark_would_gather(condition: str, place: str) -> None:
    found = faults_of(f"SELECT id FROM a WHERE {condition};", STREAMS)
    assert found == [Fault("TVF501", place)]


@pytest.mark.parametrize(
    "condition",
    [
        "EXISTS (SELECT t.id FROM t WHERE t.x = a.v + 1 GROUP BY t.id HAVING count(*) > a.id)",
        "EXISTS (SELECT 1 FROM t WHERE (a.id) = (t.id) LIMIT 1)",
        "EXISTS (SELECT 1 FROM t JOIN t AS u ON t.id = u.id AND u.x = a.v)",
        "EXISTS (SELECT 1 FROM t LEFT JOIN t AS u ON t.id = u.id WHERE u.x > a.v)",
        "EXISTS (SELECT 1 FROM (SELECT DISTINCT x FROM t WHERE t.id = a.id) q)",
        "EXISTS (SELECT t.x FROM t WHERE a.id > 3 GROUP BY t.x)",
        "v NOT IN (SELECT x FROM t WHERE t.id > a.id OR t.x = a.v)",
    ],
)
def test_rows_of_a_stream_that_spark_joins(condition: str) -> None:
    job_of(f"SELECT id FROM a WHERE {condition};", STREAMS)


def test_a_star_has_the_columns_of_using_once_and_others_of_their_names() -> None:
    """As Spark has it: a column of USING is one of the relations that it joins, of no other."""
    found = columns_of("SELECT * FROM t, a JOIN b USING (id) WHERE x > v;", STREAMS)
    assert found == "t.id, t.x, a.id, a.v, b.w"
    found = columns_of("SELECT * FROM a JOIN b USING (id), t WHERE x > v;", STREAMS)
    assert found == "a.id, a.v, b.w, t.id, t.x"


WATERMARKED = "".join(
    f"""CREATE SOURCE {name} (id INT, r ARRAY<INT>, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING rate;
"""
    for name in "ab"
)
RANGE = "a.id = b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 5 SECONDS"


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        (f"SELECT count(*) FROM a FULL JOIN b ON {RANGE} GROUP BY window(a.ts, '5 seconds')",
         Fault("TVF501", f"FULL JOIN b ON {RANGE}")),
        (f"SELECT count(*) FROM a LEFT JOIN b ON {RANGE} GROUP BY window(b.ts, '5 seconds')",
         Fault("TVF302", "b.ts")),
        ("SELECT count(*) FROM a JOIN b USING (id) GROUP BY session_window(a.ts, '5 seconds')",
         Fault("TVF302", "JOIN b USING (id)")),
        ("SELECT x FROM a LATERAL VIEW explode(r) v AS x WHERE EXISTS (SELECT 1 FROM b"
         " WHERE b.id = x)", Fault("TVF501", "EXISTS (SELECT 1 FROM b WHERE b.id = x)")),
    ],
)  # fmt: skip
def test_what_a_join_keeps_from_being_final(query: str, fault: Fault) -> None:
    assert faults_of(f"{query} EMIT ON WINDOW CLOSE;", WATERMARKED) == [fault]


def test_a_time_that_may_be_missing_is_replaced_by_that_of_the_other_side() -> None:
    found = diagnostics_of(
        f"SELECT count(*) FROM a LEFT JOIN b ON {RANGE} GROUP BY window(b.ts, '5 seconds')"
        " EMIT ON WINDOW CLOSE;",
        WATERMARKED,
    )
    assert [each.help for each in found] == ["write `a.ts` in its place"]


def test_a_table_that_is_joined_outer_takes_no_time_away() -> None:
    (found,) = diagnostics_of(
        "CREATE TABLE t (id INT) USING parquet OPTIONS (path 't');"
        "SELECT count(*) FROM (SELECT r[0] AS x, CAST(ts AS STRING) AS s, id FROM a) AS a"
        " LEFT JOIN t USING (id) GROUP BY window(CAST(s AS TIMESTAMP), '5 seconds')"
        " EMIT ON WINDOW CLOSE;",
        WATERMARKED,
    )
    assert found.notes == ()
