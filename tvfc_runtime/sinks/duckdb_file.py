"""A table in a file of DuckDB: a batch is one transaction with its number."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import Column

from tvfc_runtime.checkpoint.storage import local_path
from tvfc_runtime.rows.sql_text import quoted
from tvfc_runtime.sinks.arrow_pieces import Pieces
from tvfc_runtime.sinks.changes import two_rows
from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.lake_types import arrow_schema, stored
from tvfc_runtime.sinks.merging import (
    DELETED,
    NEW,
    WHAT,
    check_columns,
    foreign,
    key_places,
    own_name,
    staged,
)
from tvfc_runtime.sinks.net import NetChanges
from tvfc_runtime.sinks.tables import SinkTable

BATCHES = "_tvfc_batches"
"""For each table the last batch that it has of each query; written with the batch."""

PATIENCE_S = 60
"""How long a batch waits for others to let go of the file."""


@dataclass(frozen=True, kw_only=True)
class DuckDbSink:
    """Writes one table of a file; both are made if they are missing."""

    table: SinkTable
    path: str
    name: str

    @classmethod
    def of(cls, table: SinkTable) -> DuckDbSink:
        """The sink with its OPTIONS.

        Raises:
            SinkError: they do not fit, or the library is not there.
        """
        name = table.options.get("table", table.sink)
        if name.lower() == BATCHES:
            raise SinkError(f"TVF707: sink {table.sink}: the table name {BATCHES} is kept")
        return cls(table=table, path=file_of(f"sink {table.sink}", table.options), name=name)

    def check(self, query: str | None) -> None:
        """See that the table, if there is one, is this query's and takes the columns."""
        if Path(self.path).exists():
            with opened(f"sink {self.table.sink}", self.path) as database:
                self._last_batch(database, query)
                self._check_columns(database)

    def stored(self, columns: Sequence[Column]) -> list[Column]:
        """The columns as Arrow has them."""
        kinds = (field.dataType for field in self.table.columns)
        return [stored(column, kind) for column, kind in zip(columns, kinds, strict=True)]

    def append(self, query: str, batch: int, rows: Pieces) -> None:
        """Add the rows of a batch."""
        with self._transaction(query, batch) as database:
            if database is not None:
                self._insert(database, rows.reader())

    def merge(self, query: str, batch: int, changes: NetChanges) -> None:
        """Carry out a batch."""
        with self._transaction(query, batch) as database:
            if database is None:
                return
            rows = staged(changes)
            database.register("staged", rows)
            keys = ", ".join(f"s.c{place}" for place in key_places(self.table))
            known = database.execute(
                f"SELECT {keys} FROM staged AS s JOIN {quoted(self.name)} AS t "
                f"ON {self._same_key(database)} WHERE s.{WHAT} = {NEW} LIMIT 1"
            ).fetchone()
            if known is not None:
                raise two_rows(known, changes.names)
            database.execute(
                f"DELETE FROM {quoted(self.name)} AS t USING staged AS s "
                f"WHERE s.{WHAT} <> {NEW} AND {self._same_key(database)}"
            )
            self._insert(database, rows, f"WHERE {WHAT} <> {DELETED}")

    def _insert(self, database: Any, rows: Any, condition: str = "") -> None:
        database.register("arrived", rows)
        there = self._columns(database)
        own = [own_name(each, there) or each for each in self.table.columns.names]
        values = ", ".join(f"c{place}" for place in range(len(own)))
        database.execute(
            f"INSERT INTO {quoted(self.name)} ({', '.join(map(quoted, own))}) "
            f"SELECT {values} FROM arrived {condition}"
        )

    @contextmanager
    def _transaction(self, query: str, batch: int) -> Iterator[Any]:
        """The database, to write a batch; None if the table has it."""
        Path(self.path).parent.mkdir(parents=True, exist_ok=True)
        with opened(f"sink {self.table.sink}", self.path) as database:
            database.execute("BEGIN")
            last = self._last_batch(database, query)
            if last is not None and batch <= last:
                yield None
                return
            self._create(database)
            self._check_columns(database)
            yield database
            database.execute(
                f"INSERT OR REPLACE INTO {BATCHES} VALUES (?, ?, ?)",
                [self.name.lower(), query, batch],
            )
            database.execute("COMMIT")

    def _create(self, database: Any) -> None:
        # Without a key: DuckDB would not let a row of the same key come in one transaction.
        empty = arrow_schema(self.table.columns).empty_table()
        database.register("columns_of_rows", empty)
        database.execute(
            f"CREATE TABLE IF NOT EXISTS {quoted(self.name)} AS SELECT * FROM columns_of_rows"
        )
        database.execute(
            f"CREATE TABLE IF NOT EXISTS {BATCHES} (sink_table VARCHAR, query VARCHAR, "
            "batch BIGINT, PRIMARY KEY (sink_table, query))"
        )

    def _last_batch(self, database: Any, query: str | None) -> int | None:
        if not self._columns(database, BATCHES):
            return None
        found = database.execute(
            f"SELECT query, batch FROM {BATCHES} WHERE sink_table = ?", [self.name.lower()]
        ).fetchall()
        batches = dict(found)
        if batches.keys() - {query} and not self.table.is_shared:
            remedy = f"give another table, or drop this one and its row in {BATCHES}"
            if not self.table.key:
                remedy += "; or let queries share it: OPTIONS (shared 'true')"
            raise foreign(self.table.sink, f"table {self.name} in {self.path}", remedy)
        return batches.get(query)

    def _columns(self, database: Any, name: str | None = None) -> dict[str, str]:
        """The columns of a table and their types; none if there is no table."""
        found = database.execute(
            "SELECT column_name, data_type FROM duckdb_columns() "
            "WHERE schema_name = current_schema() AND lower(table_name) = lower(?)",
            [name or self.name],
        )
        return dict(found.fetchall())

    def _check_columns(self, database: Any) -> None:
        there = self._columns(database)
        if there:
            database.register("columns_of_rows", arrow_schema(self.table.columns).empty_table())
            wanted = database.execute("DESCRIBE columns_of_rows").fetchall()
            check_columns(self.table, there, {name: kind for name, kind, *_ in wanted})

    def _same_key(self, database: Any) -> str:
        there = self._columns(database)
        terms = []
        for place in key_places(self.table):
            own = own_name(self.table.columns.names[place], there)
            terms.append(f"t.{quoted(str(own))} IS NOT DISTINCT FROM s.c{place}")
        return " AND ".join(terms)


