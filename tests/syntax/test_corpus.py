"""Our tree equals sqlglot's on the corpus, and every node of it has a span."""

from __future__ import annotations

import logging
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
import sqlglot
from sqlglot import exp
from syntax.corpora import expressions, placed_expressions, queries, scripts
from syntax.known_differences import KNOWN_DIFFERENCES, KNOWN_REFUSALS

from compiler.diagnostics import CompileError
from compiler.source import SourceText
from compiler.syntax import parse_query, parse_script, span_of

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """sqlglot logs a warning where it falls back to a command."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


@cache
def tree_of(sql: str) -> exp.Expression:
    """Each text of the corpus is parsed once for all tests."""
    return parse_query(sql)


def differences(texts: tuple[str, ...]) -> list[str]:
    return [sql for sql in texts if tree_of(sql) != sqlglot.parse_one(sql, "spark")]


def test_the_corpus_is_large() -> None:
    assert len(queries()) >= 190
    assert len(expressions()) >= 350
    assert len(set(placed_expressions())) == len(placed_expressions())


@pytest.mark.parametrize("sql", queries())
def test_query_equals_sqlglot(sql: str) -> None:
    assert tree_of(sql) == sqlglot.parse_one(sql, "spark")


@pytest.mark.slow
def test_expressions_equal_sqlglot_wherever_they_stand() -> None:
    assert differences(placed_expressions()) == []


@pytest.mark.parametrize(("sql", "reason"), KNOWN_DIFFERENCES)
def test_known_differences_are_still_there(sql: str, reason: str) -> None:
    assert reason
    assert parse_query(sql) != sqlglot.parse_one(sql, "spark")


@pytest.mark.parametrize(("sql", "reason"), KNOWN_REFUSALS)
def test_known_refusals_are_still_refused(sql: str, reason: str) -> None:
    assert reason
    with pytest.raises(CompileError):
        parse_query(sql)


@pytest.mark.parametrize("script", scripts())
def test_own_syntax_prints_and_parses_again(script: str) -> None:
    for statement in parse_script(SourceText("script", script)).statements:
        text = statement.sql("spark")
        again = parse_script(SourceText("printed", text)).statements
        assert again == (statement,), text


def test_ordinary_trees_print() -> None:
    for sql in queries():
        assert tree_of(sql).sql("spark")


@cache
def all_statements() -> tuple[tuple[str, exp.Expression], ...]:
    """Every text of the corpus, every other place of an expression, with its tree."""
    found = [(sql, tree_of(sql)) for sql in (*queries(), *placed_expressions()[::2])]
    for script in scripts():
        statements = parse_script(SourceText("script", script)).statements
        found += [(script, statement) for statement in statements]
    return tuple(found)


def is_made_up(node: exp.Identifier) -> bool:
    """The names of pivoted columns, of fields and of helper tables are not in the text."""
    if isinstance(node.parent, (exp.Pivot, exp.PropertyEQ)) and node.arg_key != "alias":
        return True
    return node.name.startswith(("_values", "__tmp", "col")) and node.name != "color"


def test_names_and_literals_stand_where_their_span_says() -> None:
    for sql, tree in all_statements():
        for node in tree.find_all(exp.Identifier):
            if is_made_up(node):
                continue
            span = node.meta["span"]
            written = sql[span.start : span.end]
            bare = written.strip("`'").replace("``", "`")
            assert bare == node.this, (sql, written)


# Nodes that hold what stands outside of them: sqlglot hangs joins on the first table, the function
# on its window, the value on the order of WITHIN GROUP.
LOOSE = (exp.Select, exp.Table, exp.Window, exp.JSONExtract, exp.Order)


def test_spans_nest() -> None:
    for sql, tree in all_statements():
        for node in tree.walk():
            span = span_of(node)
            assert 0 <= span.start < span.end <= len(sql), (sql, repr(node))
            if node.parent is None or "|>" in sql or isinstance(node.parent, LOOSE):
                continue  # a pipe is turned inside out: its SELECT holds what stands before it
            around = span_of(node.parent)
            assert around.start <= span.start, (sql, repr(node.parent), repr(node))
            assert span.end <= around.end, (sql, repr(node.parent), repr(node))


QUOTED = re.compile(
    r"--[^\n]*|/\*.*?\*/|[rR]?'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`", re.DOTALL
)


def test_spans_hold_whole_texts() -> None:
    """No parenthesis without the other, no comma or space at an end."""
    for sql, tree in all_statements():
        for node in tree.walk():
            if isinstance(node, exp.With):
                continue  # WITH a AS (...) (WITH b AS (...) ...) is one node
            span = span_of(node)
            text = sql[span.start : span.end]
            bare = QUOTED.sub("x", text)
            assert bare.count("(") == bare.count(")"), (text, repr(node))
            assert bare.count("[") == bare.count("]"), (text, repr(node))
            assert text == text.strip(" \n,;"), (text, repr(node))


def test_every_node_has_a_span() -> None:
    bare = [
        (sql, repr(node))
        for sql, tree in all_statements()
        for node in tree.walk()
        if "span" not in node.meta
    ]
    assert bare == []
