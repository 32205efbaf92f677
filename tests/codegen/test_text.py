"""The text of a job: strings, line breaks, options, the same bytes for the same query."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from compiled import ITEMS, ORDERS, job_of
from hypothesis import given
from hypothesis import strategies as st

from compiler import compile_script
from compiler.codegen.quoting import literal
from compiler.codegen.writer import WIDTH, Call, Chain, call, laid_out
from compiler.source import SourceText

DUE = "WHERE ts <= WATERMARK_TS()"


def strings(text: str) -> list[str]:
    """The strings in a job's code, its docstring aside."""
    tree = ast.parse(text)
    return [
        node.value
        for statement in tree.body[1:]
        for node in ast.walk(statement)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


@pytest.mark.parametrize(
    "sql",
    [
        r"'it\'s'",
        "'it''s'",
        '"it\'s"',
        "'say \"no\"'",
        '\'"""\'',
        '\'""""\'',
        r"'back\\slash'",
        r"'line\nbreak'",
        r"r'raw\n'",
        "'a\nb'",
        "'tab\tand more'",
        "'größe 订单 😀'",
        "'{braces} %s'",
        "`id`",
    ],
)
def test_sql_reaches_spark_as_it_was_written(sql: str) -> None:
    job = job_of(f"SELECT {sql} AS x FROM orders {DUE};")
    assert f"{sql} AS x" in strings(job.text)
    assert literal(f"{sql} AS x") in job.text


@given(text=st.text(st.characters(codec="utf-8")))
def test_a_literal_is_the_text(text: str) -> None:
    assert ast.literal_eval(literal(text)) == text
    assert "\n" not in literal(text)


@pytest.mark.parametrize(
    "comment",
    ['"""', '""""', '"', "\\ ", "\\\\\"\"\"", "'''", "\\N{BEL}", "\\x", "\t", "größe", '\\"""'],
)  # fmt: skip
def test_the_query_is_the_comment_on_top(comment: str) -> None:
    query = f"-- {comment}\n{ORDERS}SELECT id FROM orders; -- {comment}"
    job = compile_script(SourceText("folder/my query.sql", query))
    docstring = ast.get_docstring(ast.parse(job.text), clean=False)
    assert docstring is not None
    shown = [line.removeprefix("    ").rstrip() for line in docstring.splitlines()[2:]]
    assert shown == [line.rstrip() for line in query.splitlines()]
    assert "Streaming job `my query`" in docstring
    assert job.name == "my query"


def test_no_warning_when_python_reads_a_job() -> None:
    r"""A `\d` in a docstring would draw one."""
    job = job_of(r"SELECT id FROM orders WHERE name RLIKE '\\d+\s' AND ts <= WATERMARK_TS();")
    compile(job.text, "job.py", "exec")  # warnings are errors here


@pytest.mark.parametrize(
    ("option", "written"),
    [
        ("path 'in/orders'", '"path": str(HERE / "../../in/orders")'),
        ("path 'with space/ü'", '"path": str(HERE / "../../with space/ü")'),
        ("path '../up'", '"path": str(HERE / "../../../up")'),
        ("PATH 'in'", 'str(HERE / "../../in")'),
        ("path '/data/orders'", '"path": "/data/orders"'),
        ("path 'file:/data/x'", '"path": "file:/data/x"'),
        ("path 's3a://bucket/x'", '"path": "s3a://bucket/x"'),
        ("path 'hdfs://host:8020/x'", '"path": "hdfs://host:8020/x"'),
        ("topic 'in/orders'", '"topic": "in/orders"'),
        ("maxFilesPerTrigger 5", '"maxFilesPerTrigger": "5"'),
        ("header true", '"header": "true"'),
        ("`kafka.bootstrap.servers` 'a:1,b:2'", '"kafka.bootstrap.servers": "a:1,b:2"'),
    ],
)
def test_relative_paths_are_taken_from_the_folder_of_the_query(option: str, written: str) -> None:
    query = f"CREATE SOURCE t (id INT) USING delta OPTIONS ({option}); SELECT id FROM t;"
    job = compile_script(SourceText("q.sql", query), job_to_query="../..")
    assert written in job.text


def test_beside_its_query_a_job_has_plain_paths() -> None:
    assert 'str(HERE / "orders")' in job_of("SELECT id FROM orders;").text


def test_the_same_query_gives_the_same_bytes() -> None:
    """Also under another seed of Python's hashes."""
    query = (
        ORDERS + ITEMS + "SELECT o.*, sku FROM orders o JOIN items i USING (id)"
        " WHERE a OR (b AND ts <= WATERMARK_TS()) OR (name = 'x' AND day <= WATERMARK_TS());"
    )
    program = (
        "import sys; from compiler import compile_script; from compiler.source import SourceText;"
        "job = compile_script(SourceText('q.sql', sys.argv[1]));"
        "sys.stdout.write(job.text + job.explain)"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", program, query],
        env={**os.environ, "PYTHONHASHSEED": "12345", "PYTHONUTF8": "1"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        check=True,
    ).stdout
    here = compile_script(SourceText("q.sql", query))
    assert elsewhere == (here.text + here.explain).encode()


def fingerprint(query: str, declared: str = ORDERS + ITEMS) -> str:
    (line,) = [each for each in job_of(query, declared).text.splitlines() if "fingerprint=" in each]
    return line


def test_the_fingerprint_is_that_of_the_plan() -> None:
    """Comments and layout do not matter for a checkpoint; conditions, columns and sources do."""
    query = f"SELECT id FROM orders {DUE};"
    same = ["-- a comment\n" + query, query.replace(" ", "\n  "), query + ";"]
    assert {fingerprint(each) for each in same} == {fingerprint(query)}
    others = [
        query.replace("<=", "<"),
        query.replace("id", "name"),
        query.replace("ts", "ts + INTERVAL 1 SECOND"),
        query.replace("WHERE", "WHERE a AND"),
    ]
    assert len({fingerprint(each) for each in [query, *others]}) == 5
    moved = ORDERS.replace("AS ts", "AS ts - INTERVAL 1 MINUTE")
    assert fingerprint(query, moved) != fingerprint(query)


def test_a_comment_behind_the_name_of_an_aggregate_is_none_in_the_job() -> None:
    query = """SELECT window_end, max -- (the most)
    (DISTINCT id) AS most FROM TUMBLE(orders, ts, INTERVAL 1 HOUR)
    GROUP BY window_end EMIT ON WINDOW CLOSE;"""
    code = job_of(query).text.split('"""', 2)[2]
    assert "max(id) AS most" in code
    assert "the most" not in code


def test_several_sinks_are_several_outputs() -> None:
    job = job_of(
        "CREATE SINK a USING parquet OPTIONS (path 'a') AS SELECT id FROM orders;"
        "CREATE SINK b USING kafka OPTIONS (topic 'b');"
        f"INSERT INTO b SELECT name AS value FROM orders {DUE};"
        "SELECT id FROM orders; SELECT name FROM orders;"
    )
    assert [(each.name, each.format) for each in job.sinks] == [
        ("a", "parquet"),
        ("b", "kafka"),
        ("console", "console"),
    ]
    # Of several bare queries the last one has the console.
    assert "def result(job" in job.text
    assert 'selectExpr("name")' in job.text
    assert job.text.count("tvfc.Output(") == 3


def test_a_text_that_is_called_as_a_clock_reads_none() -> None:
    query = f"SELECT concat('__mz_now', CAST(WATERMARK_TS() AS STRING)) AS n FROM orders {DUE};"
    text = job_of(query).text
    assert "job.watermark_ts()" in text
    assert "job.mz_now()" not in text


@pytest.mark.parametrize("literals", ["5", "true", "NULL", "current_date", "'x'", "-id", "1.5"])
def test_values_beside_a_due_time_are_no_columns(literals: str) -> None:
    """select("5") would look for a column of that name."""
    assert f'tvfc.sql("{literals}")' in job_of(f"SELECT {literals} FROM orders {DUE};").text


def test_strings_that_look_like_columns_stay_strings() -> None:
    """Columns that the emitted SELECT list reads are renamed, what only looks so is not."""
    text = job_of(
        "SELECT concat('id', id, orders.name, WATERMARK_TS()) AS x,"
        " date(day) - WATERMARK_TS() AS y,"
        " named_struct('ts', ts).ts + (WATERMARK_TS() - ts) AS z FROM orders;"
    ).text
    assert "concat('id', __c1_1, __c1_2, __watermark) AS x" in text
    assert "date(__c2_1) - __watermark AS y" in text
    assert "named_struct('ts', __c3_1).ts + (__watermark - __c3_1) AS z" in text


def test_long_calls_are_broken_one_argument_a_line() -> None:
    short = call("f", "a", "b")
    assert laid_out(short, 1) == "f(a, b)"
    long = call("f", "a" * 50, "b" * 50)
    assert laid_out(long, 1) == f"f(\n        {'a' * 50},\n        {'b' * 50},\n    )"


def test_long_chains_are_broken_one_call_a_line() -> None:
    links = tuple(call(f".{letter * 30}", "x") for letter in "ab")
    chain = Chain((call("rows", "job" * 10), *links))
    assert laid_out(chain, 1, before="return ").splitlines() == [
        "return (",
        f"        rows({'job' * 10})",
        f"        .{'a' * 30}(x)",
        f"        .{'b' * 30}(x)",
        "    )",
    ]
    one = Chain(("rows", call(".select", "a" * 60, "b" * 60)))
    assert laid_out(one, 0).splitlines()[0] == "rows.select("


def test_a_tuple_of_one_has_its_comma() -> None:
    assert laid_out(Call("", ("a",)), 0) == "(a,)"
    assert laid_out(Call("x=", ("a",)), 0) == "x=(a,)"
    assert laid_out(Call("f", ("a",)), 0) == "f(a)"


def test_lines_fit_unless_a_string_is_longer() -> None:
    golden = Path(__file__).parents[2] / "golden"
    for path in golden.glob("*/*/job.py"):
        code = path.read_text(encoding="utf-8").split('\n"""\n', 1)[1]
        code = re.sub(r'sql = """\n.*?"""', "", code, flags=re.DOTALL)
        long = [line for line in code.splitlines() if len(line) > WIDTH]
        assert all('"' in line for line in long), path
