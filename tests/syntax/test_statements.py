"""What our statements and relations become."""

from __future__ import annotations

from typing import Any

import pytest
from sqlglot import exp

from compiler.diagnostics import CompileError
from compiler.source import SourceText
from compiler.syntax import nodes, parse_query, parse_script, span_of


def only(sql: str) -> Any:
    (statement,) = parse_script(SourceText("query.sql", sql)).statements
    return statement


def first(tree: Any, kind: type[exp.Expression]) -> Any:
    """The first node of a kind, which must be there."""
    return next(tree.find_all(kind))


def test_source() -> None:
    source = only(
        """CREATE SOURCE orders (
             id BIGINT NOT NULL, ts TIMESTAMP COMMENT 'when', price DECIMAL(10, 2),
             WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
               IDLE AFTER INTERVAL 30 SECONDS MAX FUTURE SKEW INTERVAL 5 MINUTES,
           ) USING kafka OPTIONS (topic 'orders', kafka.x.y = 3, 'fast' true,)"""
    )
    assert isinstance(source, nodes.CreateSource)
    assert source.this.name == "orders"
    assert source.args["kind"] == "SOURCE"
    assert [column.name for column in source.args["columns"]] == ["id", "ts", "price"]
    assert [column.args["kind"].sql("spark") for column in source.args["columns"]] == [
        "BIGINT",
        "TIMESTAMP",
        "DECIMAL(10, 2)",
    ]
    (watermark,) = source.args["watermarks"]
    assert watermark.this.name == "ts"
    assert watermark.expression.sql("spark") == "ts - INTERVAL '1' MINUTE"
    assert watermark.args["idle_after"].sql("spark") == "INTERVAL '30' SECONDS"
    assert watermark.args["max_future_skew"].sql("spark") == "INTERVAL '5' MINUTES"
    assert source.args["format"].name == "kafka"
    options = {option.this: option.expression.sql() for option in source.args["options"]}
    assert options == {"topic": "'orders'", "kafka.x.y": "3", "fast": "TRUE"}


def test_risingwave_spelling_is_the_same() -> None:
    theirs = only("CREATE STREAM s (a INT) WITH ('connector' = 'kafka', 'topic' = 't')")
    ours = only("CREATE STREAM s (a INT) USING kafka OPTIONS (topic 't')")
    assert theirs == ours


def test_a_source_may_lack_everything_but_its_name() -> None:
    source = only("CREATE SOURCE s (a INT)")
    assert source.args["format"] is None
    assert source.args["options"] == []
    assert source.args["watermarks"] == []


def test_table_view_sink_insert() -> None:
    table = only("CREATE TABLE t (a INT) USING parquet OPTIONS (path 'x')")
    assert isinstance(table, nodes.CreateTable)
    view = only("CREATE OR REPLACE TEMP VIEW v (a, b) AS SELECT 1, 2")
    assert isinstance(view, nodes.CreateView)
    assert (view.args["replace"], view.args["temporary"]) == (True, True)
    assert [column.name for column in view.args["columns"]] == ["a", "b"]
    assert only("CREATE MATERIALIZED VIEW v AS SELECT 1").args["materialized"]
    sink = only("CREATE SINK s USING delta OPTIONS (path 'x') AS SELECT 1")
    assert isinstance(sink, nodes.CreateSink)
    assert isinstance(sink.expression, exp.Select)
    assert only("CREATE SINK s USING delta OPTIONS (path 'x')").expression is None
    insert = only("INSERT INTO s (a) SELECT 1")
    assert isinstance(insert, nodes.InsertInto)
    assert [column.name for column in insert.args["columns"]] == ["a"]
    insert = only("WITH w AS (SELECT 1) INSERT INTO s SELECT * FROM w")
    assert insert.expression.sql() == "WITH w AS (SELECT 1) SELECT * FROM w"


