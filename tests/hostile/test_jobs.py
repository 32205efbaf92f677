"""Whatever names, literals and comments hold, a job has no statement but those that it should.

Each text stands in each place; the job must have the same tree of Python as with a harmless text
there, apart from strings and the names of functions, and somewhere the text itself.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping

import pytest
from hostile.texts import HARMLESS, NAMED, TOGETHER

from compiler import CompileError, Job, compile_script
from compiler.source import SourceText


def name(text: str) -> str:
    return "`" + text.replace("`", "``") + "`"


def string(text: str) -> str:
    """As Spark has it: a backslash in a string begins an escape."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def one_line(text: str) -> str:
    return re.sub(r"[\r\n]", " ", text).rstrip("\\")


SOURCE = """CREATE SOURCE s (id BIGINT, ts TIMESTAMP, k STRING, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 's');
"""
TABLE = "CREATE TABLE t (id BIGINT, k STRING) USING parquet OPTIONS (path 't');\n"
DUE = "ts + INTERVAL 5 SECONDS <= WATERMARK_TS()"
TEMPORAL = "mz_now() >= ts AND mz_now() < ts + INTERVAL 1 HOUR"

PLACES: dict[str, Callable[[str], str]] = {
    "source": lambda x: (
        f"CREATE SOURCE {name(x)} (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING json"
        f" OPTIONS (path 'p'); CREATE SINK l USING json OPTIONS (path 'l') AS"
        f" SELECT * FROM LATE({name(x)}); SELECT id FROM {name(x)} WHERE {DUE};"
    ),
    "source of windows": lambda x: (
        f"CREATE SOURCE {name(x)} (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING json"
        f" OPTIONS (path 'p'); SELECT window_start, count(*) AS n FROM"
        f" TUMBLE({name(x)}, ts, INTERVAL 1 MINUTE) GROUP BY window_start EMIT ON WINDOW CLOSE;"
    ),
    "table": lambda x: (
        f"{SOURCE}CREATE TABLE {name(x)} (id INT) USING json OPTIONS (path 'p');"
        f"SELECT s.id FROM s JOIN {name(x)} ON s.id = {name(x)}.id"
        f" WHERE s.id IN (SELECT id FROM {name(x)});"
    ),
    "view": lambda x: (
        f"{SOURCE}CREATE VIEW {name(x)} AS SELECT id, ts FROM s WHERE {DUE};"
        f"SELECT id FROM {name(x)} WHERE id > 0;"
    ),
    "view with a watermark": lambda x: (
        f"{SOURCE}CREATE VIEW {name(x)} AS SELECT id, ts AS at FROM s;"
        f"SELECT * FROM LATE(WATERMARK({name(x)}, at, at));"
    ),
    "static view": lambda x: (
        f"{SOURCE}{TABLE}CREATE VIEW {name(x)} AS SELECT id, count(*) AS n FROM t GROUP BY id;"
        f"SELECT s.id, n FROM s JOIN {name(x)} AS v ON s.id = v.id;"
    ),
    "common table": lambda x: (
        f"{SOURCE}WITH {name(x)} AS (SELECT id, ts FROM s) SELECT id FROM {name(x)} WHERE {DUE};"
    ),
    "alias": lambda x: (
        f"{SOURCE}{TABLE}SELECT {name(x)}.id FROM s AS {name(x)} JOIN t USING (id)"
        f" WHERE {name(x)}.{DUE};"
    ),
    "alias of groups": lambda x: (
        f"{SOURCE}SELECT {name(x)}.ts, count(*) AS n FROM s AS {name(x)} GROUP BY {name(x)}.ts"
        f" HAVING count({name(x)}.id) > 1 EMIT ON WINDOW CLOSE;"
    ),
    "alias of changes": lambda x: (
        f"{SOURCE}SELECT {name(x)}.k, count(*) AS n FROM s AS {name(x)} WHERE {TEMPORAL}"
        f" GROUP BY {name(x)}.k;"
    ),
    "alias of window functions": lambda x: (
        f"{SOURCE}SELECT {name(x)}.id, lag({name(x)}.id) OVER (PARTITION BY {name(x)}.k"
        f" ORDER BY {name(x)}.ts) AS p FROM s AS {name(x)} EMIT ON WINDOW CLOSE;"
    ),
    "column": lambda x: (
        f"CREATE SOURCE s ({name(x)} INT NOT NULL, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING json"
        f" OPTIONS (path 'p'); SELECT {name(x)}, s.{name(x)} + 1 AS n FROM s WHERE {DUE};"
    ),
    "time column": lambda x: (
        f"CREATE SOURCE s (id INT, {name(x)} TIMESTAMP,"
        f" WATERMARK FOR {name(x)} AS {name(x)} - INTERVAL 1 MINUTE) USING json"
        f" OPTIONS (path 'p'); SELECT id FROM s WHERE {name(x)} + INTERVAL 5 SECONDS <="
        f" WATERMARK_TS();"
    ),
    "field": lambda x: (
        f"CREATE SOURCE s (a STRUCT<{name(x)}: TIMESTAMP>, ts TIMESTAMP, WATERMARK FOR ts AS ts)"
        f" USING json OPTIONS (path 'p'); SELECT a.{name(x)} AS z FROM s"
        f" WHERE a.{name(x)} <= WATERMARK_TS();"
    ),
    "output column": lambda x: f"{SOURCE}SELECT id AS {name(x)} FROM s WHERE {DUE};",
    "output beside the clock": lambda x: f"{SOURCE}SELECT WATERMARK_TS() AS {name(x)} FROM s;",
    "key of totals": lambda x: (
        f"{SOURCE}SELECT {name(x)}, sum(id) AS n, max(id) FROM"
        f" (SELECT id, k AS {name(x)}, ts FROM s) WHERE {TEMPORAL} GROUP BY {name(x)};"
    ),
    "key of groups": lambda x: (
        f"{SOURCE}SELECT {name(x)}, ts, count(DISTINCT id) AS n, avg(DISTINCT id)"
        f" AS {name(x + 'y')} FROM (SELECT id, k AS {name(x)}, ts FROM s)"
        f" GROUP BY {name(x)}, ts EMIT ON WINDOW CLOSE;"
    ),
    "key of sessions": lambda x: (
        f"{SOURCE}SELECT {name(x)}, session_window.start AS b, count(*) AS n FROM"
        f" (SELECT id, k AS {name(x)}, ts FROM s) GROUP BY {name(x)},"
        f" session_window(ts, '5 minutes') EMIT ON WINDOW CLOSE;"
    ),
    "key of first rows": lambda x: (
        f"{SOURCE}SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY {name(x)} ORDER BY id)"
        f" AS r FROM (SELECT id, k AS {name(x)} FROM s)) WHERE r <= 2;"
    ),
    "key of joined changes": lambda x: (
        f"{SOURCE}SELECT a.{name(x)}, n"
        f" FROM (SELECT k AS {name(x)}, count(*) AS n FROM s GROUP BY k) AS a"
        f" JOIN (SELECT k AS {name(x)}, max(id) AS m FROM s GROUP BY k) AS b"
        f" ON a.{name(x)} = b.{name(x)};"
    ),
    "sink": lambda x: (
        f"{SOURCE}CREATE SINK {name(x)} USING json OPTIONS (path 'p') AS SELECT id FROM s"
        f" WHERE {DUE};"
    ),
    "key of a sink": lambda x: (
        f"{SOURCE}CREATE SINK o USING sqlite OPTIONS (path 'p', table {string(x)}, key 'k')"
        f" AS SELECT k, count(*) AS {name(x)} FROM s GROUP BY k;"
    ),
    "option": lambda x: (
        f"CREATE SOURCE s (id INT) USING csv OPTIONS (path 'p', sep {string(x)});"
        f"CREATE SINK o USING csv OPTIONS (path 'q', {name(x)} 'v');"
        f"INSERT INTO o SELECT id FROM s;"
    ),
    "path": lambda x: (
        f"CREATE SOURCE s (id INT) USING json OPTIONS (path {string('p' + x + '/p')});"
        f"CREATE SINK o USING json OPTIONS (path {string('o' + x + '/o')}) AS SELECT id FROM s;"
    ),
    "literal": lambda x: f"{SOURCE}SELECT {string(x)} AS z, id FROM s WHERE k = {string(x)};",
    "literal in a guard": lambda x: (
        f"{SOURCE}SELECT id FROM s WHERE {DUE} AND k <> {string(x)} OR k = {string(x)};"
    ),
    "literal in groups": lambda x: (
        f"{SOURCE}SELECT ts, {string(x)} AS z, sum(DISTINCT id) AS n FROM s GROUP BY ts"
        f" HAVING max(k) <> {string(x)} EMIT ON WINDOW CLOSE;"
    ),
    "literal in sessions": lambda x: (
        f"{SOURCE}SELECT session_window.start AS b, {string(x)} AS z, count(DISTINCT k) AS n FROM s"
        f" GROUP BY session_window(ts, '5 minutes') HAVING max(k) <> {string(x)}"
        f" EMIT ON WINDOW CLOSE;"
    ),
    "literal in window functions": lambda x: (
        f"{SOURCE}SELECT id, lag(k, 1, {string(x)}) OVER (PARTITION BY k || {string(x)}"
        f" ORDER BY ts) AS p FROM s EMIT ON WINDOW CLOSE;"
    ),
    "literal in totals": lambda x: (
        f"{SOURCE}SELECT k || {string(x)} AS z, count(*) FILTER (WHERE k > {string(x)}) AS n FROM s"
        f" WHERE {TEMPORAL} GROUP BY k || {string(x)};"
    ),
    "literal in a subquery": lambda x: (
        f"{SOURCE}{TABLE}SELECT id FROM s WHERE id > (SELECT max(id) FROM t WHERE k = {string(x)});"
    ),
    "comment": lambda x: f"/* {x} */ {SOURCE}SELECT /* {x} */ id FROM s; /* {x} */",
    "comment at the end": lambda x: f"{SOURCE}SELECT id FROM s; -- {one_line(x)}",
}

