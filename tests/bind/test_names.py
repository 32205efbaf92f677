"""Which column and which relation a name means."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from compiled import Fault, columns_of, faults_of, job_of, plan_of

from compiler.sql.names import is_ours, own_name, parts_of, qualified

ROOT = Path(__file__).parents[2]

JOINED = "FROM orders AS o JOIN items AS i ON o.id = i.id"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ID, orders.NAME FROM Orders;",
        "SELECT `id`, O.`name` FROM orders AS o;",
        "SELECT place.lat, orders.place, orders.place.at FROM orders;",
        "SELECT o.name, sku, i.id " + JOINED + ";",
        "SELECT id, sku FROM orders JOIN items USING (ID);",
        "SELECT n FROM (SELECT name FROM orders) AS x (n);",
        "SELECT x.n FROM (SELECT name AS n FROM orders) x;",
        "WITH x (n) AS (SELECT name FROM orders) SELECT X.N FROM x;",
        "WITH x AS (SELECT id FROM orders), y AS (SELECT id AS k FROM x) SELECT k FROM y;",
        "CREATE VIEW v (n) AS SELECT name FROM orders; SELECT v.n FROM v;",
        "CREATE VIEW v AS SELECT id FROM orders;"
        "CREATE OR REPLACE VIEW v AS SELECT name AS n FROM orders; SELECT n FROM v;",
        "SELECT price * 2 AS twice, twice + id AS more FROM orders;",
        "SELECT transform(tags, tag -> tag + id) FROM orders;",
        "SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM items i WHERE i.sku = orders.name);",
    ],
)
def test_names_that_are_found(query: str) -> None:
    assert faults_of(query) == []


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("SELECT idd FROM orders;", Fault("TVF202", "idd")),
        ("SELECT orders.idd FROM orders;", Fault("TVF202", "orders.idd")),
        ("SELECT orders.id FROM orders AS o;", Fault("TVF201", "orders.id")),
        ("SELECT id FROM order_items;", Fault("TVF201", "order_items")),
        ("SELECT id FROM shop.orders;", Fault("TVF201", "shop.orders")),
        ("SELECT x.* FROM orders;", Fault("TVF201", "x.*")),
        ("SELECT id " + JOINED + ";", Fault("TVF203", "id")),
        ("SELECT n FROM (SELECT name FROM orders) AS x (m);", Fault("TVF202", "n")),
        ("SELECT name FROM (SELECT name FROM orders) AS x (m);", Fault("TVF202", "name")),
        ("SELECT id FROM orders WHERE twice > 3;", Fault("TVF202", "twice")),
        ("SELECT twice, price * 2 AS twice FROM orders;", Fault("TVF202", "twice")),
        ("SELECT y FROM (SELECT id AS x FROM orders) WHERE x > 1;", Fault("TVF202", "y")),
        ("SELECT * FROM v; CREATE VIEW v AS SELECT id FROM orders;", Fault("TVF201", "v")),
        ("SELECT i.sku FROM orders o LEFT SEMI JOIN items i ON o.id = i.id;",
         Fault("TVF201", "i.sku")),
        ("SELECT id FROM orders AS o JOIN items AS O ON TRUE;", Fault("TVF204", "items AS O")),
        ("SELECT orders.id FROM orders JOIN items USING (sku);", Fault("TVF202", "sku")),
        ("SELECT o.id FROM orders o LEFT JOIN orders p USING (nope);", Fault("TVF202", "nope")),
        ("SELECT x.id FROM (SELECT id, name AS ID FROM orders) AS x;", Fault("TVF203", "x.id")),
        ("SELECT * FROM (SELECT id, name AS ID FROM orders) AS x;", Fault("TVF203", "*")),
    ],
)  # fmt: skip
def test_names_that_are_not(query: str, fault: Fault) -> None:
    assert fault in faults_of(query)


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("SELECT id AS __due FROM orders;", "__due"),
        ("SELECT named_struct('__at', id).__at FROM orders;", "named_struct('__at', id).__at"),
        ("SELECT * FROM (SELECT id FROM orders) AS x (`__all`);", "`__all`"),
        ("CREATE VIEW v (__c) AS SELECT id FROM orders; SELECT * FROM v;", "__c"),
        ("CREATE SOURCE s (__Over_1 INT) USING rate; SELECT 1 FROM s;", "__Over_1"),
        ("SELECT id FROM orders JOIN (SELECT sku AS __wm FROM items) i ON name = i.__wm;",
         "SELECT sku AS __wm FROM items"),
        ("SELECT id FROM orders WATERMARK ts AS __time DELAY OF INTERVAL 1 MINUTE;", "__time"),
    ],
)  # fmt: skip
def test_names_that_a_job_gives_itself(query: str, place: str) -> None:
    assert faults_of(query) == [Fault("TVF210", place)]


def test_other_names_with_underscores_are_free() -> None:
    query = "CREATE SOURCE s (__op STRING, __source_ts_ms BIGINT, __cat INT) USING rate; "
    assert faults_of(query + "SELECT *, __cat AS __c_of_mine FROM s;") == []


def test_the_names_that_are_reserved_are_those_in_use() -> None:
    """Every name of a column in the compiler's and the runtime's own texts is refused to users."""
    used = {
        name
        for package in ("compiler", "tvfc_runtime")
        for file in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for name in re.findall(r"__[a-z]\w*", node.value)
        if not name.endswith("__")
    }
    # fastavro has schemas of types by their names under this key of a schema.
    used.remove("__named_schemas")
    assert len(used) > 30
    assert sorted(name for name in used if not is_ours(name)) == []


def test_names_of_a_changelog() -> None:
    sink = "CREATE SINK s USING sqlite OPTIONS (path 'p', key 'id') AS "
    assert "TVF608" in {
        each.code for each in faults_of(sink + "SELECT id, ts AS _time FROM orders;")
    }
    assert faults_of("SELECT id, ts AS _time FROM orders;") == []


def test_names_taken_apart() -> None:
    assert parts_of("a . `b.c`.`d``e`") == ("a", "b.c", "d`e")
    assert parts_of("größe") == ("größe",)
    assert [parts_of(sql) for sql in ("1.5", "a + b", "f(a)", "a[0]", "'a.b'", "")] == [()] * 6
    assert [own_name(sql) for sql in ("o.`a.b`", "a + 1.5")] == ["a.b", "a + 1.5"]
    assert qualified("o", "a.b", "select") == "o.`a.b`.`select`"


def test_items_without_names_are_called_as_written() -> None:
    query = "SELECT x.* FROM orders JOIN (SELECT upper(sku), ID FROM items) x ON orders.id = x.id;"
    assert columns_of(query) == "x.`upper(sku)`, x.ID"
    both = "SELECT * FROM (SELECT id + 1 FROM orders EXCEPT SELECT id FROM orders) x;"
    assert "(id + 1) AS `id + 1`" in job_of(both).text


def test_a_relation_at_fault_has_any_column() -> None:
    """One wrong name in FROM is one error, not one for each use of it."""
    query = "SELECT n.a, b, orders.id FROM nowhere AS n, orders WHERE c <= WATERMARK_TS(n);"
    assert faults_of(query) == [Fault("TVF201", "nowhere AS n")]


def test_letters_that_only_fold_alike_are_different() -> None:
    """As in Spark: capitals do not matter, but `ß` is not `ss`."""
    streets = "CREATE SOURCE t (`straße` INT, strasse INT, `ÄRA` INT) USING rate;"
    assert faults_of("SELECT strasse, `straße`, `ära` FROM t;", streets) == []


def test_a_star_has_the_columns_in_order() -> None:
    query = "SELECT * FROM (SELECT id, name FROM orders) o JOIN items i ON o.id = i.id;"
    assert columns_of(query) == "o.id, o.name, i.id, i.sku, i.weight"


def test_a_star_has_the_columns_of_using_once() -> None:
    query = "SELECT * FROM (SELECT id, name FROM orders) o JOIN items i USING (id);"
    assert columns_of(query) == "o.id, o.name, i.sku, i.weight"
    assert columns_of(query.replace("*", "i.*")) == "i.id, i.sku, i.weight"


def test_a_star_leaves_out_what_except_names() -> None:
    query = "SELECT * EXCEPT (NAME, a, b, price, place, tags) FROM orders;"
    assert columns_of(query) == "id, ts, day"
    assert columns_of("SELECT i.* EXCEPT (id), o.id " + JOINED + ";") == "i.sku, i.weight, o.id"


def test_a_semi_join_has_the_columns_of_its_left_side() -> None:
    query = "SELECT * FROM (SELECT id FROM orders) o LEFT SEMI JOIN items i ON o.id = i.id;"
    assert columns_of(query) == "id"


def test_a_star_over_the_clock_is_the_clock() -> None:
    query = "SELECT * FROM (SELECT id, WATERMARK_TS() AS w FROM orders);"
    assert columns_of(query) == "id, WATERMARK_TS() AS w"


def test_a_common_table_hides_a_source_of_its_name() -> None:
    query = "WITH orders AS (SELECT id AS k FROM orders) SELECT k FROM orders;"
    assert plan_of(query) == [
        "Project k",
        "View orders",
        "Project id AS k",
        "Source orders watermark ts",
    ]
    assert faults_of(query.replace("SELECT k", "SELECT id")) == [Fault("TVF202", "id")]


@pytest.mark.parametrize(
    ("query", "reads_stream"),
    [
        ("WITH items AS (SELECT id FROM orders) SELECT id FROM items", True),
        ("WITH orders AS (SELECT id FROM items) SELECT id FROM orders", False),
        ("WITH orders AS (SELECT id FROM orders) SELECT id FROM orders", True),
        ("WITH x AS (SELECT id FROM orders), orders AS (TABLE items) SELECT id FROM x", True),
        ("WITH orders AS (TABLE items), x AS (SELECT id FROM orders) SELECT id FROM x", False),
        ("SELECT id FROM (WITH orders AS (SELECT id FROM items) SELECT id FROM orders)", False),
        ("SELECT id FROM (WITH x AS (SELECT id FROM orders) SELECT id FROM x)", True),
        ("SELECT id FROM items WHERE id IN (WITH y AS (SELECT 1 AS k) SELECT k FROM y)", False),
    ],
)  # fmt: skip
def test_a_query_reads_a_stream_through_common_tables(query: str, reads_stream: bool) -> None:  # noqa: FBT001
    assert ("TVF603" in {fault.code for fault in faults_of(query + ";")}) is not reads_stream


def test_a_common_table_is_gone_after_its_query() -> None:
    query = "SELECT id FROM (WITH x AS (SELECT id FROM orders) SELECT id FROM x) JOIN x ON TRUE;"
    assert Fault("TVF201", "x") in faults_of(query)


def test_a_lateral_alias_does_not_hide_a_column() -> None:
    """`ts` in WHERE, and in the items behind, is the source's."""
    query = "SELECT day AS ts, ts AS moment FROM orders WHERE ts <= WATERMARK_TS();"
    assert plan_of(query)[:2] == ["Project day AS ts, ts AS moment", "TemporalFilter clock >= ts"]