def test_clocks() -> None:
    tree = parse_query("SELECT WATERMARK_TS(), watermark_ts(o), mz_now(), PROC_TIME() FROM o")
    kinds = [type(each) for each in tree.expressions]
    assert kinds == [nodes.WatermarkTs, nodes.WatermarkTs, nodes.MzNow, nodes.ProcTime]
    assert tree.expressions[1].this.name == "o"


def relation(sql: str) -> Any:
    return parse_query(f"SELECT * FROM {sql}").args["from_"].this


def test_relations() -> None:
    tumble = relation("TUMBLE(orders AS o, o.ts, INTERVAL 1 MINUTE, INTERVAL 5 SECONDS) AS w")
    assert isinstance(tumble, nodes.TumbleRelation)
    assert (tumble.this.name, tumble.this.alias, tumble.alias) == ("orders", "o", "w")
    assert tumble.args["column"].sql() == "o.ts"
    assert tumble.args["offset"] is not None
    hop = relation("HOP((SELECT 1), ts, INTERVAL 1 MINUTE, INTERVAL 5 MINUTES) h")
    assert hop.args["slide"].sql("spark") == "INTERVAL '1' MINUTE"
    assert hop.args["size"].sql("spark") == "INTERVAL '5' MINUTES"
    assert isinstance(hop.this, exp.Subquery)
    cumulate = relation("CUMULATE(t, ts, INTERVAL 1 HOUR, INTERVAL 1 DAY)")
    assert cumulate.args["step"].sql("spark") == "INTERVAL '1' HOUR"
    session = relation("SESSION(LATE(t), ts, (a, b), INTERVAL 1 HOUR)")
    assert [key.name for key in session.args["keys"]] == ["a", "b"]
    assert isinstance(session.this, nodes.LateRelation)
    watermark = relation("WATERMARK(t, ts, ts - INTERVAL 1 DAY) AS w JOIN u ON true")
    assert watermark.expression.sql("spark") == "ts - INTERVAL '1' DAY"


@pytest.mark.parametrize(
    ("sql", "alias"),
    [
        ("STREAM t WATERMARK ts AS w DELAY OF INTERVAL 1 MINUTE AS x", "x"),
        ("t WATERMARK ts AS w DELAY OF INTERVAL 1 MINUTE x", "x"),
        ("(SELECT * FROM t) WATERMARK ts AS w DELAY OF INTERVAL 1 MINUTE AS x", "x"),
        ("f(1) WATERMARK ts AS w DELAY OF INTERVAL 1 MINUTE x", "x"),
    ],
)
def test_sparks_watermark_clause(sql: str, alias: str) -> None:
    stream = relation(sql)
    assert isinstance(stream, nodes.StreamRelation)
    assert stream.alias == alias
    assert stream.args["watermark"].name == "ts"
    assert stream.args["watermark_alias"].name == "w"
    assert stream.args["delay"].sql("spark") == "INTERVAL '1' MINUTE"


@pytest.mark.parametrize(
    "sql", ["STREAM t", "STREAM(t)", "STREAM f(1)", "STREAM t WITH ('a' = 'b')"]
)
def test_streams_without_watermark(sql: str) -> None:
    assert isinstance(relation(sql), nodes.StreamRelation)


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("SELECT 1 EMIT ON WINDOW CLOSE", exp.Select),
        ("SELECT 1 UNION ALL SELECT 2 EMIT ON WINDOW CLOSE", exp.Union),
        ("SELECT 1 UNION SELECT 2 ORDER BY 1 LIMIT 3 EMIT ON WINDOW CLOSE", exp.Union),
        ("SELECT 1 EXCEPT SELECT 2 INTERSECT SELECT 3 EMIT ON WINDOW CLOSE", exp.Except),
        ("(SELECT 1) EMIT ON WINDOW CLOSE", exp.Subquery),
        ("WITH a AS (SELECT 1) SELECT * FROM a emit on window close", exp.Select),
    ],
)
def test_emit_belongs_to_the_whole_query(sql: str, kind: type) -> None:
    tree = parse_query(sql)
    assert type(tree) is kind
    assert isinstance(tree.args["emit"], nodes.EmitOnWindowClose)
    assert sum(isinstance(each, nodes.EmitOnWindowClose) for each in tree.walk()) == 1


