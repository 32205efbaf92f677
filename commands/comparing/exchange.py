"""Two tables take each other's name, with the numbers of their batches, in one transaction.

So who reads the one finds the rows of the other from one moment to the next, and a job that still
writes under its old name is refused, as the table is another's.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commands.comparing.sinks import CompareError
from commands.comparing.tables import batches_of
from tvfc_runtime.checkpoint.storage import local_path, query_id
from tvfc_runtime.rows.sql_text import quoted
from tvfc_runtime.sinks.duckdb_file import file_of, opened
from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.postgres_place import Place
from tvfc_runtime.sinks.sqlite import BATCHES, PATIENCE_S

if TYPE_CHECKING:
    from commands.comparing.sinks import Sink

Pair = tuple["Sink", "Sink"]
Run = Callable[..., list[tuple[Any, ...]]]
"""Runs a statement with values for its marks; answers its rows."""

Do = Callable[[Run, Sequence["Pair"], Callable[["Sink"], "Table"]], None]
"""What is done to the tables of pairs of sinks, with what runs statements."""

ASIDE = "_tvfc_switch"
"""What a table is called between two of its names; nobody sees it."""


def can_be_switched(sink: Sink) -> bool:
    """Whether a sink is a table that can take another name."""
    return sink.format in _DATABASES


def database_of(sink: Sink) -> tuple[str, str]:
    """The database of a table, by which it is compared with others."""
    if sink.format == "postgres":
        return sink.format, Place.of(f"sink {sink.name}", sink.name, sink.options).url
    path = local_path(sink.path)
    return sink.format, sink.path if path is None else str(path.resolve())


def exchange(pairs: Sequence[Pair]) -> None:
    """Let the tables of pairs of sinks, all in one database, take each other's names.

    Raises:
        CompareError: they cannot; nothing was changed.
    """
    _within_a_transaction(pairs, _exchange)


def is_exchanged(pairs: Sequence[Pair]) -> bool:
    """Whether they have done so.

    Raises:
        CompareError: that cannot be told.
    """
    found: list[bool] = []

    def look(run: Run, pairs: Sequence[Pair], table_of: Callable[[Sink], Table]) -> None:
        for pair in pairs:
            owners = [[query for query, _ in each] for each in _batches(run, pair, table_of)]
            found.append(owners == [[query_id(each.place)] for each in reversed(pair)])

    _within_a_transaction(pairs, look)
    return all(found)


def _within_a_transaction(pairs: Sequence[Pair], do: Do) -> None:
    try:
        _DATABASES[pairs[0][0].format](pairs, do)
    except SinkError as error:
        raise CompareError(str(error)) from None
    except sqlite3.Error as error:
        raise CompareError(f"TVF759: SQLite says of {pairs[0][0].path}: {error}") from None


@dataclass(frozen=True)
class Table:
    """A table of a database.

    Attributes:
        schema: the schema that it is in; None: there is but one.
        name: its name.
        noted: what it is called among the batches.
    """

    schema: str | None
    name: str
    noted: str

    def sql(self, name: str | None = None) -> str:
        """It, or another table of its schema, as SQL."""
        return ".".join(map(quoted, filter(None, (self.schema, name or self.name))))


def _batches(
    run: Run, pair: Pair, table_of: Callable[[Sink], Table]
) -> list[list[tuple[Any, ...]]]:
    """The queries whose rows the tables of two sinks hold, each with its last batch."""
    tables = [table_of(each) for each in pair]
    return [
        run(f"SELECT query, batch FROM {each.sql(BATCHES)} WHERE sink_table = ?", each.noted)
        for each in tables
    ]


def _exchange(run: Run, pairs: Sequence[Pair], table_of: Callable[[Sink], Table]) -> None:
    for pair in pairs:
        found = _batches(run, pair, table_of)
        for sink, has in zip(pair, found, strict=True):
            if [query for query, _ in has] != [query_id(sink.place)]:
                raise CompareError(
                    f"TVF759: the table {sink.table} does not hold just the rows of {sink.place}"
                )
        one, other = map(table_of, pair)
        run(f"ALTER TABLE {one.sql()} RENAME TO {quoted(ASIDE)}")
        run(f"ALTER TABLE {other.sql()} RENAME TO {quoted(one.name)}")
        run(f"ALTER TABLE {one.sql(ASIDE)} RENAME TO {quoted(other.name)}")
        for table, ((query, batch),) in zip((one, other), reversed(found), strict=True):
            run(
                f"UPDATE {table.sql(BATCHES)} SET query = ?, batch = ? WHERE sink_table = ?",
                *(query, batch, table.noted),
            )


def _plain_table(sink: Sink) -> Table:
    return Table(None, sink.table, sink.table.lower())


def _sqlite(pairs: Sequence[Pair], do: Do) -> None:
    path = local_path(pairs[0][0].path)
    if path is None or not path.exists():
        raise CompareError(f"TVF759: there is no database {pairs[0][0].path}")
    with closing(sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)) as database:
        # Views name the table that is to be read; they do not go with the one that was.
        database.execute("PRAGMA legacy_alter_table = ON")
        database.execute("BEGIN IMMEDIATE")

        def run(statement: str, *values: Any) -> list[tuple[Any, ...]]:
            return database.execute(statement, values).fetchall()

        do(run, pairs, _plain_table)
        database.execute("COMMIT")


def _duckdb(pairs: Sequence[Pair], do: Do) -> None:
    what = f"sink {pairs[0][0].name}"
    with opened(what, file_of(what, {"path": pairs[0][0].path})) as database:
        database.execute("BEGIN")

        def run(statement: str, *values: Any) -> list[tuple[Any, ...]]:
            return list(database.execute(statement, list(values)).fetchall())

        do(run, pairs, _plain_table)
        database.execute("COMMIT")


def _postgres(pairs: Sequence[Pair], do: Do) -> None:
    what = f"sink {pairs[0][0].name}"
    place = Place.of(what, pairs[0][0].name, pairs[0][0].options)
    with place.connected(what) as database, database.cursor() as cursor:

        def run(statement: str, *values: Any) -> list[tuple[Any, ...]]:
            for number in range(len(values)):
                statement = statement.replace("?", f"${number + 1}", 1)
            cursor.execute(statement, values or None)
            return list(cursor.fetchall()) if cursor.description else []

        def table_of(sink: Sink) -> Table:
            own = Place.of(f"sink {sink.name}", sink.name, sink.options)
            return Table(batches_of(cursor, own).schema, own.table, own.table)

        for pair in pairs:
            _check_postgres(run, pair, [table_of(each).sql() for each in pair])
        do(run, pairs, table_of)
        database.commit()


def _check_postgres(run: Run, pair: Pair, tables: list[str]) -> None:
    """See that whoever reads a table by its name finds the other one, and may read it.

    Raises:
        CompareError: they lie in two schemas, a view would not go over, or rights differ.
    """
    run(f"LOCK TABLE {', '.join(tables)} IN ACCESS EXCLUSIVE MODE")
    facts = [
        run(
            "SELECT c.relnamespace, c.relowner, coalesce(c.relacl::text, '') FROM pg_class AS c "
            "WHERE c.oid = to_regclass(?)",
            table,
        )[0]
        for table in tables
    ]
    if facts[0][0] != facts[1][0]:
        raise CompareError(f"TVF759: {tables[0]} and {tables[1]} lie in two schemas")
    if facts[0][1:] != facts[1][1:]:
        raise CompareError(
            f"TVF759: others may read {tables[0]} than {tables[1]}: rights go with a table and not "
            "with its name; GRANT the same on both"
        )
    for sink, table in zip(pair, tables, strict=True):
        views = run(
            "SELECT DISTINCT v.oid::regclass::text FROM pg_depend AS d JOIN pg_rewrite AS r "
            "ON r.oid = d.objid JOIN pg_class AS v ON v.oid = r.ev_class "
            "WHERE d.classid = 'pg_rewrite'::regclass AND d.refobjid = to_regclass(?) "
            "AND v.oid <> d.refobjid",
            table,
        )
        if views:
            raise CompareError(
                f"TVF759: the view {views[0][0]} reads {sink.table}, and in Postgres it would go "
                "on with those rows under their other name; drop it, switch, and create it again"
            )


_DATABASES: Mapping[str, Callable[[Sequence[Pair], Do], None]] = {
    "sqlite": _sqlite,
    "duckdb": _duckdb,
    "postgres": _postgres,
}
