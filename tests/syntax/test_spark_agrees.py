"""Spark's own parser is the judge.

What it takes we take, with sqlglot's tree; what it refuses we refuse.
"""

from __future__ import annotations

import logging
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import sqlglot
from hypothesis import HealthCheck, assume, given, settings
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from sqlglot import exp
from syntax.corpora import placed_expressions, queries, scripts
from syntax.known_differences import (
    KNOWN_ACCEPTANCES,
    KNOWN_REFUSALS,
    sparks_lexer_misreads,
    sqlglot_misreads,
)
from syntax.random_queries import QUERIES, broken_queries

from compiler.diagnostics import CompileError
from compiler.source import SourceText
from compiler.syntax import parse_query, parse_script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


RANDOM = settings(
    max_examples=250,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@pytest.fixture(scope="session")
def spark_takes(spark: SparkSession) -> Callable[[str], bool]:
    """Does Spark's parser take a query?"""
    parser: Any = spark._jsparkSession.sessionState().sqlParser()

    def judge(sql: str) -> bool:
        try:
            parser.parsePlan(sql)
        except (Py4JJavaError, PySparkException):
            return False
        return True

    return judge


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def we_take(sql: str) -> bool:
    try:
        parse_query(sql)
    except CompileError:
        return False
    return True


def sqlglot_tree(sql: str) -> exp.Expr | None:
    try:
        return sqlglot.parse_one(sql, "spark")
    except (sqlglot.ParseError, sqlglot.TokenError):
        return None


def test_spark_takes_the_corpus(spark_takes: Callable[[str], bool]) -> None:
    refused = [sql for sql in (*queries(), *placed_expressions()[::5]) if not spark_takes(sql)]
    assert refused == []


def test_spark_takes_what_we_refuse_on_purpose(spark_takes: Callable[[str], bool]) -> None:
    assert all(spark_takes(sql) for sql, _ in KNOWN_REFUSALS)


def test_we_take_on_purpose_what_spark_refuses(spark_takes: Callable[[str], bool]) -> None:
    assert not any(spark_takes(sql) for sql, _ in KNOWN_ACCEPTANCES)
    assert all(we_take(sql) for sql, _ in KNOWN_ACCEPTANCES)


def test_spark_takes_its_own_watermark_clause(spark_takes: Callable[[str], bool]) -> None:
    theirs = ("DELAY OF", "FROM STREAM", "CHANGES FROM", "NEAREST")
    ours = [script for script in scripts() if any(words in script for words in theirs)]
    assert len(ours) >= 5
    for script in ours:
        parse_script(SourceText("script", script))
        assert spark_takes(script), script


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t LIMIT 1 ORDER BY a",
        "SELECT a FROM t HAVING b GROUP BY c",
        "SELECT a IN (1) = b",
        "SELECT a LIKE 'x' LIKE 'y'",
        "SELECT sum(a) OVER (w ORDER BY b) FROM t",
        "SELECT CAST(a AS foo)",
        "SELECT CAST(a AS VARCHAR)",
        "SELECT f(a,)",
        "SELECT a FROM t,",
        "SELECT 300Y",
        "SELECT DATE '2024-02-30'",
        "SELECT INTERVAL 1 MONTH 2 DAYS",
        "SELECT INTERVAL '90' HOUR TO MINUTE",
        "SELECT * FROM t NATURAL JOIN u ON a = b",
        "SELECT * FROM t AS left",
        "SELECT größe",
        "SELECT a LIKE ANY ()",
        "VALUES (1, 2), (3)",
        "WITH a AS (SELECT 1), a AS (SELECT 2) SELECT * FROM a",
        "SELECT a FROM t TABLESAMPLE (10)",
        "SELECT a FROM t GROUP BY ROLLUP (a, ())",
        "SELECT a FROM t ORDER BY a SORT BY a",
        "SELECT TRIM(BOTH 'x' a)",
        "SELECT first_value(a IGNORE NULLS) FROM t",
        "SELECT last(a RESPECT NULLS) FROM t",
        "SELECT last(a, true IGNORE NULLS) FROM t",
        "SELECT last(a IGNORE NULLS) OVER (ORDER BY b) FROM t",
        "SELECT last(a IGNORE NULLS) FILTER (WHERE b) FROM t",
        "SELECT f(a).* FROM t",
        "SELECT (a",
        "SELECT 'a",
        "SELECT CASE WHEN a THEN b",
        "SELECT 128Y",
        "SELECT a - 128Y",
        "SELECT 1E38BD",
        "SELECT CAST(a AS DECIMAL(1, 2))",
        "SELECT INTERVAL 178956971 YEARS",
        "SELECT INTERVAL '106751992 days'",
        "SELECT INTERVAL '106751991 05:00' DAY TO MINUTE",
        "SELECT INTERVAL '- 1 2' DAY TO HOUR",
        "SELECT INTERVAL '1.1234567891' SECOND",
        "SELECT TIME '13:00 PM'",
        "SELECT TIMESTAMP '2025-04-29 18.47.18'",
        "SELECT TIMESTAMP '2025-04-29 18:47:18 foo'",
        "SELECT TIMESTAMP '2025-04-29 24:00:00'",
        "SELECT TIMESTAMP_NTZ '12:30'",
        "SELECT timediff('YEAR', a, b)",
        "SELECT * FROM VALUES (1, 2) AS t(a)",
        "SELECT * FROM t TIMESTAMP AS OF a",
        "SELECT * FROM t TIMESTAMP AS OF current_date",
        "SELECT * FROM t VERSION AS OF a",
        "SELECT * FROM f(TABLE t)",
        "SELECT * FROM f(a) WITH ORDINALITY",
        "SELECT * FROM t TABLESAMPLE (-1 PERCENT)",
        "SELECT * FROM t TABLESAMPLE (BUCKET 2 OUT OF 1)",
        "SELECT * FROM t TABLESAMPLE SYSTEM (5 ROWS)",
        "SELECT * FROM t UNPIVOT ((a, b) FOR n IN (c, d))",
        "SELECT * FROM t UNPIVOT (a FOR n IN ((c), (d)))",
        "SELECT * FROM t JOIN u PIVOT (sum(x) FOR y IN (1)) ON TRUE",
        "SELECT * FROM t NATURAL CROSS JOIN u",
        "SELECT * FROM t NATURAL JOIN LATERAL (SELECT 1)",
        "SELECT * FROM t RIGHT JOIN LATERAL (SELECT 1) ON TRUE",
        "SELECT * FROM t, LATERAL u",
        "SELECT /*+ COALESCE(1 + 2) */ * FROM t",
        "SELECT /*+ BROADCAST() */ * FROM t",
        "SELECT sum(a) OVER (ORDER BY b ROWS b PRECEDING) FROM t",
        "SELECT TRANSFORM(DISTINCT a) USING 'cat' AS (a) FROM t",
        "WITH r(a) MAX RECURSION LEVEL 5 AS (SELECT 1) SELECT * FROM r",
        "SELECT 'a'.b()",
        "TABLE t |> AGGREGATE",
        "TABLE t |> AGGREGATE sum(a) GROUP BY ALL",
        "TABLE t |> AGGREGATE sum(a) OVER () GROUP BY b",
        "TABLE t |> ORDER BY x LIMIT 1",
        "TABLE t |> CLUSTER BY x DISTRIBUTE BY y",
        "TABLE t |> WINDOW w AS (ORDER BY a)",
        "SELECT CAST(a AS INT(11))",
        "SELECT CAST(a AS STRING(20))",
        "SELECT CAST(a AS DECIMAL(3, 2, 1))",
        "SELECT CAST(a AS DECIMAL(1.5))",
        "SELECT CAST(a AS DATE WITHOUT TIME ZONE)",
        "SELECT CAST(a AS INT COLLATE UTF8_LCASE)",
        "SELECT CAST(a AS GEOMETRY)",
        "SELECT CAST(a AS TIMESTAMP(3))",
        "SELECT CAST(a AS TIME(10))",
        "SELECT CAST(a AS INTERVAL WEEK)",
        "SELECT CAST(a AS INTERVAL DAYS)",
        "SELECT CAST(a AS INTERVAL DAY TO MONTH)",
        "SELECT * FROM VALUES (STRUCT(1 AS a, 'x' AS b)) AS t(c)",
        "SELECT * FROM f(TABLE(t) PARTITION BY a, b)",
        "SELECT * FROM f(TABLE(t) PARTITION BY (a) ORDER BY a, b)",
        "SELECT TRANSFORM(a) USING 'cat' AS (c, d INT) FROM t",
        "SELECT b, TRANSFORM(a) USING 'cat' AS (c) FROM t",
        "MAP DISTINCT a USING 'cat' FROM t",
        "SELECT * FROM t CROSS JOIN u EXACT NEAREST BY DISTANCE a",
        "SELECT * FROM t NATURAL JOIN u EXACT NEAREST BY DISTANCE a",
        "SELECT * FROM t JOIN u EXACT NEAREST 0 BY DISTANCE a",
        "SELECT * FROM t JOIN u NEAREST 1 BY DISTANCE a",
        "SELECT 1 AS IDENTIFIER('a.b')",
        "SELECT :IDENTIFIER('a')",
        "SELECT * FROM IDENTIFIER('s' || 'x').t",
        "SELECT * FROM t CHANGES FROM VERSION 1 TO TIMESTAMP '2020-01-01'",
        "SELECT * FROM t CHANGES FROM TIMESTAMP (SELECT a FROM u)",
        "SELECT * FROM t WITH (a = 1) VERSION AS OF 1",
        "SELECT * FROM STREAM t CHANGES FROM VERSION 1 TO VERSION 2",
    ],
)
def test_we_refuse_what_spark_refuses(sql: str, spark_takes: Callable[[str], bool]) -> None:
    assert not spark_takes(sql)
    assert not we_take(sql)