def test_emit_in_a_subquery_stays_there() -> None:
    tree = parse_query("SELECT * FROM (SELECT 1 EMIT ON WINDOW CLOSE) AS x")
    assert tree.args.get("emit") is None
    assert first(tree, exp.Subquery).this.args["emit"] is not None


def test_spans_in_a_script_with_comments_and_wide_characters() -> None:
    text = (
        "-- größe: 日本語\n"
        "CREATE SOURCE t (`größe` INT); /* 😀 /* nested */ */\n"
        "CREATE VIEW v AS WITH w AS (SELECT '日本' AS k, `größe` FROM t WHERE `größe` > 10)\n"
        "SELECT k FROM w;\n"
    )
    source = SourceText("query.sql", text)
    _, view = parse_script(source).statements
    assert source.slice(span_of(view)).startswith("CREATE VIEW")
    condition = first(view, exp.Where)
    assert source.slice(span_of(condition)) == "WHERE `größe` > 10"
    assert source.slice(span_of(condition.this)) == "`größe` > 10"
    assert source.line_column(span_of(condition).start) == (3, 62)
    common_table = first(view, exp.CTE)
    assert source.slice(span_of(common_table)).startswith("w AS (SELECT")
    assert source.slice(span_of(view.expression.args["from_"])) == "FROM w"


def test_spans_of_clauses() -> None:
    sql = (
        "SELECT DISTINCT a + 1 AS b, sum(c) FILTER (WHERE d > 1) OVER (PARTITION BY e ORDER BY f) "
        "FROM t AS u LEFT JOIN v ON u.x = v.y WHERE CAST(a AS DECIMAL(10, 2)) IS NOT NULL "
        "GROUP BY a, b HAVING count(*) > 1 ORDER BY a DESC, b LIMIT 10"
    )
    tree = parse_query(sql)

    def text(node: Any) -> str:
        span = span_of(node)
        return sql[span.start : span.end]

    assert text(tree) == sql
    assert text(tree.expressions[0]) == "a + 1 AS b"
    assert text(tree.expressions[0].this) == "a + 1"
    window = first(tree, exp.Window)
    assert text(window).startswith("sum(c) FILTER")
    assert text(first(tree, exp.Filter)) == "sum(c) FILTER (WHERE d > 1)"
    assert text(first(tree, exp.Join)) == "LEFT JOIN v ON u.x = v.y"
    assert text(tree.args["from_"].this) == "t AS u"
    assert text(first(tree, exp.TableAlias)) == "AS u"
    assert text(tree.args["where"]) == "WHERE CAST(a AS DECIMAL(10, 2)) IS NOT NULL"
    assert text(first(tree, exp.TryCast)) == "CAST(a AS DECIMAL(10, 2))"
    assert text(first(tree, exp.TryCast).args["to"]) == "DECIMAL(10, 2)"
    assert text(tree.args["group"]) == "GROUP BY a, b"
    assert text(tree.args["having"]) == "HAVING count(*) > 1"
    assert text(tree.args["order"]) == "ORDER BY a DESC, b"
    assert text(tree.args["order"].expressions[0]) == "a DESC"
    assert text(tree.args["limit"]) == "LIMIT 10"


