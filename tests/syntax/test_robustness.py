"""Deep and long queries, and whatever bytes: a tree or a diagnostic, never a crash."""

from __future__ import annotations

import pytest
from calls import calls_of
from hypothesis import given, settings
from hypothesis import strategies as st
from syntax.corpora import queries

from compiler.diagnostics import CompileError, render_all
from compiler.source import SourceText
from compiler.syntax import parse_query, parse_script

DEPTH = 400
CALLS = 20
"""Of functions, for each character: a parser in the time of its input takes three to seven."""
NESTED = {
    "parentheses": "SELECT " + "(" * DEPTH + "1" + ")" * DEPTH,
    "subqueries": "SELECT * FROM " + "(SELECT * FROM " * DEPTH + "t" + ")" * DEPTH,
    "queries in parentheses": "(" * DEPTH + "SELECT 1" + ")" * DEPTH,
    "calls": "SELECT " + "f(" * DEPTH + "1" + ")" * DEPTH,
    "cases": "SELECT " + "CASE WHEN a THEN " * DEPTH + "1" + " END" * DEPTH,
    "lambdas": "SELECT " + "f(x, x -> " * DEPTH + "x" + ")" * DEPTH,
    "negations": "SELECT " + "NOT " * DEPTH + "a",
    "signs": "SELECT " + "- " * DEPTH + "a",
    "elements": "SELECT a" + "[0]" * DEPTH,
    "fields": "SELECT a" + ".b" * DEPTH,
    "types": "SELECT CAST(a AS " + "ARRAY<" * DEPTH + "INT" + ">" * DEPTH + ")",
    "pipes": "FROM t " + "|> WHERE a " * DEPTH,
    "windows": "SELECT * FROM " + "LATE(" * DEPTH + "t" + ")" * DEPTH,
}
COLUMNS = ",\n".join(f"  a{number} + b{number} * {number} AS c{number}" for number in range(5000))
LONG = {
    "columns": f"SELECT\n{COLUMNS}\nFROM t",
    "list": "SELECT * FROM t WHERE a IN (\n" + ",\n".join(map(str, range(2000))) + ")",
    "rows": "VALUES\n" + ",\n".join(f"({number}, 'x')" for number in range(1000)),
    "conditions": "SELECT * FROM t WHERE " + "\n AND ".join(["a = 1"] * 1500),
    "union": "\nUNION ALL\n".join(["SELECT a FROM t"] * 800),
    "sum": "SELECT " + "\n + ".join(["a"] * 2000),
}


@pytest.mark.parametrize("sql", NESTED.values(), ids=NESTED)
def test_deep_queries_parse(sql: str) -> None:
    parse_query(sql)


@pytest.mark.slow
@pytest.mark.parametrize("sql", LONG.values(), ids=LONG)
def test_long_queries_parse(sql: str) -> None:
    assert calls_of(lambda: parse_query(sql)) < CALLS * len(sql)


@pytest.mark.slow
@pytest.mark.parametrize("sql", [*NESTED.values(), LONG["columns"]], ids=[*NESTED, "columns"])
def test_deep_and_long_queries_fail_cleanly(sql: str) -> None:
    with pytest.raises(CompileError) as caught:
        parse_query(sql[: len(sql) // 2 * 2 - 3] + " ]")
    assert render_all(caught.value.diagnostics, caught.value.source)


def messages(text: str) -> str | None:
    """What is said of a text; None if it is right."""
    try:
        parse_script(SourceText("any", text))
    except CompileError as error:
        return render_all(error.diagnostics, error.source)
    return None


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80))
def test_any_text(text: str) -> None:
    said = messages(text)
    assert said is None or said.startswith("error[TVF1")


DAMAGE = st.sampled_from("(),;'`x9 ")


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(queries()), st.integers(0, 2000), st.integers(1, 12), DAMAGE)
def test_damaged_queries(sql: str, place: int, length: int, put: str) -> None:
    start = place % len(sql)
    said = messages(sql[:start] + put + sql[start + length :])
    assert said is None or "--> any:" in said
