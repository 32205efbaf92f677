"""What other streaming systems and databases write, as far as a parse stops at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.diagnostics.suggest import suggest
from compiler.syntax.mistakes.brackets import open_places
from compiler.syntax.tokens.lexer import END

if TYPE_CHECKING:
    from compiler.diagnostics.diagnostic import Diagnostic
    from compiler.syntax.mistakes.failure import Failure

_BEHIND_AS = ("USING", "OPTIONS", "WITH", "FORMAT", "PARTITIONED")


def foreign_stream(failure: Failure) -> Diagnostic | None:
    """A spelling of RisingWave, Flink or another dialect at the token at fault."""
    for detector in (
        _misspelt_exists,
        _clause_behind_query,
        _encoding,
        _asof_without_condition,
        _fill_without_parentheses,
        _option_with_colon,
        _name_in_brackets,
        _distinct_again,
    ):
        diagnostic = detector(failure)
        if diagnostic is not None:
            return diagnostic
    return None


def _misspelt_exists(failure: Failure) -> Diagnostic | None:
    """`NOT EXIST (SELECT …)`."""
    word = failure.text_at(-2)
    if failure.kind != "SELECT" or failure.kind_at(-1) != "(" or failure.kind_at(-2) != "NAME":
        return None
    if suggest(word, ["EXISTS"]) is None:
        return None
    return failure.diagnostic(
        "TVF113",
        f"`{word}` takes no query",
        span=failure.span_at(-2),
        help="did you mean EXISTS?",
    )


def _clause_behind_query(failure: Failure) -> Diagnostic | None:
    """`CREATE SINK s AS SELECT … USING parquet`."""
    types = failure.tokens.types
    place = next((n for n, kind in enumerate(types[:3]) if kind == "SINK"), None)
    word = failure.text.upper()
    if types[0] != "CREATE" or place is None or open_places(failure):
        return None
    names = (word, failure.text_at(-1).upper())
    clause = next((each for each in names if each in _BEHIND_AS), None)
    if clause is None or "AS" not in types[: failure.index] or "SELECT" not in types:
        return None
    sink = failure.tokens.texts[place + 1]
    return failure.diagnostic(
        "TVF104",
        f"{clause} of a sink stands before its query",
        "behind the query",
        span=failure.span if clause == word else failure.span_at(-1),
        help=f"write CREATE SINK {sink} USING parquet OPTIONS (path 'out') AS SELECT ...",
    )


def _encoding(failure: Failure) -> Diagnostic | None:
    """One of FORMAT and ENCODE without the other."""
    if failure.tokens.types[0] != "CREATE" or open_places(failure):
        return None
    if failure.text.upper() == "ENCODE" and failure.kind_at(1) != "(":
        name = failure.text_at(1).upper()
        return failure.diagnostic(
            "TVF117",
            "ENCODE stands behind FORMAT",
            "expected FORMAT before this",
            help=f"write FORMAT PLAIN ENCODE {name}",
        )
    if "ENCODE" not in failure.acceptable or failure.text_at(-2).upper() != "FORMAT":
        return None
    name = failure.text_at(-1).upper()
    return failure.diagnostic(
        "TVF117",
        "FORMAT needs an ENCODE",
        "expected ENCODE before this" if failure.kind != END else "expected ENCODE",
        help=f"write FORMAT {name} ENCODE JSON",
    )


def _asof_without_condition(failure: Failure) -> Diagnostic | None:
    """`a ASOF JOIN b ON a.k = b.k AND a.ts >= b.ts`, as DuckDB writes it."""
    offset = next((each for each in (0, -1) if failure.text_at(each).upper() == "ASOF"), None)
    if offset is None or "JOIN" not in (failure.kind_at(offset + 1), failure.kind_at(offset + 2)):
        return None
    return failure.diagnostic(
        "TVF118",
        "an ASOF JOIN says in a MATCH_CONDITION which times it compares",
        span=failure.span_at(offset),
        help="write a ASOF JOIN b MATCH_CONDITION (a.ts >= b.ts) ON a.id = b.id",
    )


def _fill_without_parentheses(failure: Failure) -> Diagnostic | None:
    """`TUMBLE(...) FILL 0`: read as the name of the relation."""
    offset = next((each for each in (0, -1) if failure.text_at(each).upper() == "FILL"), None)
    if offset is None or failure.kind_at(offset - 1) != ")":
        return None
    return failure.diagnostic(
        "TVF104",
        "what FILL fills in stands in parentheses",
        span=failure.span_at(offset).cover(failure.span_at(offset + 1)),
        help="write FILL (0), FILL (NULL), FILL (PREVIOUS) or FILL (LINEAR)",
    )


def _option_with_colon(failure: Failure) -> Diagnostic | None:
    """`WITH (connector: 'kafka')`."""
    offset = next((each for each in (0, -1) if failure.text_at(each).startswith(":")), None)
    if offset is None or failure.tokens.types[0] != "CREATE":
        return None
    words = [failure.tokens.texts[place - 1].upper() for place in open_places(failure) if place]
    if not words or words[-1] not in ("WITH", "OPTIONS"):
        return None
    name = failure.text_at(offset - 1)
    return failure.diagnostic(
        "TVF118",
        "an option and its value have no colon between them",
        span=failure.span_at(offset),
        help=f"write {name} = 'value'",
    )


def _name_in_brackets(failure: Failure) -> Diagnostic | None:
    """`SELECT [id]`, as T-SQL quotes a name; `[1, 2]` as an array."""
    if failure.kind != "[" or "NAME" not in failure.acceptable:
        return None
    is_name = failure.text_at(1)[:1].isalpha() and failure.kind_at(2) == "]"
    if is_name:
        return failure.diagnostic(
            "TVF118",
            "brackets do not quote a name",
            span=failure.span.cover(failure.span_at(2)),
            help=f"write it in backquotes, `{failure.text_at(1)}`, or as it is",
        )
    if "NUMBER" not in failure.acceptable or failure.kind_at(1) == END:
        return None
    return failure.diagnostic("TVF118", "brackets make no array", help="write array(1, 2)")


def _distinct_again(failure: Failure) -> Diagnostic | None:
    """`SELECT a, DISTINCT b + 1`: read as a column with a name."""
    near = (each for each in (0, -1, -2) if failure.text_at(each).upper() == "DISTINCT")
    place = next(near, None)
    if place is None or failure.kind_at(place - 1) != ",":
        return None
    return failure.diagnostic(
        "TVF109",
        "DISTINCT stands once, behind SELECT, and is of whole rows",
        span=failure.span_at(place),
        help="leave it out here; count(DISTINCT a) is of one column",
    )
