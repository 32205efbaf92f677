"""Long and deep queries compile in the time of their length, and say so if they are too deep."""

from __future__ import annotations

from contextlib import suppress

import pytest
from calls import calls_of

from compiler import CompileError, compile_script
from compiler.source import SourceText

CALLS = 1_000
"""Of functions, for each character of a query: the same number on any machine. Most take under 300,
nested lambdas 840; what doubles with each level takes millions."""

SOURCE = """CREATE SOURCE s (id INT, a INT, b BOOLEAN, x ARRAY<INT>, ts TIMESTAMP,
  WATERMARK FOR ts AS ts) USING json OPTIONS (path 's');
"""
TABLES = "".join(
    f"CREATE TABLE t{n} (id INT, v{n} INT) USING json OPTIONS (path 't{n}');\n" for n in range(20)
)
SOURCES = "".join(
    f"CREATE SOURCE s{n} (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING json"
    f" OPTIONS (path 's{n}');\n"
    for n in range(20)
)
DEEP = 500
DUE = "ts <= WATERMARK_TS()"


def pairs(kind: str) -> str:
    return " ".join(
        f"{kind} JOIN s{n} ON s{n - 1}.id = s{n}.id AND s{n}.ts BETWEEN s{n - 1}.ts"
        f" AND s{n - 1}.ts + INTERVAL 5 MINUTES"
        for n in range(1, 20)
    )


VIEWS = "".join(f"CREATE VIEW v{n} AS SELECT id, v0 FROM v{n - 1};\n" for n in range(1, DEEP))
SINKS = "".join(
    f"CREATE SINK o{n} USING json OPTIONS (path 'o{n}') AS SELECT id FROM s WHERE a > {n};\n"
    for n in range(2_000)
)
DOUBLED = ", ".join(
    f"c{n} AS (SELECT id, ts FROM c{n - 1} UNION ALL SELECT id, ts FROM c{n - 1})"
    for n in range(1, 21)
)
COMMON = ", ".join(f"c{n} AS (SELECT id, ts FROM c{n - 1})" for n in range(1, DEEP))
QUICK = {
    "joined tables": SOURCE
    + TABLES
    + "SELECT s.id FROM s "
    + " ".join(f"JOIN t{n} ON s.id = t{n}.id" for n in range(20))
    + f" WHERE s.{DUE};",
    "joined streams": f"{SOURCES}SELECT s0.id, s0.ts FROM s0 {pairs('')} EMIT ON WINDOW CLOSE;",
    "sum": f"{SOURCE}SELECT {' + '.join(['a'] * 1_000)} AS n FROM s WHERE {DUE};",
    "cases": f"{SOURCE}SELECT {'CASE WHEN b THEN ' * DEEP}1{' END' * DEEP} AS n FROM s;",
    "subqueries": f"{SOURCE}SELECT id FROM {'(SELECT id, ts FROM ' * DEEP}s{')' * DEEP}"
    f" WHERE {DUE};",
    "negations": f"{SOURCE}SELECT id FROM s WHERE {'NOT ' * DEEP}({DUE});",
    "parentheses": f"{SOURCE}SELECT id FROM s WHERE {'(' * DEEP}{DUE}{')' * DEEP};",
    "types": f"CREATE SOURCE s (a {'ARRAY<' * DEEP}INT{'>' * DEEP}) USING json"
    " OPTIONS (path 'p'); SELECT a FROM s;",
    "a word of digits": f"{SOURCE}SELECT {'1' * 10_000} AS n FROM s;",
    "views of tables": f"{SOURCE}{TABLES}CREATE VIEW v0 AS SELECT id, v0 FROM t0;\n{VIEWS}"
    f"SELECT s.id, v0 FROM s JOIN v{DEEP - 1} AS v ON s.id = v.id WHERE {DUE};",
    "doubled relations": f"{SOURCE}WITH c0 AS (SELECT id, ts FROM s), {DOUBLED}"
    f" SELECT id FROM c20 WHERE {DUE};",
    "values asked for in each other": f"{SOURCES}SELECT id FROM {'(SELECT id, ts FROM ' * 20}s0"
    f"{' WHERE id IN (SELECT id FROM s1))' * 20} EMIT ON WINDOW CLOSE;",
    "hexadecimal digits": f"{SOURCE}SELECT X'{'F' * 10_000}' AS n, count(*) FROM s GROUP BY 1;",
}
SLOW = {
    "joined changes": f"{SOURCES}SELECT s0.id FROM s0 "
    + " ".join(f"LEFT JOIN s{n} ON s0.id = s{n}.id" for n in range(1, 20))
    + ";",
    "common tables": f"{SOURCE}WITH c0 AS (SELECT id, ts FROM s), {COMMON}"
    f" SELECT id FROM c{DEEP - 1} WHERE {DUE};",
    "intervals": f"{SOURCE}SELECT id FROM s WHERE ts + {' + '.join(['INTERVAL 1 SECOND'] * 1_000)}"
    " <= WATERMARK_TS();",
    "keys of groups": f"{SOURCE}SELECT {' + '.join(['a'] * 1_000)} AS n, count(*) AS c FROM s"
    f" GROUP BY {' + '.join(['a'] * 1_000)};",
    "conditions": f"{SOURCE}SELECT id FROM s WHERE "
    + " AND ".join(f"a <> {n}" for n in range(3_000))
    + f" AND {DUE};",
    "alternatives": f"{SOURCE}SELECT id FROM s WHERE {DUE} AND ("
    + " OR ".join(f"a = {n}" for n in range(3_000))
    + ");",
    "union": SOURCE + " UNION ALL ".join(["SELECT id FROM s"] * 2_000) + ";",
    "list": f"{SOURCE}SELECT id FROM s WHERE a IN ({', '.join(map(str, range(10_000)))})"
    f" AND {DUE};",
    "calls": f"{SOURCE}SELECT {'abs(' * DEEP}a{')' * DEEP} AS z, count(*) FROM s"
    f" GROUP BY {'abs(' * DEEP}a{')' * DEEP};",
    "lambdas": f"{SOURCE}SELECT {'transform(x, e -> ' * DEEP}e{')' * DEEP} AS z FROM s;",
    "sinks": f"{SOURCE}{SINKS}",
    "columns beside a delay": f"{SOURCE}SELECT\n"
    + ",\n".join(f"  a + {n} AS c{n}" for n in range(5_000))
    + f"\nFROM s WHERE {DUE};",
    "columns": f"{SOURCE}SELECT\n"
    + ",\n".join(f"  a + {n} AS c{n}" for n in range(5_000))
    + "\nFROM s;",
}


def compiles_soon(text: str) -> None:
    def compiled() -> None:
        with suppress(CompileError):
            # The plan is explained when it is asked for.
            assert compile_script(SourceText("q.sql", text)).explain

    assert calls_of(compiled) < CALLS * len(text)


@pytest.mark.slow
@pytest.mark.parametrize("text", QUICK.values(), ids=QUICK)
def test_deep_and_wide_queries(text: str) -> None:
    compiles_soon(text)


@pytest.mark.thorough
@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_long_queries(text: str) -> None:
    compiles_soon(text)


def test_the_plan_of_many_joins_is_explained() -> None:
    job = compile_script(SourceText("q.sql", QUICK["joined streams"]))
    assert job.explain.count("Join inner") >= 19
