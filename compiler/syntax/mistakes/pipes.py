"""Mistakes in pipes: operators that are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.diagnostics.suggest import suggest
from compiler.syntax.tokens.words import words

if TYPE_CHECKING:
    from compiler.diagnostics.diagnostic import Diagnostic
    from compiler.syntax.mistakes.failure import Failure

_OPERATORS = words(
    "SELECT WHERE EXTEND SET DROP AS AGGREGATE JOIN PIVOT UNPIVOT TABLESAMPLE ORDER LIMIT OFFSET "
    "UNION EXCEPT INTERSECT"
)
_OTHERS = {
    "FILTER": "write |> WHERE condition",
    "GROUP BY": "write |> AGGREGATE count(*) GROUP BY a",
    "HAVING": "write |> WHERE behind |> AGGREGATE",
    "DISTINCT": "write |> SELECT DISTINCT *",
    "RENAME": "write |> SELECT a AS b",
    "FROM": "leave it out: a pipe reads the rows before it",
    "MAP": "write |> SELECT or |> EXTEND",
}


def wrong_pipe(failure: Failure) -> Diagnostic | None:
    """`|> FILTER a`, `|> GROUP BY a`, `FROM t | WHERE a`."""
    if failure.kind == "|" and failure.mends((failure.span, "|>")):
        return failure.diagnostic("TVF100", "`|` is no pipe", help="write |>")
    if failure.kind == "SELECT" and failure.tokens.types[0] == "FROM" and _is_second(failure):
        return failure.diagnostic(
            "TVF109", "one SELECT stands behind a FROM", "the second", help="join them by UNION ALL"
        )
    offset = 0 if failure.kind_at(-1) == "|>" else -1
    word = failure.kind_at(offset).replace("_", " ")
    word = failure.text_at(offset).upper() if word == "NAME" else word
    if failure.kind_at(offset - 1) != "|>" or word in _OPERATORS:
        return None
    near = suggest(word, _OPERATORS)
    return failure.diagnostic(
        "TVF100",
        f"{word} is no operator of a pipe",
        span=failure.span_at(offset),
        help=_OTHERS.get(word) or (f"did you mean {near}?" if near else "begin with WHERE, ..."),
    )


def _is_second(failure: Failure) -> bool:
    return "SELECT" in failure.tokens.types[: failure.index]