ONLY_DESCRIBED = {"view", "common table", "view with a watermark", "comment", "comment at the end"}
"""Where a job has a text in its comments at most, as the lines of it that are left."""


def compiled(query: str, file: str = "q.sql") -> Job:
    return compile_script(SourceText(file, query))


class Shape(ast.NodeTransformer):
    """Takes strings out, and gives names of the job's own numbers in their order."""

    def __init__(self, own: set[str]) -> None:
        self._own = own
        self._numbers: dict[str, str] = {}

    def _named(self, text: str) -> str:
        if text.upper() not in self._own:
            return text
        return self._numbers.setdefault(text.upper(), f"n{len(self._numbers)}")

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant("") if isinstance(node.value, str) else node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._named(node.id), node.ctx)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.name = self._named(node.name)
        return node


def shape(text: str) -> str:
    tree = ast.parse(text)
    own = {node.name.upper() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return ast.dump(Shape(own).visit(tree))


def strings(text: str) -> list[str]:
    return [
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def assert_is_no_code(place: str, texts: Mapping[str, str]) -> None:
    query = PLACES[place]
    harmless = compiled(query(HARMLESS))
    wanted, lines = shape(harmless.text), harmless.explain.count("\n")
    for what, text in texts.items():
        job = compiled(query(text))
        assert shape(job.text) == wanted, what
        assert all(each.isprintable() or each in "\n\t" for each in job.text), what
        assert all(each.isprintable() or each == "\n" for each in job.explain), what
        assert all(each.isprintable() or each == "\n" for each in job.stages["ast"]), what
        assert job.explain.count("\n") == lines, what
        if place not in ONLY_DESCRIBED:
            written = {text, name(text)[1:-1], string(text)[1:-1]}
            written |= {each.replace("{", "{{").replace("}", "}}") for each in written}
            found = strings(job.text)
            assert any(each in value for value in found for each in written), what


@pytest.mark.parametrize("place", PLACES)
def test_a_text_from_outside_is_no_code(place: str) -> None:
    assert_is_no_code(place, TOGETHER)


@pytest.mark.thorough
@pytest.mark.parametrize("place", PLACES)
def test_no_text_from_outside_is_code(place: str) -> None:
    assert_is_no_code(place, NAMED)


@pytest.mark.parametrize("what", NAMED)
def test_the_name_of_a_file_is_no_code(what: str) -> None:
    text = NAMED[what].replace("/", "-")
    query = PLACES["view"]("v")
    job = compiled(query, f"{text}.sql")
    assert shape(job.text) == shape(compiled(query).text)
    assert job.name in strings(job.text)


def test_bytes_in_the_name_of_a_file_that_are_no_text() -> None:
    job = compiled(PLACES["view"]("v"), "x\udcff\ud800.sql")
    assert job.text.encode()
    assert "x\udcff\ud800" in strings(job.text)


@pytest.mark.parametrize("place", PLACES)
def test_half_a_character_is_refused(place: str) -> None:
    """Spark could not be given it."""
    with pytest.raises(CompileError) as caught:
        compiled(PLACES[place]("a\ud800"))
    assert [each.code for each in caught.value.diagnostics] == ["TVF101"]