@pytest.mark.parametrize(
    ("sql", "kind", "written"),
    [
        ("SELECT DISTINCT a FROM t", exp.Distinct, "DISTINCT"),
        ("SELECT count(DISTINCT a, b) FROM t", exp.Distinct, "DISTINCT a, b"),
        ("SELECT listagg(DISTINCT a, ',') FROM t", exp.Distinct, "DISTINCT a"),
        ("WITH w (x, y) AS (SELECT 1, 2) SELECT * FROM w", exp.TableAlias, "w (x, y)"),
        (
            "SELECT * FROM VALUES (1, 2), (3, 4) AS t (a, b)",
            exp.Values,
            "VALUES (1, 2), (3, 4) AS t (a, b)",
        ),
        ("SELECT 1 UNION VALUES (2)", exp.Values, "VALUES (2)"),
        ("SELECT * FROM t PIVOT (sum(a) FOR b IN (1, 2))", exp.In, "b IN (1, 2)"),
        ("SELECT * FROM t UNPIVOT (v FOR n IN (a, b)) AS u", exp.In, "n IN (a, b)"),
        ("FROM t |> WHERE a > 1 |> SELECT b", exp.Where, "WHERE a > 1"),
        ("FROM t |> WHERE a |> WHERE b", exp.Where, "WHERE a |> WHERE b"),
        ("FROM t |> AGGREGATE count(*) GROUP BY b, c", exp.Group, "GROUP BY b, c"),
        ("FROM t |> EXTEND a + 1 AS b", exp.Alias, "a + 1 AS b"),
        ("SELECT ts - INTERVAL '5 days' FROM t", exp.Interval, "INTERVAL '5 days'"),
        (
            "SELECT a FROM t JOIN u APPROX NEAREST 2 BY DISTANCE a",
            nodes.NearestRelation,
            "u APPROX NEAREST 2 BY DISTANCE a",
        ),
        (
            "SELECT a FROM t CHANGES FROM VERSION 1 AS c",
            nodes.ChangeFeed,
            "t CHANGES FROM VERSION 1 AS c",
        ),
    ],
)
def test_spans_of_single_nodes(sql: str, kind: type[exp.Expression], written: str) -> None:
    span = first(parse_query(sql), kind).meta["span"]
    assert sql[span.start : span.end] == written


def test_a_copy_keeps_its_spans() -> None:
    tree = parse_query("SELECT a FROM t")
    assert span_of(tree.copy().expressions[0]) == span_of(tree.expressions[0])


def test_independent_statements_fail_on_their_own() -> None:
    with pytest.raises(CompileError) as caught:
        parse_script(SourceText("q", "SELECT a,; SELECT 1; SELEC 2; CREATE SOURCE s (a FOO)"))
    assert [each.code for each in caught.value.diagnostics] == ["TVF115", "TVF113", "TVF108"]
    with pytest.raises(CompileError) as caught:
        parse_script(SourceText("q", "SELECT a # b; SELECT 1; SELECT a,;"))
    assert [each.code for each in caught.value.diagnostics] == ["TVF101", "TVF115"]


@pytest.mark.parametrize("text", ["", " ", ";;", "-- nothing\n", "/* nothing */;"])
def test_an_empty_script_has_no_statements(text: str) -> None:
    assert parse_script(SourceText("q", text)).statements == ()


@pytest.mark.parametrize("text", ["", ";", "SELECT 1; SELECT 2", "CREATE VIEW v AS SELECT 1"])
def test_a_query_is_one_query(text: str) -> None:
    with pytest.raises(CompileError):
        parse_query(text)


@pytest.mark.parametrize(
    ("pattern", "printed"),
    [
        ("a b*", "(a b{0,})"),
        ("a b*?", "(a b{0,}?)"),
        ("(a | b)+? c??", "((a | b){1,}? c{0,1}?)"),
        ("a{2}? b{,3} c{2,} d{2,3}?", "(a{2,2}? b{0,3} c{2,} d{2,3}?)"),
        ("a {- b* -} ()", "(a {- b{0,} -} ())"),
        ("PERMUTE(a, b c)", "PERMUTE(a, (b c))"),
    ],
)
def test_row_patterns(pattern: str, printed: str) -> None:
    node = relation(f"t MATCH_RECOGNIZE (ORDER BY ts PATTERN ({pattern}))")
    assert node.args["clauses"].pattern.sql("spark") == printed
