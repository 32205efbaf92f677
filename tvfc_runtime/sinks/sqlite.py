"""A keyed sink on SQLite: a table that holds the result as it stands, one row a key."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import Column
from pyspark.sql.types import StructType

from tvfc_runtime.checkpoint.storage import local_path
from tvfc_runtime.rows.sql_text import quoted
from tvfc_runtime.sinks.changes import Changes, Row, two_rows
from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.sqlite_values import declared, stored

PATIENCE_S = 60
"""How long a batch waits for others to let go of the database."""

BATCHES = "_tvfc_batches"
"""For each table the last batch that it has, and of which query; written with the batch."""


@dataclass(frozen=True, kw_only=True)
class SqliteSink:
    """Writes one table of a database file.

    Attributes:
        sink: the sink's name in the query, for messages.
        path: the database, a local file; made if it is missing.
        table: the table; made if it is missing.
        columns: its columns.
        key: those of its key.
    """

    sink: str
    path: str
    table: str
    columns: StructType
    key: tuple[str, ...]

    @classmethod
    def of(
        cls, sink: str, columns: StructType, key: tuple[str, ...], options: Mapping[str, str]
    ) -> SqliteSink:
        """The sink with these OPTIONS: `path`, and `table`, by default the sink's name.

        Raises:
            SinkError: the path is no local file.
        """
        given = {name.lower(): value for name, value in options.items()}
        path = local_path(given.get("path", ""))
        if path is None or not path.name:
            raise SinkError(f"TVF707: sink {sink}: SQLite needs a path to a local file")
        table = given.get("table", sink)
        for name in (table, *columns.names):
            if "\0" in name:
                raise SinkError(f"TVF707: sink {sink}: {name!r} is no name for SQLite")
        if table.lower().startswith("sqlite_") or table.lower() == BATCHES:
            raise SinkError(f"TVF707: sink {sink}: the table name {table} is kept; give another")
        return cls(sink=sink, path=str(path.resolve()), table=table, columns=columns, key=key)

    def check(self, query: str | None) -> None:
        """See that the table, if there is one, is this query's and has the columns.

        Raises:
            SinkError: it is not, or has not.
        """
        if Path(self.path).exists():
            with closing(self._open()) as database:
                self._last_batch(database, query)
                self._check_columns(database)

    def stored(self, columns: Sequence[Column]) -> list[Column]:
        """The columns in the form in which SQLite has them."""
        kinds = (field.dataType for field in self.columns.fields)
        return [stored(column, kind) for column, kind in zip(columns, kinds, strict=True)]

    def apply(self, query: str, batch: int, changes: Changes) -> None:
        """Carry out a batch in one transaction; one that is there already does nothing.

        Raises:
            SinkError: a key would have two rows, or the table is another query's.
        """
        Path(self.path).parent.mkdir(parents=True, exist_ok=True)
        with closing(self._open()) as database, _transaction(database):
            last = self._last_batch(database, query)
            if last is not None and batch <= last:
                return
            self._create(database)
            self._delete(database, changes.deletes)
            if changes.new is None:
                self._delete(database, changes.upserts)
            else:
                self._refuse_known(database, changes.new)
                self._delete(database, changes.upserts.keys() - changes.new)
            marks = ", ".join("?" * len(self.columns.fields))
            database.executemany(
                f"INSERT INTO {quoted(self.table)} ({_listed(self.columns.names)}) "
                f"VALUES ({marks})",
                changes.upserts.values(),
            )
            database.execute(
                f"REPLACE INTO {BATCHES} VALUES (?, ?, ?)", (self.table.lower(), query, batch)
            )

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=PATIENCE_S, isolation_level=None)

    def _last_batch(self, database: sqlite3.Connection, query: str | None) -> int | None:
        """The last batch of this query that the table has; None before the first."""
        if not _columns(database, BATCHES):
            return None
        found = database.execute(
            f"SELECT query, batch FROM {BATCHES} WHERE sink_table = ?", (self.table.lower(),)
        ).fetchone()
        if found is not None and found[0] != query:
            raise SinkError(
                f"TVF705: sink {self.sink}: table {self.table} in {self.path} holds the result of "
                "another checkpoint; give another table, or drop this one and its row in "
                f"{BATCHES}"
            )
        return None if found is None else int(found[1])

    def _create(self, database: sqlite3.Connection) -> None:
        columns = [
            f"{quoted(field.name)} {declared(field.dataType)}" for field in self.columns.fields
        ]
        key = f"PRIMARY KEY ({_listed(self.key)})"
        database.execute(
            f"CREATE TABLE IF NOT EXISTS {quoted(self.table)} ({', '.join((*columns, key))})"
        )
        database.execute(
            f"CREATE TABLE IF NOT EXISTS {BATCHES} "
            "(sink_table TEXT PRIMARY KEY, query TEXT NOT NULL, batch INTEGER NOT NULL)"
        )

    def _check_columns(self, database: sqlite3.Connection) -> None:
        known = _columns(database, self.table)
        missing = [name for name in self.columns.names if name.lower() not in known]
        if known and missing:
            raise SinkError(
                f"TVF707: sink {self.sink}: table {self.table} in {self.path} has no column "
                f"{missing[0]}"
            )

    def _delete(self, database: sqlite3.Connection, keys: Iterable[Row]) -> None:
        database.executemany(f"DELETE FROM {quoted(self.table)} WHERE {self._same_key()}", keys)

    def _refuse_known(self, database: sqlite3.Connection, keys: Iterable[Row]) -> None:
        query = f"SELECT 1 FROM {quoted(self.table)} WHERE {self._same_key()}"
        for key in keys:
            if database.execute(query, key).fetchone() is not None:
                raise two_rows(key, self.key)

    def _same_key(self) -> str:
        """IS, as NULL is one key."""
        return " AND ".join(f"{quoted(name)} IS ?" for name in self.key)


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def _columns(database: sqlite3.Connection, table: str) -> set[str]:
    """The columns of a table in small letters; none if there is no table."""
    return {row[1].lower() for row in database.execute(f"PRAGMA table_info({quoted(table)})")}


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(quoted, names))