def file_of(what: str, options: Mapping[str, str]) -> str:
    """The file that OPTIONS (path '…') names.

    Raises:
        SinkError: it is no local one.
    """
    path = local_path(options.get("path", ""))
    if path is None or not path.name:
        raise SinkError(f"TVF707: {what}: DuckDB needs a path to a local file")
    return str(path.absolute())


@contextmanager
def opened(what: str, path: str, *, read_only: bool = False) -> Iterator[Any]:
    """A database; what is not committed when the block ends is gone.

    Raises:
        SinkError: it cannot be opened, or refuses a statement.
    """
    try:
        import duckdb  # noqa: PLC0415  an extra
    except ImportError as error:
        raise SinkError(
            f"TVF707: {what}: DuckDB needs a package more: pip install duckdb"
        ) from error
    deadline = time.monotonic() + PATIENCE_S
    database = None
    try:
        while database is None:
            try:
                database = duckdb.connect(path, read_only=read_only)
            except duckdb.IOException as error:
                # Another process has the file; it may be a reader.
                if "lock" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
        database.execute("SET TimeZone = 'UTC'")
        yield database
    except duckdb.Error as error:
        raise SinkError(f"TVF707: {what}: DuckDB says: {error}") from error
    finally:
        if database is not None:
            database.close()
