"""The first word is no statement of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.diagnostics.suggest import suggest
from compiler.syntax.tokens.lexer import END

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
    "SUBSCRIBE": "write the query itself: the console, and a sink that takes a changelog, are told "
    "each change with its _time and _diff",
    "EXECUTE": "write the INSERT INTO statements one after the other: a file is one job",
    "PRINT": "write SELECT * FROM the source",
}
_OTHERS |= dict.fromkeys(("TAIL", "COPY", "DECLARE"), _OTHERS["SUBSCRIBE"])
_OTHERS.update(
    dict.fromkeys(
        (
            "TRUNCATE",
            "GRANT",
            "REVOKE",
            "BEGIN",
            "COMMIT",
            "ROLLBACK",
            "REFRESH",
            "CACHE",
            "ANALYZE",
        ),
        "a file creates sources, tables, views and sinks, and holds queries",
    )
)
_NOT_CREATED = {
    "CONNECTION": "say where the broker is in the OPTIONS of each source and sink",
    "SECRET": "write ${NAME} in OPTIONS: it is an environment variable where the job runs",
    "INDEX": "leave it out: nobody looks into the tables of a job but its sinks",
    "CLUSTER": "leave it out: a job runs where spark-submit starts it",
    "DATABASE": "leave it out: a file is a name space of its own",
    "SCHEMA": "leave it out: a file is a name space of its own",
    "CATALOG": "name the catalog in the OPTIONS of a sink or table",
}
_CREATED = ("SOURCE", "STREAM", "TABLE", "VIEW", "SINK", "FUNCTION")


def wrong_statement(failure: Failure) -> Diagnostic | None:
    """`DROP TABLE t`, `SELCT a`, `CREATE INDEX i`."""
    if failure.index == 0:
        return _wrong_first_word(failure)
    first = failure.tokens.types[0]
    if first == "WITH" and failure.kind == END and failure.kind_at(-1) == ")":
        return failure.diagnostic(
            "TVF117",
            "WITH needs a query behind its common tables",
            "nothing stands behind them",
            span=failure.tokens.span(0),
            help="add SELECT * FROM the last of them",
        )
    if first == "WITH" and failure.index == 1 and failure.kind == "AS":
        return failure.diagnostic(
            "TVF117", "a common table needs a name", "expected a name", help="write WITH a AS (...)"
        )
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
    if word in _STARTS and failure.kind_at(1) in (END, "."):
        missing = "rows" if word == "VALUES" else "a name"
        return failure.diagnostic(
            "TVF117",
            f"{word} needs {missing} behind it",
            "nothing stands behind it",
            help="write VALUES (1, 'a')" if word == "VALUES" else f"complete the {word}",
        )
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
    if failure.kind == END:
        return failure.diagnostic(
            "TVF117", "CREATE needs what it creates", help="create a SOURCE, TABLE, VIEW or SINK"
        )
    advice = _NOT_CREATED.get(failure.text.upper())
    near = None if advice else suggest(failure.text, _CREATED)
    if near is not None:
        return failure.diagnostic(
            "TVF113", f"`{failure.text}` cannot be created", help=f"did you mean CREATE {near}?"
        )
    return failure.diagnostic(
        "TVF116",
        f"CREATE {failure.text.upper()} is no statement of tvfc",
        help=advice or "create a SOURCE, TABLE, VIEW or SINK",
    )
