"""The rows of a table that a job writes, and the batch that it has, read in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pyarrow as pa

from commands.comparing.records import plain_column
from commands.comparing.sinks import CompareError
from tvfc_runtime.checkpoint.storage import local_path, query_id
from tvfc_runtime.rows.sql_text import quoted
from tvfc_runtime.sinks.duckdb_file import file_of, opened
from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.postgres_place import Place
from tvfc_runtime.sinks.sqlite import BATCHES, PATIENCE_S

if TYPE_CHECKING:
    from commands.comparing.sinks import Sink


@dataclass(frozen=True)
class TableRows:
    """The rows of a table, and the last batch that it has."""

    rows: pa.Table
    batch: int


def rows_of_table(sink: Sink) -> TableRows:
    """The rows of a table as they are now.

    Raises:
        CompareError: it is not there, or holds rows of another query.
    """
    try:
        return _READERS[sink.format](sink)
    except SinkError as error:
        raise CompareError(str(error)) from None
    except sqlite3.Error as error:
        raise CompareError(f"SQLite says of {sink.path}: {error}") from None


def is_table(sink: Sink) -> bool:
    """Whether a sink is a table that is read here."""
    return sink.format in _READERS


def _sqlite(sink: Sink) -> TableRows:
    path = local_path(sink.path)
    if path is None or not path.exists():
        raise CompareError(f"there is no database {sink.path}")
    uri = f"file:{quote(str(path))}?mode=ro"
    with closing(
        sqlite3.connect(uri, uri=True, timeout=PATIENCE_S, isolation_level=None)
    ) as database:
        database.execute("BEGIN")
        name = sink.table.lower()
        found = database.execute(
            f"SELECT query, batch FROM {BATCHES} WHERE sink_table = ?", (name,)
        ).fetchall()
        batch = _own_batch(sink, dict(found))
        cursor = database.execute(f"SELECT * FROM {quoted(sink.table)}")
        names = [each[0] for each in cursor.description]
        columns = zip(*cursor.fetchall(), strict=True)
        values = [list(each) for each in columns] or [[] for _ in names]
    arrays = {name: plain_column(each) for name, each in zip(names, values, strict=True)}
    return TableRows(pa.table(arrays), batch)


def _duckdb(sink: Sink) -> TableRows:
    path = file_of(f"sink {sink.name}", {"path": sink.path})
    if not Path(path).exists():
        raise CompareError(f"there is no database {path}")
    with opened(f"sink {sink.name}", path, read_only=True) as database:
        database.execute("BEGIN")
        found = database.execute(
            f"SELECT query, batch FROM {BATCHES} WHERE sink_table = ?", [sink.table.lower()]
        ).fetchall()
        batch = _own_batch(sink, dict(found))
        rows = database.sql(f"SELECT * FROM {quoted(sink.table)}").to_arrow_table()
    return TableRows(rows, batch)


def _postgres(sink: Sink) -> TableRows:
    place = Place.of(f"sink {sink.name}", sink.name, sink.options)
    with place.connected(f"sink {sink.name}") as database, database.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        batches = batches_of(cursor, place)
        cursor.execute(
            f"SELECT query, batch FROM {batches.named} WHERE sink_table = $1", (place.table,)
        )
        batch = _own_batch(sink, dict(cursor.fetchall()))
        cursor.execute(f"SELECT * FROM {place.named}")
        rows = cursor.fetch_arrow_table()
    return TableRows(_plain(rows), batch)


def batches_of(cursor: Any, place: Place) -> Place:
    """Where the batches of a table of Postgres stand: in the schema of that table."""
    cursor.execute(
        "SELECT n.nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
        "WHERE c.oid = to_regclass($1)",
        (place.named,),
    )
    found = cursor.fetchall()
    if not found:
        raise CompareError(f"there is no table {place.named}")
    return Place(url=place.url, schema=str(found[0][0]), table=BATCHES)


def _own_batch(sink: Sink, batches: Mapping[str, int]) -> int:
    """The last batch of the query that a table has.

    Raises:
        CompareError: its rows are those of another query, too.
    """
    own = query_id(sink.place)
    if own not in batches:
        raise CompareError(f"the table {sink.table} holds nothing of {sink.place}")
    if len(batches) > 1:
        raise CompareError(f"the table {sink.table} is shared with other queries")
    return int(batches[own])


def _plain(rows: pa.Table) -> pa.Table:
    """Columns of types that are only known to a driver as what they are stored as."""
    for place, field in enumerate(rows.schema):
        if isinstance(field.type, pa.BaseExtensionType):
            stored = [piece.storage for piece in rows.column(place).chunks]
            column = pa.chunked_array(stored, field.type.storage_type)
            rows = rows.set_column(place, field.name, column)
    return rows


_READERS: Mapping[str, Callable[[Sink], TableRows]] = {
    "sqlite": _sqlite,
    "duckdb": _duckdb,
    "postgres": _postgres,
}
