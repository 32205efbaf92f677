"""The first word is no statement of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.diagnostics.suggest import suggest

if TYPE_CHECKING:
    from compiler.diagnostics.diagnostic import Diagnostic
    from compiler.syntax.mistakes.failure import Failure

_STARTS = ("SELECT", "WITH", "FROM", "VALUES", "TABLE", "CREATE", "INSERT")
_HAVE = (
    "the statements are CREATE SOURCE, CREATE TABLE, CREATE VIEW, CREATE SINK, INSERT INTO "
    "and a query"
)
_OTHERS = {
    "EXPLAIN": "leave out EXPLAIN and run `tvfc explain query.sql`",
    "SET": "a job takes its options on the command line",
    "USE": "every name stands in the file itself",
    "DROP": "a file only creates: take the statement that creates it out",
    "ALTER": "change the CREATE statement itself",
    "UPDATE": "a stream changes by new rows: write a query",
    "DELETE": "keep the rows that you want with WHERE",
    "MERGE": "a keyed sink takes upserts and deletes by itself",
    "SHOW": "every name stands in the file itself",
    "DESCRIBE": "run `tvfc explain query.sql`",
}
_CREATED = ("SOURCE", "STREAM", "TABLE", "VIEW", "SINK")


def wrong_statement(failure: Failure) -> Diagnostic | None:
    """`DROP TABLE t`, `SELCT a`, `CREATE FUNCTION f`."""
    if failure.index == 0:
        return _wrong_first_word(failure)
    first = failure.tokens.types[0]
    word = failure.text.upper()
    if first == "WITH" and failure.kind_at(-1) == ")" and word in _OTHERS:
        return failure.diagnostic("TVF116", f"{word} is no statement of tvfc", help=_OTHERS[word])
    if first == "CREATE" and failure.index == 1:
        return _wrong_creation(failure)
    return None


def _wrong_first_word(failure: Failure) -> Diagnostic | None:
    word = failure.text.upper()
    if word == "INSERT":
        what = f"INSERT {failure.text_at(1).upper()}".strip()
        return failure.diagnostic(
            "TVF116", f"{what} is no statement of tvfc", help="write INSERT INTO sink SELECT ..."
        )
    if word in _OTHERS:
        return failure.diagnostic("TVF116", f"{word} is no statement of tvfc", help=_OTHERS[word])
    near = suggest(word, _STARTS) if word.isalpha() else None
    if near is not None and near != word:
        return failure.diagnostic(
            "TVF113", f"`{failure.text}` begins no statement", help=f"did you mean {near}?"
        )
    if failure.start == "query":
        return failure.diagnostic(
            "TVF116", f"a query cannot begin with {failure.shown}", help="begin with SELECT or WITH"
        )
    return failure.diagnostic(
        "TVF116", f"a statement cannot begin with {failure.shown}", help=_HAVE
    )


def _wrong_creation(failure: Failure) -> Diagnostic:
    near = suggest(failure.text, _CREATED)
    if near is not None:
        return failure.diagnostic(
            "TVF113", f"`{failure.text}` cannot be created", help=f"did you mean CREATE {near}?"
        )
    return failure.diagnostic(
        "TVF116",
        f"CREATE {failure.text.upper()} is no statement of tvfc",
        help="create a SOURCE, TABLE, VIEW or SINK",
    )