# Forms that sqlglot does not parse, so that no tree can be compared.
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 AS IDENTIFIER('a'), 2 IDENTIFIER('b') FROM t AS IDENTIFIER('u')",
        "WITH IDENTIFIER('v')(IDENTIFIER('c')) AS (VALUES (1)) SELECT * FROM v",
        "SELECT rank() OVER IDENTIFIER('w') FROM t WINDOW IDENTIFIER('w') AS (ORDER BY a)",
        "SELECT * FROM t LATERAL VIEW explode(a) IDENTIFIER('b') AS IDENTIFIER('c')",
        "SELECT IDENTIFIER('t').c, t.IDENTIFIER('c'), IDENTIFIER('f')(1) FROM t",
        "SELECT * FROM t WITH ('a' = '1')",
        "SELECT * FROM items VERSION AS OF 1 WITH (a = 1) TABLESAMPLE (5 ROWS) AS x",
        "SELECT * FROM items CHANGES FROM VERSION 1 EXCLUSIVE TO VERSION 2 INCLUSIVE AS a (x, y)",
        "SELECT * FROM STREAM t CHANGES FROM VERSION 3 WITH (a = 1)",
        "SELECT * FROM t JOIN u x APPROX NEAREST 5 BY SIMILARITY t.a + x.a",
        "FROM t |> LEFT JOIN u EXACT NEAREST BY DISTANCE t.a",
        "MAP a, b USING 'cat' AS (c) FROM t WHERE a",
        "FROM t REDUCE * USING 'cat' AS c, d",
        "WITH x AS (SELECT 1) (MAP (a, b) USING 'cat' FROM x)",
        "FROM t |> DROP a.b, c |> EXTEND f(a) (k)",
        "FROM t |> SELECT a, sum(b) s GROUP BY ROLLUP (a) WINDOW w AS (ORDER BY a)",
        "SELECT a FROM t GROUP BY all + 1",
        "SELECT CAST(a AS TIME(3) WITHOUT TIME ZONE), CAST(a AS GEOMETRY(ANY))",
        "SELECT CAST(a AS INTERVAL MINUTE TO SECOND), CAST(a AS CHAR(3) COLLATE UTF8_LCASE)",
        "SELECT * FROM VALUES (STRUCT(1 AS a, f(2) AS b)) AS t(c)",
        "SELECT * FROM f(TABLE(t) PARTITION BY (a, b) ORDER BY (c, d), x => 1)",
    ],
)
def test_we_take_what_spark_takes(sql: str, spark_takes: Callable[[str], bool]) -> None:
    assert spark_takes(sql)
    parse_query(sql)


