"""Codes TVF2xx: names and types."""

from __future__ import annotations

from compiler.diagnostics.code import Code

_ORDERS = """CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
"""
_TRIPS = """CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'trips');
"""

NAME_CODES: tuple[Code, ...] = (
    Code(
        code="TVF201",
        title="unknown relation",
        explanation=(
            "A name in FROM, or before a dot, is no source, table, view, CTE or alias.\n"
            "Statements see what was declared before them."
        ),
        failing=_ORDERS + "SELECT id FROM order;",
        mended=_ORDERS + "SELECT id FROM orders;",
    ),
    Code(
        code="TVF202",
        title="unknown column",
        explanation="No relation in FROM has a column of this name.",
        failing=_ORDERS + "SELECT idd FROM orders;",
        mended=_ORDERS + "SELECT id FROM orders;",
    ),
    Code(
        code="TVF203",
        title="ambiguous column",
        explanation="Several relations in FROM have a column of this name; qualify it.",
        failing=_ORDERS + "SELECT id FROM orders a JOIN orders b ON a.id = b.id;",
        mended=_ORDERS + "SELECT a.id FROM orders a JOIN orders b ON a.id = b.id;",
    ),
    Code(
        code="TVF204",
        title="declared twice",
        explanation="Two columns, relations or statements have the same name; case does not matter.",
        failing="CREATE SOURCE orders (id BIGINT, code STRING, Code INT) USING parquet OPTIONS (path 'orders');\n"
        "SELECT id FROM orders;",
        mended="CREATE SOURCE orders (id BIGINT, code STRING, kind INT) USING parquet OPTIONS (path 'orders');\n"
        "SELECT id FROM orders;",
    ),
    Code(
        code="TVF205",
        title="wrong number of columns",
        explanation="The sides of a UNION, or a query and the names given to its columns, do not match.",
        failing=_ORDERS + "SELECT id, ts FROM orders UNION ALL SELECT id FROM orders;",
        mended=_ORDERS + "SELECT id FROM orders UNION ALL SELECT id FROM orders;",
    ),
    Code(
        code="TVF206",
        title="not a point in time",
        explanation=(
            "A watermark needs a column of type TIMESTAMP, TIMESTAMP_NTZ, DATE or BIGINT (epoch\n"
            "milliseconds); the clock is compared with such a value."
        ),
        failing=_ORDERS + "SELECT id FROM orders WHERE INTERVAL 3 SECONDS <= WATERMARK_TS();",
        mended=_ORDERS + "SELECT id FROM orders WHERE ts + INTERVAL 3 SECONDS <= WATERMARK_TS();",
    ),
    Code(
        code="TVF207",
        title="unknown alias in WATERMARK_TS()",
        explanation="WATERMARK_TS(alias) names a relation of the FROM clause beside it.",
        failing=_ORDERS + "SELECT id FROM orders AS o WHERE ts <= WATERMARK_TS(p);",
        mended=_ORDERS + "SELECT id FROM orders AS o WHERE ts <= WATERMARK_TS(o);",
    ),
    Code(
        code="TVF208",
        title="unknown function",
        explanation=(
            "Neither Spark nor tvfc has a function of this name. One of your own is declared before it\n"
            "is called: `CREATE FUNCTION f;` if the session or a Hive metastore has it, or with what it\n"
            "is, `CREATE FUNCTION f AS 'com.acme.F' USING JAR 'f.jar'` or\n"
            "`CREATE FUNCTION f(x INT) RETURNS INT RETURN x + 1`; then the job makes it as it starts."
        ),
        failing=_ORDERS + "SELECT id FROM orders WHERE ts <= WATERMARK_T();",
        mended=_ORDERS + "SELECT id FROM orders WHERE ts <= WATERMARK_TS();",
    ),
    Code(
        code="TVF209",
        title="a column that is neither grouped nor aggregated",
        explanation=(
            "A group has many rows, and a query with GROUP BY has one for all of them: each column is\n"
            "a key or stands inside an aggregate."
        ),
        failing=_TRIPS
        + "SELECT zone, sum(fare) FROM TUMBLE(trips, ts, INTERVAL 1 HOUR) GROUP BY window_start EMIT ON WINDOW CLOSE;",
        mended=_TRIPS
        + "SELECT zone, sum(fare) FROM TUMBLE(trips, ts, INTERVAL 1 HOUR) GROUP BY window_start, zone EMIT ON WINDOW CLOSE;",
    ),
    Code(
        code="TVF210",
        title="a reserved name",
        explanation=(
            "A job adds columns to its rows: `__due`, `__valid`, `__time`, `__diff` and some others that\n"
            "begin with `__`. No column may be called as one of them. A field of a struct can be given\n"
            "another name: `SELECT record.__due AS due`."
        ),
        failing=_ORDERS + "SELECT id, ts AS __due FROM orders;",
        mended=_ORDERS + "SELECT id, ts AS due FROM orders;",
    ),
    Code(
        code="TVF211",
        title="a call that Spark does not know",
        explanation=(
            "The function takes another number or another type of arguments, or no DISTINCT, IGNORE\n"
            "NULLS or WITHIN GROUP. Nothing that is written in a call is passed over."
        ),
        failing=_TRIPS + "SELECT zone, sum(fare, 2) AS total FROM trips GROUP BY zone;",
        mended=_TRIPS + "SELECT zone, sum(fare) AS total FROM trips GROUP BY zone;",
    ),
    Code(
        code="TVF212",
        title="a parameter without a value",
        explanation="`:name` stands for a literal that is given when the query is compiled: `tvfc compile query.sql "
        "--param name=5`, and likewise for `run`, `test`, `check` and `explain`. `?` cannot be given one.",
        failing=_ORDERS + "SELECT id FROM orders WHERE id = :id;",
        mended=_ORDERS + "SELECT id FROM orders WHERE id = 5;",
    ),
)
