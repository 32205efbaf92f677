"""Values in place of `:name`, before a query is parsed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import cli
from compiler import CompileError, compile_script
from compiler.source import SourceText
from compiler.syntax import ParameterError, with_parameters

ORDERS = (
    "CREATE SOURCE o (id INT, city STRING, n STRUCT<n:INT>, ts TIMESTAMP, WATERMARK FOR ts AS ts)"
)
JSON = " USING json OPTIONS (path 'in');\n"


def filled(text: str, **values: str) -> str:
    return with_parameters(SourceText("q.sql", text), values)[0].text


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("5", "5"),
        ("-5", "(-5)"),
        ("1.5e3", "1.5e3"),
        ("'Ber''lin; -- '", "'Ber''lin; -- '"),
        (r"'it\'s'", r"'it\'s'"),
        ("true", "true"),
        ("NULL", "NULL"),
        ("date '2026-01-31'", "date '2026-01-31'"),
        ("TIMESTAMP '2026-01-31 12:00:00'", "TIMESTAMP '2026-01-31 12:00:00'"),
        ("INTERVAL 5 MINUTES", "INTERVAL 5 MINUTES"),
        ("INTERVAL '1' DAY", "INTERVAL '1' DAY"),
        ("INTERVAL '1 02:03' DAY TO MINUTE", "INTERVAL '1 02:03' DAY TO MINUTE"),
    ],
)
def test_a_literal_stands_where_the_name_was(value: str, written: str) -> None:
    assert filled("SELECT a -:p", p=value) == f"SELECT a -{written}"


@pytest.mark.parametrize(
    "value",
    [
        *("", "Berlin", "1 OR 1 = 1", "5; SELECT 1", "5 -- x", "'a' /* b */ OR 'c'", "'open"),
        *("(SELECT 1)", "id", "now()", "`id`", ":other", "5 6", "--5", "INTERVAL", "'a'\n'b'"),
        *("INTERVAL 5 MINUTES OR TRUE", "INTERVAL 5 potatoes", "INTERVAL 5", "DATE 5", "$(id)"),
    ],
)
def test_what_is_no_literal_is_refused(value: str) -> None:
    with pytest.raises(ParameterError, match="`p` is no literal"):
        filled("SELECT :p", p=value)


def test_only_parameters_are_filled_in() -> None:
    text = "SELECT ':n', `:n`, CAST(x AS STRUCT<n:n>) -- :n\n, a:n, a :n /* :n */, :nn, (:n)"
    expected = text.replace("a :n", "a 5").replace("(:n)", "(5)")
    assert filled(text, n="5") == expected
    assert with_parameters(SourceText("q", text), {"n": "5", "m": "6"})[1] == {"n"}


def test_values_decide_when_rows_leave() -> None:
    query = ORDERS + JSON + "SELECT id FROM o WHERE id < :least AND ts + :wait <= WATERMARK_TS();"
    text = filled(query, least="10", wait="INTERVAL 5 MINUTES")
    by_hand = query.replace(":least", "10").replace(":wait", "INTERVAL 5 MINUTES")
    assert compile_script(SourceText("q.sql", text)).text == (
        compile_script(SourceText("q.sql", by_hand)).text
    )


def test_a_parameter_without_a_value_is_named() -> None:
    with pytest.raises(CompileError) as error:
        compile_script(SourceText("q.sql", ORDERS + JSON + "SELECT id FROM o WHERE id < :least;"))
    (found,) = error.value.diagnostics
    assert found.code == "TVF212"
    assert found.help == "give one: --param least=…"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--param", "n=1", "--param", "n=2"], "--param n is given twice"),
        (["--param", "N=1"], "no parameter :N; it has :n, and upper and lower case"),
        (["--param", "x=1"], "the query has no parameter :x\n"),
        (["--param", "n=1m"], "no literal of SQL"),
    ],
)
def test_what_is_given_wrongly_is_a_usage_error(
    tmp_path: Path, given: list[str], said: str
) -> None:
    (tmp_path / "q.sql").write_text(
        "CREATE SOURCE s (a INT) USING json OPTIONS (path 's'); SELECT a FROM s WHERE a > :n;"
    )
    outcome = CliRunner().invoke(cli.tvfc, ["check", str(tmp_path / "q.sql"), *given])
    assert outcome.exit_code == 2
    assert said in outcome.output