@RANDOM
@given(sql=QUERIES)
def test_random_queries(sql: str, spark_takes: Callable[[str], bool]) -> None:
    if not spark_takes(sql):
        assert sparks_lexer_misreads(sql) or not we_take(sql), sql
        return
    ours, theirs = parse_query(sql), sqlglot_tree(sql)
    assert theirs is None or ours == theirs or sqlglot_misreads(sql), sql


@RANDOM
@given(sql=broken_queries())
def test_random_broken_queries_are_refused(sql: str, spark_takes: Callable[[str], bool]) -> None:
    assume(not spark_takes(sql) and not sparks_lexer_misreads(sql))
    assert not we_take(sql), sql


STRINGS = (
    *("'it''s'", '"say ""x"""', "'a' 'b'", "'a''' 'b'", "''''", r'"it\'\'s"', "\"''\"", "''"),
    *(r"'\''''", r"'a\'b'", r"'\\''x'", r"'\n\t\r\b\Z\0\q\%\_'", r"r'\n'", r"R'a' 'b'"),
    *(r"r'a''b'", r"'\u0041\U0001F600'", r"'\101\1018\08\18\777'", r"'\u12'", r"'\x41'"),
    *(r"'\\u0041'", "'a\nb'", '"it\'s"', "'say \"x\"'"),
)