def test_words_that_are_no_names_unless_quoted() -> None:
    words = "CREATE SOURCE t (`null` INT, `true` INT, `end` INT, plain INT) USING rate;"
    assert columns_of("SELECT * FROM t;", words) == ("`null`, `true`, `end`, plain")


def test_subqueries_over_tables_read_what_they_name() -> None:
    job = job_of(
        "CREATE VIEW `heavy ones` (item) AS SELECT id FROM items WHERE weight > 3;"
        "SELECT id FROM orders WHERE id IN (SELECT item FROM `heavy ones`);"
    )
    assert '"heavy ones",' in job.text or 'job.query("heavy ones"' in job.text
    assert "AS t (item)" in job.text


def test_the_sources_of_a_job_are_all_that_are_declared() -> None:
    job = job_of("SELECT id FROM orders;")
    assert [(each.name, each.is_static, each.watermark_column) for each in job.sources] == [
        ("orders", False, "ts"),
        ("items", True, None),
    ]
    assert job.sources[0].columns[4:7] == (
        ("price", "DECIMAL(10, 2)"),
        ("ts", "TIMESTAMP"),
        ("day", "DATE"),
    )


def test_declarations_that_are_not_used_are_checked() -> None:
    query = "CREATE VIEW v AS SELECT x FROM items; SELECT id FROM orders;"
    assert [fault.code for fault in faults_of(query)] == ["TVF202"]