@pytest.mark.parametrize("literal", STRINGS)
def test_strings_have_the_value_that_spark_gives_them(literal: str, spark: SparkSession) -> None:
    (wanted,) = spark.sql(f"SELECT {literal}").collect()[0]
    (found,) = parse_query(f"SELECT {literal}").expressions
    assert "".join(each.name for each in found.find_all(exp.Literal, exp.RawString)) == wanted


FIRST = (
    "FROM t AS o",
    "SELECT * FROM t AS o WHERE v <> 2",
    "SELECT k, v + 1 AS v FROM t",
    "SELECT DISTINCT k, v % 2 AS v FROM t",
    "SELECT k, v FROM t ORDER BY v, k LIMIT 4",
    "SELECT v % 3 AS k, sum(v) AS v FROM t GROUP BY v % 3",
    "VALUES (1, 5), (2, 6) AS o(k, v)",
)
STEPS = (
    "WHERE v > 1",
    "WHERE k <> 2 AND v < 9",
    "EXTEND v * 2 AS w",
    "SELECT k, v % 3 AS v",
    "SELECT DISTINCT k, v",
    "SELECT v AS k, k AS v",
    "ORDER BY v, k",
    "ORDER BY k DESC, v |> LIMIT 3",
    "ORDER BY v, k |> OFFSET 1",
    "ORDER BY v, k |> LIMIT 5 |> OFFSET 2",
    "ORDER BY v, k |> OFFSET 1 |> LIMIT 2",
    "AGGREGATE sum(v) AS v GROUP BY k",
    "AGGREGATE max(k) AS k, sum(v) AS v",
    "AGGREGATE max(v) AS v GROUP BY k % 2 AS k",
    "LEFT JOIN u ON u.id = k",
    "RIGHT JOIN u ON u.id = k",
    "FULL JOIN u ON u.id = k",
    "JOIN u ON u.id = v",
    "AS p |> WHERE p.v > 0",
    "UNION ALL (SELECT 7 AS k, 7 AS v)",
)


@pytest.fixture(scope="session")
def _tables(spark: SparkSession) -> None:
    rows = "(1, 1), (1, 3), (2, 2), (2, 8), (3, 5), (3, NULL), (NULL, 4)"
    spark.sql(f"SELECT * FROM VALUES {rows} AS t(k, v)").createOrReplaceTempView("t")
    spark.sql("SELECT * FROM VALUES (1, 'a'), (5, 'b') AS u(id, s)").createOrReplaceTempView("u")


@pytest.mark.usefixtures("_tables")
@pytest.mark.parametrize("seed", range(12))
def test_pipes_give_what_they_give_in_spark(seed: int, spark: SparkSession) -> None:
    """Rows of random pipes, and those of the query without pipes that we make of them."""
    rng, compared = Random(seed), 0
    while compared < 4:
        steps = [rng.choice(FIRST), *rng.choices(STEPS, k=rng.randint(1, 4))]
        sql = rng.choice((" |> ", " | ")).join(steps)
        try:
            wanted = spark.sql(sql).collect()
        except PySparkException:
            continue  # a column that a step before it has left out, or two of one name
        found = spark.sql(parse_query(sql).sql("spark")).collect()
        assert Counter(map(repr, found)) == Counter(map(repr, wanted)), sql
        compared += 1
